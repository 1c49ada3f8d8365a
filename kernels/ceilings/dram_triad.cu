/* out = a + factor * b over arrays far larger than the L2: two streams in, one out. */
#include "ceilings.cuh"

/* Two arrays in: the same bytes on the way as a copy. */
#define PAIRS_IN_FLIGHT (IN_FLIGHT / 2)

extern "C" __global__ void ceilings_dram_triad(const float4 *__restrict__ a,
					       const float4 *__restrict__ b,
					       float4 *__restrict__ out, float factor,
					       long long tiles)
{
	for_each_tile(tiles, [&](long long group) {
#pragma unroll
		for (int k = 0; k < IN_FLIGHT; k += PAIRS_IN_FLIGHT) {
			float4 x[PAIRS_IN_FLIGHT], y[PAIRS_IN_FLIGHT];

#pragma unroll
			for (int j = 0; j < PAIRS_IN_FLIGHT; j++) {
				x[j] = __ldcs(a + group + (k + j) * blockDim.x);
				y[j] = __ldcs(b + group + (k + j) * blockDim.x);
			}
#pragma unroll
			for (int j = 0; j < PAIRS_IN_FLIGHT; j++)
				__stcs(out + group + (k + j) * blockDim.x,
				       make_float4(fmaf(factor, y[j].x, x[j].x),
						   fmaf(factor, y[j].y, x[j].y),
						   fmaf(factor, y[j].z, x[j].z),
						   fmaf(factor, y[j].w, x[j].w)));
		}
	});
}
