/* The conditional assignment with two steps: a selection before each step. The short branch has the
 * steps of both sides instead. */
#include "select.cuh"

extern "C" __global__ void select_assignment_short(const float *__restrict__ x,
						   float *__restrict__ y, long long n)
{
	long long i = global_thread();

	if (i < n)
		y[i] = by_assignment<STEPS_SHORT>(x[i]);
}
