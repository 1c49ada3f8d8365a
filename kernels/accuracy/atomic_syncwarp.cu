/* As atomic_sequential, but in the last steps each warp synchronises only itself. All warps run
 * these steps; only the first warp adds. */
#include "accuracy.cuh"

extern "C" __global__ void accuracy_atomic_syncwarp(const float *x, float *sum, long long n)
{
	extern __shared__ float values[];
	unsigned thread = threadIdx.x;

	load_values(values, x, n);
	fold(values, 32);
	for (unsigned stride = 16; stride > 0; stride /= 2) {
		if (thread < stride)
			values[thread] += values[thread + stride];
		__syncwarp();
	}
	if (thread == 0)
		atomicAdd(sum, values[0]);
}
