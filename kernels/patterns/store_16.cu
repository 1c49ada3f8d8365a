/* Stores of 16 bytes to global memory. */
#include "patterns.cuh"

extern "C" __global__ void patterns_store_16(uint4 *out, PATTERN_PARAMETERS)
{
	store(out, n, span, flip, shift, stride, offset, mask, random);
}
