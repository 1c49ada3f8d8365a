/* One if without an else: a torn warp branches once, and half of its lanes wait for the body of the
 * others. As much is run as of a warp that is not torn. */
#include "divergence.cuh"

extern "C" __global__ void divergence_no_else(const float *__restrict__ x, float *__restrict__ y,
					      long long n)
{
	long long i = global_thread();

	if (i < n) {
		float value = x[i];

		if (threadIdx.x % 2)
			value = body<1, STEPS_LONG>(value);
		y[i] = value;
	}
}
