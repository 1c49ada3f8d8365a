// A program with a small kernel, whose capture is docs/examples/record/saxpy.capture.
#include <cstdio>

__global__ void saxpy(int n, float a, const float *x, float *y)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		y[i] = a * x[i] + y[i];
}

int main()
{
	const int n = 3000;
	float *x, *y, host[n];

	for (int i = 0; i < n; i++)
		host[i] = i % 100;
	cudaMalloc(&x, sizeof(host));
	cudaMalloc(&y, sizeof(host));
	cudaMemcpy(x, host, sizeof(host), cudaMemcpyHostToDevice);
	cudaMemcpy(y, host, sizeof(host), cudaMemcpyHostToDevice);
	saxpy<<<(n + 127) / 128, 128>>>(n, 2, x, y);
	cudaMemcpy(host, y, sizeof(host), cudaMemcpyDeviceToHost);
	printf("%g\n", host[n - 1]);
	return cudaGetLastError() != cudaSuccess;
}
