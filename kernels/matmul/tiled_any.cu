/*
 * C = A B of any three sizes: A has m rows of k elements, B has k rows of n. Tiles reach beyond
 * every edge; elements outside are loaded as zero and are not stored.
 */
extern "C" __global__ void matmul_tiled_any(const float *__restrict__ a,
					    const float *__restrict__ b, float *__restrict__ c,
					    long long m, long long n, long long k)
{
	extern __shared__ float tiles[];
	unsigned width = blockDim.x;
	float *of_a = tiles;
	float *of_b = tiles + width * width;
	unsigned here = threadIdx.y * width + threadIdx.x;
	long long column = (long long)blockIdx.x * width + threadIdx.x;
	long long row = (long long)blockIdx.y * width + threadIdx.y;
	float sum = 0.0f;

	for (long long first = 0; first < k; first += width) {
		long long a_column = first + threadIdx.x;
		long long b_row = first + threadIdx.y;

		of_a[here] = row < m && a_column < k ? a[row * k + a_column] : 0.0f;
		of_b[here] = b_row < k && column < n ? b[b_row * n + column] : 0.0f;
		__syncthreads();
		for (unsigned i = 0; i < width; i++)
			sum += of_a[threadIdx.y * width + i] * of_b[i * width + threadIdx.x];
		__syncthreads();
	}
	if (row < m && column < n)
		c[row * n + column] = sum;
}
