/* Each block gets the same number of items before it starts: if some items are heavy, the launch
 * waits for the blocks that have them. */
#include "work_queue.cuh"

extern "C" __global__ void work_queue_static_split(const unsigned *__restrict__ x,
						   unsigned *__restrict__ y, long long n,
						   unsigned skew)
{
	const long long share = (n + gridDim.x - 1) / gridDim.x;
	const long long begin = blockIdx.x * share;
	const long long end = begin + share < n ? begin + share : n;

#pragma unroll 1
	for (long long i = begin + threadIdx.x; i < end; i += blockDim.x)
		y[i] = worked(x[i], i, n, skew);
}
