/* Each element gets the sum of its block, by a tree in shared memory. Some blocks do their work
 * twice. Barriers are the limiter. */
#include "planted.cuh"

extern "C" __global__ void planted_block_sums(const float *__restrict__ a, float *__restrict__ c,
					      long long n)
{
	extern __shared__ float of_block[];
	long long i = planted_index(n);

	of_block[threadIdx.x] = i < n ? a[i] : 0.0f;
	for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
		__syncthreads();
		if (threadIdx.x < half)
			of_block[threadIdx.x] += of_block[threadIdx.x + half];
	}
	__syncthreads();
	if (i < n)
		c[i] = of_block[0];
}
