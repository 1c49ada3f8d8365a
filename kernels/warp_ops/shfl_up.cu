/* __shfl_up_sync: a lane gets the value of the lane `distance` below. The first lanes of a segment
 * keep their own values. */
#include "warp_ops.cuh"

struct operation : from_below {
	__device__ __forceinline__ unsigned operator()(unsigned members, unsigned value) const
	{
		return __shfl_up_sync(members, value, distance, width);
	}
};

extern "C" __global__ void warp_ops_shfl_up(const unsigned *__restrict__ x,
					    unsigned *__restrict__ y, long long n, unsigned mask,
					    unsigned width, unsigned distance)
{
	operation shuffle;

	shuffle.width = width;
	shuffle.distance = distance;
	run_rounds(x, y, n, mask, shuffle);
}
