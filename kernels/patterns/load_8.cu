/* Loads of 8 bytes from global memory. */
#include "patterns.cuh"

extern "C" __global__ void patterns_load_8(const uint2 *__restrict__ in, unsigned *out,
					   PATTERN_PARAMETERS)
{
	load(in, out, n, span, flip, shift, stride, offset, mask, random);
}
