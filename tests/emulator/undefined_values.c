/* The table of docs/undefined-values.md, operation by operation. */
#include "undefined_values.h"

#include <math.h>
#include <string.h>

struct bits_value all_undefined(unsigned width, uint64_t from)
{
	return (struct bits_value){.undefined = low_mask(width), .from = from};
}

static struct bits_value made(uint64_t bits, uint64_t undefined, unsigned width, uint64_t from)
{
	undefined &= low_mask(width);
	return (struct bits_value){bits & low_mask(width) & ~undefined, undefined,
				   undefined ? from : 0};
}

/* The value with the bits from `width` on like its top bit. */
static uint64_t sign_extended(uint64_t bits, unsigned width)
{
	if (width < 64 && bits >> (width - 1) & 1)
		return bits | ~low_mask(width);
	return bits & low_mask(width);
}

/* ---- bits that move: the same for the data and for its undefined bits ---- */

static uint64_t shifted_left(uint64_t bits, uint64_t by)
{
	return by >= 64 ? 0 : bits << by;
}

static uint64_t shifted_right(uint64_t bits, uint64_t by)
{
	return by >= 64 ? 0 : bits >> by;
}

static uint64_t reversed(uint64_t bits, unsigned width)
{
	uint64_t out = 0;

	for (unsigned i = 0; i < width; i++)
		out |= (bits >> i & 1) << (width - 1 - i);
	return out;
}

static uint64_t field(uint64_t bits, unsigned width, uint64_t first, uint64_t length, bool sign)
{
	const uint64_t top = width - 1, last = first + length - 1;
	uint64_t out = 0, fill = 0;

	if (sign && length)
		fill = bits >> (last < top ? last : top) & 1;
	for (unsigned i = 0; i < width; i++)
		out |= (i < length && first + i <= top ? bits >> (first + i) & 1 : fill) << i;
	return out;
}

static uint64_t inserted(uint64_t part, uint64_t into, unsigned width, uint64_t first,
			 uint64_t length)
{
	for (unsigned i = 0; i < length && first + i < width; i++)
		into = (into & ~(UINT64_C(1) << (first + i))) | (part >> i & 1) << (first + i);
	return into;
}

static uint64_t permuted(uint64_t low, uint64_t high, uint64_t selector)
{
	const uint64_t bytes = (low & 0xffffffff) | high << 32;
	uint64_t out = 0;

	for (unsigned i = 0; i < 4; i++) {
		const unsigned choice = selector >> (4 * i) & 15;
		uint64_t byte = bytes >> (8 * (choice & 7)) & 255;

		if (choice & 8)
			byte = byte >> 7 ? 255 : 0;
		out |= byte << (8 * i);
	}
	return out;
}

static uint64_t extended(uint64_t bits, uint64_t count, bool sign)
{
	if (count >= 32)
		return bits;
	if (sign && count)
		return sign_extended(bits & low_mask((unsigned)count), (unsigned)count);
	return bits & low_mask((unsigned)count);
}

/* `a` is the data or its undefined bits; b of funnel shifts and bfi is alike. */
static uint64_t moved(enum undefined_op op, unsigned width, uint64_t a, uint64_t b,
		      const struct bits_value *s)
{
	/* Fields of 64 bits use all bits of position and length, as an H200 does. */
	const uint64_t byte = width == 64 ? UINT32_MAX : 255;

	switch (op) {
	case DO_SHL:
		return shifted_left(a, s[1].bits);
	case DO_SHR_U:
		return shifted_right(a, s[1].bits);
	case DO_SHR_S:
		return (uint64_t)((int64_t)sign_extended(a, width) >>
				  (s[1].bits > 63 ? 63 : s[1].bits));
	case DO_SHF_L:
		return (b << 32 | a) << (s[2].bits & 31) >> 32;
	case DO_SHF_R:
		return shifted_right(b << 32 | a, s[2].bits > 32 ? 32 : s[2].bits);
	case DO_BFE_U:
	case DO_BFE_S:
		return field(a, width, s[1].bits & byte, s[2].bits & byte, op == DO_BFE_S);
	case DO_BFI:
		return inserted(a, b, width, s[2].bits & byte, s[3].bits & byte);
	case DO_PRMT:
		return permuted(a, b, s[2].bits);
	case DO_SZEXT_U:
		return extended(a, s[1].bits, false);
	case DO_SZEXT_S:
		return extended(a, s[1].bits & 31, true);
	case DO_BREV:
		return reversed(a, width);
	default:
		return a;
	}
}

static struct bits_value moving(enum undefined_op op, unsigned width, const struct bits_value *s,
				unsigned data, unsigned selectors, uint64_t from)
{
	for (unsigned i = data; i < data + selectors; i++)
		if (s[i].undefined)
			return all_undefined(width, from);
	return made(moved(op, width, s[0].bits, s[1].bits, s),
		    moved(op, width, s[0].undefined, data > 1 ? s[1].undefined : 0, s), width,
		    from);
}

/* ---- bits that other bits decide ---- */

/* One bit of a function of three bits, given by its table. */
static void looked_up(unsigned table, const struct bits_value *s, unsigned bit,
		      struct bits_value *out)
{
	bool zero = false, one = false;

	for (unsigned i = 0; i < 8; i++) {
		bool possible = true;

		for (unsigned k = 0; k < 3; k++)
			possible &= s[k].undefined >> bit & 1 ||
				    (s[k].bits >> bit & 1) == (i >> (2 - k) & 1);
		if (possible)
			*(table >> i & 1 ? &one : &zero) = true;
	}
	out->bits |= (uint64_t)(one && !zero) << bit;
	out->undefined |= (uint64_t)(one && zero) << bit;
}

static struct bits_value by_table(unsigned table, unsigned width, const struct bits_value *s,
				  uint64_t from)
{
	struct bits_value out = {0};

	for (unsigned bit = 0; bit < width; bit++)
		looked_up(table, s, bit, &out);
	out.from = out.undefined ? from : 0;
	return out;
}

/* ---- arithmetic ---- */

static struct bits_value carried(uint64_t bits, uint64_t undefined, unsigned width, uint64_t from)
{
	return made(bits, undefined ? ~((undefined & -undefined) - 1) : 0, width, from);
}

static bool is_zero(struct bits_value value)
{
	return !value.bits && !value.undefined;
}

/* s[0] * s[1] + sum. A factor that is 0 makes the other factor irrelevant. */
static struct bits_value product(const struct bits_value *s, struct bits_value sum, unsigned width)
{
	if (is_zero(s[0]) || is_zero(s[1]))
		return carried(sum.bits, sum.undefined, width, sum.from);
	return carried(s[0].bits * s[1].bits + sum.bits,
		       s[0].undefined | s[1].undefined | sum.undefined, width,
		       s[0].from | s[1].from | sum.from);
}

static uint64_t float_sum(uint64_t a, uint64_t b)
{
	const uint32_t words[] = {(uint32_t)a, (uint32_t)b};
	uint32_t sum;
	float values[2];

	memcpy(values, words, sizeof(values));
	values[0] += values[1];
	memcpy(&sum, &values[0], sizeof(sum));
	return isnan(values[0]) ? 0x7fffffff : sum;
}

static uint64_t to_float(uint64_t a)
{
	const float value = (float)(uint32_t)a;
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

/* Operations that have no row of their own. `width` is that of the operands. */
static uint64_t computed(enum undefined_op op, unsigned width, uint64_t a, uint64_t b)
{
	switch (op) {
	case DO_MIN:
		return a < b ? a : b;
	case DO_SETP_EQ:
		return a == b;
	case DO_SETP_LT:
		return (int64_t)sign_extended(a, width) < (int64_t)sign_extended(b, width);
	case DO_POPC:
		return (uint64_t)__builtin_popcountll(a);
	case DO_BMSK:
		return a > 31 ? 0 : low_mask(b > 32 ? 32 : (unsigned)b) << a;
	case DO_FADD:
		return float_sum(a, b);
	default:
		return to_float(a);
	}
}

static const unsigned source_counts[] = {
#define X(symbol, name, sources, result, narrow) sources,
	SIMPLE_LIST(X)
#undef X
};

static unsigned result_width(enum undefined_op op, unsigned width)
{
	static const enum undefined_class results[] = {
#define X(symbol, name, sources, result, narrow) result,
		SIMPLE_LIST(X)
#undef X
	};

	return results[op] == CLASS_COUNT ? width : class_bits[results[op]];
}

struct bits_value simple_value(enum undefined_op op, unsigned width, const struct bits_value *s)
{
	uint64_t any = 0, from = 0;

	for (unsigned i = 0; i < source_counts[op]; i++) {
		any |= s[i].undefined;
		from |= s[i].from;
	}
	switch (op) {
	case DO_MOV:
	case DO_PMOV:
	case DO_BREV:
		return moving(op, width, s, 1, 0, from);
	case DO_SHL:
	case DO_SHR_U:
	case DO_SHR_S:
	case DO_SZEXT_U:
	case DO_SZEXT_S:
		return moving(op, width, s, 1, 1, from);
	case DO_BFE_U:
	case DO_BFE_S:
		return moving(op, width, s, 1, 2, from);
	case DO_SHF_L:
	case DO_SHF_R:
	case DO_PRMT:
		return moving(op, width, s, 2, 1, from);
	case DO_BFI:
		return moving(op, width, s, 2, 2, from);
	case DO_AND:
	case DO_PAND:
		return by_table(0xc0, width, s, from);
	case DO_OR:
	case DO_POR:
		return by_table(0xfc, width, s, from);
	case DO_XOR:
	case DO_PXOR:
		return by_table(0x3c, width, s, from);
	case DO_NOT:
	case DO_PNOT:
		return by_table(0x0f, width, s, from);
	case DO_LOP3:
		return by_table(s[3].bits & 255, width, s, from);
	case DO_ADD:
		return carried(s[0].bits + s[1].bits, any, width, from);
	case DO_SUB:
		return carried(s[0].bits - s[1].bits, any, width, from);
	case DO_NEG:
		return carried(-s[0].bits, any, width, from);
	case DO_MUL:
		return product(s, (struct bits_value){0}, width);
	case DO_MAD:
		return product(s, s[2], width);
	case DO_MUL_WIDE:
		if (is_zero(s[0]) || is_zero(s[1]))
			return (struct bits_value){0};
		return made(s[0].bits * s[1].bits, any ? UINT64_MAX : 0, 64, from);
	case DO_SELP:
		if (s[2].undefined)
			return all_undefined(width, s[2].from);
		return s[2].bits ? s[0] : s[1];
	default:
		return made(computed(op, width, s[0].bits, s[1].bits), any ? UINT64_MAX : 0,
			    result_width(op, width), from);
	}
}

/* ---- conversions between integers ---- */

static uint64_t clamped(uint64_t bits, const struct undefined_node *node)
{
	const uint64_t top = low_mask(node->to_bits - (node->to_signed ? 1 : 0));

	if (!node->is_signed || (int64_t)bits >= 0)
		return bits > top ? top : bits;
	if (!node->to_signed)
		return 0;
	return (int64_t)bits < -(int64_t)top - 1 ? ~top : bits;
}

struct bits_value converted(const struct undefined_node *node, struct bits_value source,
			    unsigned register_bits)
{
	uint64_t bits = source.bits & low_mask(node->from_bits);
	uint64_t undefined = source.undefined & low_mask(node->from_bits);

	if (node->is_signed) {
		bits = sign_extended(bits, node->from_bits);
		undefined = sign_extended(undefined, node->from_bits);
	}
	if (node->saturates)
		return made(clamped(bits, node), undefined ? UINT64_MAX : 0, register_bits,
			    source.from);
	bits &= low_mask(node->to_bits);
	undefined &= low_mask(node->to_bits);
	if (node->to_signed) {
		bits = sign_extended(bits, node->to_bits);
		undefined = sign_extended(undefined, node->to_bits);
	}
	return made(bits, undefined, register_bits, source.from);
}
