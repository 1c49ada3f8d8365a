/* A tree folded in half in every step: neighbouring threads access neighbouring words. */
#include "reduce.cuh"

extern "C" __global__ void reduce_sequential(const float *__restrict__ x,
					     float *__restrict__ partials, long long n)
{
	extern __shared__ float values[];
	unsigned thread = threadIdx.x;
	long long i = global_thread();

	values[thread] = i < n ? x[i] : 0.0f;
	__syncthreads();
	for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
		if (thread < stride)
			values[thread] += values[thread + stride];
		__syncthreads();
	}
	if (thread == 0)
		partials[blockIdx.x] = values[0];
}
