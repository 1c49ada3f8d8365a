/* Each thread follows a chain of places, in one of two ways; each step waits for the load of the
 * step before. If a divergent warp could run one branch while the other waits, it would take as
 * long as a uniform warp. */
#include "divergence.cuh"

#define STEPS_WAITING 256 /* as in divergence.c */

/* From the L2 cache, not the L1: long enough for another branch to take a turn. */
__device__ __forceinline__ unsigned next_place(const unsigned *x, unsigned place, unsigned n)
{
	return __umulhi(__ldcg(x + place), n);
}

/* `unit` consecutive threads take the same branch. */
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
