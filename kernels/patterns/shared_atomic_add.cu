/* Atomics of 4 bytes on shared memory that return the old value. */
#include "patterns.cuh"

extern "C" __global__ void patterns_shared_atomic_add(unsigned *out, unsigned *old,
						      PATTERN_PARAMETERS)
{
	__shared__ unsigned tile[TILE];
	long long i = ELEMENT;

	clear_tile(tile);
	if (TAKES_PART(i))
		old[i] = atomicAdd(tile + place_of(PATTERN, threadIdx.x), 1u + i % 8);
	sum_tile(out, tile, i, n);
}
