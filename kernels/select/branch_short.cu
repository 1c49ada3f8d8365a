/* An if with an else of two steps each: the compiler guards the steps of both sides by a predicate
 * and leaves no branch. */
#include "select.cuh"

extern "C" __global__ void select_branch_short(const float *__restrict__ x, float *__restrict__ y,
					       long long n)
{
	long long i = global_thread();

	if (i < n)
		y[i] = by_branch<STEPS_SHORT>(x[i]);
}
