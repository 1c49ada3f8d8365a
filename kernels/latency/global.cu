/* A ring in global memory, one cache line per place: the size of the ring decides which cache
 * answers. The first launch initialises it. That takes part of the time, but none of the difference
 * between two numbers of steps. */
#include "latency.cuh"

struct place {
	unsigned long long next;
	char rest[LINE_BYTES - sizeof(unsigned long long)];
};

extern "C" __global__ void latency_global_ring(place *ring, unsigned places, unsigned hop)
{
	unsigned at = blockIdx.x * blockDim.x + threadIdx.x;

	if (at < places)
		ring[at].next = __cvta_generic_to_global(&ring[hop_from(at, hop, places)]);
}

extern "C" __global__ void latency_global(CHAIN_PARAMETERS, const place *ring, unsigned places)
{
	long long i = CHAIN;
	unsigned long long first = __cvta_generic_to_global(ring);
	unsigned long long at = first + ((unsigned)i & (places - 1)) * sizeof(*ring);

	if (i >= n)
		return;
#pragma unroll 8
	for (int step = 0; step < steps; step++)
		at = step_in_global(at);
	y[i] = (unsigned)((at - first) / sizeof(*ring));
}
