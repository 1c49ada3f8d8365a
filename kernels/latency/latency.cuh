/*
 * What the latency variants share: chains in which nothing can begin before
 * what is before it has ended. n threads follow a chain each, so that one
 * thread shows the latency, and more show how much of it others hide.
 *
 * A ring of places, a power of two: each holds the address of the next one, as
 * the load takes it, so that a step is that load alone. The next is `hop` away,
 * odd and about 0.618 of the ring: all are visited before one is visited again,
 * and steps that follow one another are far apart.
 */
#pragma once

/* As in latency.c. */
#define LOCAL_KIB 4
#define LINE_BYTES 128

#define CHAIN_PARAMETERS unsigned *y, long long n, int steps

/* The thread's own chain; at n and beyond it has none. */
#define CHAIN ((long long)blockIdx.x * blockDim.x + threadIdx.x)

__device__ __forceinline__ unsigned hop_from(unsigned place, unsigned hop, unsigned places)
{
	return (place + hop) & (places - 1);
}

/* A step, by a load of the space's own: the compiler must neither take a general load, as it does
 * where it does not know where a pointer comes from, nor add to the address. */
__device__ __forceinline__ unsigned step_in_shared(unsigned at)
{
	asm volatile("ld.shared.u32 %0, [%0];" : "+r"(at) : : "memory");
	return at;
}

__device__ __forceinline__ unsigned step_in_local(unsigned at)
{
	asm volatile("ld.local.u32 %0, [%0];" : "+r"(at) : : "memory");
	return at;
}

__device__ __forceinline__ unsigned long long step_in_global(unsigned long long at)
{
	asm volatile("ld.global.u64 %0, [%0];" : "+l"(at) : : "memory");
	return at;
}
