/*
 * random: splitmix64 (Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators", 2014).
 * A seed gives the same numbers on every machine. For choices and for data, not for secrets.
 */
#ifndef BASE_RANDOM_H
#define BASE_RANDOM_H

#include <stdint.h>

/* The number at a place (from 0) of the sequence of a seed: any part of it can be had in any order.
 */
static inline uint64_t random_at(uint64_t seed, uint64_t index)
{
	uint64_t z = seed + (index + 1) * UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

/* The next number of the sequence. *state begins as its seed. */
static inline uint64_t random_next(uint64_t *state)
{
	const uint64_t number = random_at(*state, 0);

	*state += UINT64_C(0x9e3779b97f4a7c15);
	return number;
}

/* A number below `width` from a random one. A width of 0 stands for 2^64. */
static inline uint64_t hash_below(uint64_t hash, uint64_t width)
{
	__extension__ unsigned __int128 product = hash;

	product *= width;
	return width ? (uint64_t)(product >> 64) : hash;
}

#endif
