/* Stores of 16 bytes to shared memory. */
#include "patterns.cuh"

extern "C" __global__ void patterns_shared_store_16(unsigned *out, PATTERN_PARAMETERS)
{
	shared_store<uint4>(out, n, span, flip, shift, stride, offset, mask, random);
}
