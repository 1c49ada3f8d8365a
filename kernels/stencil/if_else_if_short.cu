/* The if and else-if around short bodies: an else-if is harder to predicate, and the compiler may
 * keep its branches. */
#include "stencil.cuh"

extern "C" __global__ void stencil_if_else_if_short(const float *__restrict__ x,
						    float *__restrict__ y, long long n)
{
	fetch_by_if_else_if<STEPS_SHORT>(x);
	store_sum(y, n);
}
