/* The block adds up in shared memory, and one lane adds its sum to the total: no lock is needed. */
#include "atomics.cuh"

extern "C" __global__ void atomics_block_first(const unsigned *__restrict__ x, unsigned *totals,
					       long long n, long long addresses)
{
	__shared__ unsigned of_block;
	long long i = global_thread();

	if (threadIdx.x == 0)
		of_block = 0;
	__syncthreads();
	if (i < n)
		atomicAdd(&of_block, x[i]);
	__syncthreads();
	if (threadIdx.x == 0)
		atomicAdd(&totals[blockIdx.x % addresses], of_block);
}
