/*
 * Instructions on matrices that the lanes of a warp hold together. PTX says
 * which lane and register holds which element ("Matrix fragments"). All lanes
 * must take part.
 */
#include "emulator/lanes/matrix.h"
#include "emulator/lanes/alu_float.h"
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

void matrix_tile_multiply(struct matrix_tile *tile)
{
	if (tile->product->c_type == MATRIX_S32)
		LANES_NAME(matrix_add_integers)(tile);
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

static enum step run_product(struct warp *warp, const struct instruction *at)
{
	const struct program_product *product = &warp->frame->function->products[at->target];
	enum step step = warp_gather_whole(warp, at);

	if (step != STEP_NEXT)
		return step;
	if (product->quads)
		LANES_NAME(matrix_multiply_quads)(warp, product);
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
