/*
 * What the spin variants share: a block in which thread 0 prepares a message,
 * round by round, that all others wait for. They differ in how these learn that
 * it is there.
 */
#pragma once

/* As in spin.c. */
#define ROUNDS 16
#define STEPS 32

#define NOT_READY 0u

/* The message of a round from that of the round before: work that takes its time, and gives numbers
 * from 1 to 2. Their bits are never NOT_READY. */
__device__ __forceinline__ float next_message(float message)
{
#pragma unroll
	for (int step = 0; step < STEPS; step++)
		message = fmaf(message, 0.5f, 0.75f + step / 128.0f);
	return message;
}

/* Relaxed: nothing but the message itself is handed over, so that no other access must be ordered.
 */
__device__ __forceinline__ void put(unsigned *slot, float message)
{
	asm volatile("st.relaxed.cta.shared.u32 [%0], %1;"
		     :
		     : "r"((unsigned)__cvta_generic_to_shared(slot)), "r"(__float_as_uint(message))
		     : "memory");
}

__device__ __forceinline__ unsigned look(unsigned *slot)
{
	unsigned message;

	asm volatile("ld.relaxed.cta.shared.u32 %0, [%1];"
		     : "=r"(message)
		     : "r"((unsigned)__cvta_generic_to_shared(slot))
		     : "memory");
	return message;
}

/*
 * y[i] = x[i] + all messages of its block. `wait` gives a round's message from
 * its slot, in all threads but thread 0, which never waits: it can always go on,
 * and so do all others in the end. That holds within a warp, too, since each
 * thread has a program counter of its own (compute capability 7.0 and later).
 */
template <class Wait>
__device__ __forceinline__ void run_rounds(const float *__restrict__ x, float *__restrict__ y,
					   long long n, Wait wait)
{
	__shared__ unsigned slots[ROUNDS];
	long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
	/* The last block has an element at least, its first. */
	float message = 1.0f + 0.5f * x[i - threadIdx.x];
	float value = i < n ? x[i] : 0.0f;

	for (int round = threadIdx.x; round < ROUNDS; round += blockDim.x)
		slots[round] = NOT_READY;
	__syncthreads();
#pragma unroll 1
	for (int round = 0; round < ROUNDS; round++) {
		if (threadIdx.x == 0) {
			message = next_message(message);
			put(&slots[round], message);
		}
		value += wait(&slots[round], message);
	}
	if (i < n)
		y[i] = value;
}
