/* A block for every `block` elements, and each adds its sum to the result itself: near the end the
 * result is so large beside a block's sum that most of the sum's digits are rounded away. */
#include "kernels/reduce/reduce.cuh"

#include "accuracy.cuh"

extern "C" __global__ void accuracy_atomic_blocks(const float *__restrict__ x, float *sum,
						  long long n)
{
	long long i = global_thread();
	float total = block_sum(i < n ? x[i] : 0.0f);

	if (threadIdx.x == 0)
		atomicAdd(sum, total);
}
