/*
 * Shared by the atomics variants: each block adds its elements to one of the totals,
 * so `addresses` decides how many blocks meet at each total. Blocks are
 * one-dimensional.
 */
#pragma once

__device__ inline long long global_thread(void)
{
	return (long long)blockIdx.x * blockDim.x + threadIdx.x;
}

/* Runs before the variants that add to the result. */
extern "C" __global__ void atomics_clear(unsigned *totals, long long addresses)
{
	long long i = global_thread();

	if (i < addresses)
		totals[i] = 0;
}
