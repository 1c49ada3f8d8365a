/* Each warp takes items for itself: more additions to the counter, but no barrier, so no warp waits
 * for the others of its block. */
#include "work_queue.cuh"

#define ALL_LANES 0xffffffffu

extern "C" __global__ void work_queue_open(unsigned *next)
{
	*next = 0;
}

extern "C" __global__ void work_queue_dynamic_warp(const unsigned *__restrict__ x,
						   unsigned *__restrict__ y,
						   unsigned *next, long long n,
						   unsigned skew)
{
	const unsigned lane = threadIdx.x % 32;

	for (;;) {
		long long first = 0;

		if (lane == 0)
			first = atomicAdd(next, 32u);
		first = __shfl_sync(ALL_LANES, first, 0);
		if (first >= n)
			break;
		if (first + lane < n)
			y[first + lane] = worked(x[first + lane], first + lane, n, skew);
	}
}
