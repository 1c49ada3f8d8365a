/* The histogram of the block with 16-byte loads: a thread waits once for four elements, and needs a
 * quarter of the load instructions. */
#include "histogram.cuh"

extern "C" __global__ void histogram_shared_vectorised(const unsigned *__restrict__ x,
						       unsigned *counts, long long n,
						       unsigned mask)
{
	__shared__ unsigned of_block[BINS];
	const uint4 *fours = reinterpret_cast<const uint4 *>(x);
	const long long stride = grid_threads(), whole = n / 4;

	clear(of_block, BINS);
#pragma unroll 1
	for (long long i = global_thread(); i < whole; i += stride) {
		uint4 four = fours[i];

		atomicAdd(&of_block[four.x & mask], 1u);
		atomicAdd(&of_block[four.y & mask], 1u);
		atomicAdd(&of_block[four.z & mask], 1u);
		atomicAdd(&of_block[four.w & mask], 1u);
	}
	for (long long i = 4 * whole + global_thread(); i < n; i += stride)
		atomicAdd(&of_block[x[i] & mask], 1u);
	__syncthreads();
	for (unsigned bin = threadIdx.x; bin < BINS; bin += blockDim.x)
		if (of_block[bin])
			atomicAdd(&counts[bin], of_block[bin]);
}
