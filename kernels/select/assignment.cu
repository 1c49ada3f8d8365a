/* A conditional assignment on the data in every step: no branch is left, and all lanes work
 * all the time. */
#include "select.cuh"

extern "C" __global__ void select_assignment(const float *__restrict__ x, float *__restrict__ y,
					     long long n)
{
	long long i = global_thread();

	if (i < n)
		y[i] = by_assignment<STEPS_LONG>(x[i]);
}
