/*
 * Shared by the atomics variants with locks: one lock per total, a word in global memory
 * that is 0 while it is open. A thread that has taken the lock sees what others wrote under
 * it.
 */
#pragma once

#include "atomics.cuh"

__device__ inline void lock(unsigned *word)
{
	unsigned was;

	do
		asm volatile("atom.acquire.gpu.cas.b32 %0, [%1], 0, 1;"
			     : "=r"(was)
			     : "l"(word)
			     : "memory");
	while (was);
}

__device__ inline void unlock(unsigned *word)
{
	asm volatile("st.release.gpu.u32 [%0], %1;" ::"l"(word), "r"(0u) : "memory");
}

/* Clears the totals and opens the locks. */
extern "C" __global__ void atomics_open(unsigned *totals, unsigned *locks, long long addresses)
{
	long long i = global_thread();

	if (i < addresses) {
		totals[i] = 0;
		locks[i] = 0;
	}
}
