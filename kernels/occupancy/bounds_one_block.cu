/* __launch_bounds__(1024): a block of 1024 threads must fit, which leaves each thread 64 of 65536
 * registers. */
#include "occupancy.cuh"

extern "C" __global__ void __launch_bounds__(1024)
	occupancy_bounds_one_block(const float *__restrict__ x, float *__restrict__ y, long long n)
{
	run_recurrence(x, y, n);
}
