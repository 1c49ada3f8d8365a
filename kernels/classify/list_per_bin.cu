/* A list for each bin with space for all items: an addition gives an item its place, and many
 * threads read a bin. m items in N bins take N + m * N words; N + m of them are used. */
#include "classify.cuh"

extern "C" __global__ void classify_list_clear(unsigned *lengths, unsigned bins)
{
	if (global_thread() < bins)
		lengths[global_thread()] = 0;
}

extern "C" __global__ void classify_list_per_bin(const unsigned *__restrict__ x, unsigned *lists,
						 unsigned *lengths, long long n, unsigned bins)
{
	long long i = global_thread();

	if (i < n) {
		unsigned bin = x[i] % bins;

		lists[bin * n + atomicAdd(&lengths[bin], 1u)] = x[i];
	}
}

/* One block per bin. */
extern "C" __global__ void classify_list_read(const unsigned *__restrict__ lists,
					      const unsigned *__restrict__ lengths,
					      unsigned *counts, unsigned *sums, long long n)
{
	const unsigned length = lengths[blockIdx.x];
	unsigned sum = 0;

	for (unsigned long long i = threadIdx.x; i < length; i += blockDim.x)
		sum += lists[blockIdx.x * n + i];
	tell_bin(counts, sums, blockIdx.x, length, sum);
}
