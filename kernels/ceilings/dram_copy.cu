/* Copies an array far larger than the L2. */
#include "ceilings.cuh"

extern "C" __global__ void ceilings_dram_copy(const uint4 *__restrict__ a, uint4 *__restrict__ out,
					      long long tiles)
{
	for_each_tile(tiles, [&](long long group) {
		uint4 words[IN_FLIGHT];

#pragma unroll
		for (int k = 0; k < IN_FLIGHT; k++)
			words[k] = __ldcs(a + group + k * blockDim.x);
#pragma unroll
		for (int k = 0; k < IN_FLIGHT; k++)
			__stcs(out + group + k * blockDim.x, words[k]);
	});
}
