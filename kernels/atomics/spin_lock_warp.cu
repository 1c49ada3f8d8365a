/* The lock, taken by one lane per warp: the warp adds up by shuffles first. The warps of a block
 * wait for each other as those of different blocks do. */
#include "locks.cuh"

#define ALL_LANES 0xffffffffu

extern "C" __global__ void atomics_spin_lock_warp(const unsigned *__restrict__ x, unsigned *totals,
						  unsigned *locks, long long n, long long addresses)
{
	long long i = global_thread(), address = blockIdx.x % addresses;
	unsigned of_warp = i < n ? x[i] : 0;

#pragma unroll
	for (unsigned distance = 16; distance > 0; distance /= 2)
		of_warp += __shfl_down_sync(ALL_LANES, of_warp, distance);
	if (threadIdx.x % 32 == 0) {
		lock(&locks[address]);
		totals[address] += of_warp;
		unlock(&locks[address]);
	}
}
