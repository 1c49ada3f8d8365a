/* Two ifs with opposite conditions: the same work, but a divergent warp branches twice. `one` and
 * `also_one` are 1; if the compiler knew that, it would merge the ifs. */
#include "divergence.cuh"

extern "C" __global__ void divergence_two_ifs(const float *__restrict__ x, float *__restrict__ y,
					      int one, int also_one, long long n)
{
	long long i = global_thread();

	if (i < n) {
		float value = x[i];

		if ((threadIdx.x & one) != 0)
			value = body<1, STEPS_LONG>(value);
		if ((threadIdx.x & also_one) == 0)
			value = body<0, STEPS_LONG>(value);
		y[i] = value;
	}
}
