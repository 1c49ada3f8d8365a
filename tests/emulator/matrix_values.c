/* Operands of the instructions on matrices. */
#include <math.h>

#include "base/random.h"
#include "matrices.h"

struct format {
	unsigned width, exponent_bits, fraction_bits;
	unsigned stored_shift; /* tf32 ignores the low 13 bits of its register, which are random */
};

static struct format format_of(enum matrix_element element)
{
	switch (element) {
	case ELEMENT_F16:
		return (struct format){16, 5, 10, 0};
	case ELEMENT_BF16:
		return (struct format){16, 8, 7, 0};
	case ELEMENT_TF32:
		return (struct format){32, 8, 10, 13};
	case ELEMENT_E4M3:
		return (struct format){8, 4, 3, 0};
	case ELEMENT_E5M2:
		return (struct format){8, 5, 2, 0};
	case ELEMENT_F64:
		return (struct format){64, 11, 52, 0};
	default:
		return (struct format){32, 8, 23, 0};
	}
}

static uint64_t low_bits(uint64_t value, unsigned count)
{
	return count < 64 ? value & ((UINT64_C(1) << count) - 1) : value;
}

/* An exponent field within [low, high], brought into the range of the format. */
static uint64_t exponent_between(const struct format *format, uint64_t random, int low, int high)
{
	int most = (1 << format->exponent_bits) - 2;
	int exponent = low + (int)(random % (uint64_t)(high - low + 1));

	return (uint64_t)(exponent < 0 ? 0 : exponent > most ? most : exponent);
}

static uint64_t special(const struct format *format, uint64_t random)
{
	unsigned fraction = format->fraction_bits;
	uint64_t all = (UINT64_C(1) << format->exponent_bits) - 1;
	uint64_t fractions = (UINT64_C(1) << fraction) - 1;

	switch (random % 9) {
	case 0:
		return 0;
	case 1:
		return 1; /* the least subnormal number */
	case 2:
		return fractions; /* the largest subnormal number */
	case 3:
		return UINT64_C(1) << fraction;
	case 4:
		return (all - 1) << fraction | fractions;
	case 5:
		return (all / 2) << fraction; /* one */
	case 6:
		return all << fraction; /* infinity */
	case 7:
		return all << fraction | UINT64_C(1) << (fraction - 1) | (random >> 8 & 1);
	default:
		return all << fraction | 1;
	}
}

/* Where the exponents of a profile lie, for factors and for addends. */
static uint64_t exponent_of(const struct format *format, unsigned profile, bool is_addend,
			    bool is_double, uint64_t random)
{
	int bias = (1 << (format->exponent_bits - 1)) - 1;
	int most = 2 * bias;
	bool is_small = format->exponent_bits <= 5;

	switch (profile) {
	case PROFILE_WIDE:
		if (is_small)
			return exponent_between(format, random, 1, most);
		return exponent_between(format, random, bias - (is_addend ? 30 : 16),
					bias + (is_addend ? 30 : 16));
	case PROFILE_SPARSE:
		return exponent_between(format, random, bias - (is_addend ? 24 : 12),
					bias + (is_addend ? 24 : 12));
	case PROFILE_BIG_SUM:
		return is_addend ? exponent_between(format, random, bias, bias + 24)
				 : exponent_between(format, random, bias - 2, bias + 1);
	case PROFILE_TINY:
		if (is_small)
			return exponent_between(format, random, 0, is_addend ? 4 : bias / 2 + 2);
		if (is_addend)
			return exponent_between(format, random, 0, 12);
		return exponent_between(format, random, bias / 2 - 16, bias / 2 + 4);
	case PROFILE_HUGE:
		if (is_small && is_addend)
			return exponent_between(format, random, most - 3, most);
		if (is_small)
			return exponent_between(format, random, bias + bias / 2 - 2,
						bias + bias / 2 + 1);
		if (is_addend)
			return exponent_between(format, random, most - 4, most);
		return exponent_between(format, random, bias + bias / 2 - (is_double ? 3 : 2),
					bias + bias / 2 + 1);
	default:
		return exponent_between(format, random, bias - 2, bias + 1);
	}
}

static uint64_t float_value(enum matrix_element element, unsigned profile, bool is_addend,
			    uint64_t random)
{
	struct format format = format_of(element);
	uint64_t more = random_at(random, 1), choice = random_at(random, 2) >> 8;
	uint64_t sign = (random >> 63) << (format.exponent_bits + format.fraction_bits);
	uint64_t fraction = low_bits(more, format.fraction_bits), value;

	if (profile == PROFILE_RAW)
		return low_bits(random, format.width);
	if (profile == PROFILE_SPARSE && choice % 8 < (is_addend ? 2 : 4))
		return 0;
	if (profile == PROFILE_SPARSE && choice >> 8 & 1)
		fraction = 0;
	if (profile == PROFILE_SPECIAL && choice % 8 < (is_addend ? 3 : 1))
		value = special(&format, choice >> 8);
	else
		value = exponent_of(&format, profile, is_addend, element == ELEMENT_F64,
				    choice >> 16)
				<< format.fraction_bits |
			fraction;
	value = (sign | value) << format.stored_shift;
	return value | low_bits(more >> 40, format.stored_shift);
}

static uint64_t integer_value(enum matrix_element element, unsigned profile, uint64_t random)
{
	uint64_t more = random_at(random, 1);

	if (profile == PROFILE_NEAR)
		return element == ELEMENT_S32 ? (uint32_t)((int32_t)random >> 8) : random;
	if (element == ELEMENT_S32)
		return more & 1 ? UINT32_C(0x7fffffff) - (uint32_t)(random >> 50)
				: UINT32_C(0x80000000) + (uint32_t)(random >> 50);
	/* Bytes and nibbles that are the least or the largest. */
	random &= UINT64_C(0x0101010101010101);
	return more & 1 ? (UINT64_C(0x8080808080808080) - random) ^ (more >> 40 & 0xff)
			: random * 0xff;
}

uint64_t matrix_value(const struct matrix_case *matrix, unsigned operand, unsigned profile,
		      uint64_t place)
{
	enum matrix_element element = matrix->operands[operand].element;
	struct format format = format_of(element);
	uint64_t value = 0, seed = place * 8 + operand * UINT64_C(0x1000000000);

	if (element == ELEMENT_BITS || element == ELEMENT_S32)
		return low_bits(integer_value(element, profile, random_at(profile, seed)),
				matrix->bits);
	for (unsigned at = 0; at < matrix->bits; at += format.width)
		value |= float_value(element, profile, operand == 2,
				     random_at(profile, seed + at / format.width))
			 << at;
	return value;
}
