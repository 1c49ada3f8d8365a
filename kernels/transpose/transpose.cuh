/*
 * Shared by the transposes through shared memory: a block moves squares of 32 x 32 elements,
 * and a warp moves one row of a square at a time. Blocks have any number of rows of 32
 * threads.
 */
#pragma once

#define SIDE 32

/*
 * place(row, column): the word of an element of the square, below SIDE * (SIDE + 1). In both
 * directions the accesses of a warp to global memory are neighbours.
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
