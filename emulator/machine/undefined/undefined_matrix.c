#include "emulator/machine/undefined/undefined_parts.h"
#include "emulator/machine/warpgroups/warpgroup.h"

#include <string.h>

#define ROW_BYTES 16 /* of a matrix of 8 x 8 elements in shared memory */
#define MOST_LINES 16

/* ---- 8 x 8 matrices of 16 bits ---- */

struct lane_bits {
	struct undefined_bits of[LANES];
};

/* As transpose_bits() of lanes/matrix.c. */
static void transpose_bits(struct lane_bits *to, const struct lane_bits *from)
{
	for (unsigned lane = 0; lane < LANES; lane++) {
		const unsigned column = lane / 4, row = lane % 4 * 2, shift = column % 2 * 16;
		const struct undefined_bits *low = &from->of[row * 4 + column / 2];
		const struct undefined_bits *high = &from->of[row * 4 + 4 + column / 2];

		to->of[lane].bits = (low->bits >> shift & 0xffff) | (high->bits >> shift & 0xffff)
									    << 16;
		to->of[lane].origin = low->bits >> shift & 0xffff ? low->origin : high->origin;
	}
}

void undefined_transpose(struct warp *warp, const struct instruction *at, uint32_t lanes)
{
	struct lane_bits from, to;

	(void)lanes;
	for (int lane = 0; lane < LANES; lane++)
		from.of[lane] = row_bits(warp, at, at->a, lane, 32);
	transpose_bits(&to, &from);
	for (int lane = 0; lane < LANES; lane++)
		row_set(warp, at->dst, lane, 32, to.of[lane]);
}

/* Moves a matrix between its rows in shared memory and a register. */
static void move_matrix(struct warp *warp, const struct instruction *at, unsigned index,
			const struct undefined_place places[LANES])
{
	const bool loads = at->operation == OP_MATRIX_LOAD;
	struct lane_bits matrix, transposed;

	for (unsigned lane = 0; lane < LANES; lane++)
		matrix.of[lane] = loads ? place_read(warp, at, (int)(index * 8 + lane / 4),
						     &places[index * 8 + lane / 4], lane % 4 * 4, 4)
					: row_bits(warp, at, at->rows[4 + index], (int)lane, 32);
	transpose_bits(&transposed, &matrix);
	if (at->kind & MATRIX_TRANSPOSED)
		matrix = transposed;
	for (unsigned lane = 0; lane < LANES; lane++)
		if (loads)
			row_set(warp, at->rows[4 + index], (int)lane, 32, matrix.of[lane]);
		else
			place_write(&places[index * 8 + lane / 4], lane % 4 * 4, 4,
				    matrix.of[lane]);
}

void undefined_matrix_rows(struct warp *warp, const struct instruction *at, uint32_t lanes)
{
	const unsigned count = at->kind & ~MATRIX_TRANSPOSED, used = count * 8;
	struct undefined_place places[LANES];

	(void)lanes;
	if (warp->active != ALL_LANES) /* lanes wait for the others, or it is a finding */
		return;
	row_use(warp, at, at->a, !at->narrow_address, ALL_LANES >> (LANES - used));
	for (unsigned lane = 0; lane < used; lane++)
		places[lane] = undefined_place_of(warp, (enum ptx_space)at->space, (int)lane,
						  access_address(warp, at, (int)lane), ROW_BYTES);
	for (unsigned i = 0; i < count; i++)
		move_matrix(warp, at, i, places);
}

/* ---- products ---- */

/* Lines of a factor, or of the sum: whether any of their elements is undefined. */
struct lines {
	struct undefined_bits of[MOST_LINES];
};

static void add_line_value(struct lines *lines, unsigned line, struct undefined_bits value)
{
	if (value.bits && !lines->of[line].bits)
		lines->of[line] = value;
}

/* Register r of lane l belongs to line l / 4 + 8 * (r % halves), as matrix_words_gather() has it.
 */
static void gather_lines(struct lines *lines, struct warp *warp, const struct instruction *at,
			 const uint32_t *rows, unsigned count, unsigned halves, unsigned width)
{
	for (unsigned r = 0; r < count; r++)
		for (unsigned lane = 0; lane < LANES; lane++)
			add_line_value(lines, lane / 4 + 8 * (r % halves),
				       row_bits(warp, at, rows[r], (int)lane, width));
}

/* What a sum is made of. */
struct sum_parts {
	const struct lines *a, *b;
	const uint32_t *c, *d;
	unsigned c_count, d_count;
	bool c_is_half, d_is_half, adds;
	unsigned width; /* of a register, in bits */
};

/* Element (line, column) of the sum: register, lane and part, as matrix_sum_gather() has it. */
static struct undefined_bits sum_element(struct warp *warp, const struct instruction *at,
					 const struct sum_parts *sum, unsigned line,
					 unsigned column)
{
	const unsigned lane = line % 8 * 4 + column / 2, part = column % 2;
	const unsigned r = sum->c_is_half ? line / 8 : line / 8 * 2 + part;
	struct undefined_bits value;

	if (!sum->adds || r >= sum->c_count)
		return (struct undefined_bits){0};
	value = row_bits(warp, at, sum->c[r], (int)lane, sum->c_is_half ? 32 : sum->width);
	if (sum->c_is_half) /* two share a register */
		value.bits = value.bits >> part * 16 & 0xffff;
	return value;
}

static void multiply(struct warp *warp, const struct instruction *at, const struct sum_parts *sum,
		     unsigned lines)
{
	struct undefined_bits results[MOST_LINES][8];
	const uint64_t all = sum->width == 64 ? UINT64_MAX : UINT32_MAX;

	for (unsigned line = 0; line < lines; line++)
		for (unsigned column = 0; column < 8; column++) {
			struct undefined_bits of = sum_element(warp, at, sum, line, column);

			if (!of.bits)
				of = sum->a->of[line];
			if (!of.bits)
				of = sum->b->of[column];
			results[line][column] = of;
		}
	for (unsigned r = 0; r < sum->d_count; r++)
		for (unsigned lane = 0; lane < LANES; lane++) {
			const unsigned line = lane / 4 + 8 * (sum->d_is_half ? r : r / 2);
			const struct undefined_bits *low =
				&results[line][lane % 4 * 2 + (sum->d_is_half ? 0 : r % 2)];
			struct undefined_bits value = *low;

			if (sum->d_is_half) {
				const struct undefined_bits *high = low + 1;

				value.bits = (low->bits ? 0xffff : 0) |
					     (high->bits ? UINT32_C(0xffff0000) : 0);
				value.origin = low->bits ? low->origin : high->origin;
			} else if (value.bits) {
				value.bits = all;
			}
			row_set(warp, sum->d[r], (int)lane, sum->width, value);
		}
}

/* m8n8k4: the four products are taken as one, so any undefined operand of a product counts. */
static void multiply_quads(struct warp *warp, const struct program_product *product,
			   const struct instruction *at)
{
	for (unsigned quad = 0; quad < 4; quad++) {
		struct undefined_bits any = {0};

		for (unsigned i = 0; i < 8 && !any.bits; i++) {
			const unsigned lane = quad * 4 + i / 4 * 16 + i % 4;

			for (unsigned r = 0; r < 8 && !any.bits; r++) {
				any = row_bits(warp, at, product->a[r], (int)lane, 32);
				if (!any.bits)
					any = row_bits(warp, at, product->b[r], (int)lane, 32);
				if (!any.bits)
					any = row_bits(warp, at, product->c[r], (int)lane, 32);
			}
		}
		any.bits = any.bits ? UINT32_MAX : 0;
		for (unsigned i = 0; i < 8; i++)
			for (unsigned r = 0; r < product->d_count; r++)
				row_set(warp, product->d[r], (int)(quad * 4 + i / 4 * 16 + i % 4),
					32, any);
	}
}

void undefined_product(struct warp *warp, const struct instruction *at, uint32_t lanes)
{
	const struct program_product *product = &warp->frame->function->products[at->target];
	struct lines a = {0}, b = {0};
	const bool doubles = product->a_type == MATRIX_F64;
	const struct sum_parts sum = {
		.a = &a,
		.b = &b,
		.c = product->c,
		.d = product->d,
		.c_count = product->c_count,
		.d_count = product->d_count,
		.c_is_half = product->c_type == MATRIX_F16,
		.d_is_half = product->d_type == MATRIX_F16,
		.adds = true,
		.width = doubles ? 64 : 32,
	};

	(void)lanes;
	if (warp->active != ALL_LANES)
		return;
	if (product->quads) {
		multiply_quads(warp, product, at);
		return;
	}
	gather_lines(&a, warp, at, product->a, product->a_count, product->m / 8, sum.width);
	gather_lines(&b, warp, at, product->b, product->b_count, 1, sum.width);
	multiply(warp, at, &sum, product->m);
}

/* Lines of a matrix in shared memory, as lines_read() of lanes/matrix_warpgroup.c. */
static void gather_shared_lines(struct lines *lines, struct warp *warp,
				const struct instruction *at, const struct group_matrix *matrix,
				unsigned first, unsigned count)
{
	const unsigned units = matrix->turned ? GROUP_TURNED_K : GROUP_LINE_UNITS;

	for (unsigned i = 0; i < count * units / (matrix->turned ? 8 : 1); i++) {
		const unsigned unit = matrix->turned ? first / 8 * units + i : first * units + i;
		const struct undefined_place place = undefined_place_of(
			warp, PTX_SPACE_SHARED, 0, group_matrix_offset(matrix, unit), ROW_BYTES);

		for (unsigned part = 0; part < 8; part++)
			add_line_value(lines, matrix->turned ? i / units * 8 + part : i / units,
				       place_read(warp, at, 0, &place, (uint64_t)part * 2, 2));
	}
}

void undefined_group_product(struct warp *warp, const struct instruction *at, uint32_t lanes)
{
	const struct program_group_product *product =
		&warp->frame->function->group_products[at->target];
	const unsigned registers = product->sum_count / (product->n / 8u);
	uint64_t descriptors[2] = {0};
	struct lines a = {0};

	(void)lanes;
	if (warp->active != ALL_LANES)
		return;
	row_use(warp, at, at->a, true, ALL_LANES);
	row_use(warp, at, at->b, true, ALL_LANES);
	row_use(warp, at, at->c, false, ALL_LANES);
	if (at->a)
		memcpy(&descriptors[0], row_of(warp, at->a), 8);
	memcpy(&descriptors[1], row_of(warp, at->b), 8);
	if (product->a_count) {
		gather_lines(&a, warp, at, product->a, product->a_count, 2, 32);
	} else {
		const struct group_matrix matrix =
			group_matrix_of(descriptors[0], product->a_turned);

		gather_shared_lines(&a, warp, at, &matrix, warp->index % GROUP_WARPS * MOST_LINES,
				    MOST_LINES);
	}
	for (unsigned column = 0; column < product->n; column += 8) {
		const size_t first = column / 8 * registers;
		const struct group_matrix matrix =
			group_matrix_of(descriptors[1], product->b_turned);
		struct lines b = {0};
		const struct sum_parts sum = {
			.a = &a,
			.b = &b,
			.c = product->sums + first,
			.d = product->results + first,
			.c_count = registers,
			.d_count = registers,
			.c_is_half = product->part.c_type == MATRIX_F16,
			.d_is_half = product->part.d_type == MATRIX_F16,
			.adds = !at->c || predicate_mask(row_of(warp, at->c)) != 0,
			.width = 32,
		};

		gather_shared_lines(&b, warp, at, &matrix, column, 8);
		multiply(warp, at, &sum, MOST_LINES);
	}
}
