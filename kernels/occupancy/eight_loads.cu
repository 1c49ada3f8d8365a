/* A thread has eight loads in flight: with three eighths of the warps it is as fast as one load per
 * thread with all warps. */
#include "occupancy.cuh"

extern "C" __global__ void occupancy_eight_loads(const float *__restrict__ x, float *__restrict__ y,
						 long long n)
{
	long long first = (long long)blockIdx.x * blockDim.x * AT_ONCE + threadIdx.x;
	float values[AT_ONCE];

#pragma unroll
	for (int k = 0; k < AT_ONCE; k++)
		values[k] = first + k * blockDim.x < n ? x[first + k * blockDim.x] : 0.0f;
#pragma unroll
	for (int k = 0; k < AT_ONCE; k++)
		if (first + k * blockDim.x < n)
			y[first + k * blockDim.x] = of_stream(values[k]);
}
