/* A block that is done takes the next items from a counter that all blocks share: each turn costs
 * an addition and a barrier, but no block idles while there is work. */
#include "work_queue.cuh"

extern "C" __global__ void work_queue_open(unsigned *next)
{
	*next = 0;
}

extern "C" __global__ void work_queue_dynamic_block(const unsigned *__restrict__ x,
						    unsigned *__restrict__ y,
						    unsigned *next, long long n,
						    unsigned skew)
{
	__shared__ long long taken;

	for (;;) {
		if (threadIdx.x == 0)
			taken = atomicAdd(next, blockDim.x);
		__syncthreads();
		const long long first = taken;

		__syncthreads(); /* all threads have read this turn before the next */
		if (first >= n)
			break;
		if (first + threadIdx.x < n)
			y[first + threadIdx.x] =
				worked(x[first + threadIdx.x], first + threadIdx.x, n, skew);
	}
}
