/* Atomics of 4 bytes on global memory that return the old value. */
#include "patterns.cuh"

extern "C" __global__ void patterns_atomic_add(unsigned *out, unsigned *old, PATTERN_PARAMETERS)
{
	long long i = ELEMENT;

	if (TAKES_PART(i))
		old[i] = atomicAdd(out + place_of(PATTERN, i), 1u);
}
