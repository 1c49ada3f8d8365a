/*
 * Shared by the spin variants: a block in which thread 0 prepares a message in every round,
 * and all others wait for it. The variants differ in how these learn that the message is
 * there.
 */
#pragma once

/* As in spin.c. */
#define ROUNDS 16
#define STEPS 32

#define NOT_READY 0u

/* Computes the message of a round from that of the round before: work that takes time. The results
 * are numbers from 1 to 2, so their bits are never NOT_READY. */
__device__ __forceinline__ float next_message(float message)
{
#pragma unroll
	for (int step = 0; step < STEPS; step++)
		message = fmaf(message, 0.5f, 0.75f + step / 128.0f);
	return message;
}

/* Relaxed: only the message itself is handed over, so no other access needs to be
 * ordered. */
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
 * y[i] = x[i] + all messages of its block. `wait` returns the message of a round from its slot.
 * Thread 0 never waits for a message, so it can always continue, and in the end all others can.
 * This holds within a warp as well, because each thread has its own program counter (compute
 * capability 7.0 and later).
 */
template <class Wait>
__device__ __forceinline__ void run_rounds(const float *__restrict__ x, float *__restrict__ y,
					   long long n, Wait wait)
{
	__shared__ unsigned slots[ROUNDS];
	long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
	/* The last block has at least one element, its first. */
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
