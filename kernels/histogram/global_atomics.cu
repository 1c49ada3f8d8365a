/* Every thread adds its element to the result in global memory: threads with equal elements wait in
 * one queue, in the L2 cache. */
#include "histogram.cuh"

extern "C" __global__ void histogram_global_atomics(const unsigned *__restrict__ x,
						    unsigned *counts, long long n, unsigned mask)
{
	long long i = global_thread();

	if (i < n)
		atomicAdd(&counts[x[i] & mask], 1u);
}
