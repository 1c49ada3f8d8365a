/*
 * Shared by the work_queue variants: the place of an item decides how many steps it takes. The
 * average is about STEPS. With skew 1 every item takes STEPS; with skew 16 the first sixteenth
 * of the items takes 16 times as many, and the others one step each. Blocks are
 * one-dimensional.
 */
#pragma once

#define STEPS 64

__device__ inline long long global_thread(void)
{
	return (long long)blockIdx.x * blockDim.x + threadIdx.x;
}

/* The first n / skew items, rounded up, are heavy. */
__device__ inline unsigned worked(unsigned value, long long item, long long n, unsigned skew)
{
	const unsigned steps = item < (n + skew - 1) / skew ? STEPS * skew : 1;

#pragma unroll 1
	for (unsigned step = 0; step < steps; step++)
		value = value * 1664525u + 1013904223u;
	return value;
}
