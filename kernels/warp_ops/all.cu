/* __all_sync: whether no participating lane has a rare value. */
#include "warp_ops.cuh"

struct operation : vote {
	__device__ __forceinline__ unsigned operator()(unsigned members, unsigned value) const
	{
		return __all_sync(members, !is_rare(value)) != 0;
	}
};

extern "C" __global__ void warp_ops_all(const unsigned *__restrict__ x, unsigned *__restrict__ y,
					long long n, unsigned mask)
{
	run_rounds(x, y, n, mask, operation());
}
