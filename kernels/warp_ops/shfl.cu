/* __shfl_sync: all lanes of a segment get the value of its lane `distance`. */
#include "warp_ops.cuh"

struct operation : of_lane {
	__device__ __forceinline__ unsigned operator()(unsigned members, unsigned value) const
	{
		return __shfl_sync(members, value, distance, width);
	}
};

extern "C" __global__ void warp_ops_shfl(const unsigned *__restrict__ x, unsigned *__restrict__ y,
					 long long n, unsigned mask, unsigned width,
					 unsigned distance)
{
	operation shuffle;

	shuffle.width = width;
	shuffle.distance = distance;
	run_rounds(x, y, n, mask, shuffle);
}
