/* The grid stride with four 16-byte loads in flight. */
#include "reduce.cuh"

extern "C" __global__ void reduce_grid_stride_float4(const float *__restrict__ x,
						     float *__restrict__ partials, long long n)
{
	float total = block_sum(strided_sum_float4(x, n, global_thread(), grid_threads()));

	if (threadIdx.x == 0)
		partials[blockIdx.x] = total;
}
