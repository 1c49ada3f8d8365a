/* Lanes with equal elements find each other, and one of them adds for all: a warp of equal elements
 * does a single addition. */
#include "histogram.cuh"

extern "C" __global__ void histogram_warp_aggregated(const unsigned *__restrict__ x,
						     unsigned *counts, long long n, unsigned mask)
{
	__shared__ unsigned of_block[BINS];
	const long long stride = grid_threads();
	const unsigned lane = threadIdx.x % 32;

	clear(of_block, BINS);
#pragma unroll 1
	for (long long first = global_thread() - lane; first < n; first += stride) {
		long long i = first + lane;
		unsigned bin = i < n ? x[i] & mask : BINS;
		unsigned alike = __match_any_sync(ALL_LANES, bin);

		if (bin < BINS && lane == __ffs(alike) - 1)
			atomicAdd(&of_block[bin], (unsigned)__popc(alike));
	}
	__syncthreads();
	for (unsigned bin = threadIdx.x; bin < BINS; bin += blockDim.x)
		if (of_block[bin])
			atomicAdd(&counts[bin], of_block[bin]);
}
