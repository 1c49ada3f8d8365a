/* Both bodies contain the common steps, in the middle, where the compiler does not merge them: a
 * divergent warp runs them twice. */
#include "common.cuh"

extern "C" __global__ void divergence_common_inside(const float *__restrict__ x,
						    float *__restrict__ y, long long n)
{
	long long i = global_thread();

	if (i < n) {
		float value = x[i];

		if (threadIdx.x % 2)
			value = own_steps(common_steps(own_steps(value, true)), true);
		else
			value = own_steps(common_steps(own_steps(value, false)), false);
		y[i] = value;
	}
}
