/* Loads of 4 bytes from shared memory. */
#include "patterns.cuh"

extern "C" __global__ void patterns_shared_load_4(unsigned *out, PATTERN_PARAMETERS)
{
	shared_load<unsigned>(out, n, span, flip, shift, stride, offset, mask, random);
}
