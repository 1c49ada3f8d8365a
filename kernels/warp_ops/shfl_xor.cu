/* __shfl_xor_sync: lanes whose numbers differ in the bits of `distance` swap values. A lane in a
 * higher segment cannot be reached. */
#include "warp_ops.cuh"

struct operation : crosswise {
	__device__ __forceinline__ unsigned operator()(unsigned members, unsigned value) const
	{
		return __shfl_xor_sync(members, value, distance, width);
	}
};

extern "C" __global__ void warp_ops_shfl_xor(const unsigned *__restrict__ x,
					     unsigned *__restrict__ y, long long n, unsigned mask,
					     unsigned width, unsigned distance)
{
	operation shuffle;

	shuffle.width = width;
	shuffle.distance = distance;
	run_rounds(x, y, n, mask, shuffle);
}
