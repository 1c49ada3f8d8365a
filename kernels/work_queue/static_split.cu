/* Each block is given as many items as any other before it starts: if some items are heavy, those
 * blocks that have them are waited for. */
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
