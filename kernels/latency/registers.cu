/* Multiply-adds, each of which needs the sum before it: what is read and written are registers. */
#include "latency.cuh"

/* `one` is 1, which the compiler must not know: it would add all at once. Sums are whole numbers,
 * which a float has up to 2^24. */
extern "C" __global__ void latency_registers(CHAIN_PARAMETERS, float one)
{
	long long i = CHAIN;
	float sum = (float)(i % 256);

	/* Written out: with a warp ready in every cycle instructions of the loop take cycles, too.
	 */
#pragma unroll 64
	for (int step = 0; step < steps; step++)
		sum = fmaf(sum, one, one);
	if (i < n)
		y[i] = (unsigned)sum;
}
