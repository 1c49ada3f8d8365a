/* As atomic_syncwarp, but the last steps are shuffles between registers. All warps shuffle; only
 * the result of the first warp is used. */
#include "accuracy.cuh"

extern "C" __global__ void accuracy_atomic_shuffle(const float *x, float *sum, long long n)
{
	extern __shared__ float values[];
	float value;

	load_values(values, x, n);
	fold(values, 32);
	value = values[threadIdx.x];
	for (int offset = 16; offset > 0; offset /= 2)
		value += __shfl_down_sync(0xffffffffu, value, offset);
	if (threadIdx.x == 0)
		atomicAdd(sum, value);
}
