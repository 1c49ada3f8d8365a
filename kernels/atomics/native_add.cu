/* The addition of the hardware: it happens where the total lies, and no thread waits for its
 * result. */
#include "atomics.cuh"

extern "C" __global__ void atomics_native_add(const unsigned *__restrict__ x, unsigned *totals,
					      long long n, long long addresses)
{
	long long i = global_thread();

	if (i < n)
		atomicAdd(&totals[blockIdx.x % addresses], x[i]);
}
