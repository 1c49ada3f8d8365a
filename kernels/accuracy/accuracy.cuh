/*
 * Shared by the variants in which each block adds its sum to the result: clearing the result, and
 * the tree in dynamic shared memory down to the last warp. Blocks are one-dimensional, a power of
 * two, and whole warps.
 */
#pragma once

extern "C" __global__ void accuracy_clear(float *sum)
{
	*sum = 0.0f;
}

/* Loads one element per thread. Ends with a barrier. */
__device__ inline void load_values(float *values, const float *x, long long n)
{
	long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;

	values[threadIdx.x] = i < n ? x[i] : 0.0f;
	__syncthreads();
}

/* Folds the block's values until `least` of them are left, with a barrier after each step. */
__device__ inline void fold(float *values, unsigned least)
{
	for (unsigned stride = blockDim.x / 2; stride >= least; stride /= 2) {
		if (threadIdx.x < stride)
			values[threadIdx.x] += values[threadIdx.x + stride];
		__syncthreads();
	}
}
