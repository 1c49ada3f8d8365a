/*
 * Shared by the variants with a grid of fixed size: many elements per thread, then a
 * tree and a tile. Each block leaves one sum. The kernel runs a second time, over these
 * sums.
 */
#pragma once

#include <cooperative_groups.h>

#include "accuracy.cuh"

/* y[block] becomes the sum of the block's elements of x below n. */
__device__ inline void sum_of_blocks(const float *x, float *y, long long n)
{
	namespace groups = cooperative_groups;
	extern __shared__ float values[];
	groups::thread_block_tile<32> tile =
		groups::tiled_partition<32>(groups::this_thread_block());
	long long stride = (long long)gridDim.x * blockDim.x;
	float value = 0.0f;

	for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
		value += x[i];
	values[threadIdx.x] = value;
	__syncthreads();
	fold(values, 32);
	value = values[threadIdx.x];
	for (unsigned offset = tile.size() / 2; offset > 0; offset /= 2)
		value += tile.shfl_down(value, offset);
	if (threadIdx.x == 0)
		y[blockIdx.x] = value;
}
