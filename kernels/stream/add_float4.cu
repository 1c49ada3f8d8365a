/* add: four elements per thread, with 16-byte loads. */
#include "stream.cuh"

extern "C" __global__ void stream_add_float4(const float *__restrict__ a,
					     const float *__restrict__ b, float *__restrict__ c,
					     long long n)
{
	stream_group(add_operation{}, a, b, c, n, global_thread());
}
