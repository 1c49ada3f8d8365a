/* The ballot by an atomic OR on shared memory: a cleared word per warp, in which each lane sets its
 * bit, with a barrier of the warp between all steps. */
#include "warp_ops.cuh"

struct operation : shared_vote {
	__device__ __forceinline__ unsigned operator()(unsigned members, unsigned value) const
	{
		begin(members, 0);
		if (is_odd(value))
			atomicOr(word, 1u << lane_of_thread());
		return end(members);
	}
};

extern "C" __global__ void warp_ops_shared_ballot(const unsigned *__restrict__ x,
						  unsigned *__restrict__ y, long long n,
						  unsigned mask)
{
	__shared__ unsigned words[MAX_BLOCK / 32];
	operation vote;

	vote.word = words + threadIdx.x / 32;
	run_rounds(x, y, n, mask, vote);
}
