/* shfl_up through shared memory: each lane writes a word, and reads the one `distance` below. */
#include "warp_ops.cuh"

extern "C" __global__ void warp_ops_shared_shfl_up(const unsigned *__restrict__ x,
						   unsigned *__restrict__ y, long long n,
						   unsigned mask, unsigned width, unsigned distance)
{
	__shared__ unsigned words[MAX_BLOCK];
	through_shared<from_below> shuffle;

	shuffle.width = width;
	shuffle.distance = distance;
	shuffle.words = words + threadIdx.x / 32 * 32;
	run_rounds(x, y, n, mask, shuffle);
}
