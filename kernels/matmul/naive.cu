/* One thread per element of C = A B, row-major; neighbouring threads take neighbouring columns.
 * Every element of A and B is loaded n times, and only the caches help. */
extern "C" __global__ void matmul_naive(const float *__restrict__ a, const float *__restrict__ b,
					float *__restrict__ c, long long n)
{
	long long column = (long long)blockIdx.x * blockDim.x + threadIdx.x;
	long long row = (long long)blockIdx.y * blockDim.y + threadIdx.y;

	if (row < n && column < n) {
		float sum = 0.0f;

		for (long long k = 0; k < n; k++)
			sum += a[row * n + k] * b[k * n + column];
		c[row * n + column] = sum;
	}
}
