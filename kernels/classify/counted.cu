/* Counted first, so that each list is given the room it needs and no more: the items are read
 * twice, and 2 * N + m words do for m items in N bins. */
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

/* Where each list begins; a thread does, for there are few bins. */
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

/* Leaves in `begins` where each list ends. */
extern "C" __global__ void classify_counted(const unsigned *__restrict__ x, unsigned *begins,
					    unsigned *packed, long long n, unsigned bins)
{
	long long i = global_thread();

	if (i < n)
		packed[atomicAdd(&begins[x[i] % bins], 1u)] = x[i];
}

/* A block a bin. */
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
