/*
 * alu_approximate: the functions that the hardware approximates. They are series
 * in double precision of additions and multiplications only, because libm's
 * functions differ between machines. Results are within the tolerances of the
 * opcode tests, but not bit-identical to the hardware's.
 */
#ifndef EMULATOR_LANES_ALU_APPROXIMATE_H
#define EMULATOR_LANES_ALU_APPROXIMATE_H

#include "emulator/lanes/alu_float.h"

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
