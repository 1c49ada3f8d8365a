/* A thread has one load on the way, and waits: only many warps keep the memory busy, so that every
 * block that shared memory keeps away is missed. */
#include "occupancy.cuh"

extern "C" __global__ void occupancy_one_load(const float *__restrict__ x, float *__restrict__ y,
					      long long n)
{
	long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		y[i] = of_stream(x[i]);
}
