/*
 * Kernels whose time is a line over an argument, so that a known share of it can be planted: spin over
 * the trips of its loop, copy over the number of elements. pairs.sh fits the lines on the device.
 * pairs.ptx is this file as `nvcc -ptx -arch=compute_75 -O3` compiles it.
 */

/* With a = 1 and b = 0 the result is the input, which the compiler does not know. */
extern "C" __global__ void spin(const float *x, float *y, int trips, float a, float b)
{
	const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
	float value = x[i];

#pragma unroll 1
	for (int trip = 0; trip < trips; trip++)
		value = value * a + b;
	y[i] = value;
}

extern "C" __global__ void copy(const float *x, float *y, long long count)
{
	const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;

	if (i < count)
		y[i] = x[i];
}
