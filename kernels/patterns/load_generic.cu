/* Loads from generic addresses: shared memory in odd blocks, global memory in even ones. */
#include "patterns.cuh"

extern "C" __global__ void patterns_load_generic(const unsigned *in, unsigned *out,
						 PATTERN_PARAMETERS)
{
	__shared__ unsigned tile[TILE];
	long long i = ELEMENT;
	const unsigned *from = blockIdx.x % 2 ? tile : in;

	for (int place = threadIdx.x; place < TILE; place += blockDim.x)
		tile[place] = word_of(place);
	__syncthreads();
	if (TAKES_PART(i))
		out[i] = from[place_of(PATTERN, threadIdx.x)];
}
