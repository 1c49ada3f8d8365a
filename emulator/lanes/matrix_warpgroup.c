/*
 * The part of a warp in a product of wgmma: 16 rows of A times n columns of B, as products of 16 *
 * 8 whose registers lie as those of mma.sync. A is in registers or in shared memory, B in shared
 * memory; both are read as words of elements along k, as a struct matrix_tile has them.
 */
#include <string.h>

#include "emulator/lanes/matrix.h"
#include "emulator/machine/warp_sync.h"
#include "emulator/machine/warpgroups/warpgroup.h"

#define UNIT_WORDS (GROUP_UNIT_BYTES / 4)

/* Reads `width` lines of a matrix in shared memory from line `first` on. */
static void lines_read(uint32_t *words, unsigned width, const struct warp *warp,
		       const struct group_matrix *matrix, unsigned first)
{
	const unsigned char *shared = warp->block->shared;

	if (matrix->turned) {
		/* A unit has one k of eight lines; a word has two of k. */
		memset(words, 0, MATRIX_MOST_WORDS * width * sizeof(*words));
		for (unsigned line = 0; line < width; line += 8) {
			for (unsigned k = 0; k < GROUP_TURNED_K; k++) {
				unsigned unit = (first + line) / 8 * GROUP_TURNED_K + k;
				uint16_t elements[8];

				memcpy(elements, shared + group_matrix_offset(matrix, unit),
				       sizeof(elements));
				for (unsigned i = 0; i < 8; i++)
					words[k / 2 * width + line + i] |= (uint32_t)elements[i]
									   << k % 2 * 16;
			}
		}
		return;
	}
	for (unsigned line = 0; line < width; line++) {
		for (unsigned half = 0; half < GROUP_LINE_UNITS; half++) {
			unsigned unit = (first + line) * GROUP_LINE_UNITS + half;
			uint32_t part[UNIT_WORDS];

			memcpy(part, shared + group_matrix_offset(matrix, unit), sizeof(part));
			for (unsigned i = 0; i < UNIT_WORDS; i++)
				words[(half * UNIT_WORDS + i) * width + line] = part[i];
		}
	}
}

/* The signs of the elements in a word. */
static uint32_t signs_of(uint8_t type)
{
	switch (matrix_bits(type)) {
	case 8:
		return UINT32_C(0x80808080);
	case 16:
		return UINT32_C(0x80008000);
	default:
		return UINT32_C(0x80000000);
	}
}

static void negate(uint32_t *words, unsigned count, uint8_t type)
{
	const uint32_t signs = signs_of(type);

	for (unsigned i = 0; i < count; i++)
		words[i] ^= signs;
}

static enum step run_group_product(struct warp *warp, const struct instruction *at)
{
	enum step step = warp_gather_whole(warp, at);
	const struct program_group_product *product;
	struct program_product part;
	struct issued_product issued;
	struct matrix_tile tile;
	unsigned registers;

	if (step == STEP_NEXT)
		step = warpgroup_issue(&issued, warp, at);
	if (step != STEP_NEXT)
		return step;
	product = issued.product;
	part = product->part;
	tile.product = &part;
	if (product->a_count)
		matrix_words_gather(tile.a[0], MATRIX_MOST_M, warp, product->a, product->a_count,
				    2);
	else
		lines_read(tile.a[0], MATRIX_MOST_M, warp, &issued.a,
			   warp->index % GROUP_WARPS * MATRIX_MOST_M);
	if (product->negates_a)
		negate(tile.a[0], MATRIX_MOST_WORDS * MATRIX_MOST_M, part.a_type);
	registers = product->sum_count / (product->n / MATRIX_N);
	part.c_count = part.d_count = (uint8_t)registers;
	for (unsigned column = 0; column < product->n; column += MATRIX_N) {
		const size_t first = column / MATRIX_N * registers;

		lines_read(tile.b[0], MATRIX_N, warp, &issued.b, column);
		if (product->negates_b)
			negate(tile.b[0], MATRIX_MOST_WORDS * MATRIX_N, part.b_type);
		memcpy(part.c, product->sums + first, registers * sizeof(*part.c));
		memcpy(part.d, product->results + first, registers * sizeof(*part.d));
		if (issued.adds)
			matrix_sum_gather(&tile, warp);
		else
			memset(tile.sum, 0, sizeof(tile.sum));
		matrix_tile_multiply(&tile);
		matrix_sum_scatter(&tile, warp);
	}
	return STEP_NEXT;
}

instruction_handler *LANES_NAME(warpgroup_handler)(const struct instruction *instruction)
{
	return instruction->operation == OP_GROUP_PRODUCT ? run_group_product : NULL;
}
