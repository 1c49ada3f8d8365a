/* A linked list for each bin: an exchange puts an item before the first, and a bin is read item by
 * item, each of which says where the next is. It takes N + 2 * m + 1 words. */
#include "classify.cuh"

#define NOBODY 0xffffffffu

extern "C" __global__ void classify_linked_clear(unsigned *heads, unsigned bins)
{
	if (global_thread() < bins)
		heads[global_thread()] = NOBODY;
}

extern "C" __global__ void classify_linked_lists(const unsigned *__restrict__ x, unsigned *heads,
						 unsigned *links, long long n, unsigned bins)
{
	long long i = global_thread();

	if (i < n)
		links[i] = atomicExch(&heads[x[i] % bins], (unsigned)i);
}

/* A thread a bin: nobody else can know where its items are. */
extern "C" __global__ void classify_linked_read(const unsigned *__restrict__ x,
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
