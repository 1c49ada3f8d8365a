__global__ void slow(long long n, float a, const float *x, float *y)
{
	for (long long i = 0; i < n; i++)
		y[i] = a * x[i] + y[i];
}
