/* The tree in which every second, fourth, eighth … thread works, in passes: each pass sums the
 * results of the one before. */
#include "passes.cuh"

extern "C" __global__ void reduce_neighboured_passes(float *copy, float *partials, float *sum,
						     long long count, long long pass)
{
	extern __shared__ float values[];
	unsigned thread = threadIdx.x;

	load_values(values, copy, partials, count, pass);
	for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
		if (thread % (2 * stride) == 0)
			values[thread] += values[thread + stride];
		__syncthreads();
	}
	store_sum(values, copy, partials, sum, pass);
}
