/* Only the steps that differ are in branches, two short ones. A warp runs the common steps once,
 * with all lanes. The results are those of common_inside. */
#include "common.cuh"

extern "C" __global__ void divergence_common_outside(const float *__restrict__ x,
						     float *__restrict__ y, long long n)
{
	long long i = global_thread();

	if (i < n) {
		bool second = threadIdx.x % 2;

		y[i] = own_steps(common_steps(own_steps(x[i], second)), second);
	}
}
