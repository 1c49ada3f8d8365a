/*
 * A product with the tile of B transposed in shared memory: a column of B is a row of the
 * tile, so a thread reads both of its tiles along a row. The threads of a warp then read one
 * column of the tile: if rows are a multiple of 32 words apart, the whole column lies in one
 * bank.
 */
#pragma once

/* `spare`: words between two rows of the transposed tile. */
template <unsigned spare>
__device__ void multiply_upright(const float *__restrict__ a, const float *__restrict__ b,
				 float *__restrict__ c, long long n)
{
	extern __shared__ float tiles[];
	unsigned width = blockDim.x;
	unsigned step = width + spare;
	float *of_a = tiles;
	float *of_b = tiles + width * width;
	float *a_row = of_a + threadIdx.y * width;
	float *b_column = of_b + threadIdx.x * step;
	long long column = (long long)blockIdx.x * width + threadIdx.x;
	long long row = (long long)blockIdx.y * width + threadIdx.y;
	float sum = 0.0f;

	for (long long first = 0; first < n; first += width) {
		long long a_column = first + threadIdx.x;
		long long b_row = first + threadIdx.y;

		a_row[threadIdx.x] = row < n && a_column < n ? a[row * n + a_column] : 0.0f;
		b_column[threadIdx.y] = b_row < n && column < n ? b[b_row * n + column] : 0.0f;
		__syncthreads();
		for (unsigned k = 0; k < width; k++)
			sum += a_row[k] * b_column[k];
		__syncthreads();
	}
	if (row < n && column < n)
		c[row * n + column] = sum;
}
