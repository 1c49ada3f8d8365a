/* A lock in global memory, taken by one lane per block: the block adds up in shared memory
 * first. */
#include "locks.cuh"

extern "C" __global__ void atomics_spin_lock(const unsigned *__restrict__ x, unsigned *totals,
					     unsigned *locks, long long n, long long addresses)
{
	__shared__ unsigned of_block;
	long long i = global_thread(), address = blockIdx.x % addresses;

	if (threadIdx.x == 0)
		of_block = 0;
	__syncthreads();
	if (i < n)
		atomicAdd(&of_block, x[i]);
	__syncthreads();
	if (threadIdx.x == 0) {
		lock(&locks[address]);
		totals[address] += of_block;
		unlock(&locks[address]);
	}
}
