/* The grid stride with its partial sums in an array of the module: there is nothing to allocate and
 * nothing to pass. */
#include "reduce.cuh"

/* The grid of the descriptor is never larger. */
__device__ static float static_partials[16384];

extern "C" __global__ void reduce_static_buffer(const float *__restrict__ x, long long n)
{
	float total = block_sum(strided_sum(x, n, global_thread(), grid_threads()));

	if (threadIdx.x == 0)
		static_partials[blockIdx.x] = total;
}

extern "C" __global__ void reduce_static_finish(float *__restrict__ sum, long long count)
{
	float total = block_sum(strided_sum(static_partials, count, threadIdx.x, blockDim.x));

	if (threadIdx.x == 0)
		*sum = total;
}
