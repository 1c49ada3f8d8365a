// perflab: needs sm_80
/* Asynchronous copies of 4 bytes from the places of the pattern. */
#include "async.cuh"

extern "C" __global__ void patterns_async_load_4(const unsigned *in, unsigned *out,
						 PATTERN_PARAMETERS)
{
	async_load<unsigned>(in, out, n, span, flip, shift, stride, offset, mask, random,
			     through_l1());
}
