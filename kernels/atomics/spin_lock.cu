/* A lock in global memory, taken by one lane of a block: the block adds up in shared memory first.
 * If all lanes of a warp took it, those that wait could keep the one that has it from going on. */
#include "atomics.cuh"

__device__ inline void lock(unsigned *word)
{
	unsigned was;

	do
		asm volatile("atom.acquire.gpu.cas.b32 %0, [%1], 0, 1;"
			     : "=r"(was)
			     : "l"(word)
			     : "memory");
	while (was);
}

__device__ inline void unlock(unsigned *word)
{
	asm volatile("st.release.gpu.u32 [%0], %1;" ::"l"(word), "r"(0u) : "memory");
}

/* The locks are open. */
extern "C" __global__ void atomics_open(unsigned *totals, unsigned *locks, long long addresses)
{
	long long i = global_thread();

	if (i < addresses) {
		totals[i] = 0;
		locks[i] = 0;
	}
}

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
