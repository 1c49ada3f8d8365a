/* The grid stride in one launch: the block that finishes last adds up all partial sums. */
#include "reduce.cuh"

/* The last block makes it wrap to 0, so that every launch starts with 0. */
__device__ static unsigned finished_blocks;

extern "C" __global__ void reduce_last_block(const float *__restrict__ x, float *partials,
					     float *sum, long long n)
{
	__shared__ bool is_last;
	float total = block_sum(strided_sum_float4(x, n, global_thread(), grid_threads()));

	if (threadIdx.x == 0) {
		partials[blockIdx.x] = total;
		/* The partial sum must be visible before the count that announces it. */
		__threadfence();
		is_last = atomicInc(&finished_blocks, gridDim.x - 1) == gridDim.x - 1;
	}
	__syncthreads();
	if (is_last) {
		float rest = 0.0f;

		__threadfence();
		/* Bypasses the L1 cache, which does not see the stores of other blocks. */
		for (unsigned i = threadIdx.x; i < gridDim.x; i += blockDim.x)
			rest += __ldcg(&partials[i]);
		rest = block_sum(rest);
		if (threadIdx.x == 0)
			*sum = rest;
	}
}
