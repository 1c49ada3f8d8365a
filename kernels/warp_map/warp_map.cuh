/*
 * What the warp_map variants share: a thread says what warp the hardware has
 * put it into.
 */
#pragma once

/* As in warp_map.c: what a thread writes, lowest first. */
#define LANES_SHIFT 8
#define FIRST_SHIFT 16

__device__ __forceinline__ unsigned lane_id()
{
	unsigned lane;

	asm("mov.u32 %0, %%laneid;" : "=r"(lane));
	return lane;
}

/*
 * The thread's lane; how many lanes of its warp there are threads for; and the linear index of the
 * warp's first thread, all three as the warp itself has them. Nothing of it is reckoned from the
 * shape of the block: only `linear` is, which the documents' formula gives.
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
