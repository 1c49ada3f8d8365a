/* Atomics of 4 bytes on shared memory that do not return the old value. */
#include "patterns.cuh"

extern "C" __global__ void patterns_shared_reduce_add(unsigned *out, PATTERN_PARAMETERS)
{
	__shared__ unsigned tile[TILE];
	long long i = ELEMENT;

	clear_tile(tile);
	if (TAKES_PART(i))
		atomicAdd(tile + place_of(PATTERN, threadIdx.x), 1u + i % 8);
	sum_tile(out, tile, i, n);
}
