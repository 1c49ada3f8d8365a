/*
 * Shared by the histogram variants. The low bits of an element select its bin: `mask`
 * leaves as many different values as the axis `distinct` says. Blocks are
 * one-dimensional.
 */
#pragma once

#define BINS 256
#define ALL_LANES 0xffffffffu

__device__ inline long long global_thread(void)
{
	return (long long)blockIdx.x * blockDim.x + threadIdx.x;
}

__device__ inline long long grid_threads(void)
{
	return (long long)gridDim.x * blockDim.x;
}

/* Clears the counts of a block. Ends with a barrier. */
__device__ inline void clear(unsigned *counts, unsigned length)
{
	for (unsigned i = threadIdx.x; i < length; i += blockDim.x)
		counts[i] = 0;
	__syncthreads();
}

/* Runs before the variants, which add to the result. */
extern "C" __global__ void histogram_clear(unsigned *counts)
{
	if (threadIdx.x < BINS)
		counts[threadIdx.x] = 0;
}
