/*
 * Shared by the ceilings: loops that keep one part of the device busy and nothing else. Each
 * thread ends with a number that the CPU can predict exactly, so no part of the loop can be left
 * out.
 */
#pragma once

/* ---- bytes ---- */

/* 16-byte accesses that a thread issues before it uses the first one. For device memory, one access
 * is another choice. */
#define IN_FLIGHT 4

__device__ inline unsigned global_thread()
{
	return blockIdx.x * blockDim.x + threadIdx.x;
}

__device__ inline unsigned sum_of(uint4 words)
{
	return words.x + words.y + words.z + words.w;
}

/*
 * Goes once through a whole array: a block takes tiles of `in_flight` accesses per thread,
 * gridDim.x tiles apart. `tiles` tiles cover the array exactly. body(number) makes in_flight
 * accesses, to `number` and on in steps of blockDim.x.
 */
template <int in_flight, class Body> __device__ void for_each_tile(long long tiles, Body body)
{
#pragma unroll 1
	for (long long tile = blockIdx.x; tile < tiles; tile += gridDim.x)
		body(tile * in_flight * blockDim.x + threadIdx.x);
}

/*
 * The threads of the grid walk over an array of `groups` groups of 16 bytes, side by
 * side, round and round. Each thread takes IN_FLIGHT * turns groups. load(g) reads group
 * g.
 */
template <class Load> __device__ unsigned walk(unsigned groups, int turns, Load load)
{
	unsigned threads = gridDim.x * blockDim.x;
	unsigned step = threads % groups;
	unsigned at = global_thread() % groups;
	unsigned sum = 0;

#pragma unroll 1
	for (int turn = 0; turn < turns; turn++) {
		uint4 words[IN_FLIGHT];

#pragma unroll
		for (int k = 0; k < IN_FLIGHT; k++) {
			words[k] = load(at);
			at += step;
			at = at >= groups ? at - groups : at;
		}
#pragma unroll
		for (int k = 0; k < IN_FLIGHT; k++)
			sum += sum_of(words[k]);
	}
	return sum;
}

/*
 * All threads of a block read the same window of 8 chunks of IN_FLIGHT * 32 groups, each warp one
 * chunk per turn, so the window stays in the L1 cache or in shared memory. load(g, k) reads group g
 * + 32 * k of the window.
 */
#define CHUNK_GROUPS (IN_FLIGHT * 32)
#define WINDOW_GROUPS (8 * CHUNK_GROUPS)

template <class Load> __device__ unsigned circle(int turns, Load load)
{
	unsigned at = (threadIdx.x / 32 * CHUNK_GROUPS + threadIdx.x % 32) % WINDOW_GROUPS;
	unsigned sum = 0;

#pragma unroll 2
	for (int turn = 0; turn < turns; turn++) {
		uint4 words[IN_FLIGHT];

#pragma unroll
		for (int k = 0; k < IN_FLIGHT; k++)
			words[k] = load(at, k);
#pragma unroll
		for (int k = 0; k < IN_FLIGHT; k++)
			sum += sum_of(words[k]);
		at = (at + CHUNK_GROUPS) % WINDOW_GROUPS;
	}
	return sum;
}

/* ---- operations ---- */

/* Steps in one turn of the loop. */
#define STEPS 32
#define LOW 100

/*
 * v = LOW - v and v = LOW + GROWTH - v in turn, in CHAINS independent chains, for
 * STEPS * turns steps and one more: v grows by GROWTH in two steps, and stays a
 * whole number. It is multiplied by `minus_one`; the compiler must not know that it
 * is -1. Arithmetic provides Value and from(value, nothing); fused(a, b, c), which
 * multiplies and adds; Result and to(value). `nothing` is 0, which the compiler
 * must not know either: if it knows that the halves of a pair are equal, ptxas
 * emits only HFMA2, without HFMA2.MMA in between, and an H200 reached half of its
 * peak.
 */
template <class Arithmetic, int CHAINS, int GROWTH>
__device__ void chain(typename Arithmetic::Result *out, float minus_one, float nothing, int turns)
{
	typename Arithmetic::Value factor = Arithmetic::from(minus_one, nothing);
	typename Arithmetic::Value low = Arithmetic::from(LOW, nothing);
	typename Arithmetic::Value high = Arithmetic::from(LOW + GROWTH, nothing);
	typename Arithmetic::Value v[CHAINS];
	typename Arithmetic::Result total = 0;

#pragma unroll
	for (int i = 0; i < CHAINS; i++)
		v[i] = Arithmetic::from(threadIdx.x % 32 + i, nothing);
#pragma unroll 1
	for (int turn = 0; turn < turns; turn++) {
#pragma unroll
		for (int step = 0; step < STEPS; step++)
#pragma unroll
			for (int i = 0; i < CHAINS; i++)
				v[i] = Arithmetic::fused(factor, v[i], step % 2 ? high : low);
	}
#pragma unroll
	for (int i = 0; i < CHAINS; i++)
		total += Arithmetic::to(Arithmetic::fused(factor, v[i], low));
	out[global_thread()] = total;
}
