/*
 * What the atomics variants share: each block adds its elements to one of the
 * totals, so that `addresses` says how many blocks meet at each. Blocks are
 * one-dimensional.
 */
#pragma once

__device__ inline long long global_thread(void)
{
	return (long long)blockIdx.x * blockDim.x + threadIdx.x;
}

/* Before variants that add to the result. */
extern "C" __global__ void atomics_clear(unsigned *totals, long long addresses)
{
	long long i = global_thread();

	if (i < addresses)
		totals[i] = 0;
}
