/* scale: four elements per thread, with 16-byte loads. */
#include "stream.cuh"

extern "C" __global__ void stream_scale_float4(const float *__restrict__ a, float *__restrict__ c,
					       float factor, long long n)
{
	stream_group(scale_operation{factor}, a, nullptr, c, n, global_thread());
}
