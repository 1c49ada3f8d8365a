/* Undefined bits of the results of arithmetic. See uninitialised.h. */
#include "emulator/machine/uninitialised_parts.h"

#include <stdlib.h>
#include <string.h>

#define OPERANDS 4

/* One lane of an instruction. */
struct lane_operands {
	struct undefined_bits undefined[OPERANDS];
	uint64_t value[OPERANDS];
	unsigned width[OPERANDS + 1]; /* in bits: of the result, then of the operands */
	const char *symbol;
};

static const unsigned type_widths[] = {
#define X(name, c_type, width) width,
	VALUE_TYPE_LIST(X)
#undef X
};

static uint64_t bits_below(unsigned count)
{
	return count >= 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1;
}

/* An operand that decides a bit of an AND (0) or OR (1) where it is defined. */
static uint64_t of_and_or(const struct lane_operands *of, bool is_or)
{
	const uint64_t a = of->undefined[0].bits, b = of->undefined[1].bits;
	const uint64_t x = is_or ? ~of->value[0] : of->value[0];
	const uint64_t y = is_or ? ~of->value[1] : of->value[1];

	return (a & b) | (a & ~b & y) | (b & ~a & x);
}

static uint64_t of_lop3(const struct lane_operands *of)
{
	uint64_t ones = 0, zeroes = 0;

	for (unsigned combination = 0; combination < 8; combination++) {
		uint64_t possible = UINT64_MAX;

		for (unsigned i = 0; i < 3; i++)
			possible &= of->undefined[i].bits |
				    (combination >> (2 - i) & 1 ? of->value[i] : ~of->value[i]);
		if (of->value[3] >> combination & 1)
			ones |= possible;
		else
			zeroes |= possible;
	}
	return ones & zeroes;
}

/* From the lowest undefined bit of any operand on. */
static uint64_t of_sum(const struct lane_operands *of)
{
	uint64_t any = 0;

	for (size_t i = 0; i < OPERANDS; i++)
		any |= of->undefined[i].bits;
	return any | (0 - any);
}

static uint64_t extended(uint64_t bits, unsigned width)
{
	return width < 64 && bits >> (width - 1) & 1 ? bits | ~bits_below(width) : bits;
}

static uint64_t shifted_left(uint64_t bits, uint64_t by)
{
	return by < 64 ? bits << by : 0;
}

static uint64_t shifted_right(uint64_t bits, uint64_t by)
{
	return by < 64 ? bits >> by : 0;
}

/* The number of bits that a shift moves: beyond the width, as many. */
static uint64_t of_shift(const struct lane_operands *of)
{
	const unsigned width = of->width[0];
	const uint64_t by = of->value[1] < width ? of->value[1] : width;
	const uint64_t bits = of->undefined[0].bits;

	if (of->symbol[2] == 'L')
		return shifted_left(bits, by);
	if (of->symbol[4] == 'U')
		return shifted_right(bits, by);
	return (uint64_t)((int64_t)extended(bits, width) >> (by < 63 ? by : 63));
}

static uint64_t of_funnel(const struct lane_operands *of)
{
	const uint64_t both = of->undefined[0].bits | of->undefined[1].bits << 32;
	const bool wraps = strstr(of->symbol, "WRAP") != NULL;
	const uint64_t count = of->value[2];
	const unsigned by = wraps ? count & 31 : count < 32 ? (unsigned)count : 32;

	return of->symbol[4] == 'L' ? both << by >> 32 : shifted_right(both, by);
}

/* `length` bits from `first` on; `sign`: the last of them, or of the value, is repeated. */
static uint64_t of_field(uint64_t bits, unsigned width, uint64_t first, uint64_t length, bool sign)
{
	const uint64_t end = first + length < width ? first + length : width;
	uint64_t field = first < width ? (bits & bits_below((unsigned)end)) >> first : 0;

	if (!sign || !length)
		return field;
	if (bits >> (end - 1) & 1)
		field |= ~bits_below(first < width ? (unsigned)(end - first) : 0);
	return field;
}

/* A position or length in fields of 32 bits is a byte, as in alu_integer.h. */
static uint64_t field_operand(const struct lane_operands *of, size_t operand)
{
	return of->width[0] == 64 ? of->value[operand] : of->value[operand] & 0xff;
}

static uint64_t of_extract(const struct lane_operands *of)
{
	return of_field(of->undefined[0].bits, of->width[0], field_operand(of, 1),
			field_operand(of, 2), of->symbol[4] == 'S');
}

static uint64_t of_size_extension(const struct lane_operands *of)
{
	const uint64_t asked = of->value[1];
	const uint64_t length = strstr(of->symbol, "WRAP") ? asked & 31 : asked < 32 ? asked : 32;

	return of_field(of->undefined[0].bits, 32, 0, length,
			of->symbol[strlen(of->symbol) - 3] == 'S');
}

static uint64_t of_insert(const struct lane_operands *of)
{
	const uint64_t first = field_operand(of, 2), length = field_operand(of, 3);
	const uint64_t mask = shifted_left(bits_below(length < 64 ? (unsigned)length : 64), first);

	return (shifted_left(of->undefined[0].bits, first) & mask) |
	       (of->undefined[1].bits & ~mask);
}

/* The selector of a mode, as prmt.b32 has it. */
static uint32_t selector_of(const struct lane_operands *of)
{
	static const uint32_t edge_left[] = {0x3210, 0x3211, 0x3222, 0x3333};
	static const uint32_t edge_right[] = {0x0000, 0x1110, 0x2210, 0x3210};
	static const uint32_t backward[] = {0x5670, 0x6701, 0x7012, 0x0123};
	const uint32_t c = (uint32_t)of->value[2];

	if (!strcmp(of->symbol, "PRMT_F4E_B32"))
		return 0x3210 + 0x1111 * (c & 3);
	if (!strcmp(of->symbol, "PRMT_B4E_B32"))
		return backward[c & 3];
	if (!strcmp(of->symbol, "PRMT_RC8_B32"))
		return 0x1111 * (c & 3);
	if (!strcmp(of->symbol, "PRMT_ECL_B32"))
		return edge_left[c & 3];
	if (!strcmp(of->symbol, "PRMT_ECR_B32"))
		return edge_right[c & 3];
	if (!strcmp(of->symbol, "PRMT_RC16_B32"))
		return c & 1 ? 0x3232 : 0x1010;
	return c;
}

static uint64_t of_permutation(const struct lane_operands *of)
{
	const uint64_t both = of->undefined[0].bits | of->undefined[1].bits << 32;
	const uint32_t selector = selector_of(of);
	uint64_t result = 0;

	for (unsigned i = 0; i < 4; i++) {
		const uint32_t select = selector >> 4 * i & 15;
		uint64_t byte = both >> 8 * (select & 7) & 0xff;

		if (select & 8) /* the sign, eight times */
			byte = byte & 0x80 ? 0xff : 0;
		result |= byte << 8 * i;
	}
	return result;
}

static uint64_t of_reversal(const struct lane_operands *of)
{
	uint64_t result = 0;

	for (unsigned i = 0; i < of->width[0]; i++)
		result |= (of->undefined[0].bits >> i & 1) << (of->width[0] - 1 - i);
	return result;
}

static uint64_t of_pack(const struct lane_operands *of)
{
	uint64_t result = 0;

	for (unsigned i = 0; i < OPERANDS && of->width[i + 1]; i++)
		result |= shifted_left(of->undefined[i].bits, i * of->width[i + 1]);
	return result;
}

/* UNPACK_B16_1_OF_B32: the number of the part stands behind the width of the result. */
static uint64_t of_unpack(const struct lane_operands *of)
{
	const char *part = strchr(of->symbol + strlen("UNPACK_B"), '_') + 1;

	return of->undefined[0].bits >> (unsigned)(*part - '0') * of->width[0];
}

/* The bits of part `part` of a value, all of them if any is undefined. */
static uint64_t of_part(uint64_t bits, unsigned part, unsigned width)
{
	return bits >> part * width & bits_below(width) ? bits_below(width) : 0;
}

/* The conversion of two values to a pair: the first becomes the upper part. */
static uint64_t of_two(const struct lane_operands *of)
{
	const unsigned width = of->width[0] / 2;

	return (of->undefined[0].bits ? bits_below(width) << width : 0) |
	       (of->undefined[1].bits ? bits_below(width) : 0);
}

/* Each part of a pair depends on the same part of the operands. */
static uint64_t of_pair(const struct lane_operands *of, int operands)
{
	uint64_t result = 0;

	for (unsigned part = 0; part < 2; part++) {
		bool any = false;

		for (int i = 0; i < operands; i++)
			any |= of_part(of->undefined[i].bits, part, of->width[i + 1] / 2) != 0;
		if (any)
			result |= bits_below(of->width[0] / 2) << part * (of->width[0] / 2);
	}
	return result;
}

/* The end of the first or the last type of two values in a mnemonic, such as f16x2 (not "ex2"). */
static bool has_pair(const char *mnemonic, bool at_end)
{
	const char *found = strstr(mnemonic, "x2");

	while (found && (found[-1] < '0' || found[-1] > '9'))
		found = strstr(found + 1, "x2");
	if (!at_end || !found)
		return found != NULL;
	return !strcmp(mnemonic + strlen(mnemonic) - 2, "x2");
}

/* slct: b if c is negative, or not a number. */
static int slct_choice(const struct lane_operands *of)
{
	const uint32_t c = (uint32_t)of->value[2], magnitude = c & INT32_MAX;

	if (strstr(of->symbol, "_S32"))
		return c >> 31;
	return magnitude > 0x7f800000 || (c >> 31 && magnitude);
}

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

static bool is_integer_value(uint8_t type)
{
	return type != TYPE_pred && type != TYPE_f32 && type != TYPE_f64 && type != TYPE_b16 &&
	       type != TYPE_b32 && type != TYPE_b64;
}

/* The choice, shift, position or selector is undefined. */
static bool any_from(const struct lane_operands *of, size_t first)
{
	for (size_t i = first; i < OPERANDS; i++)
		if (of->undefined[i].bits)
			return true;
	return false;
}

static bool is_plain_integer(const struct alu_row *row, const char *mnemonic)
{
	const size_t length = strlen(mnemonic);

	return !strncmp(row->mnemonic, mnemonic, length) && strlen(row->mnemonic) == length + 3 &&
	       is_integer_value(row->types[0]);
}

/* Returns the undefined bits of the result. */
static uint64_t result_bits(const struct alu_row *row, const struct lane_operands *of)
{
	const char *symbol = row->symbol;
	const uint64_t *bits = &of->undefined[0].bits;

	if (begins(symbol, "MOV_") || begins(symbol, "NOT_"))
		return *bits;
	if (begins(symbol, "XOR_"))
		return *bits | of->undefined[1].bits;
	if (begins(symbol, "AND_") || begins(symbol, "OR_"))
		return of_and_or(of, symbol[0] == 'O');
	if (begins(symbol, "LOP3"))
		return any_from(of, 3) ? UINT64_MAX : of_lop3(of);
	if (begins(symbol, "SELP_"))
		return any_from(of, 2) ? UINT64_MAX : of->undefined[of->value[2] ? 0 : 1].bits;
	if (begins(symbol, "SLCT_"))
		return any_from(of, 2) ? UINT64_MAX : of->undefined[slct_choice(of)].bits;
	if (begins(row->mnemonic, "cvt.") && has_pair(row->mnemonic, false) &&
	    !has_pair(row->mnemonic, true))
		return any_from(of, 2) ? UINT64_MAX : of_two(of);
	if (row->types[0] != TYPE_pred && has_pair(row->mnemonic, true) &&
	    !begins(row->mnemonic, "set."))
		return of_pair(of, row->operands);
	if (begins(symbol, "SHL_") || begins(symbol, "SHR_"))
		return any_from(of, 1) ? UINT64_MAX : of_shift(of);
	if (begins(symbol, "SHF_"))
		return any_from(of, 2) ? UINT64_MAX : of_funnel(of);
	if (begins(symbol, "BFE_"))
		return any_from(of, 1) ? UINT64_MAX : of_extract(of);
	if (begins(symbol, "BFI_"))
		return any_from(of, 2) ? UINT64_MAX : of_insert(of);
	if (begins(symbol, "PRMT_"))
		return any_from(of, 2) ? UINT64_MAX : of_permutation(of);
	if (begins(symbol, "SZEXT_"))
		return any_from(of, 1) ? UINT64_MAX : of_size_extension(of);
	if (begins(symbol, "BREV_"))
		return of_reversal(of);
	if (begins(symbol, "PACK_"))
		return of_pack(of);
	if (begins(symbol, "UNPACK_"))
		return of_unpack(of);
	if (is_plain_integer(row, "add.") || is_plain_integer(row, "sub.") ||
	    is_plain_integer(row, "neg.") || is_plain_integer(row, "mul.lo.") ||
	    is_plain_integer(row, "mad.lo.") || begins(symbol, "ADDC_U") ||
	    begins(symbol, "SUBC_U"))
		return of_sum(of);
	if (begins(row->mnemonic, "cvt.") && !begins(row->mnemonic, "cvt.sat") &&
	    !begins(row->mnemonic, "cvt.pack") && is_integer_value(row->types[0]) &&
	    is_integer_value(row->types[1])) {
		const bool is_signed = strstr(symbol + strlen("CVT_") + 1, "_S") != NULL;

		return is_signed ? extended(*bits, of->width[1]) : *bits;
	}
	return UINT64_MAX;
}

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

/* The origin of the result: that of an operand that it depends on. */
static undefined_origin result_origin(const struct alu_row *row, const struct lane_operands *of)
{
	if (begins(row->symbol, "SELP_") && !of->undefined[2].bits)
		return of->undefined[of->value[2] ? 0 : 1].origin;
	if (begins(row->symbol, "SLCT_") && !of->undefined[2].bits)
		return of->undefined[slct_choice(of)].origin;
	for (int i = 0; i < row->operands; i++)
		if (of->undefined[i].bits)
			return of->undefined[i].origin;
	return 0;
}

void uninitialised_alu(struct warp *warp, const struct instruction *at, uint32_t lanes)
{
	const struct alu_row *row = alu_row_of((enum operation)at->operation);
	const uint32_t rows[OPERANDS] = {at->a, at->b, at->c, at->d};
	struct lane_operands of = {.symbol = row->symbol};
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
			of.undefined[i].bits &= bits_below(of.width[i + 1]);
			of.value[i] = value_in(warp, rows[i], lane, of.width[i + 1]);
			undefined |= of.undefined[i].bits != 0;
		}
		if (undefined) {
			result.bits = result_bits(row, &of) & bits_below(of.width[0]);
			result.origin = result_origin(row, &of);
		}
		row_set(warp, at->dst, lane, of.width[0], result);
	}
}
