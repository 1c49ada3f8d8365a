/* The histogram of the block as the lecture prints it, one element per thread: a block has as many
 * elements as threads, and adds its counts to the result. */
#include "histogram.cuh"

extern "C" __global__ void histogram_shared_one_each(const unsigned *__restrict__ x,
						     unsigned *counts, long long n, unsigned mask)
{
	__shared__ unsigned of_block[BINS];
	const long long i = global_thread();

	clear(of_block, BINS);
	if (i < n)
		atomicAdd(&of_block[x[i] & mask], 1u);
	__syncthreads();
	for (unsigned bin = threadIdx.x; bin < BINS; bin += blockDim.x)
		if (of_block[bin])
			atomicAdd(&counts[bin], of_block[bin]);
}
