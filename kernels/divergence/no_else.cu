/* An if without an else: a divergent warp branches once, and half of its lanes wait for the body of
 * the others. It runs as many instructions as a warp in which all lanes take the body. */
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
