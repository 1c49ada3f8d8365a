/* A histogram of the block in shared memory, added to the result once at the end: the queues are
 * short and near, and few additions meet at the result. */
#include "histogram.cuh"

extern "C" __global__ void histogram_shared_atomics(const unsigned *__restrict__ x,
						    unsigned *counts, long long n, unsigned mask)
{
	__shared__ unsigned of_block[BINS];
	const long long stride = grid_threads();

	clear(of_block, BINS);
#pragma unroll 1
	for (long long i = global_thread(); i < n; i += stride)
		atomicAdd(&of_block[x[i] & mask], 1u);
	__syncthreads();
	for (unsigned bin = threadIdx.x; bin < BINS; bin += blockDim.x)
		if (of_block[bin])
			atomicAdd(&counts[bin], of_block[bin]);
}
