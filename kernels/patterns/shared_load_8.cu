/* Loads of 8 bytes from shared memory. */
#include "patterns.cuh"

extern "C" __global__ void patterns_shared_load_8(unsigned *out, PATTERN_PARAMETERS)
{
	shared_load<uint2>(out, n, span, flip, shift, stride, offset, mask, random);
}
