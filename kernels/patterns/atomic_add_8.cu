/* Atomics of 8 bytes on global memory that return the old value. */
#include "patterns.cuh"

extern "C" __global__ void patterns_atomic_add_8(unsigned long long *out, unsigned *old,
						 PATTERN_PARAMETERS)
{
	long long i = ELEMENT;

	if (TAKES_PART(i))
		old[i] = (unsigned)atomicAdd(out + place_of(PATTERN, i), 1ull << 32 | 1);
}
