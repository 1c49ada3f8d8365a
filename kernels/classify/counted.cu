/* Counts the items of each bin first, so that each list has exactly the space that it needs. The
 * items are read twice; m items in N bins take 2 * N + m words. */
#include "classify.cuh"

extern "C" __global__ void classify_counted_clear(unsigned *lengths, unsigned bins)
{
	if (global_thread() < bins)
		lengths[global_thread()] = 0;
}

extern "C" __global__ void classify_count(const unsigned *__restrict__ x, unsigned *lengths,
					  long long n, unsigned bins)
{
	long long i = global_thread();

	if (i < n)
		atomicAdd(&lengths[x[i] % bins], 1u);
}

/* Computes where each list begins. A single thread does so, because there are few bins. */
extern "C" __global__ void classify_begin(const unsigned *__restrict__ lengths,
					  unsigned *__restrict__ begins, unsigned bins)
{
	unsigned begin = 0;

#pragma unroll 1
	for (unsigned bin = 0; bin < bins; bin++) {
		begins[bin] = begin;
		begin += lengths[bin];
	}
}

/* Leaves the end of each list in `begins`. */
extern "C" __global__ void classify_counted(const unsigned *__restrict__ x, unsigned *begins,
					    unsigned *packed, long long n, unsigned bins)
{
	long long i = global_thread();

	if (i < n)
		packed[atomicAdd(&begins[x[i] % bins], 1u)] = x[i];
}

/* One block per bin. */
extern "C" __global__ void classify_counted_read(const unsigned *__restrict__ packed,
						 const unsigned *__restrict__ lengths,
						 const unsigned *__restrict__ ends,
						 unsigned *counts, unsigned *sums)
{
	const unsigned length = lengths[blockIdx.x], begin = ends[blockIdx.x] - length;
	unsigned sum = 0;

	for (unsigned long long i = threadIdx.x; i < length; i += blockDim.x)
		sum += packed[begin + i];
	tell_bin(counts, sums, blockIdx.x, length, sum);
}
