/* Writes an array far larger than the L2 once: each word its own number. */
#include "ceilings.cuh"

extern "C" __global__ void ceilings_dram_write(uint4 *__restrict__ out, long long tiles)
{
	for_each_tile(tiles, [&](long long group) {
#pragma unroll
		for (int k = 0; k < IN_FLIGHT; k++) {
			unsigned word = 4 * (unsigned)(group + k * blockDim.x);

			__stcs(out + group + k * blockDim.x,
			       make_uint4(word, word + 1, word + 2, word + 3));
		}
	});
}
