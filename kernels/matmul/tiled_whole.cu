/*
 * The tiled product for whole tiles: no thread checks bounds, because nothing lies outside. The
 * difference from tiled_any is the cost of the checks.
 */
extern "C" __global__ void matmul_tiled_whole(const float *__restrict__ a,
					      const float *__restrict__ b, float *__restrict__ c,
					      long long n)
{
	extern __shared__ float tiles[];
	unsigned width = blockDim.x;
	float *of_a = tiles;
	float *of_b = tiles + width * width;
	unsigned here = threadIdx.y * width + threadIdx.x;
	long long column = (long long)blockIdx.x * width + threadIdx.x;
	long long row = (long long)blockIdx.y * width + threadIdx.y;
	float sum = 0.0f;

	for (long long first = 0; first < n; first += width) {
		of_a[here] = a[row * n + first + threadIdx.x];
		of_b[here] = b[(first + threadIdx.y) * n + column];
		__syncthreads();
		for (unsigned k = 0; k < width; k++)
			sum += of_a[threadIdx.y * width + k] * of_b[k * width + threadIdx.x];
		__syncthreads();
	}
	c[row * n + column] = sum;
}
