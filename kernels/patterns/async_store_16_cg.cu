// perflab: needs sm_80
/* Asynchronous copies of 16 bytes to the places of the pattern, past the L1 cache. */
#include "async.cuh"

extern "C" __global__ void patterns_async_store_16_cg(const unsigned *in, unsigned *out,
						      PATTERN_PARAMETERS)
{
	async_store<uint4>(in, out, n, span, flip, shift, stride, offset, mask, random, past_l1());
}
