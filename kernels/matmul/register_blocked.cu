/*
 * A thread computes 4 x 4 elements of C, spaced by the width of the block. It uses every value from
 * shared memory four times: half a load per multiply-add instead of two.
 */
#define EACH 4

extern "C" __global__ void matmul_register_blocked(const float *__restrict__ a,
						   const float *__restrict__ b,
						   float *__restrict__ c, long long n)
{
	extern __shared__ float tiles[];
	unsigned width = blockDim.x;
	float *of_a = tiles;                       /* EACH * width rows of width */
	float *of_b = tiles + EACH * width * width; /* width rows of EACH * width */
	long long first_row = (long long)blockIdx.y * EACH * width + threadIdx.y;
	long long first_column = (long long)blockIdx.x * EACH * width + threadIdx.x;
	float sums[EACH][EACH] = {};

	for (long long first = 0; first < n; first += width) {
		long long a_column = first + threadIdx.x;
		long long b_row = first + threadIdx.y;

#pragma unroll
		for (unsigned i = 0; i < EACH; i++) {
			long long row = first_row + i * width;
			long long column = first_column + i * width;

			of_a[(i * width + threadIdx.y) * width + threadIdx.x] =
				row < n && a_column < n ? a[row * n + a_column] : 0.0f;
			of_b[(threadIdx.y * EACH + i) * width + threadIdx.x] =
				b_row < n && column < n ? b[b_row * n + column] : 0.0f;
		}
		__syncthreads();
		for (unsigned k = 0; k < width; k++) {
			float left[EACH], right[EACH];

#pragma unroll
			for (unsigned i = 0; i < EACH; i++) {
				left[i] = of_a[(i * width + threadIdx.y) * width + k];
				right[i] = of_b[(k * EACH + i) * width + threadIdx.x];
			}
#pragma unroll
			for (unsigned i = 0; i < EACH; i++)
#pragma unroll
				for (unsigned j = 0; j < EACH; j++)
					sums[i][j] += left[i] * right[j];
		}
		__syncthreads();
	}
#pragma unroll
	for (unsigned i = 0; i < EACH; i++)
#pragma unroll
		for (unsigned j = 0; j < EACH; j++) {
			long long row = first_row + i * width;
			long long column = first_column + j * width;

			if (row < n && column < n)
				c[row * n + column] = sums[i][j];
		}
}
