/* f64 arithmetic with directed rounding, on 128-bit integers. It is rare and not vectorised. */
#include "emulator/lanes/alu_float.h"

/* The finite number magnitude * 2^exponent; the magnitude is 0 or its highest bit is at TOP. */
struct wide {
	__extension__ unsigned __int128 magnitude;
	int exponent;
	bool negative;
};
#define TOP 125

static int highest_bit(uint64_t high, uint64_t low)
{
	return high ? 127 - __builtin_clzll(high) : 63 - __builtin_clzll(low);
}

static struct wide wide_normalised(struct wide x)
{
	int shift;

	if (x.magnitude == 0)
		return x;
	shift = TOP - highest_bit((uint64_t)(x.magnitude >> 64), (uint64_t)x.magnitude);
	x.magnitude <<= shift;
	x.exponent -= shift;
	return x;
}

static uint64_t mantissa_of(double x, int *exponent)
{
	uint64_t bits = bits_of_f64(x);
	int field = (int)(bits >> 52 & 0x7ff);
	uint64_t fraction = bits & 0xfffffffffffff;

	*exponent = (field ? field : 1) - 1075;
	return field ? fraction | UINT64_C(1) << 52 : fraction;
}

static struct wide wide_of(double x)
{
	struct wide wide = {.negative = bits_of_f64(x) >> 63};

	wide.magnitude = mantissa_of(x, &wide.exponent);
	return wide_normalised(wide);
}

static struct wide wide_product(double a, double b)
{
	struct wide wide = {.negative = (bits_of_f64(a) ^ bits_of_f64(b)) >> 63};
	int exponent_a, exponent_b;

	wide.magnitude = mantissa_of(a, &exponent_a);
	wide.magnitude *= mantissa_of(b, &exponent_b);
	wide.exponent = exponent_a + exponent_b;
	return wide_normalised(wide);
}

/* Shifts to the right, and sets the last bit if a bit was lost. */
static struct wide wide_shifted(struct wide x, int shift)
{
	bool lost;

	x.exponent += shift;
	if (shift > 127) {
		x.magnitude = x.magnitude ? 1 : 0;
		return x;
	}
	lost = (x.magnitude >> shift) << shift != x.magnitude;
	x.magnitude >>= shift;
	x.magnitude |= lost ? 1 : 0;
	return x;
}

/* Adds two normalised numbers: bits are lost only if the result stays large. */
static struct wide wide_sum(struct wide a, struct wide b)
{
	struct wide sum;

	if (a.magnitude == 0 || b.magnitude == 0)
		return a.magnitude ? a : b;
	if (a.exponent < b.exponent || (a.exponent == b.exponent && a.magnitude < b.magnitude)) {
		sum = a;
		a = b;
		b = sum;
	}
	b = wide_shifted(b, a.exponent - b.exponent);
	sum = a;
	if (a.negative == b.negative)
		sum.magnitude += b.magnitude;
	else
		sum.magnitude -= b.magnitude;
	return sum;
}

static double wide_rounded(struct wide x, enum rounding rounding)
{
	bool away = rounding == (x.negative ? ROUND_RM : ROUND_RP);
	int top = highest_bit((uint64_t)(x.magnitude >> 64), (uint64_t)x.magnitude);
	int unit = x.exponent + top - 52; /* exponent of a unit in the last place */
	uint64_t mantissa;
	int shift;
	double value;

	if (unit < -1074)
		unit = -1074;
	shift = unit - x.exponent;
	if (shift <= 0) {
		mantissa = (uint64_t)(x.magnitude << -shift);
	} else {
		bool lost = shift > 127 || (x.magnitude >> shift) << shift != x.magnitude;

		mantissa = shift > 127 ? 0 : (uint64_t)(x.magnitude >> shift);
		mantissa += away && lost ? 1 : 0;
	}
	if (unit > 971 || (unit == 971 && mantissa >> 53))
		value = away ? (double)INFINITY : DBL_MAX;
	else
		value = ldexp((double)mantissa, unit);
	return x.negative ? -value : value;
}

double LANES_NAME(fma_f64_directed)(double a, double b, double c, enum rounding rounding)
{
	struct wide product, sum;

	if (!is_finite_f64(a) || !is_finite_f64(b) || !is_finite_f64(c))
		return fma(a, b, c);
	product = wide_product(a, b);
	sum = wide_sum(product, wide_of(c));
	if (sum.magnitude)
		return wide_rounded(sum, rounding);
	if (rounding == ROUND_RM)
		return product.negative || bits_of_f64(c) >> 63 ? -0.0 : 0.0;
	return product.negative && bits_of_f64(c) >> 63 && product.magnitude == 0 ? -0.0 : 0.0;
}

/* The exact sign of c - a * b: -1, 0 or 1. */
static int residual_sign(double a, double b, double c)
{
	struct wide product = wide_product(a, b);
	struct wide sum;

	product.negative = !product.negative;
	sum = wide_sum(product, wide_of(c));
	if (sum.magnitude == 0)
		return 0;
	return sum.negative ? -1 : 1;
}

/* Rounds in a direction. The exact value is next to `x`: above (side 1), below (-1) or equal (0).
 */
static double directed(double x, int side, enum rounding rounding)
{
	bool negative = bits_of_f64(x) >> 63;

	if (side < 0 && (rounding == ROUND_RM || (rounding == ROUND_RZ && !negative)))
		return below_f64(x);
	if (side > 0 && (rounding == ROUND_RP || (rounding == ROUND_RZ && negative)))
		return above_f64(x);
	return x;
}

double LANES_NAME(div_f64_directed)(double a, double b, enum rounding rounding)
{
	double quotient = a / b;
	int side;

	if (!is_finite_f64(a) || !is_finite_f64(b) || b == 0.0 || a == 0.0)
		return quotient;
	if (is_infinite_f64(quotient))
		quotient = copy_sign_f64(quotient, DBL_MAX);
	side = residual_sign(quotient, b, a);
	/* A zero with the sign of the quotient is already rounded towards zero. */
	if (quotient == 0.0 && rounding == ROUND_RZ)
		return quotient;
	return directed(quotient, b < 0.0 ? -side : side, rounding);
}

double LANES_NAME(sqrt_f64_directed)(double a, enum rounding rounding)
{
	double root = sqrt(a);

	if (!is_finite_f64(a) || a <= 0.0)
		return root;
	return directed(root, residual_sign(root, root, a), rounding);
}
