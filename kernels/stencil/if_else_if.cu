/* The two ifs as an if and an else-if: threads that have fetched for the left side skip the check
 * for the right side. */
#include "stencil.cuh"

extern "C" __global__ void stencil_if_else_if(const float *__restrict__ x, float *__restrict__ y,
					      long long n)
{
	fetch_by_if_else_if<STEPS_LONG>(x);
	store_sum(y, n);
}
