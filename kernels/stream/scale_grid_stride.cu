/* scale: as many blocks as fit on the device at the same time, each striding over the array. */
#include "stream.cuh"

extern "C" __global__ void stream_scale_grid_stride(const float *__restrict__ a,
						    float *__restrict__ c, float factor,
						    long long n)
{
	stream_grid_stride(scale_operation{factor}, a, nullptr, c, n);
}
