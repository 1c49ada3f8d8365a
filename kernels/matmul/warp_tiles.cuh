/*
 * The fast single-precision products: a block computes a large tile of C, each warp a part of it,
 * and each lane some rows and columns of that part in registers. Memory is read and written in
 * groups of four floats, so n is a multiple of four. Tiles reach beyond the edges; elements outside
 * are zero.
 *
 * A tile of A is stored as in memory, in rows of `depth` and four spare words, which put the rows
 * that a warp reads at the same time into different banks. A lane reads four words of a row, for
 * four steps. A tile of B is `depth` rows. The lanes of a warp are 4 x 8: lane rows 4 apart, groups
 * of four columns 32 apart.
 */
#pragma once

#include "copies.cuh"

/* How a tile gets into shared memory while another one is multiplied. */
enum filling {
	FILL_AND_WAIT,  /* no overlap: one tile, and barriers around its use */
	FILL_REGISTERS, /* loads into registers before the product, stores after it; two tiles */
	FILL_ASYNC,     /* copies that bypass the registers; `stages` tiles */
};

/* `unrolled_`: the steps along k for which the code is unrolled. */
template <int rows_, int columns_, int depth_, int warp_rows_, int warp_columns_, int stages_,
	  enum filling filling_, int unrolled_ = depth_>
struct warp_tiles {
	static constexpr int rows = rows_, columns = columns_, depth = depth_;
	static constexpr int warp_rows = warp_rows_, warp_columns = warp_columns_;
	static constexpr int stages = stages_, fours_at_once = unrolled_ / 4;
	static constexpr enum filling filling = filling_;
	static constexpr int warps_across = columns / warp_columns;
	static constexpr int threads = rows / warp_rows * warps_across * 32;
	static constexpr int step_of_a = depth + 4; /* words from row to row */
	static constexpr int words_of_a = rows * step_of_a, words_of_b = depth * columns;
	static constexpr int stage_words = words_of_a + words_of_b;
	/* groups of four that a thread copies */
	static constexpr int groups_of_a = rows * depth / 4 / threads;
	static constexpr int groups_of_b = columns * depth / 4 / threads;
	/* rows of A and of B that all threads copy at a time */
	static constexpr int rows_at_once = threads / (depth / 4);
	static constexpr int steps_at_once = threads / (columns / 4);
	static constexpr int each_down = warp_rows / 4, each_across = warp_columns / 8;

	static_assert(rows * depth / 4 % threads == 0 && columns * depth / 4 % threads == 0,
		      "all threads copy the same number of groups");
	static_assert(threads % (depth / 4) == 0 && threads % (columns / 4) == 0,
		      "a thread keeps its place in every row");
	static_assert(filling != FILL_REGISTERS || stages == 2, "one tile is filled, one is used");

	const float *a, *b;
	int n, first_row, first_column; /* n * n floats fit in memory, so n fits in an int */
	float *shared;
	float4 waiting_a[groups_of_a], waiting_b[groups_of_b];
	float sums[each_down][each_across] = {};

	/* Calls copy(i, to, from, inside) for each group i; `to` is its word in the stage. */
	template <class Copy> __device__ void each_group_of_a(int first, Copy copy)
	{
		int row = threadIdx.x / (depth / 4), k = threadIdx.x % (depth / 4) * 4;
		const float *from = a + (long long)(first_row + row) * n + first + k;

#pragma unroll
		for (int i = 0; i < groups_of_a; i++) {
			bool inside = first_row + row + i * rows_at_once < n && first + k < n;

			copy(i, (row + i * rows_at_once) * step_of_a + k,
			     from + i * rows_at_once * n, inside);
		}
	}

	template <class Copy> __device__ void each_group_of_b(int first, Copy copy)
	{
		int k = threadIdx.x / (columns / 4), column = threadIdx.x % (columns / 4) * 4;
		const float *from = b + (long long)(first + k) * n + first_column + column;

#pragma unroll
		for (int i = 0; i < groups_of_b; i++) {
			bool inside = first + k + i * steps_at_once < n && first_column + column < n;

			copy(i, words_of_a + (k + i * steps_at_once) * columns + column,
			     from + i * steps_at_once * n, inside);
		}
	}

	__device__ void load(int first)
	{
		const float4 nothing = {0.0f, 0.0f, 0.0f, 0.0f};

		each_group_of_a(first, [&](int i, int, const float *from, bool inside) {
			waiting_a[i] = inside ? *reinterpret_cast<const float4 *>(from) : nothing;
		});
		each_group_of_b(first, [&](int i, int, const float *from, bool inside) {
			waiting_b[i] = inside ? *reinterpret_cast<const float4 *>(from) : nothing;
		});
	}

	__device__ void store(int stage)
	{
		float *base = shared + stage * stage_words;

		each_group_of_a(0, [&](int i, int to, const float *, bool) {
			*reinterpret_cast<float4 *>(base + to) = waiting_a[i];
		});
		each_group_of_b(0, [&](int i, int to, const float *, bool) {
			*reinterpret_cast<float4 *>(base + to) = waiting_b[i];
		});
	}

	/* Commits one group of copies, even if nothing is left to copy. */
	__device__ void copy(int stage, int first)
	{
		float *base = shared + stage * stage_words;

		if (first < n) {
			each_group_of_a(first, [&](int, int to, const float *from, bool inside) {
				copy_16_async(base + to, from, inside);
			});
			each_group_of_b(first, [&](int, int to, const float *from, bool inside) {
				copy_16_async(base + to, from, inside);
			});
		}
		copies_commit();
	}

	__device__ int lane_row() const
	{
		return threadIdx.x / 32 / warps_across * warp_rows + threadIdx.x % 32 / 8;
	}

	__device__ int lane_column() const
	{
		return threadIdx.x / 32 % warps_across * warp_columns + threadIdx.x % 8 * 4;
	}

	__device__ void multiply(int stage)
	{
		const float *of_a = shared + stage * stage_words + lane_row() * step_of_a;
		const float *of_b = shared + stage * stage_words + words_of_a + lane_column();

#pragma unroll fours_at_once
		for (int four = 0; four < depth; four += 4) {
			float left[each_down][4];

#pragma unroll
			for (int i = 0; i < each_down; i++)
				*reinterpret_cast<float4 *>(left[i]) =
					*reinterpret_cast<const float4 *>(of_a + i * 4 * step_of_a +
									  four);
#pragma unroll
			for (int k = 0; k < 4; k++) {
				float right[each_across];

#pragma unroll
				for (int j = 0; j < each_across; j += 4)
					*reinterpret_cast<float4 *>(&right[j]) =
						*reinterpret_cast<const float4 *>(
							of_b + (four + k) * columns + j * 8);
#pragma unroll
				for (int i = 0; i < each_down; i++)
#pragma unroll
					for (int j = 0; j < each_across; j++)
						sums[i][j] += left[i][k] * right[j];
			}
		}
	}

	__device__ void write(float *c) const
	{
#pragma unroll
		for (int i = 0; i < each_down; i++)
#pragma unroll
			for (int j = 0; j < each_across; j += 4) {
				int row = first_row + lane_row() + 4 * i;
				int column = first_column + lane_column() + 8 * j;

				if (row < n && column < n)
					*reinterpret_cast<float4 *>(c + (long long)row * n +
								    column) =
						*reinterpret_cast<const float4 *>(&sums[i][j]);
			}
	}

	__device__ void run()
	{
		int tiles = (n + depth - 1) / depth;
		int stage = 0;

		__builtin_assume(tiles > 0); /* n > 0 */

		if (filling == FILL_ASYNC) {
#pragma unroll 1
			for (int ahead = 0; ahead < stages - 1; ahead++)
				copy(ahead, ahead * depth);
		} else if (filling == FILL_REGISTERS) {
			load(0);
			store(0);
			__syncthreads();
		}
#pragma unroll 1
		for (int tile = 0; tile < tiles; tile++) {
			int next = stage + 1 == stages ? 0 : stage + 1;

			if (filling == FILL_ASYNC) {
				int freed = stage == 0 ? stages - 1 : stage - 1;

				copies_wait<stages - 2>();
				__syncthreads();
				copy(freed, (tile + stages - 1) * depth);
				multiply(stage);
			} else if (filling == FILL_REGISTERS) {
				if (tile + 1 < tiles)
					load((tile + 1) * depth);
				multiply(stage);
				if (tile + 1 < tiles)
					store(next);
				__syncthreads();
			} else {
				load(tile * depth);
				store(stage);
				__syncthreads();
				multiply(stage);
				__syncthreads();
			}
			stage = next;
		}
	}
};

/* Blocks have Tiles::threads threads. The grid has one block per tile: columns in x, rows in y. */
template <class Tiles>
__device__ void multiply_warp_tiles(const float *__restrict__ a, const float *__restrict__ b,
				    float *__restrict__ c, long long n)
{
	extern __shared__ float4 stages[];
	Tiles tiles;

	tiles.a = a;
	tiles.b = b;
	tiles.n = (int)n;
	tiles.first_row = (int)blockIdx.y * Tiles::rows;
	tiles.first_column = (int)blockIdx.x * Tiles::columns;
	tiles.shared = reinterpret_cast<float *>(stages);
	tiles.run();
	tiles.write(c);
}

#define MATRICES \
	const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, long long n
