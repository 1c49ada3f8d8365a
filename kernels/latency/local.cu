/* A ring in an array of the thread with an index that is known only at run time: local memory, a
 * part of global memory that the L1 cache may serve. */
#include "latency.cuh"

extern "C" __global__ void latency_local(CHAIN_PARAMETERS, unsigned places, unsigned hop)
{
	unsigned ring[LOCAL_KIB * 1024 / sizeof(unsigned)];
	long long i = CHAIN;
	unsigned first = (unsigned)__cvta_generic_to_local(ring);
	unsigned at = first + ((unsigned)i & (places - 1)) * sizeof(*ring);

	if (i >= n)
		return;
#pragma unroll 1
	for (unsigned place = 0; place < places; place++)
		ring[place] = first + hop_from(place, hop, places) * sizeof(*ring);
#pragma unroll 8
	for (int step = 0; step < steps; step++)
		at = step_in_local(at);
	y[i] = (at - first) / sizeof(*ring);
}
