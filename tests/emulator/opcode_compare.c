/* The allowed difference between emulator and GPU for each opcode, and the comparison. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/emulator/opcodes.h"

/*
 * All other opcodes are equal to the bit. Each tolerance is as tight as the recorded inputs allow;
 * PTX promises less.
 */
static const char seeds[] = "the hardware looks its function up in a table and interpolates";
static const char inverse[] = "a product with the hardware's reciprocal";
static const char turns[] = "the hardware cuts the angle to a fixed point; near a zero that is all";
static const char upper[] = "one unit of the upper half, all that the hardware computes";
static const struct {
	const char *mnemonic;
	double ulps, distance;
	const char *why;
} tolerances[] = {
	{"rcp.approx.f32", 1, 0, seeds},
	{"rcp.approx.ftz.f32", 1, 0, seeds},
	{"sqrt.approx.f32", 1, 0, seeds},
	{"sqrt.approx.ftz.f32", 1, 0, seeds},
	{"rsqrt.approx.f32", 1, 0, seeds},
	{"rsqrt.approx.ftz.f32", 1, 0, seeds},
	{"div.approx.f32", 1, 0, inverse},
	{"div.approx.ftz.f32", 1, 0, inverse},
	{"div.full.f32", 1, 0, inverse},
	{"div.full.ftz.f32", 1, 0, inverse},
	{"ex2.approx.f32", 1, 0, seeds},
	{"ex2.approx.ftz.f32", 1, 0, seeds},
	/* near 1, where the logarithm is near 0, the error of the table */
	{"lg2.approx.f32", 2, 0x1p-23, seeds},
	{"lg2.approx.ftz.f32", 2, 0x1p-23, seeds},
	{"sin.approx.f32", 0, 0x1p-21, turns},
	{"sin.approx.ftz.f32", 0, 0x1p-21, turns},
	{"cos.approx.f32", 0, 0x1p-21, turns},
	{"cos.approx.ftz.f32", 0, 0x1p-21, turns},
	{"tanh.approx.f32", 128, 0, seeds},
	{"rcp.approx.ftz.f64", 0x1p32, 0, upper},
	{"rsqrt.approx.ftz.f64", 0x1p32, 0, upper},
};

void opcode_tolerance(struct opcode_case *opcode)
{
	for (size_t i = 0; i < ARRAY_SIZE(tolerances); i++)
		if (strcmp(opcode->name, tolerances[i].mnemonic) == 0) {
			opcode->ulps = tolerances[i].ulps;
			opcode->distance = tolerances[i].distance;
			opcode->why = tolerances[i].why;
		}
}

/* Returns the value of a result's bits (float_bits of struct opcode_case). */
static double value_of(uint64_t bits, unsigned float_bits)
{
	uint32_t low = (uint32_t)bits;
	double wide;
	float narrow;

	switch (float_bits) {
	case 16:
		if ((low & 0x7c00) == 0x7c00)
			wide = low & 0x3ff ? (double)NAN : (double)INFINITY;
		else
			wide = ldexp(low & 0x7c00 ? (low & 0x3ff) + 1024 : low & 0x3ff,
				     (int)(low >> 10 & 31) - (low & 0x7c00 ? 25 : 24));
		return low & 0x8000 ? -wide : wide;
	case 17:
		low <<= 16;
		/* fall through */
	case 32:
		memcpy(&narrow, &low, sizeof(narrow));
		return (double)narrow;
	default:
		memcpy(&wide, &bits, sizeof(wide));
		return wide;
	}
}

/* Returns the unit in the last place at a value. */
static double unit_of(double value, unsigned float_bits)
{
	int digits = float_bits == 16 ? 11 : float_bits == 17 ? 8 : float_bits == 32 ? 24 : 53;
	int least = float_bits == 16   ? -24
		    : float_bits == 17 ? -133
		    : float_bits == 32 ? -149
				       : -1074;
	int exponent;

	if (!isfinite(value) || value == 0)
		return ldexp(1, least);
	frexp(value, &exponent);
	return ldexp(1, exponent - digits < least ? least : exponent - digits);
}

/* Compares one number. Infinities and NaNs must be equal to the bit. */
static bool near_enough(struct opcode_comparison *sum, const struct opcode_case *opcode,
			uint64_t wanted, uint64_t got)
{
	double a = value_of(got, opcode->float_bits);
	double b = value_of(wanted, opcode->float_bits);
	double off = fabs(a - b), ulps = off / unit_of(b, opcode->float_bits);

	if (got == wanted)
		return true;
	if (!opcode->float_bits || !isfinite(a) || !isfinite(b))
		return false;
	if (ulps <= opcode->ulps)
		sum->ulps = fmax(sum->ulps, ulps);
	else if (off <= opcode->distance)
		sum->distance = fmax(sum->distance, off);
	else
		return false;
	return true;
}

/* Compares a result, which may be a pair of numbers. */
static bool result_near_enough(struct opcode_comparison *sum, const struct opcode_case *opcode,
			       uint64_t wanted, uint64_t got)
{
	if (!opcode->pairs)
		return near_enough(sum, opcode, wanted, got);
	return near_enough(sum, opcode, wanted & 0xffff, got & 0xffff) &&
	       near_enough(sum, opcode, wanted >> 16, got >> 16);
}

struct opcode_comparison opcode_compare(const struct opcode_case *opcode, const char *wanted,
					const char *got)
{
	struct opcode_comparison sum = {0};
	size_t threads = opcode_thread_count(opcode);
	size_t length = strlen(got);
	size_t at = 0;

	if (strlen(wanted) != length) {
		sum.wrong = threads;
		return sum;
	}
	/* Compares a digit of predicates, which holds four threads. */
	for (size_t k = 0; k < OPCODE_RESULTS && at < length; k++) {
		unsigned bits = opcode->result_bits[k];
		size_t digits = bits == 1 ? 1 : bits < 16 ? 4 : bits / 4;

		for (size_t i = 0; bits && i < threads && at < length;
		     i += bits == 1 ? 4 : 1, at += digits) {
			char left[17] = "", right[17] = "";
			uint64_t a, b;

			sum.count += bits == 1 ? 4 : 1;
			memcpy(left, wanted + at, digits);
			memcpy(right, got + at, digits);
			a = strtoull(left, NULL, 16);
			b = strtoull(right, NULL, 16);
			sum.different += a != b;
			sum.wrong += !result_near_enough(&sum, opcode, a, b);
		}
	}
	return sum;
}
