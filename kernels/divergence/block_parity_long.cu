/* Long bodies by the parity of the block: the compiler branches, and no warp diverges. */
#include "divergence.cuh"

extern "C" __global__ void divergence_block_parity_long(const float *__restrict__ x,
							float *__restrict__ y, long long n)
{
	long long i = global_thread();

	if (i < n)
		branch<STEPS_LONG>(x, y, i, blockIdx.x % 2);
}
