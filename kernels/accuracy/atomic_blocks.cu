/* One block for every `block` elements; each adds its sum to the result. Near the end the result is
 * so much larger than the sum of a block that most digits of that sum are rounded away. */
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
