/* copy: one element per thread, with 4-byte loads. */
extern "C" __global__ void stream_copy_scalar(const float *__restrict__ a, float *__restrict__ c,
					      long long n)
{
	long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		c[i] = a[i];
}
