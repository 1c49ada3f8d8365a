/* Atomics of 4 bytes on global memory that do not return the old value. */
#include "patterns.cuh"

extern "C" __global__ void patterns_reduce_add(unsigned *out, PATTERN_PARAMETERS)
{
	long long i = ELEMENT;

	if (TAKES_PART(i))
		atomicAdd(out + place_of(PATTERN, i), 1u);
}
