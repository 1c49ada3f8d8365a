/* no_else on the warp: as many threads take the body, but they fill their warps, so half of the
 * warps have nothing to do. */
#include "divergence.cuh"

extern "C" __global__ void divergence_no_else_warp(const float *__restrict__ x,
						   float *__restrict__ y, long long n)
{
	long long i = global_thread();

	if (i < n) {
		float value = x[i];

		if ((unsigned)(i / 32) % 2)
			value = body<1, STEPS_LONG>(value);
		y[i] = value;
	}
}
