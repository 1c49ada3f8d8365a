/* An if with an else, two steps on each side: the compiler predicates the steps of both sides and
 * leaves no branch. */
#include "select.cuh"

extern "C" __global__ void select_branch_short(const float *__restrict__ x, float *__restrict__ y,
					       long long n)
{
	long long i = global_thread();

	if (i < n)
		y[i] = by_branch<STEPS_SHORT>(x[i]);
}
