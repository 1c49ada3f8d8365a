/* Products of matrices of integers and of bits. */
#include "emulator/lanes/matrix.h"

/* Spreads words of 4- or 8-bit integers of `width` lines over 32-bit elements. */
static void spread(int32_t *elements, const uint32_t *words, unsigned width, unsigned k_count,
		   uint8_t type)
{
	unsigned bits = matrix_bits(type), per_word = 32 / bits;
	bool is_signed = type == MATRIX_S4 || type == MATRIX_S8;

	for (unsigned k = 0; k < k_count; k++) {
		const uint32_t *word = words + k / per_word * width;
		unsigned up = 32 - bits - k % per_word * bits, down = 32 - bits;

		for (unsigned i = 0; i < width; i++)
			elements[k * width + i] = is_signed ? (int32_t)(word[i] << up) >> down
							    : (int32_t)(word[i] << up >> down);
	}
}

/* The exact sum, wrapped to 32 bits or limited to them. */
static uint32_t sum_of(int64_t sum, bool saturates)
{
	if (saturates && sum > INT32_MAX)
		return INT32_MAX;
	if (saturates && sum < INT32_MIN)
		return (uint32_t)INT32_MIN;
	return (uint32_t)sum;
}

static void add_bits(struct matrix_tile *tile)
{
	const struct program_product *product = tile->product;

	for (unsigned m = 0; m < product->m; m++) {
		for (unsigned n = 0; n < MATRIX_N; n++) {
			for (unsigned i = 0; i < product->k / 32U; i++) {
				uint32_t a = tile->a[i][m], b = tile->b[i][n];

				tile->sum[m][n] +=
					(uint32_t)__builtin_popcount(product->ands ? a & b : a ^ b);
			}
		}
	}
}

void LANES_NAME(matrix_add_integers)(struct matrix_tile *tile)
{
	const struct program_product *product = tile->product;
	_Alignas(64) int32_t a[64][MATRIX_MOST_M], b[64][MATRIX_N];

	if (product->a_type == MATRIX_B1) {
		add_bits(tile);
		return;
	}
	spread(a[0], tile->a[0], MATRIX_MOST_M, product->k, product->a_type);
	spread(b[0], tile->b[0], MATRIX_N, product->k, product->b_type);
	for (unsigned m = 0; m < product->m; m++) {
		_Alignas(32) int32_t sum[MATRIX_N] = {0}; /* 64 products of 16 bits */

		for (unsigned k = 0; k < product->k; k++)
			for (unsigned n = 0; n < MATRIX_N; n++)
				sum[n] += a[k][m] * b[k][n];
		for (unsigned n = 0; n < MATRIX_N; n++)
			tile->sum[m][n] = sum_of((int64_t)(int32_t)tile->sum[m][n] + sum[n],
						 product->saturates);
	}
}
