#include "emulator/machine/undefined/undefined_parts.h"

#include <string.h>

/* ---- rules: each returns the undefined bits of the result, and may clear those of operands that
 * the result does not depend on ---- */

static uint64_t of_everything(struct lane_operands *of)
{
	(void)of;
	return UINT64_MAX;
}

static uint64_t of_source(struct lane_operands *of)
{
	return of->undefined[0].bits;
}

static uint64_t of_xor(struct lane_operands *of)
{
	return of->undefined[0].bits | of->undefined[1].bits;
}

/* An operand that decides a bit of an AND (0) or OR (1) where it is defined. */
static uint64_t of_and_or(struct lane_operands *of)
{
	const bool is_or = of->row->symbol[0] == 'O';
	const uint64_t a = of->undefined[0].bits, b = of->undefined[1].bits;
	const uint64_t x = is_or ? ~of->value[0] : of->value[0];
	const uint64_t y = is_or ? ~of->value[1] : of->value[1];

	return (a & b) | (a & ~b & y) | (b & ~a & x);
}

static uint64_t of_lop3(struct lane_operands *of)
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
static uint64_t of_sum(struct lane_operands *of)
{
	uint64_t any = 0;

	for (size_t i = 0; i < UNDEFINED_OPERANDS; i++)
		any |= of->undefined[i].bits;
	return any | (0 - any);
}

static uint64_t extended(uint64_t bits, unsigned width)
{
	return width < 64 && bits >> (width - 1) & 1 ? bits | ~undefined_mask(width) : bits;
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
static uint64_t of_shift(struct lane_operands *of)
{
	const unsigned width = of->width[0];
	const uint64_t by = of->value[1] < width ? of->value[1] : width;
	const uint64_t bits = of->undefined[0].bits;

	if (of->row->symbol[2] == 'L')
		return shifted_left(bits, by);
	if (of->row->symbol[4] == 'U')
		return shifted_right(bits, by);
	return (uint64_t)((int64_t)extended(bits, width) >> (by < 63 ? by : 63));
}

static uint64_t of_funnel(struct lane_operands *of)
{
	const uint64_t both = of->undefined[0].bits | of->undefined[1].bits << 32;
	const bool wraps = strstr(of->row->symbol, "WRAP") != NULL;
	const uint64_t count = of->value[2];
	const unsigned by = wraps ? count & 31 : count < 32 ? (unsigned)count : 32;

	return of->row->symbol[4] == 'L' ? both << by >> 32 : shifted_right(both, by);
}

/* `length` bits from `first` on; `sign`: the last of them, or of the value, is repeated. */
static uint64_t of_field(uint64_t bits, unsigned width, uint64_t first, uint64_t length, bool sign)
{
	const uint64_t end = first + length < width ? first + length : width;
	uint64_t field = first < width ? (bits & undefined_mask((unsigned)end)) >> first : 0;

	if (!sign || !length)
		return field;
	if (bits >> (end - 1) & 1)
		field |= ~undefined_mask(first < width ? (unsigned)(end - first) : 0);
	return field;
}

/* A position or length in fields of 32 bits is a byte, as in alu_integer.h. */
static uint64_t field_operand(const struct lane_operands *of, size_t operand)
{
	return of->width[0] == 64 ? of->value[operand] : of->value[operand] & 0xff;
}

static uint64_t of_extract(struct lane_operands *of)
{
	return of_field(of->undefined[0].bits, of->width[0], field_operand(of, 1),
			field_operand(of, 2), of->row->symbol[4] == 'S');
}

static uint64_t of_size_extension(struct lane_operands *of)
{
	const uint64_t asked = of->value[1];
	const uint64_t length = strstr(of->row->symbol, "WRAP") ? asked & 31
				: asked < 32                    ? asked
								: 32;

	return of_field(of->undefined[0].bits, 32, 0, length,
			of->row->symbol[strlen(of->row->symbol) - 3] == 'S');
}

static uint64_t of_insert(struct lane_operands *of)
{
	const uint64_t first = field_operand(of, 2), length = field_operand(of, 3);
	const uint64_t mask =
		shifted_left(undefined_mask(length < 64 ? (unsigned)length : 64), first);

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

	if (!strcmp(of->row->symbol, "PRMT_F4E_B32"))
		return 0x3210 + 0x1111 * (c & 3);
	if (!strcmp(of->row->symbol, "PRMT_B4E_B32"))
		return backward[c & 3];
	if (!strcmp(of->row->symbol, "PRMT_RC8_B32"))
		return 0x1111 * (c & 3);
	if (!strcmp(of->row->symbol, "PRMT_ECL_B32"))
		return edge_left[c & 3];
	if (!strcmp(of->row->symbol, "PRMT_ECR_B32"))
		return edge_right[c & 3];
	if (!strcmp(of->row->symbol, "PRMT_RC16_B32"))
		return c & 1 ? 0x3232 : 0x1010;
	return c;
}

static uint64_t of_permutation(struct lane_operands *of)
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

static uint64_t of_reversal(struct lane_operands *of)
{
	uint64_t result = 0;

	for (unsigned i = 0; i < of->width[0]; i++)
		result |= (of->undefined[0].bits >> i & 1) << (of->width[0] - 1 - i);
	return result;
}

static uint64_t of_pack(struct lane_operands *of)
{
	uint64_t result = 0;

	for (unsigned i = 0; i < UNDEFINED_OPERANDS && of->width[i + 1]; i++)
		result |= shifted_left(of->undefined[i].bits, i * of->width[i + 1]);
	return result;
}

/* UNPACK_B16_1_OF_B32: the number of the part stands behind the width of the result. */
static uint64_t of_unpack(struct lane_operands *of)
{
	const char *part = strchr(of->row->symbol + strlen("UNPACK_B"), '_') + 1;

	return of->undefined[0].bits >> (unsigned)(*part - '0') * of->width[0];
}

/* The bits of part `part` of a value, all of them if any is undefined. */
static uint64_t of_part(uint64_t bits, unsigned part, unsigned width)
{
	return bits >> part * width & undefined_mask(width) ? undefined_mask(width) : 0;
}

/* The conversion of two values to a pair: the first becomes the upper part. */
static uint64_t of_two(struct lane_operands *of)
{
	const unsigned width = of->width[0] / 2;

	return (of->undefined[0].bits ? undefined_mask(width) << width : 0) |
	       (of->undefined[1].bits ? undefined_mask(width) : 0);
}

/* Each part of a pair depends on the same part of the operands. */
static uint64_t of_pair(struct lane_operands *of)
{
	uint64_t result = 0;

	for (unsigned part = 0; part < 2; part++) {
		bool any = false;

		for (int i = 0; i < of->row->operands; i++)
			any |= of_part(of->undefined[i].bits, part, of->width[i + 1] / 2) != 0;
		if (any)
			result |= undefined_mask(of->width[0] / 2) << part * (of->width[0] / 2);
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

/* Whether the first operand is chosen. slct: if c is not negative. */
static bool is_first_chosen(const struct lane_operands *of)
{
	const uint32_t c = (uint32_t)of->value[2], magnitude = c & INT32_MAX;

	if (!strncmp(of->row->symbol, "SELP", 4))
		return of->value[2] != 0;
	if (strstr(of->row->symbol, "_S32"))
		return !(c >> 31);
	return magnitude <= 0x7f800000 && !(c >> 31 && magnitude);
}

static uint64_t of_choice(struct lane_operands *of)
{
	const size_t chosen = is_first_chosen(of) ? 0 : 1;

	of->undefined[1 - chosen].bits = 0;
	return of->undefined[chosen].bits;
}

static bool is_integer_value(uint8_t type)
{
	return type != TYPE_pred && type != TYPE_f32 && type != TYPE_f64 && type != TYPE_b16 &&
	       type != TYPE_b32 && type != TYPE_b64;
}

/* A part of a factor that is 0 makes the same part of the other one irrelevant. */
static void drop_products_with_zero(struct lane_operands *of, unsigned parts, unsigned a_width,
				    unsigned b_first, unsigned b_width)
{
	struct undefined_bits *a = &of->undefined[0], *b = &of->undefined[1];
	uint64_t a_counts = 0, b_counts = 0;

	for (unsigned i = 0; i < parts; i++) {
		const uint64_t a_part = undefined_mask(a_width) << i * a_width;
		const uint64_t b_part = undefined_mask(b_width) << (b_first + i * b_width);

		if ((of->value[1] | b->bits) & b_part)
			a_counts |= a_part;
		if ((of->value[0] | a->bits) & a_part)
			b_counts |= b_part;
	}
	a->bits &= a_counts;
	b->bits &= b_counts;
}

static bool any_from(const struct lane_operands *of, size_t first)
{
	for (size_t i = first; i < UNDEFINED_OPERANDS; i++)
		if (of->undefined[i].bits)
			return true;
	return false;
}

static uint64_t of_bytes_product(struct lane_operands *of)
{
	const bool pairs = of->row->symbol[2] == '2';

	drop_products_with_zero(of, pairs ? 2 : 4, pairs ? 16 : 8,
				strstr(of->row->symbol, "_HI_") ? 16 : 0, 8);
	return any_from(of, 0) ? UINT64_MAX : 0;
}

static uint64_t of_product(struct lane_operands *of)
{
	if (of->row->types[0] != TYPE_pred && has_pair(of->row->mnemonic, true))
		return of_pair(of);
	if (!is_integer_value(of->row->types[0]))
		return UINT64_MAX;
	drop_products_with_zero(of, 1, of->width[1], 0, of->width[2]);
	if (strstr(of->row->mnemonic, ".lo.") && !strstr(of->row->mnemonic, "24"))
		return of_sum(of);
	return any_from(of, 0) ? UINT64_MAX : 0;
}

/* Sums of integers without saturation; else each part of a pair, or the whole. */
static uint64_t of_arithmetic(struct lane_operands *of)
{
	const char *mnemonic = of->row->mnemonic;

	if (of->row->types[0] != TYPE_pred && has_pair(mnemonic, true))
		return of_pair(of);
	if (is_integer_value(of->row->types[0]) && !strstr(mnemonic, ".sat"))
		return of_sum(of);
	return UINT64_MAX;
}

static uint64_t of_parts(struct lane_operands *of)
{
	return has_pair(of->row->mnemonic, true) ? of_pair(of) : UINT64_MAX;
}

static uint64_t of_conversion(struct lane_operands *of)
{
	const char *mnemonic = of->row->mnemonic;
	const uint64_t bits = of->undefined[0].bits;

	if (has_pair(mnemonic, true))
		return of_pair(of);
	if (has_pair(mnemonic, false))
		return any_from(of, 2) ? UINT64_MAX : of_two(of);
	if (strstr(mnemonic, ".sat") || strstr(mnemonic, ".pack") ||
	    !is_integer_value(of->row->types[0]) || !is_integer_value(of->row->types[1]))
		return UINT64_MAX;
	return strstr(of->row->symbol + strlen("CVT_") + 1, "_S") ? extended(bits, of->width[1])
								  : bits;
}

/* By the first word of the symbols of the table of operations. */
static const struct rule {
	const char *word;
	uint64_t (*undefined)(struct lane_operands *of);
	/* The operands from this one on choose, shift or select: if any of their bits is undefined,
	 * so is the result. 0: none does. */
	size_t choosers;
} rules[] = {
	{"MOV", of_source, 0},      {"NOT", of_source, 0},         {"XOR", of_xor, 0},
	{"AND", of_and_or, 0},      {"OR", of_and_or, 0},          {"LOP3", of_lop3, 3},
	{"SELP", of_choice, 2},     {"SLCT", of_choice, 2},        {"SHL", of_shift, 1},
	{"SHR", of_shift, 1},       {"SHF", of_funnel, 2},         {"BFE", of_extract, 1},
	{"BFI", of_insert, 2},      {"PRMT", of_permutation, 2},   {"SZEXT", of_size_extension, 1},
	{"BREV", of_reversal, 0},   {"PACK", of_pack, 0},          {"UNPACK", of_unpack, 0},
	{"CVT", of_conversion, 0},  {"ADD", of_arithmetic, 0},     {"SUB", of_arithmetic, 0},
	{"ADDC", of_arithmetic, 0}, {"SUBC", of_arithmetic, 0},    {"NEG", of_arithmetic, 0},
	{"MUL", of_product, 0},     {"MAD", of_product, 0},        {"MUL24", of_product, 0},
	{"MAD24", of_product, 0},   {"DP4A", of_bytes_product, 0}, {"DP2A", of_bytes_product, 0},
	{"FMA", of_parts, 0},       {"MIN", of_parts, 0},          {"MAX", of_parts, 0},
	{"ABS", of_parts, 0},       {"EX2", of_parts, 0},          {"TANH", of_parts, 0},
};

/* Each bit of the result of these depends on all bits of all operands. */
static const char *const opaque_words[] = {"BFIND", "BMSK", "CLZ",   "CNOT",     "COPYSIGN", "COS",
					   "CVTA",  "DIV",  "FNS",   "ISSPACEP", "LG2",      "POPC",
					   "RCP",   "REM",  "RSQRT", "SAD",      "SET",      "SETP",
					   "SIN",   "SQRT", "TESTP", "VIDEO"};
static const struct rule everything = {"", of_everything, 0};

static const struct rule *rule_of(const struct alu_row *row)
{
	const size_t length = strcspn(row->symbol, "_");

	for (size_t i = 0; i < ARRAY_SIZE(rules); i++)
		if (strlen(rules[i].word) == length && !memcmp(rules[i].word, row->symbol, length))
			return &rules[i];
	for (size_t i = 0; i < ARRAY_SIZE(opaque_words); i++)
		if (strlen(opaque_words[i]) == length &&
		    !memcmp(opaque_words[i], row->symbol, length))
			return &everything;
	return NULL;
}

bool undefined_has_rule(const struct alu_row *row)
{
	return rule_of(row) != NULL;
}

struct undefined_bits undefined_result(struct lane_operands *of)
{
	const struct rule *rule = rule_of(of->row);
	struct undefined_bits result = {.bits = UINT64_MAX};

	if (!rule->choosers || !any_from(of, rule->choosers))
		result.bits = rule->undefined(of);
	result.bits &= undefined_mask(of->width[0]);
	for (int i = UNDEFINED_OPERANDS - 1; i >= 0; i--)
		if (of->undefined[i].bits)
			result.origin = of->undefined[i].origin;
	return result;
}
