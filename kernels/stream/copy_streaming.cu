/* copy_unrolled, with loads and stores marked as used once, so that their lines leave the caches
 * first. */
#include "stream.cuh"

#define GROUPS copy_operation::groups_in_flight

extern "C" __global__ void stream_copy_streaming(const float *__restrict__ a, float *__restrict__ c,
						 long long n)
{
	const float4 *from = reinterpret_cast<const float4 *>(a);
	float4 *to = reinterpret_cast<float4 *>(c);
	long long first = (long long)blockIdx.x * blockDim.x * GROUPS;
	long long group = first + threadIdx.x;

	if (4 * (first + (long long)blockDim.x * GROUPS) <= n) {
		float4 value[GROUPS];

#pragma unroll
		for (int k = 0; k < GROUPS; k++)
			value[k] = __ldcs(&from[group + (long long)k * blockDim.x]);
#pragma unroll
		for (int k = 0; k < GROUPS; k++)
			__stcs(&to[group + (long long)k * blockDim.x], value[k]);
		return;
	}
#pragma unroll 1
	for (int k = 0; k < GROUPS; k++)
		stream_group(copy_operation{}, a, nullptr, c, n, group + (long long)k * blockDim.x);
}
