/* A linked list for each bin, all in one array of values and links: a counter gives an item its
 * place, and an exchange puts it before the first item of its bin. m items in N bins take N + 2 * m
 * + 1 words. A bin is read item by item, because each item tells where the next one is. */
#include "classify.cuh"

extern "C" __global__ void classify_linked_clear(unsigned *heads, unsigned *count, unsigned bins)
{
	if (global_thread() < bins)
		heads[global_thread()] = NOBODY;
	if (global_thread() == 0)
		*count = 0;
}

/* A pair is a value (x) and the place of the next item in the list (y). */
extern "C" __global__ void classify_linked_lists(const unsigned *__restrict__ x, unsigned *heads,
						 uint2 *pairs, unsigned *count, long long n,
						 unsigned bins)
{
	long long i = global_thread();

	if (i < n) {
		unsigned value = x[i], place = atomicAdd(count, 1u);

		pairs[place] = make_uint2(value, atomicExch(&heads[value % bins], place));
	}
}

/* One thread per bin: only the links tell where its items are. */
extern "C" __global__ void classify_linked_read(const unsigned *__restrict__ heads,
						const uint2 *__restrict__ pairs, unsigned *counts,
						unsigned *sums, unsigned bins)
{
	long long bin = global_thread();
	unsigned count = 0, sum = 0;

	if (bin >= bins)
		return;
#pragma unroll 1
	for (unsigned place = heads[bin]; place != NOBODY;) {
		uint2 pair = pairs[place];

		count++;
		sum += pair.x;
		place = pair.y;
	}
	counts[bin] = count;
	sums[bin] = sum;
}
