/* __maxnreg__(48): fewer registers than values, in exchange for some more warps. */
#include "occupancy.cuh"

extern "C" __global__ void __maxnreg__(48)
	occupancy_maxnreg_48(const float *__restrict__ x, float *__restrict__ y, long long n)
{
	run_recurrence(x, y, n);
}
