/*
 * What variants share whose blocks each add their sum to the result: that it
 * begins as 0, and the tree in dynamic shared memory before the last warp.
 * Blocks are one-dimensional, a power of two, and whole warps.
 */
#pragma once

extern "C" __global__ void accuracy_clear(float *sum)
{
	*sum = 0.0f;
}

/* One element a thread; ends with a barrier. */
__device__ inline void load_values(float *values, const float *x, long long n)
{
	long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;

	values[threadIdx.x] = i < n ? x[i] : 0.0f;
	__syncthreads();
}

/* Folds the block's values, with its barrier after each step, until `least` of them are left. */
__device__ inline void fold(float *values, unsigned least)
{
	for (unsigned stride = blockDim.x / 2; stride >= least; stride /= 2) {
		if (threadIdx.x < stride)
			values[threadIdx.x] += values[threadIdx.x + stride];
		__syncthreads();
	}
}
