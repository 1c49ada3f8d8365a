/*
 * Asynchronous copies from global to shared memory (cp.async, compute capability 8.0): PTX ISA,
 * "Non-bulk copy". Each struct is one way to copy an access of thread i. Threads wait for their
 * copies later.
 */
#ifndef KERNELS_PATTERNS_ASYNC_CUH
#define KERNELS_PATTERNS_ASYNC_CUH

#include "patterns.cuh"

static __device__ unsigned shared_address(const void *at)
{
	return (unsigned)__cvta_generic_to_shared(at);
}

/* Copies the whole access, through the L1 cache. */
struct through_l1 {
	template <typename access>
	__device__ void operator()(access *to, const access *from, long long) const
	{
		asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(shared_address(to)),
			     "l"(from), "n"(sizeof(access))
			     : "memory");
	}
};

/* Copies 16 bytes past the L1 cache; smaller copies cannot bypass it. */
struct past_l1 {
	__device__ void operator()(uint4 *to, const uint4 *from, long long) const
	{
		asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)),
			     "l"(from)
			     : "memory");
	}
};

/* Copies some of the bytes and then zeroes; in every third warp, zeroes only. */
struct some_bytes {
	__device__ void operator()(uint4 *to, const uint4 *from, long long i) const
	{
		unsigned bytes = i / 32 % 3 == 2 ? 0 : i % 17;

		asm volatile(
			"cp.async.ca.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(to)),
			"l"(from), "r"(bytes)
			: "memory");
	}
};

/* Copies if `asked`; otherwise it writes zeroes and reads nothing. */
struct through_l1_if {
	bool asked;
	__device__ void operator()(uint4 *to, const uint4 *from, long long) const
	{
		asm volatile(
			"cp.async.ca.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(to)),
			"l"(from), "r"(asked ? 16 : 0)
			: "memory");
	}
};

struct past_l1_if {
	bool asked;
	__device__ void operator()(uint4 *to, const uint4 *from, long long) const
	{
		asm volatile(
			"cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(to)),
			"l"(from), "r"(asked ? 16 : 0)
			: "memory");
	}
};

static __device__ void wait_for_copies(void)
{
	asm volatile("cp.async.wait_all;" ::: "memory");
}

/* Copies from places in the grid, side by side into the tile. Each thread reads its own copy. */
template <typename access, typename copying>
static __device__ void async_load(const unsigned *in, unsigned *out, PATTERN_PARAMETERS,
				  copying copy)
{
	__shared__ access tile[1024];
	const long long i = ELEMENT;

	if (TAKES_PART(i)) {
		copy(&tile[threadIdx.x], (const access *)in + place_of(PATTERN, i), i);
		wait_for_copies();
		out[i] = sum(tile[threadIdx.x]);
	}
}

/* Copies to places in the tile, from the places of the same number; reads when all are there. */
template <typename access, typename copying>
static __device__ void async_store(const unsigned *in, unsigned *out, PATTERN_PARAMETERS,
				   copying copy)
{
	__shared__ access tile[TILE];
	const long long i = ELEMENT, place = place_of(PATTERN, threadIdx.x);

	if (TAKES_PART(i))
		copy(&tile[place], (const access *)in + place, i);
	wait_for_copies();
	__syncthreads();
	if (TAKES_PART(i))
		out[i] = sum(tile[place]);
}

#endif
