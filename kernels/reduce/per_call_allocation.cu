/* The grid stride, unchanged. Its partial sums are allocated and freed in every call, as a library
 * function without a workspace must do. */
#include "reduce.cuh"

extern "C" __global__ void reduce_per_call_allocation(const float *__restrict__ x,
						      float *__restrict__ partials, long long n)
{
	float total = block_sum(strided_sum(x, n, global_thread(), grid_threads()));

	if (threadIdx.x == 0)
		partials[blockIdx.x] = total;
}
