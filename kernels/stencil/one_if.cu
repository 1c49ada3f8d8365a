/* Threads at the left end fetch the halo of both sides: one if, and one warp of the block
 * diverges. */
#include "stencil.cuh"

extern "C" __global__ void stencil_one_if(const float *__restrict__ x, float *__restrict__ y,
					  long long n)
{
	fetch<STEPS_LONG>(x, threadIdx.x + RADIUS);
	if (threadIdx.x < RADIUS) {
		fetch<STEPS_LONG>(x, threadIdx.x);
		fetch<STEPS_LONG>(x, threadIdx.x + blockDim.x + RADIUS);
	}
	store_sum(y, n);
}
