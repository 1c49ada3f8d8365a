/* Threads at the left end of the block fetch the halo of that side, those at the right end the
 * other: two ifs, and all warps ask both questions. */
#include "stencil.cuh"

extern "C" __global__ void stencil_two_ifs(const float *__restrict__ x, float *__restrict__ y,
					   long long n)
{
	fetch_by_two_ifs<STEPS_LONG>(x);
	store_sum(y, n);
}
