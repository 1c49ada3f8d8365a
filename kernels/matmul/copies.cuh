/*
 * Asynchronous copies from global to shared memory that bypass the registers (cp.async, compute
 * capability 8.0): PTX ISA, "Non-bulk copy".
 */
#pragma once

/* Copies 16 bytes; both addresses are multiples of 16. If not `inside`, writes zeroes and reads
 * nothing, wherever `from` points. */
__device__ inline void copy_16_async(void *to, const void *from, bool inside)
{
	unsigned address = (unsigned)__cvta_generic_to_shared(to);

	asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(address), "l"(from),
		     "r"(inside ? 16 : 0)
		     : "memory");
}

/* Makes a group of the copies of this thread since the last call. */
__device__ inline void copies_commit()
{
	asm volatile("cp.async.commit_group;" ::: "memory");
}

/* Waits until at most `pending` groups of this thread are in flight. */
template <int pending> __device__ void copies_wait()
{
	asm volatile("cp.async.wait_group %0;" ::"n"(pending) : "memory");
}
