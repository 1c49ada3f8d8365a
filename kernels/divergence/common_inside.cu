/* What both bodies have in common stands in both, in their midst, where the compiler does not join
 * it: a torn warp runs it twice. */
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
