/* A tree in shared memory in which the first threads work: whole warps retire. The stride between
 * the words that a warp accesses grows and causes bank conflicts. */
#include "reduce.cuh"

extern "C" __global__ void reduce_interleaved(const float *__restrict__ x,
					      float *__restrict__ partials, long long n)
{
	extern __shared__ float values[];
	unsigned thread = threadIdx.x;
	long long i = global_thread();

	values[thread] = i < n ? x[i] : 0.0f;
	__syncthreads();
	for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
		unsigned left = 2 * stride * thread;

		if (left < blockDim.x)
			values[left] += values[left + stride];
		__syncthreads();
	}
	if (thread == 0)
		partials[blockIdx.x] = values[0];
}
