/*
 * Shared by the classify variants. An item belongs in the bin of its value modulo the number of
 * bins. Blocks are one-dimensional.
 */
#pragma once

/* The end of a list. */
#define NOBODY 0xffffffffu

__device__ inline long long global_thread(void)
{
	return (long long)blockIdx.x * blockDim.x + threadIdx.x;
}

/* Writes the result of a bin: its number of items and their sum. All threads of the block call it;
 * thread 0 writes. */
__device__ inline void tell_bin(unsigned *counts, unsigned *sums, unsigned bin, unsigned count,
				unsigned sum)
{
	__shared__ unsigned of_block;

	if (threadIdx.x == 0)
		of_block = 0;
	__syncthreads();
	if (sum)
		atomicAdd(&of_block, sum);
	__syncthreads();
	if (threadIdx.x == 0) {
		counts[bin] = count;
		sums[bin] = of_block;
	}
}
