/* 64 values in registers, and as many registers as the compiler chooses: few warps fit on a
 * multiprocessor, but each has everything that it needs in registers. */
#include "occupancy.cuh"

extern "C" __global__ void occupancy_uncapped(const float *__restrict__ x, float *__restrict__ y,
					      long long n)
{
	run_recurrence(x, y, n);
}
