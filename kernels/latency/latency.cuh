/*
 * Shared by the latency variants: chains in which no step can begin before the one before it has
 * ended. n threads follow one chain each: one thread shows the latency, more threads show how much
 * of it they hide.
 *
 * The chain is a ring of places, a power of two. Each place holds the address of the next one in
 * the form that the load takes, so a step is a single load. The next place is `hop` places away, an
 * odd number of about 0.618 of the ring: all places are visited before any is visited again, and
 * successive steps are far apart.
 */
#pragma once

/* As in latency.c. */
#define LOCAL_KIB 4
#define LINE_BYTES 128

#define CHAIN_PARAMETERS unsigned *y, long long n, int steps

/* The index of the thread's chain. There is no chain at n and beyond. */
#define CHAIN ((long long)blockIdx.x * blockDim.x + threadIdx.x)

__device__ __forceinline__ unsigned hop_from(unsigned place, unsigned hop, unsigned places)
{
	return (place + hop) & (places - 1);
}

/* A step, by the load of one state space: the compiler must neither use a generic load, as it does
 * if it does not know where a pointer comes from, nor add to the address. */
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
