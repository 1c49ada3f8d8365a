/*
 * What the transposes by way of shared memory have in common: a block moves
 * squares of 32 x 32 elements, a warp a row of them at a time. Blocks are rows
 * of 32 threads, as many as there are.
 */
#pragma once

#define SIDE 32

/*
 * place(row, column): the word of an element of the square, of at most
 * SIDE * (SIDE + 1). Both ways a warp's accesses to memory are neighbours.
 */
template <class Place>
__device__ void transpose_by_squares(const float *__restrict__ from, float *__restrict__ to,
				     long long n, Place place)
{
	__shared__ float square[SIDE * (SIDE + 1)];
	long long first_row = (long long)blockIdx.y * SIDE;
	long long first_column = (long long)blockIdx.x * SIDE;

	for (unsigned row = threadIdx.y; row < SIDE; row += blockDim.y)
		if (first_row + row < n && first_column + threadIdx.x < n)
			square[place(row, threadIdx.x)] =
				from[(first_row + row) * n + first_column + threadIdx.x];
	__syncthreads();
	for (unsigned row = threadIdx.y; row < SIDE; row += blockDim.y)
		if (first_column + row < n && first_row + threadIdx.x < n)
			to[(first_column + row) * n + first_row + threadIdx.x] =
				square[place(threadIdx.x, row)];
}
