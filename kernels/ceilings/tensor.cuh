/*
 * The ceilings of tensor cores by mma.sync, one warp a tile: the small product
 * D = A * B of whole numbers, A a rows * depth matrix, B columns * depth (both
 * as they lie in memory, row by row), added to accumulators and taken from
 * them in turn, so that they stay small, and added once more at the end. A
 * thread's result is the sum of what it holds of D. The numbers are random
 * (kernels/ceilings/ceilings.c): zeroes would take less power, and run faster
 * than any real product.
 *
 * Which thread holds what: PTX ISA, "Matrix fragments for mma".
 */
#pragma once

#include "ceilings.cuh"

/* Times that the product is added and taken away in one turn of the loop. */
#define PRODUCTS 4

/* A register that packs several of the type's numbers. */
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
 * Shape: tile_rows (8 or 16) and the registers of a fragment: of_a, of_b,
 * of_sum; per_register; Register, Accumulator; pack(numbers), negative(register),
 * multiply(sum, a, b). The warp's tile is ROWS * COLUMNS.
 */
template <class Shape, int ROWS, int COLUMNS>
__device__ void multiply_tiles(int *out, const int *a, const int *b, int turns)
{
	using Register = typename Shape::Register;
	constexpr int tiles_down = ROWS / Shape::tile_rows, tiles_across = COLUMNS / 8;
	constexpr int halves = Shape::tile_rows / 8; /* registers below one another */
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
