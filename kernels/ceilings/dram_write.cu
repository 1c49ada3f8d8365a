/* Writes an array far larger than the L2 once: each word gets its own index. */
#include "ceilings.cuh"

template <int in_flight> __device__ void write_tiles(uint4 *__restrict__ out, long long tiles)
{
	for_each_tile<in_flight>(tiles, [&](long long group) {
#pragma unroll
		for (int k = 0; k < in_flight; k++) {
			unsigned word = 4 * (unsigned)(group + k * blockDim.x);

			out[group + k * blockDim.x] =
				make_uint4(word, word + 1, word + 2, word + 3);
		}
	});
}

extern "C" __global__ void ceilings_dram_write(uint4 *__restrict__ out, long long tiles,
					       int in_flight)
{
	if (in_flight == 1)
		write_tiles<1>(out, tiles);
	else
		write_tiles<IN_FLIGHT>(out, tiles);
}
