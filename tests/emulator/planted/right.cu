/* Kernels in which nothing is wrong, though it looks so: see test_planted.c. */
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>

namespace cg = cooperative_groups;

__device__ int lock, protected_count, tickets, serving;

/* Every thread of every warp takes the lock; on a stack of branches the warp would hang. */
extern "C" __global__ void right_spin_lock(float *out, long long n)
{
	for (bool done = false; !done;) {
		if (atomicCAS(&lock, 0, 1) == 0) {
			__threadfence();
			*(volatile int *)&protected_count = *(volatile int *)&protected_count + 1;
			__threadfence();
			atomicExch(&lock, 0);
			done = true;
		}
	}
	__syncthreads();
	if (threadIdx.x == 0)
		out[blockIdx.x] = (float)*(volatile int *)&protected_count;
}

/* The unsafe form: who has the lock waits, in program order, behind those who spin. */
extern "C" __global__ void right_spin_then_work(float *out, long long n)
{
	while (atomicCAS(&lock, 0, 1) != 0)
		;
	*(volatile int *)&protected_count = *(volatile int *)&protected_count + 1;
	__threadfence();
	atomicExch(&lock, 0);
	__syncthreads();
	if (threadIdx.x == 0)
		out[blockIdx.x] = (float)*(volatile int *)&protected_count;
}

/* The unsafe form, where the threads that spin diverge and reconverge on the way. */
extern "C" __global__ void right_spin_with_branches(float *out, long long n)
{
	unsigned backoff = threadIdx.x;

	while (atomicCAS(&lock, 0, 1) != 0) {
		if (backoff & 1)
			backoff = backoff * 5 + (unsigned)atomicAdd(&tickets, 1);
		else
			backoff = backoff / 2 + (unsigned)atomicSub(&serving, 1);
	}
	*(volatile int *)&protected_count = *(volatile int *)&protected_count + 1;
	__threadfence();
	atomicExch(&lock, 0);
	__syncthreads();
	if (threadIdx.x == 0)
		out[blockIdx.x] = (float)*(volatile int *)&protected_count;
}

extern "C" __global__ void right_ticket_lock(float *out, long long n)
{
	int mine = atomicAdd(&tickets, 1);

	while (atomicAdd(&serving, 0) != mine)
		;
	*(volatile int *)&protected_count = *(volatile int *)&protected_count + 1;
	__threadfence();
	atomicAdd(&serving, 1);
	__syncthreads();
	if (threadIdx.x == 0)
		out[blockIdx.x] = (float)*(volatile int *)&protected_count;
}

/* Warps wait for each other by a flag in global memory, the first for the last. */
extern "C" __global__ void right_flag_between_warps(float *out, long long n)
{
	if (threadIdx.x == blockDim.x - 1) {
		*(volatile int *)&protected_count = 256;
		__threadfence();
		atomicAdd(&tickets, 1);
	} else if (threadIdx.x == 0) {
		while (*(volatile int *)&tickets <= (int)blockIdx.x)
			;
		__threadfence();
		out[blockIdx.x] = (float)*(volatile int *)&protected_count;
	}
}

/* A lane clears what its warp then counts in, itself among them: the barrier lies between. */
extern "C" __global__ void right_cleared_and_counted(float *out, long long n)
{
	__shared__ unsigned counts[8];
	unsigned *count = counts + threadIdx.x / 32;

	if (threadIdx.x % 32 == 0)
		*count = 0;
	__syncwarp();
	atomicAdd(count, 8);
	__syncwarp();
	if (threadIdx.x == 0)
		out[blockIdx.x] = (float)*count;
}

/* A flag in shared memory, whose accesses say that others change it: no race. */
extern "C" __global__ void right_relaxed_flag(float *out, long long n)
{
	__shared__ unsigned flag;
	unsigned at = (unsigned)__cvta_generic_to_shared(&flag), seen = 0;

	if (threadIdx.x == 0)
		flag = 0;
	__syncthreads();
	if (threadIdx.x == blockDim.x - 1)
		asm volatile("st.relaxed.cta.shared.u32 [%0], %1;" : : "r"(at), "r"(256) : "memory");
	while (seen == 0)
		asm volatile("ld.relaxed.cta.shared.u32 %0, [%1];"
			     : "=r"(seen)
			     : "r"(at)
			     : "memory");
	if (threadIdx.x == 0)
		out[blockIdx.x] = (float)seen;
}

extern "C" __global__ void right_early_return(float *out, long long n)
{
	__shared__ float tile[256];

	if (threadIdx.x >= 200)
		return;
	tile[threadIdx.x] = (float)threadIdx.x;
	__syncthreads();
	if (threadIdx.x == 0)
		out[blockIdx.x] = tile[199] + 57.0f;
}

extern "C" __global__ void right_syncwarp(float *out, long long n)
{
	__shared__ float sums[256];
	float *mine = sums + threadIdx.x / 32 * 32;
	unsigned lane = threadIdx.x % 32;

	mine[lane] = 1.0f;
	__syncwarp();
	for (unsigned half = 16; half > 0; half /= 2) {
		float other = mine[lane ^ half];

		__syncwarp();
		mine[lane] += other;
		__syncwarp();
	}
	if (threadIdx.x == 0)
		out[blockIdx.x] = 8.0f * mine[31];
}

/* Shuffles and votes bring the lanes of a warp together, too. */
extern "C" __global__ void right_shuffle_between(float *out, long long n)
{
	__shared__ float tile[256];
	float sum = 1.0f;

	tile[threadIdx.x] = 8.0f;
	for (int half = 16; half > 0; half /= 2)
		sum += __shfl_down_sync(0xffffffff, sum, half);
	sum = __shfl_sync(0xffffffff, sum, 0) * tile[threadIdx.x ^ 1];
	if (threadIdx.x == 0)
		out[blockIdx.x] = sum;
}

/* Each group names the lanes that it has, and no more. */
extern "C" __global__ void right_partial_masks(float *out, long long n)
{
	float sum = 1.0f;

	if (threadIdx.x % 32 < 20) {
		for (int half = 2; half > 0; half /= 2)
			sum += __shfl_xor_sync(0x000fffff, sum, half);
	} else {
		unsigned mask = __activemask();

		sum = (float)__popc(__ballot_sync(mask, 1));
	}
	if (threadIdx.x == 0)
		out[blockIdx.x] = sum * 64.0f;
}

extern "C" __global__ void right_groups(float *out, long long n)
{
	__shared__ float tile[256];
	cg::thread_block block = cg::this_thread_block();
	cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
	cg::thread_block_tile<4> quad = cg::tiled_partition<4>(warp);
	float sum = cg::reduce(warp, 1.0f, cg::plus<float>());

	tile[block.thread_rank()] = sum;
	block.sync();
	sum = cg::reduce(quad, tile[block.thread_rank() ^ 64], cg::plus<float>());
	if (block.thread_rank() % 3 == 0) {
		cg::coalesced_group some = cg::coalesced_threads();

		some.sync();
		sum += 0.0f * (float)some.size();
	}
	if (block.thread_rank() == 0)
		out[blockIdx.x] = 2.0f * sum;
}

extern "C" __global__ void right_histogram(float *out, long long n)
{
	__shared__ unsigned bins[8];

	if (threadIdx.x < 8)
		bins[threadIdx.x] = 0;
	__syncthreads();
	atomicAdd(&bins[threadIdx.x % 8], 1u);
	atomicMax(&bins[threadIdx.x % 8], 1u);
	__syncthreads();
	if (threadIdx.x == 0)
		out[blockIdx.x] = 8.0f * (float)bins[7];
}

/* One barrier a round is enough where there are two tiles. */
extern "C" __global__ void right_two_tiles(float *out, long long n)
{
	__shared__ float tiles[2][256];
	float sum = 0.0f;

#pragma unroll 1
	for (int round = 0; round < 8; round++) {
		tiles[round & 1][threadIdx.x] = 32.0f;
		__syncthreads();
		sum += tiles[round & 1][255 - threadIdx.x];
	}
	if (threadIdx.x == 0)
		out[blockIdx.x] = sum;
}

/* Half of the warps hand over to the other half by a barrier of their own. */
extern "C" __global__ void right_named_barriers(float *out, long long n)
{
	__shared__ float tile[128];

	if (threadIdx.x >= 128) {
		tile[threadIdx.x - 128] = 256.0f;
		asm volatile("bar.arrive 1, 256;" ::: "memory");
	} else {
		asm volatile("bar.sync 1, 256;" ::: "memory");
		if (threadIdx.x == 0)
			out[blockIdx.x] = tile[127];
	}
}

/* All write the same: nobody can tell who was last. */
extern "C" __global__ void right_same_value(float *out, long long n)
{
	__shared__ int any;

	any = 0;
	__syncthreads();
	if (threadIdx.x % 3 == 0)
		any = 1;
	__syncthreads();
	if (threadIdx.x == 0)
		out[blockIdx.x] = 256.0f * (float)any;
}

/* More than a device keeps of what a launch prints. */
extern "C" __global__ void right_prints_much(float *out, long long n)
{
	for (int k = 0; k < 40; k++)
		printf("thread %d of block %d, round %d\n", threadIdx.x, blockIdx.x, k);
	if (threadIdx.x == 0)
		out[blockIdx.x] = 256.0f;
}

/* Defined on a GPU, if nowhere else: no fault, and no end of the emulator either. */
extern "C" __global__ void right_division_by_zero(float *out, long long n)
{
	int zero = (int)(n - n / 512 * 512), minus = zero - 1;
	int most = (int)0x80000000 + zero;
	long long wide = (1ll << 63) + zero;
	unsigned all = (unsigned)minus / (unsigned)zero;

	if (threadIdx.x == 0)
		out[blockIdx.x] = 256.0f + (float)(all + 1u) +
				  0.0f * (float)(most / minus + most % minus + most % zero) +
				  0.0f * (float)(wide / minus + wide % minus + wide / zero);
}

/* Two warps count after a barrier of their own. The others have ended. */
extern "C" __global__ void right_count_behind_barrier(float *out, long long n)
{
	__shared__ unsigned count;

	if (threadIdx.x >= 64)
		return;
	if (threadIdx.x == 32)
		count = 0;
	asm volatile("bar.sync 1, 64;" ::: "memory");
	atomicAdd(&count, threadIdx.x % 32 == 0 ? 128 : 0);
	asm volatile("bar.sync 1, 64;" ::: "memory");
	if (threadIdx.x == 0)
		out[blockIdx.x] = (float)count;
}

__device__ float produced[2 * 64];
__device__ unsigned arrived;

/* Two warps produce, in shared and in global memory, and go on; two consume; and the last block that
 * has seen a fence behind the barrier adds what both blocks produced. */
extern "C" __global__ void right_barrier_of_some_warps(float *out, long long n)
{
	__shared__ float tile[64], sums[2];
	const unsigned lane = threadIdx.x % 64;

	if (threadIdx.x >= 128)
		return;
	if (threadIdx.x < 64) {
		tile[lane] = 2;
		produced[blockIdx.x * 64 + lane] = 2;
		asm volatile("bar.arrive 1, 128;" ::: "memory");
	} else {
		asm volatile("bar.sync 1, 128;" ::: "memory");
		tile[lane] += produced[blockIdx.x * 64 + 63 - lane];
		asm volatile("bar.sync 2, 64;" ::: "memory");
		if (lane == 0) {
			sums[0] = 0;
			for (int i = 0; i < 64; i++)
				sums[0] += tile[i];
			__threadfence();
			if (atomicAdd(&arrived, 1) % 2 == 1) {
				__threadfence();
				for (int i = 0; i < 2 * 64; i++)
					sums[0] += 0.0f * produced[i];
			}
			out[blockIdx.x] = sums[0];
		}
	}
}
