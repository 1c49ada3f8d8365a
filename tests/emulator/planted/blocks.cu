/* Faults planted in the order of accesses to global memory, and kernels in which nothing is wrong,
 * though it looks so: see test_planted.c. Blocks have 256 threads. */
#include <cuda/atomic>

__device__ float partial[2], values[512], sums[2];
__device__ int tickets, counter, first_lock, second_lock, flag, block_number;
__device__ unsigned char bytes[512];
__device__ unsigned long long packed[2];

/* ---- faults between blocks ---- */

/* The second block reads what the first one has written, and nothing orders the two. */
extern "C" __global__ void planted_other_block(float *out, long long n)
{
	values[blockIdx.x * 256 + threadIdx.x] = 1; /* other: planted_other_block */
	if (blockIdx.x == 1)
		out[threadIdx.x] = values[threadIdx.x]; /* wrong: planted_other_block */
}

/* As right_dropped_reads, but one thread beyond the end uses what it reads. */
extern "C" __global__ void planted_kept_read(float *out, long long n)
{
	const int count = 200, i = (int)threadIdx.x;
	float read;

	read = values[min(count - 1, i)]; /* wrong: planted_kept_read */
	if (i < count && blockIdx.x == 0)
		values[i] = read + 256; /* other: planted_kept_read */
	if (i == 224 && blockIdx.x == 0)
		out[0] = read;
}

/* The last block adds up the results of all. No fence stands before the ticket. */
extern "C" __global__ void planted_no_fence(float *out, long long n)
{
	if (threadIdx.x == 0) {
		partial[blockIdx.x] = 128; /* other: planted_no_fence */
		if (atomicAdd(&tickets, 1) == 1)
			out[0] = partial[0]; /* wrong: planted_no_fence */
	}
}

/* The fence is one for the block only. */
extern "C" __global__ void planted_fence_of_block(float *out, long long n)
{
	if (threadIdx.x == 0) {
		partial[blockIdx.x] = 128; /* other: planted_fence_of_block */
		__threadfence_block();
		if (atomicAdd(&tickets, 1) == 1)
			out[0] = partial[0]; /* wrong: planted_fence_of_block */
	}
}

/* The first thread's fence does not cover other warps, without a barrier before it. */
extern "C" __global__ void planted_no_barrier_before_fence(float *out, long long n)
{
	/* other: planted_no_barrier_before_fence */ values[blockIdx.x * 256 + threadIdx.x] = 1;
	if (threadIdx.x == 0) {
		__threadfence();
		if (atomicAdd(&tickets, 1) == 1)
			out[0] = values[255]; /* wrong: planted_no_barrier_before_fence */
	}
}

/* Blocks count without an atomic. */
extern "C" __global__ void planted_plain_counter(float *out, long long n)
{
	if (threadIdx.x == 0)
		counter = counter + 1; /* wrong: planted_plain_counter */
}

/* Each block clears the counter of all. */
extern "C" __global__ void planted_cleared_by_each(float *out, long long n)
{
	if (threadIdx.x == 0)
		counter = 0; /* wrong: planted_cleared_by_each */
	__syncthreads();
	atomicAdd(&counter, 1);
}

/* Nothing tells the next owner of the lock when the update is visible. */
extern "C" __global__ void planted_lock_no_fence(float *out, long long n)
{
	if (threadIdx.x == 0) {
		while (atomicCAS(&first_lock, 0, 1) != 0)
			;
		values[0] = values[0] + 1; /* wrong: planted_lock_no_fence */
		atomicExch(&first_lock, 0);
	}
}

/* The blocks take different locks. */
extern "C" __global__ void planted_other_lock(float *out, long long n)
{
	int *lock = blockIdx.x ? &second_lock : &first_lock;

	if (threadIdx.x == 0) {
		while (atomicCAS(lock, 0, 1) != 0)
			;
		__threadfence();
		values[0] = values[0] + 1; /* wrong: planted_other_lock */
		__threadfence();
		atomicExch(lock, 0);
	}
}

/* Atomics for the threads of one block, by two blocks. */
extern "C" __global__ void planted_block_scope(float *out, long long n)
{
	atomicAdd_block(&counter, 1); /* wrong: planted_block_scope */
}

/* The number is read before the atomic that takes it. */
extern "C" __global__ void planted_read_before_add(float *out, long long n)
{
	if (threadIdx.x == 0) {
		int number = counter; /* wrong: planted_read_before_add */

		atomicAdd(&counter, 1); /* other: planted_read_before_add */
		out[blockIdx.x] = number;
	}
}

/* The flag is stored like any other value. */
extern "C" __global__ void planted_plain_flag(float *out, long long n)
{
	if (threadIdx.x == 0 && blockIdx.x == 0)
		flag = 1; /* other: planted_plain_flag */
	if (threadIdx.x == 0 && blockIdx.x == 1)
		out[0] = *(volatile int *)&flag; /* wrong: planted_plain_flag */
}

/* Each block writes one byte too many. */
extern "C" __global__ void planted_byte_too_many(float *out, long long n)
{
	unsigned first = 255 * blockIdx.x;

	/* wrong: planted_byte_too_many */ bytes[first + threadIdx.x] = threadIdx.x + 1;
}

/* ---- faults within a block ---- */

extern "C" __global__ void planted_other_warp(float *out, long long n)
{
	values[threadIdx.x + 256 * blockIdx.x] = 1; /* other: planted_other_warp */
	/* wrong: planted_other_warp */ out[threadIdx.x] = values[(threadIdx.x ^ 32) + 256 * blockIdx.x];
}

extern "C" __global__ void planted_other_lane(float *out, long long n)
{
	values[threadIdx.x + 256 * blockIdx.x] = 1; /* other: planted_other_lane */
	/* wrong: planted_other_lane */ out[threadIdx.x] = values[(threadIdx.x ^ 1) + 256 * blockIdx.x];
}

/* The lanes store different values to one place. */
extern "C" __global__ void planted_same_place(float *out, long long n)
{
	if (threadIdx.x < 32)
		values[blockIdx.x] = threadIdx.x; /* wrong: planted_same_place */
}

/* ---- bytes that nobody has written ---- */

extern "C" __global__ void planted_unwritten(float *out, long long n)
{
	out[blockIdx.x * 256 + threadIdx.x] += 1; /* wrong: planted_unwritten */
}

extern "C" __global__ void planted_unwritten_heap(float *out, long long n)
{
	int *own = (int *)malloc(16);

	own[0] = own[1] = 1;
	out[threadIdx.x] = own[0] + own[2]; /* wrong: planted_unwritten_heap */
	free(own);
}

/* ---- nothing wrong ---- */

/* The last block adds up the results of all, as in threadFenceReduction. */
extern "C" __global__ void right_last_adds_up(float *out, long long n)
{
	__shared__ bool last;

	values[blockIdx.x * 256 + threadIdx.x] = 1;
	__threadfence();
	__syncthreads();
	if (threadIdx.x == 0)
		last = atomicAdd(&tickets, 1) == gridDim.x - 1;
	__syncthreads();
	if (last && threadIdx.x == 0) {
		float sum = 0;

		for (int i = 0; i < 512; i++)
			sum += values[i];
		out[0] = out[1] = sum / 2;
	}
}

/* Each block waits for the sum of those before it. */
extern "C" __global__ void right_look_back(float *out, long long n)
{
	__shared__ float before;

	if (threadIdx.x == 0) {
		before = 0;
		if (blockIdx.x > 0) {
			while (*(volatile int *)&flag != blockIdx.x)
				;
			__threadfence();
			before = sums[blockIdx.x - 1];
		}
		sums[blockIdx.x] = before + 256;
		__threadfence();
		*(volatile int *)&flag = blockIdx.x + 1;
	}
	__syncthreads();
	if (threadIdx.x == 0)
		out[blockIdx.x] = 256 + before - 256 * blockIdx.x;
}

/* The flag and the value are one word, so no fence is needed. */
extern "C" __global__ void right_packed_look_back(float *out, long long n)
{
	if (threadIdx.x == 0) {
		unsigned long long before = 0;

		while (blockIdx.x > 0 && !(before >> 32))
			before = *(volatile unsigned long long *)&packed[blockIdx.x - 1];
		*(volatile unsigned long long *)&packed[blockIdx.x] =
			1ull << 32 | ((unsigned)before + 256);
		out[blockIdx.x] = (unsigned)before + 256 - 256 * blockIdx.x;
	}
}

/* Plain accesses under a lock that both blocks take. */
extern "C" __global__ void right_mutex(float *out, long long n)
{
	if (threadIdx.x == 0) {
		while (atomicCAS(&first_lock, 0, 1) != 0)
			;
		__threadfence();
		values[0] = values[0] + 1;
		__threadfence();
		atomicExch(&first_lock, 0);
		out[blockIdx.x] = 256;
	}
}

/* A chain of two flags: the third reader knows what the first writer wrote. */
extern "C" __global__ void right_chain(float *out, long long n)
{
	cuda::atomic_ref<int, cuda::thread_scope_device> first(flag), second(counter);

	if (blockIdx.x == 0 && threadIdx.x == 0) {
		values[0] = 256;
		first.store(1, cuda::memory_order_release);
	}
	if (blockIdx.x == 0 && threadIdx.x == 32) {
		while (first.load(cuda::memory_order_acquire) == 0)
			;
		out[0] = values[0];
		second.fetch_add(1, cuda::memory_order_acq_rel);
	}
	if (blockIdx.x == 1 && threadIdx.x == 0) {
		while (second.load(cuda::memory_order_acquire) == 0)
			;
		out[1] = values[0];
	}
}

/* Blocks take their numbers in the order in which they begin. */
extern "C" __global__ void right_dynamic_number(float *out, long long n)
{
	__shared__ int number;

	if (threadIdx.x == 0)
		number = atomicAdd(&block_number, 1);
	__syncthreads();
	values[number * 256 + threadIdx.x] = 1;
	__syncthreads();
	if (threadIdx.x == 0)
		out[number] = 255 + values[number * 256 + 255];
}

/* The first value of a compare-and-swap loop is a guess, and so is one that spares an atomic. */
extern "C" __global__ void right_guesses(float *out, long long n)
{
	unsigned *sum = (unsigned *)&sums[0], old = *sum, assumed;

	do {
		assumed = old;
		old = atomicCAS(sum, assumed, __float_as_uint(__uint_as_float(assumed) + 1));
	} while (assumed != old);
	if (counter < (int)threadIdx.x)
		atomicMax(&counter, threadIdx.x);
	__syncthreads();
	if (threadIdx.x == 0)
		out[blockIdx.x] = atomicAdd(&counter, 0) + 1;
}

/* Many threads say the same. */
extern "C" __global__ void right_same_value(float *out, long long n)
{
	flag = 1;
	out[blockIdx.x] = 256;
}

/* The blocks write bytes of the same words. */
extern "C" __global__ void right_bytes_of_words(float *out, long long n)
{
	bytes[2 * threadIdx.x + blockIdx.x] = threadIdx.x;
	__syncthreads();
	out[blockIdx.x] = 256 + bytes[2 * 7 + blockIdx.x] - 7;
}

/* A barrier of the first two warps does not order a third one. */
extern "C" __global__ void planted_barrier_of_two_warps(float *out, long long n)
{
	const unsigned at = blockIdx.x * 256 + threadIdx.x;

	if (threadIdx.x < 64) {
		values[at] = 1; /* other: planted_barrier_of_two_warps */
		asm volatile("bar.sync 1, 64;" ::: "memory");
	} else if (threadIdx.x < 96) {
		out[at] = values[at - 64]; /* wrong: planted_barrier_of_two_warps */
	}
}

/* Threads of a block exchange values through global memory, with barriers. */
extern "C" __global__ void right_barriers(float *out, long long n)
{
	float *own = values + 256 * blockIdx.x, value = 1;

	for (int step = 1; step < 256; step *= 2) {
		own[threadIdx.x] = value;
		__syncthreads();
		value += own[threadIdx.x ^ step];
		__syncthreads();
	}
	out[blockIdx.x] = value;
}

/* Lanes of a warp exchange values through global memory. */
extern "C" __global__ void right_syncwarp_between(float *out, long long n)
{
	values[256 * blockIdx.x + threadIdx.x] = 1;
	__syncwarp();
	if (threadIdx.x == 0)
		out[blockIdx.x] = 255 + values[256 * blockIdx.x + 31];
}

/* The memory of malloc() is filled before it is read. */
extern "C" __global__ void right_heap(float *out, long long n)
{
	float *own = (float *)malloc(8);

	own[0] = 255;
	own[1] = 1;
	out[blockIdx.x] = own[0] + own[1];
	free(own);
}

/* As a kernel of llm.c: threads beyond the end of a row read its last element, which another warp
 * writes with no barrier between, and drop the value. */
extern "C" __global__ void right_dropped_reads(float *out, long long n)
{
	const int count = 200, begin = blockIdx.x * 256;
	float read[4];

	for (int u = 0; u < 4; u++)
		read[u] = values[begin + min(count - 1, (int)threadIdx.x + 64 * u)];
	for (int u = 0; u < 4; u++)
		if (threadIdx.x < 64 && threadIdx.x + 64 * u < count)
			values[begin + threadIdx.x + 64 * u] = read[u] + 256;
	__syncthreads();
	out[blockIdx.x] = values[begin + count - 1];
}
