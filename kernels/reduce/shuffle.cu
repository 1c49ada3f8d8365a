/* Lanes of a warp pass values between registers; shared memory holds one value per warp. */
#include "reduce.cuh"

extern "C" __global__ void reduce_shuffle(const float *__restrict__ x, float *__restrict__ partials,
					  long long n)
{
	long long i = global_thread();
	float total = block_sum(i < n ? x[i] : 0.0f);

	if (threadIdx.x == 0)
		partials[blockIdx.x] = total;
}
