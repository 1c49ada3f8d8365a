// perflab: needs sm_80
/* Asynchronous copies of 8 bytes from the places of the pattern. */
#include "async.cuh"

extern "C" __global__ void patterns_async_load_8(const unsigned *in, unsigned *out,
						 PATTERN_PARAMETERS)
{
	async_load<uint2>(in, out, n, span, flip, shift, stride, offset, mask, random,
			  through_l1());
}
