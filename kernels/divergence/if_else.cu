/* An if with an else: a divergent warp branches once. `one` is 1, which the compiler does not know.
 * two_ifs needs such an argument, and nothing else should differ between the two. */
#include "divergence.cuh"

extern "C" __global__ void divergence_if_else(const float *__restrict__ x, float *__restrict__ y,
					      int one, long long n)
{
	long long i = global_thread();

	if (i < n) {
		float value = x[i];

		if ((threadIdx.x & one) != 0)
			value = body<1, STEPS_LONG>(value);
		else
			value = body<0, STEPS_LONG>(value);
		y[i] = value;
	}
}
