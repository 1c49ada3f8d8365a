/* The lock, taken by all lanes of the first warp of each block: they wait for one another. On
 * devices before compute capability 7.0 the lanes that wait keep the owner from continuing, and the
 * kernel never ends. */
#include "locks.cuh"

extern "C" __global__ void atomics_spin_lock_lanes(const unsigned *__restrict__ x, unsigned *totals,
						   unsigned *locks, long long n,
						   long long addresses)
{
	__shared__ unsigned of_lane[32];
	const unsigned lane = threadIdx.x % 32;
	const bool in_first_warp = threadIdx.x < 32;
	long long i = global_thread(), address = blockIdx.x % addresses;

	if (in_first_warp)
		of_lane[lane] = 0;
	__syncthreads();
	if (i < n)
		atomicAdd(&of_lane[lane], x[i]);
	__syncthreads();
	if (in_first_warp) {
		lock(&locks[address]);
		totals[address] += of_lane[lane];
		unlock(&locks[address]);
	}
}
