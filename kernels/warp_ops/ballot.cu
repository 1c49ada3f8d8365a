/* __ballot_sync: bit i of the result says whether lane i's value is odd. The bits of lanes that do
 * not participate are 0. */
#include "warp_ops.cuh"

struct operation : vote {
	__device__ __forceinline__ unsigned operator()(unsigned members, unsigned value) const
	{
		return __ballot_sync(members, is_odd(value));
	}
};

extern "C" __global__ void warp_ops_ballot(const unsigned *__restrict__ x, unsigned *__restrict__ y,
					   long long n, unsigned mask)
{
	run_rounds(x, y, n, mask, operation());
}
