/* 64 values in registers, and as many registers as the compiler likes: few warps fit a
 * multiprocessor, and each has all that it needs at hand. */
#include "occupancy.cuh"

extern "C" __global__ void occupancy_uncapped(const float *__restrict__ x, float *__restrict__ y,
					      long long n)
{
	run_recurrence(x, y, n);
}
