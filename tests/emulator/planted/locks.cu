/*
 * Locks and flags in shared memory, right ones and wrong ones: see test_planted.c.
 */

static __device__ unsigned address_of(const unsigned *flag)
{
	return (unsigned)__cvta_generic_to_shared(flag);
}

/* Every thread of every warp takes the lock. */
extern "C" __global__ void right_shared_mutex(float *out, long long n)
{
	__shared__ unsigned lock, total;
	bool done = false;

	if (threadIdx.x == 0)
		lock = total = 0;
	__syncthreads();
	while (!done)
		if (atomicCAS(&lock, 0, 1) == 0) {
			__threadfence_block();
			total++;
			__threadfence_block();
			atomicExch(&lock, 0);
			done = true;
		}
	__syncthreads();
	if (threadIdx.x == 0)
		out[blockIdx.x] = (float)total;
}

/* A lock with memory orders instead of fences; one thread of each warp takes it. */
extern "C" __global__ void right_shared_acquire(float *out, long long n)
{
	__shared__ unsigned lock, total;
	unsigned taken = 1;

	if (threadIdx.x == 0)
		lock = total = 0;
	__syncthreads();
	if (threadIdx.x % 32 == 0) {
		while (taken)
			asm volatile("atom.acquire.cta.shared.exch.b32 %0, [%1], 1;"
				     : "=r"(taken)
				     : "r"(address_of(&lock))
				     : "memory");
		total += 32;
		asm volatile("st.release.cta.shared.u32 [%0], 0;" ::"r"(address_of(&lock))
			     : "memory");
	}
	__syncthreads();
	if (threadIdx.x == 0)
		out[blockIdx.x] = (float)total;
}

/* Warps pass a value on from one to the next. */
extern "C" __global__ void right_shared_chain(float *out, long long n)
{
	__shared__ unsigned turn, total;
	unsigned seen = 0;

	if (threadIdx.x == 0)
		turn = total = 0;
	__syncthreads();
	if (threadIdx.x % 32 == 0) {
		while (seen != threadIdx.x / 32)
			asm volatile("ld.acquire.cta.shared.u32 %0, [%1];"
				     : "=r"(seen)
				     : "r"(address_of(&turn))
				     : "memory");
		total += 32;
		asm volatile("st.release.cta.shared.u32 [%0], %1;" ::"r"(address_of(&turn)),
			     "r"(seen + 1)
			     : "memory");
	}
	__syncthreads();
	if (threadIdx.x == 0)
		out[blockIdx.x] = (float)total;
}

/* The thread that counts last reads what all others wrote. */
extern "C" __global__ void right_shared_last(float *out, long long n)
{
	__shared__ unsigned count, parts[256];

	if (threadIdx.x == 0)
		count = 0;
	__syncthreads();
	parts[threadIdx.x] = 1;
	__threadfence_block();
	if (atomicAdd(&count, 1) == blockDim.x - 1) {
		unsigned total = 0;

		__threadfence_block();
#pragma unroll 1
		for (unsigned i = 0; i < blockDim.x; i++)
			total += parts[i];
		out[blockIdx.x] = (float)total;
	}
}

/* The addition of the CUDA programming guide: the first read is only a guess. */
extern "C" __global__ void right_shared_add_double(float *out, long long n)
{
	__shared__ double total;
	unsigned long long *const bits = (unsigned long long *)&total;
	unsigned long long old, assumed;

	if (threadIdx.x == 0)
		total = 0;
	__syncthreads();
	old = *bits;
	do {
		assumed = old;
		old = atomicCAS(bits, assumed,
				(unsigned long long)__double_as_longlong(
					1.0 + __longlong_as_double((long long)assumed)));
	} while (assumed != old);
	__syncthreads();
	if (threadIdx.x == 0)
		out[blockIdx.x] = (float)total;
}

/* A lock whose turn is volatile, for one thread of each warp. */
extern "C" __global__ void right_shared_ticket(float *out, long long n)
{
	__shared__ unsigned next, total;
	__shared__ volatile unsigned turn;

	if (threadIdx.x == 0)
		next = turn = total = 0;
	__syncthreads();
	if (threadIdx.x % 32 == 0) {
		const unsigned mine = atomicAdd(&next, 1);

		while (turn != mine)
			;
		__threadfence_block();
		total += 32;
		__threadfence_block();
		turn = mine + 1;
	}
	__syncthreads();
	if (threadIdx.x == 0)
		out[blockIdx.x] = (float)total;
}

/* A lock whose turn is volatile, without the fence before the next turn. */
extern "C" __global__ void planted_ticket_no_fence(float *out, long long n)
{
	__shared__ unsigned next, total;
	__shared__ volatile unsigned turn;

	if (threadIdx.x == 0)
		next = turn = total = 0;
	__syncthreads();
	if (threadIdx.x % 32 == 0) {
		const unsigned mine = atomicAdd(&next, 1);

		while (turn != mine)
			;
		__threadfence_block();
		total += 32; /* wrong: planted_ticket_no_fence */
		turn = mine + 1;
	}
	__syncthreads();
	if (threadIdx.x == 0)
		out[blockIdx.x] = (float)total;
}

/* Lanes of a warp exchange values by volatile accesses, in a program with a fence. */
extern "C" __global__ void planted_volatile_lanes(float *out, long long n)
{
	__shared__ volatile float values[32];

	if (threadIdx.x < 32) {
		values[threadIdx.x] = (float)n; /* other: planted_volatile_lanes */
		__threadfence_block();
		out[threadIdx.x] = values[threadIdx.x ^ 1]; /* wrong: planted_volatile_lanes */
	}
}

extern "C" __global__ void planted_mutex_no_fence(float *out, long long n)
{
	__shared__ unsigned lock, total;
	bool done = false;

	if (threadIdx.x == 0)
		lock = total = 0;
	__syncthreads();
	while (!done)
		if (atomicCAS(&lock, 0, 1) == 0) {
			total++; /* wrong: planted_mutex_no_fence */
			atomicExch(&lock, 0);
			done = true;
		}
	__syncthreads();
	if (threadIdx.x == 0)
		out[blockIdx.x] = (float)total;
}

extern "C" __global__ void planted_mutex_no_fence_after(float *out, long long n)
{
	__shared__ unsigned lock, total;
	bool done = false;

	if (threadIdx.x == 0)
		lock = total = 0;
	__syncthreads();
	while (!done)
		if (atomicCAS(&lock, 0, 1) == 0) {
			__threadfence_block();
			total++; /* wrong: planted_mutex_no_fence_after */
			atomicExch(&lock, 0);
			done = true;
		}
	__syncthreads();
	if (threadIdx.x == 0)
		out[blockIdx.x] = (float)total;
}

extern "C" __global__ void planted_mutex_no_fence_before(float *out, long long n)
{
	__shared__ unsigned lock, total;
	bool done = false;

	if (threadIdx.x == 0)
		lock = total = 0;
	__syncthreads();
	while (!done)
		if (atomicCAS(&lock, 0, 1) == 0) {
			total++; /* wrong: planted_mutex_no_fence_before */
			__threadfence_block();
			atomicExch(&lock, 0);
			done = true;
		}
	__syncthreads();
	if (threadIdx.x == 0)
		out[blockIdx.x] = (float)total;
}

/* The odd threads take another lock. */
extern "C" __global__ void planted_two_mutexes(float *out, long long n)
{
	__shared__ unsigned lock[2], total;
	bool done = false;

	if (threadIdx.x == 0)
		lock[0] = lock[1] = total = 0;
	__syncthreads();
	while (!done)
		if (atomicCAS(&lock[threadIdx.x % 2], 0, 1) == 0) {
			__threadfence_block();
			total++; /* wrong: planted_two_mutexes */
			__threadfence_block();
			atomicExch(&lock[threadIdx.x % 2], 0);
			done = true;
		}
	__syncthreads();
	if (threadIdx.x == 0)
		out[blockIdx.x] = (float)total;
}

/* The value is written after the fence. */
extern "C" __global__ void planted_fence_too_early(float *out, long long n)
{
	__shared__ unsigned flag, value;
	unsigned seen = 0;

	if (threadIdx.x == 0)
		flag = 0;
	__syncthreads();
	if (threadIdx.x == 0) {
		__threadfence_block();
		value = (unsigned)n; /* other: planted_fence_too_early */
		asm volatile("st.relaxed.cta.shared.u32 [%0], 1;" ::"r"(address_of(&flag))
			     : "memory");
	}
	while (seen == 0)
		asm volatile("ld.acquire.cta.shared.u32 %0, [%1];"
			     : "=r"(seen)
			     : "r"(address_of(&flag))
			     : "memory");
	if (threadIdx.x == 32)
		out[threadIdx.x] = (float)value; /* wrong: planted_fence_too_early */
}

/* Whoever counts does not wait for the others. */
extern "C" __global__ void planted_not_the_last(float *out, long long n)
{
	__shared__ unsigned count, parts[256];

	parts[threadIdx.x] = 0;
	if (threadIdx.x == 0)
		count = 0;
	__syncthreads();
	parts[threadIdx.x] = 1; /* wrong: planted_not_the_last */
	__threadfence_block();
	if (atomicAdd(&count, 1) == 0) {
		unsigned total = 0;

		__threadfence_block();
#pragma unroll 1
		for (unsigned i = 0; i < blockDim.x; i++)
			total += parts[i]; /* other: planted_not_the_last */
		out[blockIdx.x] = (float)total;
	}
}
