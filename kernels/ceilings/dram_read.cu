/* Reads an array far larger than the L2 once. */
#include "ceilings.cuh"

extern "C" __global__ void ceilings_dram_read(const uint4 *__restrict__ a, unsigned *out,
					      long long tiles)
{
	unsigned sum = 0;

	for_each_tile(tiles, [&](long long group) {
		uint4 words[IN_FLIGHT];

#pragma unroll
		for (int k = 0; k < IN_FLIGHT; k++)
			words[k] = __ldcs(a + group + k * blockDim.x);
#pragma unroll
		for (int k = 0; k < IN_FLIGHT; k++)
			sum += sum_of(words[k]);
	});
	out[global_thread()] = sum;
}
