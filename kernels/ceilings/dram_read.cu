/* Reads an array far larger than the L2 once. */
#include "ceilings.cuh"

template <int in_flight>
__device__ unsigned read_tiles(const uint4 *__restrict__ a, long long tiles)
{
	unsigned sum = 0;

	for_each_tile<in_flight>(tiles, [&](long long group) {
		uint4 words[in_flight];

#pragma unroll
		for (int k = 0; k < in_flight; k++)
			words[k] = a[group + k * blockDim.x];
#pragma unroll
		for (int k = 0; k < in_flight; k++)
			sum += sum_of(words[k]);
	});
	return sum;
}

extern "C" __global__ void ceilings_dram_read(const uint4 *__restrict__ a, unsigned *out,
					      long long tiles, int in_flight)
{
	out[global_thread()] =
		in_flight == 1 ? read_tiles<1>(a, tiles) : read_tiles<IN_FLIGHT>(a, tiles);
}
