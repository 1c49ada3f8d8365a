/* The sequential tree, in passes. */
#include "passes.cuh"

extern "C" __global__ void reduce_sequential_passes(float *copy, float *partials, float *sum,
						    long long count, long long pass)
{
	extern __shared__ float values[];
	unsigned thread = threadIdx.x;

	load_values(values, copy, partials, count, pass);
	for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
		if (thread < stride)
			values[thread] += values[thread + stride];
		__syncthreads();
	}
	store_sum(values, copy, partials, sum, pass);
}
