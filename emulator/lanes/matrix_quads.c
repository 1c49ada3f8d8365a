/*
 * Products of m8n8k4 of halves, the shape of Volta: four at once. Lanes 4 * q to
 * 4 * q + 3 and those 16 further hold product q. An H200 computes them with
 * ordinary multiply-adds of single precision.
 */
#include "emulator/lanes/alu_convert.h"
#include "emulator/lanes/matrix.h"

#include <string.h>

#define QUAD_K 4

static float half_at(const struct warp *warp, const uint32_t *rows, unsigned element, unsigned lane)
{
	const uint32_t *row = row_of(warp, rows[element / 2]);

	return half_to_float((uint16_t)(row[lane] >> element % 2 * 16));
}

/* Reads 8 lines of 4 elements. Each lane holds a line, or an element of each of four lines. */
static void factors_gather(float (*lines)[QUAD_K], const struct warp *warp, const uint32_t *rows,
			   unsigned quad, bool along_k)
{
	for (unsigned i = 0; i < 8; i++)
		for (unsigned k = 0; k < QUAD_K; k++)
			lines[i][k] = half_at(warp, rows, along_k ? k : i % 4,
					      quad * 4 + i / 4 * 16 + (along_k ? i % 4 : k));
}

/* The lane that holds a sum, and its element among those of the lane. */
static void sum_place(uint8_t type, unsigned quad, unsigned m, unsigned n, unsigned *lane,
		      unsigned *element)
{
	bool is_half = type == MATRIX_F16;

	*lane = quad * 4 + m / 4 * 16 + (is_half ? m % 4 : (m & 1) + (n & 2));
	*element = is_half ? n : (m & 2) | (n & 4) | (n & 1);
}

static float sum_read(const struct warp *warp, const struct program_product *product, unsigned quad,
		      unsigned m, unsigned n)
{
	unsigned lane, element;

	sum_place(product->c_type, quad, m, n, &lane, &element);
	return product->c_type == MATRIX_F16
		       ? half_at(warp, product->c, element, lane)
		       : ((const float *)row_of(warp, product->c[element]))[lane];
}

static void sum_write(struct warp *warp, const struct program_product *product, unsigned quad,
		      unsigned m, unsigned n, float sum)
{
	unsigned lane, element;
	uint32_t *row, bits;

	sum_place(product->d_type, quad, m, n, &lane, &element);
	if (product->d_type == MATRIX_F16) {
		row = row_of(warp, product->d[element / 2]);
		bits = float_to_half(sum, ROUND_RN);
		row[lane] = element % 2 ? (row[lane] & 0xffff) | bits << 16
					: (row[lane] & 0xffff0000) | bits;
		return;
	}
	row = row_of(warp, product->d[element]);
	memcpy(&bits, &sum, sizeof(bits));
	row[lane] = sum == sum ? bits : UINT32_C(0x7fffffff);
}

static float sum_of_products(const struct program_product *product, float sum, const float *a,
			     const float *b)
{
	if (product->d_type == MATRIX_F16)
		return sum + fmaf(a[1], b[1], a[0] * b[0]) + fmaf(a[3], b[3], a[2] * b[2]);
	return sum + fmaf(a[3], b[3], fmaf(a[2], b[2], fmaf(a[1], b[1], fmaf(a[0], b[0], 0))));
}

static void multiply_quad(struct warp *warp, const struct program_product *product, unsigned quad)
{
	float a[8][QUAD_K], b[8][QUAD_K], sum[8][8];

	factors_gather(a, warp, product->a, quad, !product->a_columns);
	factors_gather(b, warp, product->b, quad, product->b_columns);
	for (unsigned m = 0; m < 8; m++)
		for (unsigned n = 0; n < 8; n++)
			sum[m][n] = sum_of_products(product, sum_read(warp, product, quad, m, n),
						    a[m], b[n]);
	for (unsigned m = 0; m < 8; m++)
		for (unsigned n = 0; n < 8; n++)
			sum_write(warp, product, quad, m, n, sum[m][n]);
}

void LANES_NAME(matrix_multiply_quads)(struct warp *warp, const struct program_product *product)
{
	for (unsigned quad = 0; quad < 4; quad++)
		multiply_quad(warp, product, quad);
}
