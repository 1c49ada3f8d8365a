/* __any_sync: whether at least one participating lane has a rare value. */
#include "warp_ops.cuh"

struct operation : vote {
	__device__ __forceinline__ unsigned operator()(unsigned members, unsigned value) const
	{
		return __any_sync(members, is_rare(value)) != 0;
	}
};

extern "C" __global__ void warp_ops_any(const unsigned *__restrict__ x, unsigned *__restrict__ y,
					long long n, unsigned mask)
{
	run_rounds(x, y, n, mask, operation());
}
