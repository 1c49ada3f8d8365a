/* neighboured_passes with a mask instead of the remainder: the compiler does not know that the
 * stride is a power of two, and divides. */
#include "passes.cuh"

extern "C" __global__ void reduce_masked_passes(float *copy, float *partials, float *sum,
						long long count, long long pass)
{
	extern __shared__ float values[];
	unsigned thread = threadIdx.x;

	load_values(values, copy, partials, count, pass);
	for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
		if ((thread & (2 * stride - 1)) == 0)
			values[thread] += values[thread + stride];
		__syncthreads();
	}
	store_sum(values, copy, partials, sum, pass);
}
