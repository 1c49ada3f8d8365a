/* Each thread takes one item after another for itself, by an increment that wraps at `last`, as the
 * lecture prints it. */
#include "work_queue.cuh"

extern "C" __global__ void work_queue_open(unsigned *next)
{
	*next = 0;
}

/* The counter must not wrap while threads ask for items, or a number would be drawn twice. */
extern "C" __global__ void work_queue_dynamic_thread(const unsigned *__restrict__ x,
						     unsigned *__restrict__ y, unsigned *next,
						     long long n, unsigned skew, unsigned last)
{
#pragma unroll 1
	for (long long i = atomicInc(next, last); i < n; i = atomicInc(next, last))
		y[i] = worked(x[i], i, n, skew);
}
