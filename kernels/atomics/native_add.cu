/* The addition that the hardware has: it is done where the total lies, and nobody waits for its
 * result. */
#include "atomics.cuh"

extern "C" __global__ void atomics_native_add(const unsigned *__restrict__ x, unsigned *totals,
					      long long n, long long addresses)
{
	long long i = global_thread();

	if (i < n)
		atomicAdd(&totals[blockIdx.x % addresses], x[i]);
}
