/* An addition made of compare-and-swap, as for a type that the hardware cannot add: whoever was
 * overtaken reads anew and tries again. */
#include "atomics.cuh"

extern "C" __global__ void atomics_cas_add(const unsigned *__restrict__ x, unsigned *totals,
					   long long n, long long addresses)
{
	long long i = global_thread();
	unsigned *total = &totals[blockIdx.x % addresses];
	unsigned seen, expected = 0;

	if (i >= n)
		return;
	/* what stands there is not known: the first try asks for it */
	while ((seen = atomicCAS(total, expected, expected + x[i])) != expected)
		expected = seen;
}
