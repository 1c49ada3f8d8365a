/* Undefined bits of the results of arithmetic. See undefined.h. */
#include "emulator/machine/undefined/undefined_rules.h"

#include <string.h>

static const unsigned type_widths[] = {
#define X(name, c_type, width) width,
	VALUE_TYPE_LIST(X)
#undef X
};

static uint64_t value_in(const struct warp *warp, uint32_t row, int lane, unsigned width)
{
	const unsigned char *file = row_of(warp, row);
	uint32_t narrow;
	uint64_t wide;

	if (width == 64) {
		memcpy(&wide, file + 8 * (size_t)lane, 8);
		return wide;
	}
	memcpy(&narrow, file + 4 * (size_t)lane, 4);
	return width == 1 ? narrow != 0 : narrow;
}

void undefined_alu(struct warp *warp, const struct instruction *at, uint32_t lanes)
{
	const struct alu_row *row = alu_row_of((enum operation)at->operation);
	const uint32_t rows[UNDEFINED_OPERANDS] = {at->a, at->b, at->c, at->d};
	struct lane_operands of = {.row = row};
	bool any = false;

	for (int i = 0; i <= row->operands; i++)
		of.width[i] = type_widths[row->types[i]];
	for (int i = 0; i < row->operands; i++)
		any |= row_is_undefined(warp, rows[i], of.width[i + 1] == 64);
	if (!any) {
		row_define(warp, at->dst, of.width[0] == 64, lanes);
		return;
	}
	for (; lanes; lanes &= lanes - 1) {
		const int lane = __builtin_ctz(lanes);
		struct undefined_bits result = {0};
		bool undefined = false;

		for (int i = 0; i < row->operands; i++) {
			of.undefined[i] = row_bits(warp, at, rows[i], lane, of.width[i + 1]);
			of.undefined[i].bits &= undefined_mask(of.width[i + 1]);
			of.value[i] = value_in(warp, rows[i], lane, of.width[i + 1]);
			undefined |= of.undefined[i].bits != 0;
		}
		if (undefined)
			result = undefined_result(&of);
		row_set(warp, at->dst, lane, of.width[0], result);
	}
}
