/* A block that is done takes the next items from a counter that all blocks share: an addition and a
 * barrier for each turn, and no block idles while there is work. */
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

		__syncthreads(); /* nobody takes the next turn before all have read this one */
		if (first >= n)
			break;
		if (first + threadIdx.x < n)
			y[first + threadIdx.x] =
				worked(x[first + threadIdx.x], first + threadIdx.x, n, skew);
	}
}
