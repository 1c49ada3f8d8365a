/*
 * What the work_queue variants share: an item takes as many steps as its
 * place says. All items together take STEPS each on average: with skew 1 all
 * of them do, with skew 16 the first sixteenth of them does 16 times that,
 * and the others next to nothing. Blocks are one-dimensional.
 */
#pragma once

#define STEPS 64

__device__ inline long long global_thread(void)
{
	return (long long)blockIdx.x * blockDim.x + threadIdx.x;
}

/* The items of the first n / skew, rounded up, are heavy. */
__device__ inline unsigned worked(unsigned value, long long item, long long n, unsigned skew)
{
	const unsigned steps = item < (n + skew - 1) / skew ? STEPS * skew : 1;

#pragma unroll 1
	for (unsigned step = 0; step < steps; step++)
		value = value * 1664525u + 1013904223u;
	return value;
}
