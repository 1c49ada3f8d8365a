/* An addition made of compare-and-swap, as for a type that the hardware cannot add: a thread that
 * was overtaken reads again and retries. */
#include "atomics.cuh"

extern "C" __global__ void atomics_cas_add(const unsigned *__restrict__ x, unsigned *totals,
					   long long n, long long addresses)
{
	long long i = global_thread();
	unsigned *total = &totals[blockIdx.x % addresses];
	unsigned seen, expected = 0;

	if (i >= n)
		return;
	/* the value is not known: the first attempt reads it */
	while ((seen = atomicCAS(total, expected, expected + x[i])) != expected)
		expected = seen;
}
