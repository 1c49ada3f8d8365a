/* __launch_bounds__(1024, 2): two such blocks must fit, which leaves each thread 32 registers. The
 * multiprocessor holds as many warps as it can, but they wait for the values that were spilled. */
#include "occupancy.cuh"

extern "C" __global__ void __launch_bounds__(1024, 2)
	occupancy_bounds_two_blocks(const float *__restrict__ x, float *__restrict__ y, long long n)
{
	run_recurrence(x, y, n);
}
