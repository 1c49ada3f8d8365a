/* Each thread takes an item for itself, again and again, by adding 1: what all lanes of a warp add
 * alike to one word the compiler adds at once, and deals the numbers out among them. */
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
