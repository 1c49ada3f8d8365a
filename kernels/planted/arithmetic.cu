/* v = 1 - v, `steps` times: the limiter is the rate of single-precision additions. An even number
 * of steps gives back the initial value, to the bit for the inputs of this family. */
extern "C" __global__ void planted_arithmetic(const float *__restrict__ a, float *__restrict__ c,
					      long long steps, long long n)
{
	long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n) {
		float v = a[i];

#pragma unroll 2
		for (long long step = 0; step < steps; step++)
			v = 1.0f - v;
		c[i] = v;
	}
}
