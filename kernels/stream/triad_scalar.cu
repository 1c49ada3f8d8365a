/* triad: one element per thread, with 4-byte loads. */
extern "C" __global__ void stream_triad_scalar(const float *__restrict__ a,
					       const float *__restrict__ b, float *__restrict__ c,
					       float factor, long long n)
{
	long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		c[i] = a[i] + factor * b[i];
}
