/*
 * Products on tensor cores: a block computes one tile of C. Both operands lie
 * along k, A by rows and B by columns, so they are treated alike. A stage in
 * shared memory holds 128 bytes of each row of A and of each column of B in the
 * tile. Copies that bypass the registers fill `stages` stages. Every row of n
 * elements is a multiple of 16 bytes. Tiles reach beyond the edges; elements
 * outside are zero.
 *
 * The eight groups of 16 bytes in a line are exchanged, by the exclusive or with
 * the number of the line, so that neither the copies nor reads of a column of
 * groups have bank conflicts. wgmma calls this the 128-byte swizzle and applies it
 * to addresses, so stages begin at multiples of 1024.
 */
#pragma once

#include "copies.cuh"

#define LINE_BYTES 128
#define GROUP_BYTES 16
#define GROUPS (LINE_BYTES / GROUP_BYTES)
/* Bytes along k of one instruction, for mma.sync as for wgmma. */
#define SLICE_BYTES 32
#define SLICES (LINE_BYTES / SLICE_BYTES)
#define STAGE_ALIGNMENT 1024

/* The rows and columns of C per block; its threads; and the rows and columns of a part, which one
 * warp or group of warps multiplies. */
template <int rows_, int columns_, int stages_, int threads_, int part_rows_, int part_columns_>
struct tile_shape {
	static constexpr int rows = rows_, columns = columns_, stages = stages_, threads = threads_;
	static constexpr int part_rows = part_rows_, part_columns = part_columns_;
	static constexpr int stage_bytes = (rows + columns) * LINE_BYTES;
	static constexpr int lines_at_once = threads / GROUPS;

	static_assert(lines_at_once % 8 == 0, "a thread keeps its place in every line");
};

/* The offset of group `group` of line `line` from the beginning of the operand, in bytes. */
__device__ inline int group_offset(int line, int group)
{
	return line * LINE_BYTES + (group ^ line % 8) * GROUP_BYTES;
}

/* The lines of one operand that the threads of a block copy. */
template <class Shape, int lines> struct operand {
	const unsigned char *from; /* this thread's first group of the first line */
	int line_bytes;            /* from line to line in memory */
	int left_bytes;            /* along k, from this thread's group on */
	int left_lines;            /* from this thread's first line on */
	int to;

	__device__ operand(const void *data, long long first_line, long long n, int element_bytes)
	{
		int line = threadIdx.x / GROUPS, group = threadIdx.x % GROUPS;

		line_bytes = (int)n * element_bytes;
		from = static_cast<const unsigned char *>(data) + (first_line + line) * line_bytes +
		       group * GROUP_BYTES;
		left_bytes = line_bytes - group * GROUP_BYTES;
		left_lines = (int)(n - first_line) - line;
		to = group_offset(line, group);
	}

	/* Copies the 128 bytes from k_bytes on of every line. */
	__device__ void copy(unsigned char *stage, int k_bytes) const
	{
#pragma unroll
		for (int line = 0; line < lines; line += Shape::lines_at_once) {
			bool inside = line < left_lines && k_bytes < left_bytes;

			if (lines % Shape::lines_at_once == 0 ||
			    line + (int)threadIdx.x / GROUPS < lines)
				copy_16_async(stage + to + line * LINE_BYTES,
					      from + (line * line_bytes + k_bytes), inside);
		}
	}
};

/*
 * Finds the tile of the block. Bands of BAND rows of tiles are computed column by column, so
 * that the blocks that run at the same time share rows and columns, which then stay in the
 * L2.
 */
#define BAND 16

template <class Shape> __device__ void find_tile(int n, int *first_row, int *first_column)
{
	int down = (n + Shape::rows - 1) / Shape::rows;
	int across = (n + Shape::columns - 1) / Shape::columns;
	int band = (int)blockIdx.x / (BAND * across);
	int in_band = (int)blockIdx.x % (BAND * across);
	int height = min(BAND, down - band * BAND);

	*first_row = (band * BAND + in_band % height) * Shape::rows;
	*first_column = in_band / height * Shape::columns;
}

/*
 * Multiplier provides Shape; element_bytes; delay, how many stages before the current one may
 * still be read; prepare(), called between a thread's copies and their use; begin(a, b) and end(a,
 * b) of one stage, with the next copies between them; finish(); and write(c, n, first_row,
 * first_column).
 */
template <class Multiplier>
__device__ void multiply_tiles(const void *a, const void *b, float *c, long long n)
{
	using Shape = typename Multiplier::Shape;
	constexpr int ahead = Shape::stages - 1 - Multiplier::delay;
	extern __shared__ unsigned char shared[];
	unsigned misfit = (unsigned)__cvta_generic_to_shared(shared) % STAGE_ALIGNMENT;
	unsigned char *stages = shared + (misfit ? STAGE_ALIGNMENT - misfit : 0);
	int tiles = (int)((n * Multiplier::element_bytes + LINE_BYTES - 1) / LINE_BYTES);
	int first_row, first_column;
	Multiplier multiplier;

	__builtin_assume(tiles > 0); /* n > 0 */
	find_tile<Shape>((int)n, &first_row, &first_column);

	operand<Shape, Shape::rows> of_a(a, first_row, n, Multiplier::element_bytes);
	operand<Shape, Shape::columns> of_b(b, first_column, n, Multiplier::element_bytes);
	auto stage_of = [&](int tile) { return stages + tile % Shape::stages * Shape::stage_bytes; };
	/* Commits one group of copies, even if nothing is left to copy. */
	auto copy = [&](int tile) {
		if (tile < tiles) {
			unsigned char *stage = stage_of(tile);

			of_a.copy(stage, tile * LINE_BYTES);
			of_b.copy(stage + Shape::rows * LINE_BYTES, tile * LINE_BYTES);
		}
		copies_commit();
	};

#pragma unroll 1
	for (int tile = 0; tile < ahead; tile++)
		copy(tile);
#pragma unroll 1
	for (int tile = 0; tile < tiles; tile++) {
		unsigned char *stage = stage_of(tile);

		copies_wait<ahead - 1>();
		multiplier.prepare();
		__syncthreads();
		multiplier.begin(stage, stage + Shape::rows * LINE_BYTES);
		/* Into the stage that all threads have finished reading at the barrier. */
		copy(tile + ahead);
		multiplier.end(stage, stage + Shape::rows * LINE_BYTES);
	}
	multiplier.finish();
	multiplier.write(c, (int)n, first_row, first_column);
}

#define MATRICES \
	const void *__restrict__ a, const void *__restrict__ b, float *__restrict__ c, long long n
