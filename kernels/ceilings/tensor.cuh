/*
 * The ceilings of tensor cores by mma.sync, one tile per warp: the small product
 * D = A * B of whole numbers, where A is rows * depth and B is columns * depth,
 * both stored row by row. It is added to accumulators and subtracted in turn, so
 * that they stay small, and added once more at the end. A thread's result is the
 * sum of its elements of D. The numbers are random
 * (kernels/ceilings/ceilings.c): zeroes would take less power, and run faster
 * than any real product.
 *
 * Which thread holds what: PTX ISA, "Matrix fragments for mma".
 */
#pragma once

#include "ceilings.cuh"

/* How many times one turn of the loop adds and subtracts the product. */
#define PRODUCTS 4

/* A register that packs several numbers of the type. */
template <int bits, unsigned signs> struct packed_register {
	using Register = unsigned;
	using Accumulator = float;
	static constexpr int per_register = 32 / bits;
	__device__ static unsigned negative(unsigned numbers)
	{
		return numbers ^ signs;
	}
};

/*
 * Shape provides tile_rows (8 or 16); of_a, of_b and of_sum, the registers of a fragment;
 * per_register; Register and Accumulator; pack(numbers), negative(register) and multiply(sum, a,
 * b). The tile of a warp is ROWS * COLUMNS.
 */
template <class Shape, int ROWS, int COLUMNS>
__device__ void multiply_tiles(int *out, const int *a, const int *b, int turns)
{
	using Register = typename Shape::Register;
	constexpr int tiles_down = ROWS / Shape::tile_rows, tiles_across = COLUMNS / 8;
	constexpr int halves = Shape::tile_rows / 8; /* registers one below the other */
	constexpr int per_register = Shape::per_register;
	constexpr int depth = Shape::of_b * 4 * per_register;
	int group = threadIdx.x % 32 / 4, of_group = threadIdx.x % 4;
	Register of_a[tiles_down][Shape::of_a];
	Register of_b[tiles_across][Shape::of_b], negative_b[tiles_across][Shape::of_b];
	typename Shape::Accumulator sums[tiles_down][tiles_across][Shape::of_sum] = {};

#pragma unroll
	for (int tile = 0; tile < tiles_down; tile++)
#pragma unroll
		for (int r = 0; r < Shape::of_a; r++) {
			int row = tile * Shape::tile_rows + group + r % halves * 8;
			int k = (r / halves * 4 + of_group) * per_register;

			of_a[tile][r] = Shape::pack(a + row * depth + k);
		}
#pragma unroll
	for (int tile = 0; tile < tiles_across; tile++)
#pragma unroll
		for (int r = 0; r < Shape::of_b; r++) {
			int k = (r * 4 + of_group) * per_register;

			of_b[tile][r] = Shape::pack(b + (tile * 8 + group) * depth + k);
			negative_b[tile][r] = Shape::negative(of_b[tile][r]);
		}
	auto product = [&](Register(&right)[tiles_across][Shape::of_b]) {
#pragma unroll
		for (int down = 0; down < tiles_down; down++)
#pragma unroll
			for (int across = 0; across < tiles_across; across++)
				Shape::multiply(sums[down][across], of_a[down], right[across]);
	};
#pragma unroll 1
	for (int turn = 0; turn < turns; turn++)
#pragma unroll
		for (int i = 0; i < PRODUCTS; i++) {
			product(of_b);
			product(negative_b);
		}
	product(of_b);

	int total = 0;

#pragma unroll
	for (int down = 0; down < tiles_down; down++)
#pragma unroll
		for (int across = 0; across < tiles_across; across++)
#pragma unroll
			for (int i = 0; i < Shape::of_sum; i++)
				total += (int)sums[down][across][i];
	out[global_thread()] = total;
}
