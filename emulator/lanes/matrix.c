/*
 * Instructions on matrices that the lanes of a warp hold together. PTX says
 * which lane and register holds which element ("Matrix fragments"). All lanes
 * must take part.
 */
#include "emulator/lanes/matrix.h"
#include "emulator/lanes/alu_convert.h"
#include "emulator/lanes/memory.h"
#include "emulator/machine/warp_sync.h"

#include <inttypes.h>
#include <string.h>

/* A warp's registers that hold a matrix or a part of it. */
struct lane_words {
	_Alignas(64) uint32_t of[LANES];
};

/* ---- 8 x 8 matrices of 16 bits: lane 4 * row + column / 2 holds two elements ---- */

static void transpose(struct lane_words *to, const struct lane_words *from)
{
	for (unsigned lane = 0; lane < LANES; lane++) {
		unsigned column = lane / 4, row = lane % 4 * 2, shift = column % 2 * 16;
		uint32_t low = from->of[row * 4 + column / 2] >> shift;
		uint32_t high = from->of[row * 4 + 4 + column / 2] >> shift;

		to->of[lane] = (low & 0xffff) | high << 16;
	}
}

static enum step run_transpose(struct warp *warp, const struct instruction *at)
{
	enum step step = warp_gather_whole(warp, at);
	struct lane_words from, to;

	if (step != STEP_NEXT)
		return step;
	memcpy(&from, row_of(warp, at->a), sizeof(from));
	transpose(&to, &from);
	memcpy(row_of(warp, at->dst), &to, sizeof(to));
	return STEP_NEXT;
}

/*
 * Accesses 16 bytes of shared memory in each lane that names a row: lanes 8 * i
 * to 8 * i + 7 name those of matrix i. The addresses of the other lanes do not
 * matter.
 */
static enum step access_rows(struct warp *warp, const struct instruction *at)
{
	unsigned lanes = (at->kind & ~MATRIX_TRANSPOSED) * 8;
	uint32_t mask = ALL_LANES >> (LANES - lanes);
	struct instruction_count *count = count_at(warp, at);
	uint64_t address[LANES];

	memory_addresses(address, warp, at);
	if (at->space == PTX_SPACE_GENERIC) {
		for (unsigned lane = 0; lane < lanes; lane++) {
			if (address[lane] - SHARED_WINDOW >= WINDOW_BYTES)
				return warp_finding(warp, at, (int)lane, FINDING_OUT_OF_BOUNDS,
						    "the row at 0x%" PRIx64
						    " is not in shared memory",
						    address[lane]);
			address[lane] -= SHARED_WINDOW;
		}
		count->shared_requests++;
	} else {
		count->requests++;
	}
	return LANES_NAME(shared_access)(warp, at, mask, address);
}

/* Row r of matrix i is in lane 8 * i + r of four registers. */
static void matrix_of_rows(struct lane_words *matrix, const struct warp *warp,
			   const struct instruction *at, unsigned index)
{
	for (unsigned lane = 0; lane < LANES; lane++)
		memcpy(&matrix->of[lane],
		       (const uint32_t *)row_of(warp, at->rows[lane % 4]) + index * 8 + lane / 4,
		       sizeof(uint32_t));
}

static enum step run_matrix_load(struct warp *warp, const struct instruction *at)
{
	enum step step = warp_gather_whole(warp, at);

	if (step == STEP_NEXT)
		step = access_rows(warp, at);
	if (step != STEP_NEXT)
		return step;
	for (unsigned i = 0; i < (at->kind & ~MATRIX_TRANSPOSED); i++) {
		struct lane_words matrix, transposed;

		matrix_of_rows(&matrix, warp, at, i);
		transpose(&transposed, &matrix);
		memcpy(row_of(warp, at->rows[4 + i]),
		       at->kind & MATRIX_TRANSPOSED ? &transposed : &matrix, sizeof(matrix));
	}
	return STEP_NEXT;
}

static enum step run_matrix_store(struct warp *warp, const struct instruction *at)
{
	enum step step = warp_gather_whole(warp, at);

	if (step != STEP_NEXT)
		return step;
	for (unsigned i = 0; i < (at->kind & ~MATRIX_TRANSPOSED); i++) {
		struct lane_words matrix, transposed;

		memcpy(&matrix, row_of(warp, at->rows[4 + i]), sizeof(matrix));
		transpose(&transposed, &matrix);
		if (at->kind & MATRIX_TRANSPOSED)
			matrix = transposed;
		for (unsigned lane = 0; lane < LANES; lane++)
			memcpy((uint32_t *)row_of(warp, at->rows[lane % 4]) + i * 8 + lane / 4,
			       &matrix.of[lane], sizeof(uint32_t));
	}
	return access_rows(warp, at);
}

/* ---- products ---- */

void matrix_words_gather(uint32_t *words, unsigned width, const struct warp *warp,
			 const uint32_t *rows, unsigned count, unsigned halves)
{
	for (unsigned r = 0; r < count; r++) {
		const uint32_t *row = row_of(warp, rows[r]);
		uint32_t *to = words + r / halves * 4 * width + r % halves * 8;

		for (unsigned lane = 0; lane < LANES; lane++)
			to[lane % 4 * width + lane / 4] = row[lane];
	}
}

void matrix_sum_gather(struct matrix_tile *tile, const struct warp *warp)
{
	const struct program_product *product = tile->product;
	bool is_half = product->c_type == MATRIX_F16;

	for (unsigned r = 0; r < product->c_count; r++) {
		const uint32_t *row = row_of(warp, product->c[r]);

		for (unsigned lane = 0; lane < LANES; lane++) {
			uint32_t *line = tile->sum[lane / 4 + 8 * (is_half ? r : r / 2)];

			if (is_half) {
				line[lane % 4 * 2] = row[lane] & 0xffff;
				line[lane % 4 * 2 + 1] = row[lane] >> 16;
			} else {
				line[lane % 4 * 2 + r % 2] = row[lane];
			}
		}
	}
}

void matrix_sum_scatter(const struct matrix_tile *tile, struct warp *warp)
{
	const struct program_product *product = tile->product;
	bool is_half = product->d_type == MATRIX_F16;

	for (unsigned r = 0; r < product->d_count; r++) {
		uint32_t *row = row_of(warp, product->d[r]);

		for (unsigned lane = 0; lane < LANES; lane++) {
			const uint32_t *line = tile->sum[lane / 4 + 8 * (is_half ? r : r / 2)];

			if (is_half)
				row[lane] = line[lane % 4 * 2] | line[lane % 4 * 2 + 1] << 16;
			else
				row[lane] = line[lane % 4 * 2 + r % 2];
		}
	}
}

/* ---- integers and bits ---- */

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

static void add_integers(struct matrix_tile *tile)
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

/* ---- all products ---- */

void matrix_tile_multiply(struct matrix_tile *tile)
{
	if (tile->product->c_type == MATRIX_S32)
		add_integers(tile);
	else
		LANES_NAME(matrix_add_floats)(tile);
}

static void multiply_words(struct warp *warp, const struct program_product *product)
{
	struct matrix_tile tile;

	tile.product = product;
	matrix_words_gather(tile.a[0], MATRIX_MOST_M, warp, product->a, product->a_count,
			    product->m / 8);
	matrix_words_gather(tile.b[0], MATRIX_N, warp, product->b, product->b_count, 1);
	matrix_sum_gather(&tile, warp);
	matrix_tile_multiply(&tile);
	matrix_sum_scatter(&tile, warp);
}

/* Each element is a chain of multiply-adds in ascending order of k, each rounded to nearest. */
static void multiply_doubles(struct warp *warp, const struct program_product *product)
{
	struct matrix_doubles tile;
	unsigned halves = product->m / 8;

	for (unsigned lane = 0; lane < LANES; lane++) {
		for (unsigned r = 0; r < product->a_count; r++)
			tile.a[lane / 4 + 8 * (r % halves)][lane % 4 + 4 * (r / halves)] =
				((const double *)row_of(warp, product->a[r]))[lane];
		for (unsigned r = 0; r < product->b_count; r++)
			tile.b[lane / 4][lane % 4 + 4 * r] =
				((const double *)row_of(warp, product->b[r]))[lane];
		for (unsigned r = 0; r < product->c_count; r++)
			tile.sum[lane / 4 + 8 * (r / 2)][lane % 4 * 2 + r % 2] =
				((const double *)row_of(warp, product->c[r]))[lane];
	}
	for (unsigned m = 0; m < product->m; m++)
		for (unsigned n = 0; n < MATRIX_N; n++)
			for (unsigned k = 0; k < product->k; k++)
				tile.sum[m][n] = fma_f64(tile.a[m][k], tile.b[n][k], tile.sum[m][n],
							 (enum rounding)product->rounding);
	for (unsigned r = 0; r < product->d_count; r++) {
		double *row = row_of(warp, product->d[r]);

		for (unsigned lane = 0; lane < LANES; lane++)
			row[lane] = tile.sum[lane / 4 + 8 * (r / 2)][lane % 4 * 2 + r % 2];
	}
}

/* ---- m8n8k4 of halves, the shape of Volta ---- */

/* Four products at once: lanes 4 * q to 4 * q + 3 and those 16 further hold product q. An H200
 * computes them with ordinary multiply-adds of single precision. */
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

static void multiply_volta(struct warp *warp, const struct program_product *product)
{
	for (unsigned quad = 0; quad < 4; quad++)
		multiply_quad(warp, product, quad);
}

static enum step run_product(struct warp *warp, const struct instruction *at)
{
	const struct program_product *product = &warp->frame->function->products[at->target];
	enum step step = warp_gather_whole(warp, at);

	if (step != STEP_NEXT)
		return step;
	if (product->quads)
		multiply_volta(warp, product);
	else if (product->a_type == MATRIX_F64)
		multiply_doubles(warp, product);
	else
		multiply_words(warp, product);
	return STEP_NEXT;
}

instruction_handler *LANES_NAME(matrix_handler)(const struct instruction *instruction)
{
	switch (instruction->operation) {
	case OP_MATRIX_LOAD:
		return run_matrix_load;
	case OP_MATRIX_STORE:
		return run_matrix_store;
	case OP_MATRIX_TRANSPOSE:
		return run_transpose;
	case OP_MATRIX_PRODUCT:
		return run_product;
	default:
		return NULL;
	}
}
