/* The interleaved tree, in passes. */
#include "passes.cuh"

extern "C" __global__ void reduce_interleaved_passes(float *copy, float *partials, float *sum,
						     long long count, long long pass)
{
	extern __shared__ float values[];
	unsigned thread = threadIdx.x;

	load_values(values, copy, partials, count, pass);
	for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
		unsigned left = 2 * stride * thread;

		if (left < blockDim.x)
			values[left] += values[left + stride];
		__syncthreads();
	}
	store_sum(values, copy, partials, sum, pass);
}
