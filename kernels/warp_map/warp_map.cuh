/*
 * Shared by the warp_map variants: each thread reports the warp in which the hardware has put
 * it.
 */
#pragma once

/* As in warp_map.c: the fields that a thread writes, lowest first. */
#define LANES_SHIFT 8
#define FIRST_SHIFT 16

__device__ __forceinline__ unsigned lane_id()
{
	unsigned lane;

	asm("mov.u32 %0, %%laneid;" : "=r"(lane));
	return lane;
}

/*
 * Writes the thread's lane, the number of threads in its warp and the linear index of the warp's
 * first thread. The warp itself tells all three; only `linear` is computed from the shape of the
 * block, by the formula z * Dx * Dy + y * Dx + x.
 */
__device__ __forceinline__ void write_place(unsigned *place, long long n)
{
	unsigned present = __activemask();
	unsigned linear = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
	unsigned first = __shfl_sync(present, linear, 0);
	long long threads = (long long)blockDim.x * blockDim.y * blockDim.z;
	long long i = blockIdx.x * threads + linear;

	if (i < n)
		place[i] = lane_id() | __popc(present) << LANES_SHIFT | first << FIRST_SHIFT;
}
