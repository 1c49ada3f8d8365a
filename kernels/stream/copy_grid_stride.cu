/* copy, as many blocks as fit the device at once, each striding over the whole array. */
#include "stream.cuh"

extern "C" __global__ void stream_copy_grid_stride(const float *__restrict__ a,
						   float *__restrict__ c, long long n)
{
	stream_grid_stride(copy_operation{}, a, nullptr, c, n);
}
