/* Threads at the left end of the block fetch the left side of the halo, threads at the right end
 * the right side: two ifs, and all warps check both conditions. */
#include "stencil.cuh"

extern "C" __global__ void stencil_two_ifs(const float *__restrict__ x, float *__restrict__ y,
					   long long n)
{
	fetch_by_two_ifs<STEPS_LONG>(x);
	store_sum(y, n);
}
