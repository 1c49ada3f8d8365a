/* Linked lists without a copy of the items: an item's place is its own index, so nothing
 * needs to be counted, and an item takes only a link. m items in N bins take N + m
 * words. */
#include "classify.cuh"

extern "C" __global__ void classify_in_place_clear(unsigned *heads, unsigned bins)
{
	if (global_thread() < bins)
		heads[global_thread()] = NOBODY;
}

extern "C" __global__ void classify_linked_in_place(const unsigned *__restrict__ x, unsigned *heads,
						    unsigned *links, long long n, unsigned bins)
{
	long long i = global_thread();

	if (i < n)
		links[i] = atomicExch(&heads[x[i] % bins], (unsigned)i);
}

/* One thread per bin: only the links tell where its items are. */
extern "C" __global__ void classify_in_place_read(const unsigned *__restrict__ x,
						  const unsigned *__restrict__ heads,
						  const unsigned *__restrict__ links,
						  unsigned *counts, unsigned *sums, unsigned bins)
{
	long long bin = global_thread();
	unsigned count = 0, sum = 0;

	if (bin >= bins)
		return;
#pragma unroll 1
	for (unsigned item = heads[bin]; item != NOBODY; item = links[item]) {
		count++;
		sum += x[item];
	}
	counts[bin] = count;
	sums[bin] = sum;
}
