/* copy_unrolled, with loads and stores marked as touched once, so that they leave the caches
 * first. */
#include "stream.cuh"

extern "C" __global__ void stream_copy_streaming(const float *__restrict__ a, float *__restrict__ c,
						 long long n)
{
	const float4 *from = reinterpret_cast<const float4 *>(a);
	float4 *to = reinterpret_cast<float4 *>(c);
	long long first = (long long)blockIdx.x * blockDim.x * GROUPS_IN_FLIGHT;
	long long group = first + threadIdx.x;

	if (4 * (first + (long long)blockDim.x * GROUPS_IN_FLIGHT) <= n) {
		float4 value[GROUPS_IN_FLIGHT];

#pragma unroll
		for (int k = 0; k < GROUPS_IN_FLIGHT; k++)
			value[k] = __ldcs(&from[group + (long long)k * blockDim.x]);
#pragma unroll
		for (int k = 0; k < GROUPS_IN_FLIGHT; k++)
			__stcs(&to[group + (long long)k * blockDim.x], value[k]);
		return;
	}
	for (int k = 0; k < GROUPS_IN_FLIGHT; k++)
		stream_group(copy_operation{}, a, nullptr, c, n, group + (long long)k * blockDim.x);
}
