/* Stores of 4 bytes to global memory. */
#include "patterns.cuh"

extern "C" __global__ void patterns_store_4(unsigned *out, PATTERN_PARAMETERS)
{
	store(out, n, span, flip, shift, stride, offset, mask, random);
}
