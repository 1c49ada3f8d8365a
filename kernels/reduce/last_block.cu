/* The grid stride in one launch: the block that finishes last sums what all have left. */
#include "reduce.cuh"

/* Wraps to 0 with the last block, so that the next launch finds it as the first did. */
__device__ static unsigned finished_blocks;

extern "C" __global__ void reduce_last_block(const float *__restrict__ x, float *partials,
					     float *sum, long long n)
{
	__shared__ bool is_last;
	float total = block_sum(strided_sum_float4(x, n, global_thread(), grid_threads()));

	if (threadIdx.x == 0) {
		partials[blockIdx.x] = total;
		/* The partial sum must be seen before the count says that it is there. */
		__threadfence();
		is_last = atomicInc(&finished_blocks, gridDim.x - 1) == gridDim.x - 1;
	}
	__syncthreads();
	if (is_last) {
		float rest = 0.0f;

		__threadfence();
		/* Past the first-level cache, which other blocks do not write. */
		for (unsigned i = threadIdx.x; i < gridDim.x; i += blockDim.x)
			rest += __ldcg(&partials[i]);
		rest = block_sum(rest);
		if (threadIdx.x == 0)
			*sum = rest;
	}
}
