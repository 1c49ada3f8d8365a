/* The same by an if and an else-if: who has fetched for the left side is not asked about the right
 * one. */
#include "stencil.cuh"

extern "C" __global__ void stencil_if_else_if(const float *__restrict__ x, float *__restrict__ y,
					      long long n)
{
	fetch_by_if_else_if<STEPS_LONG>(x);
	store_sum(y, n);
}
