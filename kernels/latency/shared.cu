/* A ring in shared memory, one word per place. */
#include "latency.cuh"

extern "C" __global__ void latency_shared(CHAIN_PARAMETERS, unsigned places, unsigned hop)
{
	extern __shared__ unsigned ring[];
	long long i = CHAIN;
	unsigned first = (unsigned)__cvta_generic_to_shared(ring);
	unsigned at = first + ((unsigned)i & (places - 1)) * sizeof(*ring);

	for (unsigned place = threadIdx.x; place < places; place += blockDim.x)
		ring[place] = first + hop_from(place, hop, places) * sizeof(*ring);
	__syncthreads();
	if (i >= n)
		return;
#pragma unroll 8
	for (int step = 0; step < steps; step++)
		at = step_in_shared(at);
	y[i] = (at - first) / sizeof(*ring);
}
