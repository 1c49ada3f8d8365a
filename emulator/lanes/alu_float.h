/*
 * alu_float: the functions of alu_float.def and alu_compare.def. Directed
 * roundings do not change the rounding mode of the processor. A sum is computed
 * in a wider format and rounded to odd there: its last bit is set if any bit was
 * lost. A second rounding in any direction then gives the same result as a
 * single one. All arithmetic is IEEE without contraction: the same bits on every
 * machine and in every set of lanes.
 */
#ifndef EMULATOR_LANES_ALU_FLOAT_H
#define EMULATOR_LANES_ALU_FLOAT_H

#include <float.h>
#include <math.h>

#include "emulator/lanes/float_bits.h"
#include "emulator/lanes/handlers.h"

/* The comparisons of `set` on pairs of halves. */
#define COMPARISON(name, condition)                         \
	static inline bool compare_##name(float x, float y) \
	{                                                   \
		return condition;                           \
	}
COMPARISON(EQ, x == y)
COMPARISON(NE, (x < y) || (x > y))
COMPARISON(LT, x < y)
COMPARISON(LE, x <= y)
COMPARISON(GT, x > y)
COMPARISON(GE, x >= y)
COMPARISON(EQU, !((x < y) || (x > y)))
COMPARISON(NEU, x != y)
COMPARISON(LTU, !(x >= y))
COMPARISON(LEU, !(x > y))
COMPARISON(GTU, !(x <= y))
COMPARISON(GEU, !(x < y))
COMPARISON(NUM, (x == x) && (y == y))
COMPARISON(NAN, (x != x) || (y != y))
#undef COMPARISON
#define COMPARE_PAIR(lift, truth, compare)                               \
	((compare(lift((uint16_t)a), lift((uint16_t)b)) ? (truth) : 0) | \
	 (compare(lift((uint16_t)(a >> 16)), lift((uint16_t)(b >> 16))) ? (truth) : 0) << 16)

/* ---- rounding ---- */

/* A NaN becomes canonical. */
static inline float double_to_float(double x, enum rounding rounding)
{
	float nearest = (float)x;
	double back = (double)nearest;
	bool down = rounding == ROUND_RM || (rounding == ROUND_RZ && x > 0.0);
	bool up = rounding == ROUND_RP || (rounding == ROUND_RZ && x < 0.0);

	if (rounding == ROUND_RN)
		return canonical_f32(nearest);
	nearest = down && back > x ? below_f32(nearest) : nearest;
	return canonical_f32(up && back < x ? above_f32(nearest) : nearest);
}
static inline float double_to_float_odd(double x)
{
	float towards_zero = double_to_float(x, ROUND_RZ);
	uint32_t lost = (double)towards_zero != x ? 1 : 0;

	return x == x ? f32_of_bits(bits_of_f32(towards_zero) | lost) : towards_zero;
}

/* a + b rounded to odd. */
static inline double sum_odd(double a, double b)
{
	double sum = a + b;
	double of_b = sum - a;
	double error = (a - (sum - of_b)) + (b - of_b);
	uint64_t bits = bits_of_f64(sum);
	/* Away from zero if the error has the sign of the sum. */
	uint64_t step = (error > 0.0) == (sum > 0.0) ? 1 : UINT64_MAX;
	bool inexact = error < 0.0 || error > 0.0;

	return f64_of_bits(inexact && !(bits & 1) ? bits + step : bits);
}

/* A sum of zero, rounded down, is negative if an operand is. */
static inline float sum_f32(double a, double b, enum rounding rounding)
{
	double sum = sum_odd(a, b);

	if (rounding == ROUND_RM)
		sum = sum == 0.0 && (bits_of_f64(a) | bits_of_f64(b)) >> 63 ? -0.0 : sum;
	return double_to_float(sum, rounding);
}
static inline float add_f32(float a, float b, enum rounding rounding)
{
	return rounding == ROUND_RN ? canonical_f32(a + b)
				    : sum_f32((double)a, (double)b, rounding);
}
static inline float sub_f32(float a, float b, enum rounding rounding)
{
	return rounding == ROUND_RN ? canonical_f32(a - b)
				    : sum_f32((double)a, (double)negate_f32(b), rounding);
}
static inline float mul_f32(float a, float b, enum rounding rounding)
{
	return rounding == ROUND_RN ? canonical_f32(a * b)
				    : double_to_float((double)a * (double)b, rounding);
}
static inline float fma_f32(float a, float b, float c, enum rounding rounding)
{
#ifdef __FMA__
	if (rounding == ROUND_RN)
		return canonical_f32(fmaf(a, b, c));
#endif
	return sum_f32((double)a * (double)b, (double)c, rounding);
}
/* A quotient or root that is not an f32 differs from every f32 by more than half a unit in the last
 * place of a double, so rounding twice is safe. */
static inline float div_f32(float a, float b, enum rounding rounding)
{
	return rounding == ROUND_RN ? canonical_f32(a / b)
				    : double_to_float((double)a / (double)b, rounding);
}
static inline float sqrt_f32(float a, enum rounding rounding)
{
	return rounding == ROUND_RN ? canonical_f32(sqrtf(a))
				    : double_to_float(sqrt((double)a), rounding);
}

/* With .ftz, a product or sum becomes zero if it is below the smallest normal f32 after rounding to
 * 24 bits. Rounding it as a subnormal could lift a value just below to the smallest normal. */
static inline bool is_tiny(double x, enum rounding rounding)
{
	return absolute_f32(double_to_float(x * 0x1p64, rounding)) < 0x1p-62f;
}
static inline float mul_ftz_f32(float a, float b, enum rounding rounding)
{
	float product = mul_f32(a, b, rounding);

	return is_tiny((double)a * (double)b, rounding) ? copy_sign_f32(product, 0.0f) : product;
}
static inline float fma_ftz_f32(float a, float b, float c, enum rounding rounding)
{
	float sum = fma_f32(a, b, c, rounding);
	double odd = sum_odd((double)a * (double)b, (double)c);

	return is_tiny(odd, rounding) ? copy_sign_f32(sum, 0.0f) : sum;
}
/* A quotient below the smallest normal f32 becomes zero, even if rounding would lift it there. */
static inline float div_ftz_f32(float a, float b, enum rounding rounding)
{
	float quotient = div_f32(a, b, rounding);
	bool tiny = absolute_f64((double)a) < absolute_f64((double)b) * 0x1p-126;

	return tiny ? copy_sign_f32(quotient, 0.0f) : quotient;
}

/* ---- f64 ---- */

/* Unlike f32, f64 NaNs keep their payload. */
static inline double quiet_f64(double nan)
{
	return f64_of_bits(bits_of_f64(nan) | UINT64_C(1) << 51);
}
/* The result of an operation on two values. If it is a NaN: the quiet NaN of `first`, else that of
 * `second`, else the default NaN. */
static inline double result_f64(double result, double first, double second)
{
	double nan =
		second == second ? f64_of_bits(UINT64_C(0xfff8000000000000)) : quiet_f64(second);

	nan = first == first ? nan : quiet_f64(first);
	return result == result ? result : nan;
}
/* a * b + c, rounded once in a direction; alu_wide.c. */
double LANES_NAME(fma_f64_directed)(double a, double b, double c, enum rounding rounding);
double LANES_NAME(div_f64_directed)(double a, double b, enum rounding rounding);
double LANES_NAME(sqrt_f64_directed)(double a, enum rounding rounding);

/* The NaN of b has priority over c's, and c's over a's; with two operands, b's over a's. */
static inline double fma_f64(double a, double b, double c, enum rounding rounding)
{
	return result_f64(rounding == ROUND_RN ? fma(a, b, c)
					       : LANES_NAME(fma_f64_directed)(a, b, c, rounding),
			  b == b ? c : b, a);
}
static inline double add_f64(double a, double b, enum rounding rounding)
{
	return result_f64(rounding == ROUND_RN ? a + b
					       : LANES_NAME(fma_f64_directed)(a, 1.0, b, rounding),
			  b, a);
}
static inline double sub_f64(double a, double b, enum rounding rounding)
{
	return result_f64(rounding == ROUND_RN
				  ? a - b
				  : LANES_NAME(fma_f64_directed)(a, 1.0, negate_f64(b), rounding),
			  b, a);
}
static inline double mul_f64(double a, double b, enum rounding rounding)
{
	double product = a * b;

	/* A zero product is exact. c is a zero with the sign of the product, so it keeps that sign.
	 */
	return result_f64(
		rounding == ROUND_RN || a == 0.0 || b == 0.0
			? product
			: LANES_NAME(fma_f64_directed)(a, b, copy_sign_f64(product, 0.0), rounding),
		b, a);
}
/* Division is a routine on the hardware: the NaN of a has priority over b's. */
static inline double div_f64(double a, double b, enum rounding rounding)
{
	return result_f64(
		rounding == ROUND_RN ? a / b : LANES_NAME(div_f64_directed)(a, b, rounding), a, b);
}
static inline double sqrt_f64(double a, enum rounding rounding)
{
	return result_f64(
		rounding == ROUND_RN ? sqrt(a) : LANES_NAME(sqrt_f64_directed)(a, rounding), a, a);
}

/* ---- minimum and maximum: a number wins over a NaN, -0 is below +0 ---- */

static inline float min_f32(float a, float b)
{
	float least = a < b ? a : b;

	least = a == b ? f32_of_bits(bits_of_f32(a) | bits_of_f32(b)) : least;
	least = a == a ? least : b;
	return canonical_f32(b == b ? least : a);
}
static inline float max_f32(float a, float b)
{
	float greatest = a > b ? a : b;

	greatest = a == b ? f32_of_bits(bits_of_f32(a) & bits_of_f32(b)) : greatest;
	greatest = a == a ? greatest : b;
	return canonical_f32(b == b ? greatest : a);
}
/* .NaN: a NaN wins over a number. */
static inline float min_nan_f32(float a, float b)
{
	return a == a && b == b ? min_f32(a, b) : f32_of_bits(0x7fffffff);
}
static inline float max_nan_f32(float a, float b)
{
	return a == a && b == b ? max_f32(a, b) : f32_of_bits(0x7fffffff);
}
static inline double min_f64(double a, double b)
{
	double least = a < b ? a : b;

	least = a == b ? f64_of_bits(bits_of_f64(a) | bits_of_f64(b)) : least;
	least = a == a ? least : b;
	return result_f64(b == b ? least : a, b, a);
}
static inline double max_f64(double a, double b)
{
	double greatest = a > b ? a : b;

	greatest = a == b ? f64_of_bits(bits_of_f64(a) & bits_of_f64(b)) : greatest;
	greatest = a == a ? greatest : b;
	return result_f64(b == b ? greatest : a, b, a);
}

/* ---- functions that the hardware approximates ---- */

/* They are series in double precision of additions and multiplications only, because libm's
 * functions differ between machines. Results are within the tolerances of the opcode tests, but not
 * bit-identical to the hardware's. */
static inline float reciprocal_approx(float a)
{
	return canonical_f32(1.0f / a);
}
static inline float sqrt_approx(float a)
{
	return canonical_f32(sqrtf(a));
}
static inline float reciprocal_sqrt_approx(float a)
{
	return canonical_f32((float)(1.0 / sqrt((double)a)));
}
static inline float div_full(float a, float b)
{
	return canonical_f32(a / b);
}
/* Multiplies by the reciprocal, which is 0 for a divisor above 2^126. */
static inline float div_approx(float a, float b)
{
	float reciprocal = absolute_f32(b) > 0x1p126f ? copy_sign_f32(b, 0.0f) : 1.0f;

	return canonical_f32(reciprocal == 1.0f ? a / b : a * reciprocal);
}

/* The hardware uses only the upper 32 bits of doubles. These bits decide whether the value is a NaN
 * or subnormal, and subnormals become zeroes. */
static inline double upper_half(double x)
{
	return f64_of_bits(bits_of_f64(x) & UINT64_C(0xffffffff00000000));
}
static inline double upper_half_ftz(double x)
{
	double upper = upper_half(x);

	upper = absolute_f64(upper) < DBL_MIN ? copy_sign_f64(upper, 0.0) : upper;
	return upper == upper ? upper : f64_of_bits(UINT64_C(0x7fffffff00000000));
}
static inline double reciprocal_approx_f64(double a)
{
	return upper_half_ftz(1.0 / upper_half_ftz(a));
}
static inline double reciprocal_sqrt_approx_ftz_f64(double a)
{
	return upper_half_ftz(1.0 / sqrt(upper_half_ftz(a)));
}
/* A root of few bits and one step that triples them, as ptxas emits it. The result is nearly always
 * rounded to nearest. */
static inline double reciprocal_sqrt_approx_f64(double a)
{
	bool small = a < 0x1p-900;
	double x = small ? a * 0x1p200 : a;
	double near = 1.0 / sqrt(x);
	double start = upper_half(near);
	double error = fma(x, -(start * start), 1.0);
	double root = fma(fma(error, 0.375, 0.5), start * error, start);

	root = x > 0.0 && x < (double)INFINITY ? root : near;
	return result_f64(small ? root * 0x1p100 : root, a, a);
}

/* sin(2 pi turns), |turns| <= 1/4. */
static inline double sine_of_turns(double turns)
{
	double x = turns * 6.283185307179586;
	double y = x * x;
	double series = -7.647163731819816e-13;

	series = series * y + 1.605904383682161e-10;
	series = series * y - 2.505210838544172e-08;
	series = series * y + 2.755731922398589e-06;
	series = series * y - 1.984126984126984e-04;
	series = series * y + 8.333333333333333e-03;
	series = series * y - 1.666666666666667e-01;
	return x + x * y * series;
}
/* As the hardware: in turns, rounded towards zero to a float, without the whole turns. */
static inline double turns_of(float a)
{
	double turns = (double)double_to_float((double)a * 0x1.45f306p-3, ROUND_RZ);

	return turns - rint(turns);
}
static inline float sine_approx(float a)
{
	double turns = turns_of(a);

	turns = turns > 0.25 ? 0.5 - turns : turns;
	return canonical_f32((float)sine_of_turns(turns < -0.25 ? -0.5 - turns : turns));
}
static inline float cosine_approx(float a)
{
	double turns = turns_of(a);

	return canonical_f32((float)sine_of_turns(0.25 - (turns < 0.0 ? -turns : turns)));
}

/* 2^x for |x| < 1000. */
static inline double power_of_2(double x)
{
	double whole = rint(x);
	double y = (x - whole) * 0.6931471805599453;
	double series = 2.505210838544172e-08;

	series = series * y + 2.755731922398589e-07;
	series = series * y + 2.755731922398589e-06;
	series = series * y + 2.480158730158730e-05;
	series = series * y + 1.984126984126984e-04;
	series = series * y + 1.388888888888889e-03;
	series = series * y + 8.333333333333333e-03;
	series = series * y + 4.166666666666666e-02;
	series = series * y + 1.666666666666667e-01;
	series = series * y + 0.5;
	series = series * y + 1.0;
	series = series * y + 1.0;
	return series * f64_of_bits((uint64_t)(int64_t)((int32_t)whole + 1023) << 52);
}
static inline float exponential_2_approx(float a)
{
	double x = (double)a;

	x = x > 200.0 ? 200.0 : x;
	x = x > -200.0 ? x : -200.0; /* also for a NaN */
	return a == a ? (float)power_of_2(x) : canonical_f32(a);
}

static inline float logarithm_2_approx(float a)
{
	uint64_t bits = bits_of_f64((double)a);
	double mantissa = f64_of_bits((bits & 0xfffffffffffff) | UINT64_C(0x3ff0000000000000));
	double exponent = (double)((int32_t)(bits >> 52 & 0x7ff) - 1023);
	bool large = mantissa > 1.4142135623730951;
	double z, y, series;
	float result;

	mantissa = large ? mantissa * 0.5 : mantissa;
	exponent = large ? exponent + 1.0 : exponent;
	z = (mantissa - 1.0) / (mantissa + 1.0);
	y = z * z;
	series = 1.0 / 15;
	series = series * y + 1.0 / 13;
	series = series * y + 1.0 / 11;
	series = series * y + 1.0 / 9;
	series = series * y + 1.0 / 7;
	series = series * y + 1.0 / 5;
	series = series * y + 1.0 / 3;
	series = series * y + 1.0;
	/* truncated, as on the hardware */
	result = double_to_float(exponent + z * series * 2.8853900817779268, ROUND_RZ);
	result = a == INFINITY ? INFINITY : result;
	result = a == 0.0f ? -INFINITY : result;
	return a >= 0.0f ? result : f32_of_bits(0x7fffffff);
}

/* As on the hardware, tanh(x) is x for |x| below 2^-8, and 1 where it is within 2^-24 of 1. */
static inline float tanh_approx(float a)
{
	double x = (double)absolute_f32(a);
	double capped = x < 20.0 ? x : 20.0;
	double rest = 2.0 / (power_of_2(capped * 2.885390081777927) + 1.0);
	double result = rest < 0x1p-24 ? 1.0 : 1.0 - rest;

	return a == a ? copy_sign_f32(a, (float)(x < 0x1p-8 ? x : result)) : canonical_f32(a);
}

#endif
