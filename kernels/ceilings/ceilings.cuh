/*
 * What the ceilings share: loops that keep one part of the device busy and
 * nothing else. Each ends in a number a thread that the CPU can tell exactly,
 * so that none of it can be left out.
 */
#pragma once

/* ---- bytes ---- */

/* 16 bytes each that a thread asks for before it uses the first; of device memory one is another
 * choice. */
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
 * The whole of an array, once: blocks take tiles of `in_flight` accesses a
 * thread in turn, as many as there are blocks apart. `tiles` covers it without
 * a rest. body(number): of in_flight accesses, `number` and blockDim.x apart.
 */
template <int in_flight, class Body> __device__ void for_each_tile(long long tiles, Body body)
{
#pragma unroll 1
	for (long long tile = blockIdx.x; tile < tiles; tile += gridDim.x)
		body(tile * in_flight * blockDim.x + threadIdx.x);
}

/*
 * The threads of the grid walk over an array of `groups` groups of 16 bytes,
 * next to one another, round and round; each takes IN_FLIGHT * turns. load(g)
 * brings group g.
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
 * All threads of a block read the same window of 8 chunks of IN_FLIGHT * 32
 * groups, each warp one chunk a turn, so that it stays in the first-level cache or in
 * shared memory. load(g, k) brings group g + 32 * k of the window.
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
 * v = LOW - v and v = LOW + GROWTH - v in turn, in CHAINS chains that do not
 * wait for one another, STEPS * turns steps and one: v grows by GROWTH in two
 * steps, and stays a whole number. It is multiplied by `minus_one`, which the
 * compiler cannot know to be that. Arithmetic says what a Value is
 * (from(value, nothing)), how it is multiplied and added in one (fused(a, b,
 * c)), and its Result (to(value)). `nothing` is 0, which the compiler cannot
 * know either: of pairs whose halves it knows to be equal ptxas makes HFMA2
 * alone, without HFMA2.MMA in between, and an H200 reached half of its peak.
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
