// perflab: needs sm_80
/* Asynchronous copies of 16 bytes through the L1 cache; threads that take no part copy zeroes
 * instead. */
#include "async.cuh"

extern "C" __global__ void patterns_async_zeroes_16(const unsigned *in, unsigned *out,
						    PATTERN_PARAMETERS)
{
	const through_l1_if copy = {TAKES_PART(ELEMENT)};

	async_load<uint4>(in, out, n, span, flip, shift, stride, offset, 0xffffffffu, random, copy);
}
