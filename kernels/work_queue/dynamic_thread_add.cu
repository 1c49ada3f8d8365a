/* Each thread takes one item after another for itself, by adding 1. The compiler adds once for all
 * lanes of a warp, and gives each lane its own number. */
#include "work_queue.cuh"

extern "C" __global__ void work_queue_open(unsigned *next)
{
	*next = 0;
}

extern "C" __global__ void work_queue_dynamic_thread_add(const unsigned *__restrict__ x,
							 unsigned *__restrict__ y, unsigned *next,
							 long long n, unsigned skew)
{
#pragma unroll 1
	for (long long i = atomicAdd(next, 1u); i < n; i = atomicAdd(next, 1u))
		y[i] = worked(x[i], i, n, skew);
}
