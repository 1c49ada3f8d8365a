/* copy: as many blocks as fit on the device at the same time, each striding over the array. */
#include "stream.cuh"

extern "C" __global__ void stream_copy_grid_stride(const float *__restrict__ a,
						   float *__restrict__ c, long long n)
{
	stream_grid_stride(copy_operation{}, a, nullptr, c, n);
}
