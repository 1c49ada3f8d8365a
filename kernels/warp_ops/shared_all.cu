/* The vote `all` through a word of shared memory, which lanes with a rare value clear. */
#include "warp_ops.cuh"

struct operation : shared_vote {
	__device__ __forceinline__ unsigned operator()(unsigned members, unsigned value) const
	{
		begin(members, 1);
		if (is_rare(value))
			*word = 0;
		return end(members);
	}
};

extern "C" __global__ void warp_ops_shared_all(const unsigned *__restrict__ x,
					       unsigned *__restrict__ y, long long n, unsigned mask)
{
	__shared__ unsigned words[MAX_BLOCK / 32];
	operation vote;

	vote.word = words + threadIdx.x / 32;
	run_rounds(x, y, n, mask, vote);
}
