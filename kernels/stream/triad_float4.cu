/* triad: four elements per thread, with 16-byte loads. */
#include "stream.cuh"

extern "C" __global__ void stream_triad_float4(const float *__restrict__ a,
					       const float *__restrict__ b, float *__restrict__ c,
					       float factor, long long n)
{
	stream_group(triad_operation{factor}, a, b, c, n, global_thread());
}
