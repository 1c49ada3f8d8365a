/* Lanes of a warp take up to 32 cases of a switch: the warp runs every case that a lane takes. */
#include "divergence.cuh"

extern "C" __global__ void divergence_switch_lane(const float *__restrict__ x,
						  float *__restrict__ y, unsigned ways, long long n)
{
	long long i = global_thread();

	if (i < n)
		y[i] = body_of_case(x[i], threadIdx.x % 32 % ways);
}
