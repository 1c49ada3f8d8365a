/* Copies an array far larger than the L2. */
#include "ceilings.cuh"

template <int in_flight>
__device__ void copy_tiles(const uint4 *__restrict__ a, uint4 *__restrict__ out, long long tiles)
{
	for_each_tile<in_flight>(tiles, [&](long long group) {
		uint4 words[in_flight];

#pragma unroll
		for (int k = 0; k < in_flight; k++)
			words[k] = a[group + k * blockDim.x];
#pragma unroll
		for (int k = 0; k < in_flight; k++)
			out[group + k * blockDim.x] = words[k];
	});
}

extern "C" __global__ void ceilings_dram_copy(const uint4 *__restrict__ a, uint4 *__restrict__ out,
					      long long tiles, int in_flight)
{
	if (in_flight == 1)
		copy_tiles<1>(a, out, tiles);
	else
		copy_tiles<IN_FLIGHT>(a, out, tiles);
}
