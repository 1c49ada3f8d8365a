/* out = a + factor * b over arrays far larger than the L2: two streams in, one out. */
#include "ceilings.cuh"

__device__ inline float4 triad(float4 a, float4 b, float factor)
{
	return make_float4(fmaf(factor, b.x, a.x), fmaf(factor, b.y, a.y), fmaf(factor, b.z, a.z),
			   fmaf(factor, b.w, a.w));
}

template <int in_flight>
__device__ void triad_tiles(const float4 *__restrict__ a, const float4 *__restrict__ b,
			    float4 *__restrict__ out, float factor, long long tiles)
{
	for_each_tile<in_flight>(tiles, [&](long long group) {
		float4 of_a[in_flight], of_b[in_flight];

#pragma unroll
		for (int k = 0; k < in_flight; k++) {
			of_a[k] = a[group + k * blockDim.x];
			of_b[k] = b[group + k * blockDim.x];
		}
#pragma unroll
		for (int k = 0; k < in_flight; k++)
			out[group + k * blockDim.x] = triad(of_a[k], of_b[k], factor);
	});
}

extern "C" __global__ void ceilings_dram_triad(const float4 *__restrict__ a,
					       const float4 *__restrict__ b,
					       float4 *__restrict__ out, float factor,
					       long long tiles, int in_flight)
{
	if (in_flight == 1)
		triad_tiles<1>(a, b, out, factor, tiles);
	else
		triad_tiles<IN_FLIGHT>(a, b, out, factor, tiles);
}
