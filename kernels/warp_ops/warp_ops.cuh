/*
 * Shared by the warp_ops variants: rounds of one warp function, each on the results of the round
 * before, so that a wrong result anywhere shows in the end.
 */
#pragma once

/* As in warp_ops.c. */
#define ROUNDS 64
#define ALL_LANES 0xffffffffu
/* The result of a lane that does not participate, or that would get the value of such a lane: the
 * function does not define it. */
#define UNDEFINED 0x9e3779b9u
#define MAX_BLOCK 1024

__device__ __forceinline__ unsigned lane_of_thread()
{
	return threadIdx.x % 32;
}

/* ---- votes: the question that is asked about a lane's value ---- */

__device__ __forceinline__ bool is_odd(unsigned value)
{
	return value >> 8 & 1;
}

/* True for one in 32 random values on average. */
__device__ __forceinline__ bool is_rare(unsigned value)
{
	return (value >> 8) % 32 == 0;
}

struct vote {
	__device__ __forceinline__ unsigned source() const
	{
		return lane_of_thread();
	}
};

struct shared_vote : vote {
	unsigned *word; /* of the warp */

	__device__ __forceinline__ void begin(unsigned members, unsigned value) const
	{
		if (lane_of_thread() == __ffs(members) - 1)
			*word = value;
		__syncwarp(members);
	}
	__device__ __forceinline__ unsigned end(unsigned members) const
	{
		unsigned result;

		__syncwarp(members);
		result = *word;
		__syncwarp(members);
		return result;
	}
};

/* ---- shuffles: the source lane of a value, in segments of `width` ---- */

struct shuffle {
	unsigned width, distance;

	__device__ __forceinline__ unsigned first() const
	{
		return lane_of_thread() & ~(width - 1);
	}
};

struct of_lane : shuffle {
	__device__ __forceinline__ unsigned source() const
	{
		return first() | (distance & (width - 1));
	}
};

struct from_below : shuffle {
	__device__ __forceinline__ unsigned source() const
	{
		unsigned lane = lane_of_thread();

		return lane - first() >= distance ? lane - distance : lane;
	}
};

struct from_above : shuffle {
	__device__ __forceinline__ unsigned source() const
	{
		unsigned lane = lane_of_thread();

		return lane - first() + distance < width ? lane + distance : lane;
	}
};

/* Lower segments can be reached, higher ones cannot. */
struct crosswise : shuffle {
	__device__ __forceinline__ unsigned source() const
	{
		unsigned lane = lane_of_thread(), other = lane ^ distance;

		return other < first() + width ? other : lane;
	}
};

/* A shuffle through one word of shared memory per lane. */
template <class Shuffle> struct through_shared : Shuffle {
	unsigned *words; /* of the warp */

	__device__ __forceinline__ unsigned operator()(unsigned members, unsigned value) const
	{
		unsigned result;

		words[lane_of_thread()] = value;
		__syncwarp(members);
		/* A lane that does not participate has not written. */
		result = members >> this->source() & 1 ? words[this->source()] : 0;
		__syncwarp(members);
		return result;
	}
};

/* ---- rounds ---- */

/* The value of the next round, rotated so that no bit of either operand is ever lost. */
__device__ __forceinline__ unsigned mixed(unsigned value, unsigned result)
{
	return __funnelshift_l(value, value, 5) + result;
}

/*
 * A lane participates if the mask names it and the block has a thread for it. If all lanes of
 * all warps participate, which the compiler sees to be uniform over a block, the mask is a
 * constant.
 */
template <class Operation>
__device__ __forceinline__ void run_rounds(const unsigned *__restrict__ x, unsigned *__restrict__ y,
					   long long n, unsigned mask, Operation operation)
{
	long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
	unsigned left = blockDim.x - (threadIdx.x - lane_of_thread());
	unsigned members = mask & (left < 32 ? (1u << left) - 1 : ALL_LANES);
	unsigned value = i < n ? x[i] : 0;

	if (mask == ALL_LANES && blockDim.x % 32 == 0) {
#pragma unroll 8
		for (int round = 0; round < ROUNDS; round++)
			value = mixed(value, operation(ALL_LANES, value));
	} else {
#pragma unroll 1
		for (int round = 0; round < ROUNDS; round++) {
			unsigned result = UNDEFINED;

			if (members >> lane_of_thread() & 1) {
				unsigned given = operation(members, value);

				if (members >> operation.source() & 1)
					result = given;
			}
			value = mixed(value, result);
		}
	}
	if (i < n)
		y[i] = value;
}
