/* copy, four 16-byte loads a thread, all under way before the first store. */
#include "stream.cuh"

extern "C" __global__ void stream_copy_unrolled(const float *__restrict__ a, float *__restrict__ c,
						long long n)
{
	long long first = (long long)blockIdx.x * blockDim.x * GROUPS_IN_FLIGHT;

	if (4 * (first + (long long)blockDim.x * GROUPS_IN_FLIGHT) <= n) {
		stream_groups(copy_operation{}, a, nullptr, c, first + threadIdx.x, blockDim.x);
		return;
	}
	for (int k = 0; k < GROUPS_IN_FLIGHT; k++)
		stream_group(copy_operation{}, a, nullptr, c, n,
			     first + threadIdx.x + (long long)k * blockDim.x);
}
