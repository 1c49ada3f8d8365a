/* add: as many blocks as fit on the device at the same time, each striding over the array. */
#include "stream.cuh"

extern "C" __global__ void stream_add_grid_stride(const float *__restrict__ a,
						  const float *__restrict__ b,
						  float *__restrict__ c, long long n)
{
	stream_grid_stride(add_operation{}, a, b, c, n);
}
