/* Multiply-adds that each need the sum before them: they read and write registers only. */
#include "latency.cuh"

/* `one` is 1, which the compiler must not know, or it would add everything in one step. Sums are
 * whole numbers, which a float represents up to 2^24. */
extern "C" __global__ void latency_registers(CHAIN_PARAMETERS, float one)
{
	long long i = CHAIN;
	float sum = (float)(i % 256);

	/* Unrolled: with a warp ready in every cycle, the instructions of the loop take cycles as
	 * well. */
#pragma unroll 64
	for (int step = 0; step < steps; step++)
		sum = fmaf(sum, one, one);
	if (i < n)
		y[i] = (unsigned)sum;
}
