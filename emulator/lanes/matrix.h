/*
 * matrix: products of the matrices that a warp holds. For files that are
 * compiled once per set.
 *
 * A struct matrix_tile has the operands of one product in words of registers: a
 * word holds 32 / bits neighbouring elements along k, the first in its low
 * bits. Neighbouring words belong to neighbouring rows of A or columns of B, so
 * that the loops over them can be vectorised. Doubles are apart.
 */
#ifndef EMULATOR_LANES_MATRIX_H
#define EMULATOR_LANES_MATRIX_H

#include "emulator/lanes/handlers.h"

#define MATRIX_MOST_M 16
#define MATRIX_N 8
#define MATRIX_MOST_WORDS 8    /* of k: 256 bits of b1, 16 halves */
#define MATRIX_MOST_DOUBLES 16 /* of k */

struct matrix_tile {
	const struct program_product *product;
	_Alignas(64) uint32_t a[MATRIX_MOST_WORDS][MATRIX_MOST_M];
	_Alignas(64) uint32_t b[MATRIX_MOST_WORDS][MATRIX_N];
	/* The sum before and after; one element in each word, also of halves. */
	uint32_t sum[MATRIX_MOST_M][MATRIX_N];
};
struct matrix_doubles {
	double a[MATRIX_MOST_M][MATRIX_MOST_DOUBLES];
	double b[MATRIX_N][MATRIX_MOST_DOUBLES];
	double sum[MATRIX_MOST_M][MATRIX_N];
};

#define matrix_words_gather LANES_NAME(matrix_words_gather)
#define matrix_sum_gather LANES_NAME(matrix_sum_gather)
#define matrix_sum_scatter LANES_NAME(matrix_sum_scatter)
#define matrix_tile_multiply LANES_NAME(matrix_tile_multiply)
/* Copies registers to words of `width` lines: register r of lane l belongs to line
 * l / 4 + 8 * (r % halves), where halves = width / 8, and is word l % 4 + 4 * (r / halves). */
void matrix_words_gather(uint32_t *words, unsigned width, const struct warp *warp,
			 const uint32_t *rows, unsigned count, unsigned halves);
/* Reads and writes the sum. Lane l holds elements of line l / 4, and the next registers those of
 * line l / 4 + 8: columns 2 * (l % 4) and one more, in two registers, or as halves in one. */
void matrix_sum_gather(struct matrix_tile *tile, const struct warp *warp);
void matrix_sum_scatter(const struct matrix_tile *tile, struct warp *warp);
/* Adds the product to sum. */
void matrix_tile_multiply(struct matrix_tile *tile);
/* matrix_tile_multiply() for floats: matrix_float.c. */
void LANES_NAME(matrix_add_floats)(struct matrix_tile *tile);

#endif
