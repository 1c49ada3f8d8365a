/* A switch on the number of the warp: each warp runs one case. */
#include "divergence.cuh"

extern "C" __global__ void divergence_switch_warp(const float *__restrict__ x,
						  float *__restrict__ y, unsigned ways, long long n)
{
	long long i = global_thread();

	if (i < n)
		y[i] = body_of_case(x[i], (unsigned)(i / 32) % ways);
}
