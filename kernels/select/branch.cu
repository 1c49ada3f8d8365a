/* An if with an else on the data: a warp with elements of both kinds runs both sides, one after the
 * other. */
#include "select.cuh"

extern "C" __global__ void select_branch(const float *__restrict__ x, float *__restrict__ y,
					 long long n)
{
	long long i = global_thread();

	if (i < n)
		y[i] = by_branch<STEPS_LONG>(x[i]);
}
