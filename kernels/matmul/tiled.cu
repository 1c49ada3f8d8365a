/*
 * Each block computes one square tile of C. Tiles of A and B pass through shared memory, so an
 * element is loaded once per tile instead of once per thread. Outside the matrix a tile holds
 * zeroes, so any n works.
 */
extern "C" __global__ void matmul_tiled(const float *__restrict__ a, const float *__restrict__ b,
					float *__restrict__ c, long long n)
{
	extern __shared__ float tiles[];
	unsigned width = blockDim.x;
	float *of_a = tiles;
	float *of_b = tiles + width * width;
	unsigned here = threadIdx.y * width + threadIdx.x;
	long long column = (long long)blockIdx.x * width + threadIdx.x;
	long long row = (long long)blockIdx.y * width + threadIdx.y;
	float sum = 0.0f;

	/* Threads outside the matrix stay: they load, and all threads must reach the barriers. */
	for (long long first = 0; first < n; first += width) {
		long long a_column = first + threadIdx.x;
		long long b_row = first + threadIdx.y;

		of_a[here] = row < n && a_column < n ? a[row * n + a_column] : 0.0f;
		of_b[here] = b_row < n && column < n ? b[b_row * n + column] : 0.0f;
		__syncthreads();
		for (unsigned k = 0; k < width; k++)
			sum += of_a[threadIdx.y * width + k] * of_b[k * width + threadIdx.x];
		__syncthreads();
	}
	if (row < n && column < n)
		c[row * n + column] = sum;
}
