/* Loads of 16 bytes from shared memory. */
#include "patterns.cuh"

extern "C" __global__ void patterns_shared_load_16(unsigned *out, PATTERN_PARAMETERS)
{
	shared_load<uint4>(out, n, span, flip, shift, stride, offset, mask, random);
}
