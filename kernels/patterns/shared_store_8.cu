/* Stores of 8 bytes to shared memory. */
#include "patterns.cuh"

extern "C" __global__ void patterns_shared_store_8(unsigned *out, PATTERN_PARAMETERS)
{
	shared_store<uint2>(out, n, span, flip, shift, stride, offset, mask, random);
}
