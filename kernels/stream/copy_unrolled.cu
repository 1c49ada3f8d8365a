/* copy: four 16-byte loads per thread, all in flight before the first store. */
#include "stream.cuh"

#define GROUPS copy_operation::groups_in_flight

extern "C" __global__ void stream_copy_unrolled(const float *__restrict__ a, float *__restrict__ c,
						long long n)
{
	long long first = (long long)blockIdx.x * blockDim.x * GROUPS;

	if (4 * (first + (long long)blockDim.x * GROUPS) <= n) {
		stream_groups(copy_operation{}, a, nullptr, c, first + threadIdx.x, blockDim.x);
		return;
	}
#pragma unroll 1
	for (int k = 0; k < GROUPS; k++)
		stream_group(copy_operation{}, a, nullptr, c, n,
			     first + threadIdx.x + (long long)k * blockDim.x);
}
