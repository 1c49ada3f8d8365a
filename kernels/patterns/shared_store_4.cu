/* Stores of 4 bytes to shared memory. */
#include "patterns.cuh"

extern "C" __global__ void patterns_shared_store_4(unsigned *out, PATTERN_PARAMETERS)
{
	shared_store<unsigned>(out, n, span, flip, shift, stride, offset, mask, random);
}
