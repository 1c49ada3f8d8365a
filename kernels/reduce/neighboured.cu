/* A tree in shared memory in which every second, fourth, eighth … thread works: all warps stay busy
 * with fewer and fewer lanes. */
#include "reduce.cuh"

extern "C" __global__ void reduce_neighboured(const float *__restrict__ x,
					      float *__restrict__ partials, long long n)
{
	extern __shared__ float values[];
	unsigned thread = threadIdx.x;
	long long i = global_thread();

	values[thread] = i < n ? x[i] : 0.0f;
	__syncthreads();
	for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
		if (thread % (2 * stride) == 0)
			values[thread] += values[thread + stride];
		__syncthreads();
	}
	if (thread == 0)
		partials[blockIdx.x] = values[0];
}
