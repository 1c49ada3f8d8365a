/* Each thread follows a chain of places, in one of two ways: a step has to wait for the load of the
 * one before. If a torn warp runs one branch while the other waits, it takes as long as a whole
 * one. */
#include "divergence.cuh"

#define STEPS_WAITING 256 /* as in divergence.c */

/* From the L2 cache, not from the L1: long enough to be worth a turn of somebody else. */
__device__ __forceinline__ unsigned next_place(const unsigned *x, unsigned place, unsigned n)
{
	return __umulhi(__ldcg(x + place), n);
}

/* `unit` threads in a row take the same branch. */
extern "C" __global__ void divergence_waiting(const unsigned *__restrict__ x,
					      unsigned *__restrict__ places, unsigned unit,
					      unsigned n)
{
	long long i = global_thread();

	if (i < n) {
		unsigned place = (unsigned)i;

		if ((unsigned)i / unit % 2) {
#pragma unroll 1
			for (int step = 0; step < STEPS_WAITING; step++)
				place = next_place(x, place, n);
		} else {
#pragma unroll 1
			for (int step = 0; step < STEPS_WAITING; step++)
				place = n - 1 - next_place(x, place, n);
		}
		places[i] = place;
	}
}
