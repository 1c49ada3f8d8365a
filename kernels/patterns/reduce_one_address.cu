/* All threads add to one address, and the compiler knows that. */
#include "patterns.cuh"

extern "C" __global__ void patterns_reduce_one_address(unsigned *out, PATTERN_PARAMETERS)
{
	long long i = ELEMENT;

	if (TAKES_PART(i))
		atomicAdd(out + offset, 1u);
}
