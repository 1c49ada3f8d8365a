/*
 * Copies from global to shared memory that do not wait and pass by the
 * registers (cp.async, compute capability 8.0): PTX ISA, "Non-bulk copy".
 */
#pragma once

/* 16 bytes, both addresses multiples of 16; zeroes if not `inside`: then nothing is read, wherever
 * `from` is. */
__device__ inline void copy_16_async(void *to, const void *from, bool inside)
{
	unsigned address = (unsigned)__cvta_generic_to_shared(to);

	asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(address), "l"(from),
		     "r"(inside ? 16 : 0)
		     : "memory");
}

/* The copies of this thread since the last call are a group. */
__device__ inline void copies_commit()
{
	asm volatile("cp.async.commit_group;" ::: "memory");
}

/* Until at most `pending` groups of this thread are on the way. */
template <int pending> __device__ void copies_wait()
{
	asm volatile("cp.async.wait_group %0;" ::"n"(pending) : "memory");
}
