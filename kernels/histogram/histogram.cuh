/*
 * What the histogram variants share. An element counts in the bin of its last
 * bits: `mask` leaves as many different values as the axis `distinct` says.
 * Blocks are one-dimensional.
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

/* Of the block; a barrier follows. */
__device__ inline void clear(unsigned *counts, unsigned length)
{
	for (unsigned i = threadIdx.x; i < length; i += blockDim.x)
		counts[i] = 0;
	__syncthreads();
}

/* Before variants that add to the result. */
extern "C" __global__ void histogram_clear(unsigned *counts)
{
	if (threadIdx.x < BINS)
		counts[threadIdx.x] = 0;
}
