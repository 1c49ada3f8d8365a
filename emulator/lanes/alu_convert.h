/*
 * alu_convert: the functions of alu_convert.def and, for halves, of alu_float.def. Half arithmetic
 * computes in a wider format, exactly or rounded to odd (see alu_float.h), and rounds once to the
 * half.
 */
#ifndef EMULATOR_LANES_ALU_CONVERT_H
#define EMULATOR_LANES_ALU_CONVERT_H

#include "emulator/lanes/alu_float.h"
#include "emulator/lanes/alu_integer.h"

#define PACKED(low, high) ((uint32_t)(low) | (uint32_t)(high) << 16)

/* ---- halves ---- */

static inline float half_to_float(uint16_t half)
{
	uint32_t sign = (uint32_t)(half & 0x8000) << 16;
	uint32_t rest = half & 0x7fff;
	uint32_t normal = (rest << 13) + (rest >= 0x7c00 ? 0x70000000 : 0x38000000);
	uint32_t subnormal = bits_of_f32((float)(int32_t)rest * 0x1p-24f);

	return f32_of_bits(sign | (rest < 0x400 ? subnormal : normal));
}
static inline uint16_t half_ftz(uint16_t half)
{
	return half & 0x7c00 ? half : half & 0x8000;
}
static inline float half_to_float_ftz(uint16_t half)
{
	return half_to_float(half_ftz(half));
}
static inline float bfloat_to_float(uint16_t bfloat)
{
	return f32_of_bits((uint32_t)bfloat << 16);
}

/* 1 if a directed rounding goes away from zero for this sign, else 0. */
static inline uint32_t rounds_away(enum rounding rounding, uint32_t bits)
{
	return rounding == ROUND_RP ? ~bits >> 31 : rounding == ROUND_RM ? bits >> 31 : 0;
}

static inline uint16_t float_to_half(float x, enum rounding rounding)
{
	uint32_t bits = bits_of_f32(x);
	uint32_t rest = bits & 0x7fffffff;
	uint32_t away = rounds_away(rounding, bits);
	bool small = rest < 0x38800000; /* below 2^-14, the smallest normal half */
	/* Small values in units of the last place of a half: `whole` units, and `left` below one.
	 */
	float scaled = absolute_f32(x) * 0x1p24f;
	int32_t whole = (int32_t)(small ? scaled : 0.0f);
	float left = (small ? scaled : 0.0f) - (float)whole;
	uint32_t base = small ? (uint32_t)whole : (rest - 0x38000000) >> 13;
	uint32_t over_half = small ? left > 0.5f : (rest & 0x1fff) > 0x1000;
	uint32_t just_half = small ? left == 0.5f : (rest & 0x1fff) == 0x1000;
	uint32_t inexact = small ? left > 0.0f : (rest & 0x1fff) != 0;
	uint32_t up = rounding == ROUND_RN ? over_half | (just_half & base) : away & inexact;
	uint32_t result = base + up;
	uint32_t greatest = rounding == ROUND_RN || away ? 0x7c00 : 0x7bff;

	result = rest >= 0x47800000 || result > 0x7bff ? greatest : result;
	result = rest == 0x7f800000 ? 0x7c00 : result;
	result |= bits >> 16 & 0x8000;
	return (uint16_t)(rest > 0x7f800000 ? 0x7fff : result);
}
static inline uint16_t float_to_bfloat(float x, enum rounding rounding)
{
	uint32_t bits = bits_of_f32(x);
	uint32_t left = bits & 0xffff;
	uint32_t up = rounding == ROUND_RN ? (left > 0x8000) | ((left == 0x8000) & (bits >> 16))
					   : rounds_away(rounding, bits) & (left != 0);

	return (uint16_t)((bits & 0x7fffffff) > 0x7f800000 ? 0x7fff : (bits >> 16) + up);
}
/* Bits of a narrower NaN: the sign, and as much of the payload as `mantissa` bits hold. */
static inline uint32_t narrow_nan(double nan, int sign_bit, int mantissa)
{
	uint64_t bits = bits_of_f64(nan);

	return (uint32_t)(bits >> 63 << sign_bit | (bits & 0xfffffffffffff) >> (52 - mantissa));
}
static inline uint16_t double_to_half(double x, enum rounding rounding)
{
	uint16_t nan = (uint16_t)(narrow_nan(x, 15, 10) | 0x7e00);

	return x == x ? float_to_half(double_to_float_odd(x), rounding) : nan;
}
static inline uint16_t double_to_bfloat(double x, enum rounding rounding)
{
	uint16_t nan = (uint16_t)(narrow_nan(x, 15, 7) | 0x7fc0);

	return x == x ? float_to_bfloat(double_to_float_odd(x), rounding) : nan;
}
/* Rounds to the 10 mantissa bits of tf32: to nearest, ties away from zero. Truncates a NaN. */
static inline uint32_t float_to_tf32(float x)
{
	uint32_t bits = bits_of_f32(x);

	return (bits + ((bits & 0x7f800000) == 0x7f800000 ? 0 : 0x1000)) & ~0x1fffu;
}

/* ---- integers ---- */

/* Between f32 and f64 a NaN keeps its sign and payload and becomes quiet. */
static inline double float_to_double(float x)
{
	uint64_t bits = bits_of_f32(x);
	double nan = f64_of_bits(bits >> 31 << 63 | UINT64_C(0x7ff8000000000000) |
				 (bits & 0x7fffff) << 29);

	return x == x ? (double)x : nan;
}
static inline float double_to_narrow(double x, enum rounding rounding)
{
	float nan = f32_of_bits(narrow_nan(x, 31, 23) | 0x7fc00000);

	return x == x ? double_to_float(x, rounding) : nan;
}
static inline float double_to_narrow_ftz(double x, enum rounding rounding)
{
	float narrow = double_to_narrow(x, rounding);

	return is_tiny(x, rounding) ? copy_sign_f32(narrow, 0.0f) : narrow;
}

static inline double integral(double x, enum integer_rounding rounding)
{
	switch (rounding) {
	case INTEGER_RNI:
		return rint(x);
	case INTEGER_RZI:
		return trunc(x);
	case INTEGER_RMI:
		return floor(x);
	case INTEGER_RPI:
		return ceil(x);
	}
	return x;
}
static inline float integral_f32(float x, enum integer_rounding rounding)
{
	return canonical_f32((float)integral((double)x, rounding));
}
static inline double integral_f64(double x, enum integer_rounding rounding)
{
	return result_f64(integral(x, rounding), x, x);
}

/*
 * Values beyond the range of the type become its limit. A NaN becomes 0, or the
 * highest bit alone if the float (source_bits) or the integer has 64 bits.
 */
#define NAN_AS_INTEGER(type) ((type)(source_bits == 64 ? UINT64_C(1) << (sizeof(type) * 8 - 1) : 0))
#define DOUBLE_TO_INTEGER(name, type, least, greatest)                                \
	static inline type double_to_##name(double x, enum integer_rounding rounding, \
					    int source_bits)                          \
	{                                                                             \
		double whole = integral(x, rounding);                                 \
                                                                                      \
		whole = whole > (least) ? whole : (least);                            \
		whole = whole < (greatest) ? whole : (greatest);                      \
		return x == x ? (type)(int64_t)whole : NAN_AS_INTEGER(type);          \
	}
DOUBLE_TO_INTEGER(u8, uint8_t, 0.0, 255.0)
DOUBLE_TO_INTEGER(s8, int8_t, -128.0, 127.0)
DOUBLE_TO_INTEGER(u16, uint16_t, 0.0, 65535.0)
DOUBLE_TO_INTEGER(s16, int16_t, -32768.0, 32767.0)
DOUBLE_TO_INTEGER(u32, uint32_t, 0.0, 4294967295.0)
#undef DOUBLE_TO_INTEGER
static inline int32_t double_to_s32(double x, enum integer_rounding rounding, int source_bits)
{
	double whole = integral(x, rounding);

	whole = whole > -0x1p31 ? whole : -0x1p31;
	whole = whole < 2147483647.0 ? whole : 2147483647.0;
	return x == x ? (int32_t)whole : NAN_AS_INTEGER(int32_t);
}
#undef NAN_AS_INTEGER
static inline int64_t double_to_s64(double x, enum integer_rounding rounding, int source_bits)
{
	double whole = integral(x, rounding);

	(void)source_bits;
	if (whole >= 0x1p63)
		return INT64_MAX;
	return whole > -0x1p63 ? (int64_t)whole : INT64_MIN; /* also for a NaN */
}
static inline uint64_t double_to_u64(double x, enum integer_rounding rounding, int source_bits)
{
	double whole = integral(x, rounding);

	(void)source_bits;
	if (x != x)
		return UINT64_C(1) << 63;
	if (!(whole > 0.0))
		return 0;
	return whole >= 0x1p64 ? UINT64_MAX : (uint64_t)whole;
}

/* Rounded to odd. */
static inline double unsigned_to_double_odd(uint64_t value)
{
	uint64_t upper = value >> 11 | ((value & 0x7ff) != 0);

	return value >> 53 ? (double)(int64_t)upper * 2048.0 : (double)(int64_t)value;
}
static inline double signed_to_double_odd(int64_t value)
{
	double magnitude =
		unsigned_to_double_odd(value < 0 ? 0 - (uint64_t)value : (uint64_t)value);

	return value < 0 ? -magnitude : magnitude;
}
static inline uint16_t unsigned_to_half(uint64_t value, enum rounding rounding)
{
	return double_to_half(unsigned_to_double_odd(value), rounding);
}
static inline uint16_t signed_to_half(int64_t value, enum rounding rounding)
{
	return double_to_half(signed_to_double_odd(value), rounding);
}
static inline uint16_t unsigned_to_bfloat(uint64_t value, enum rounding rounding)
{
	return double_to_bfloat(unsigned_to_double_odd(value), rounding);
}
static inline uint16_t signed_to_bfloat(int64_t value, enum rounding rounding)
{
	return double_to_bfloat(signed_to_double_odd(value), rounding);
}

#define SMALL_TO_FLOAT(name, type)                                                      \
	static inline float name##_to_f32(type value, enum rounding rounding)           \
	{                                                                               \
		return rounding == ROUND_RN ? (float)value                              \
					    : double_to_float((double)value, rounding); \
	}                                                                               \
	static inline double name##_to_f64(type value, enum rounding rounding)          \
	{                                                                               \
		(void)rounding;                                                         \
		return (double)value;                                                   \
	}
SMALL_TO_FLOAT(u8, uint8_t)
SMALL_TO_FLOAT(s8, int8_t)
SMALL_TO_FLOAT(u16, uint16_t)
SMALL_TO_FLOAT(s16, int16_t)
SMALL_TO_FLOAT(u32, uint32_t)
SMALL_TO_FLOAT(s32, int32_t)
#undef SMALL_TO_FLOAT
static inline float u64_to_f32(uint64_t value, enum rounding rounding)
{
	return double_to_float(unsigned_to_double_odd(value), rounding);
}
static inline float s64_to_f32(int64_t value, enum rounding rounding)
{
	return double_to_float(signed_to_double_odd(value), rounding);
}
/* Rounds the bits that a double cannot hold in the given direction. */
static inline double u64_to_f64(uint64_t value, enum rounding rounding)
{
	uint64_t lost = value >> 53 ? value & low_bits(11 - leading_zeroes_64(value)) : 0;
	double cut = (double)(value - lost);

	if (rounding == ROUND_RN)
		return (double)value;
	return rounding == ROUND_RP && lost ? above_f64(cut) : cut;
}
static inline double s64_to_f64(int64_t value, enum rounding rounding)
{
	uint64_t magnitude = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
	bool up = rounding == (value < 0 ? ROUND_RM : ROUND_RP);
	double rounded = u64_to_f64(magnitude, up ? ROUND_RP : ROUND_RZ);

	if (rounding == ROUND_RN)
		return (double)value;
	return value < 0 ? -rounded : rounded;
}

/* ---- arithmetic of halves ---- */

#define PAIR_OF_ONE(of, a) PACKED(of((uint16_t)(a)), of((uint16_t)((a) >> 16)))
#define PAIR_OF_TWO(of, a, b) \
	PACKED(of((uint16_t)(a), (uint16_t)(b)), of((uint16_t)((a) >> 16), (uint16_t)((b) >> 16)))
#define PAIR_OF_THREE(of, a, b, c)                              \
	PACKED(of((uint16_t)(a), (uint16_t)(b), (uint16_t)(c)), \
	       of((uint16_t)((a) >> 16), (uint16_t)((b) >> 16), (uint16_t)((c) >> 16)))

/* The half that x was rounded to, flushed to zero for .ftz; as is_tiny(), with 11 bits. */
static inline uint16_t flushed_half(uint16_t rounded, float x)
{
	bool tiny = (float_to_half(x * 0x1p10f, ROUND_RN) & 0x7fff) < 0x2c00; /* 2^-4 */

	return tiny ? rounded & 0x8000 : rounded;
}

/* Sums and products of halves as floats: rounding to float first does not change the result. */
#define HALF_ARITHMETIC(name, operator)                                                           \
	static inline uint16_t half_##name(uint16_t a, uint16_t b)                                \
	{                                                                                         \
		return float_to_half(half_to_float(a) operator half_to_float(b), ROUND_RN);       \
	}                                                                                         \
	static inline uint16_t half_##name##_ftz(uint16_t a, uint16_t b)                          \
	{                                                                                         \
		float exact = half_to_float_ftz(a) operator half_to_float_ftz(b);                 \
                                                                                                  \
		return flushed_half(float_to_half(exact, ROUND_RN), exact);                       \
	}                                                                                         \
	static inline uint16_t half_##name##_sat(uint16_t a, uint16_t b)                          \
	{                                                                                         \
		return float_to_half(saturate_f32(half_to_float(a) operator half_to_float(b)),    \
				     ROUND_RN);                                                   \
	}                                                                                         \
	static inline uint16_t half_##name##_ftz_sat(uint16_t a, uint16_t b)                      \
	{                                                                                         \
		float exact = half_to_float_ftz(a) operator half_to_float_ftz(b);                 \
                                                                                                  \
		return flushed_half(float_to_half(saturate_f32(exact), ROUND_RN), exact);         \
	}                                                                                         \
	static inline uint16_t bfloat_##name(uint16_t a, uint16_t b)                              \
	{                                                                                         \
		return float_to_bfloat(bfloat_to_float(a) operator bfloat_to_float(b), ROUND_RN); \
	}
HALF_ARITHMETIC(add, +)
HALF_ARITHMETIC(sub, -)
HALF_ARITHMETIC(mul, *)
#undef HALF_ARITHMETIC

/* a * b + c of values of halves, rounded to odd. */
static inline float fma_odd(float a, float b, float c)
{
	return double_to_float_odd(sum_odd((double)a * (double)b, (double)c));
}
static inline float half_fma_odd(uint16_t a, uint16_t b, uint16_t c)
{
	return fma_odd(half_to_float(a), half_to_float(b), half_to_float(c));
}
static inline uint16_t half_fma(uint16_t a, uint16_t b, uint16_t c)
{
	return float_to_half(half_fma_odd(a, b, c), ROUND_RN);
}
static inline uint16_t half_fma_sat(uint16_t a, uint16_t b, uint16_t c)
{
	return float_to_half(saturate_f32(half_fma_odd(a, b, c)), ROUND_RN);
}
static inline uint16_t half_fma_relu(uint16_t a, uint16_t b, uint16_t c)
{
	return float_to_half(relu_f32(half_fma_odd(a, b, c)), ROUND_RN);
}
static inline uint16_t half_fma_ftz(uint16_t a, uint16_t b, uint16_t c)
{
	float odd = half_fma_odd(half_ftz(a), half_ftz(b), half_ftz(c));

	return flushed_half(float_to_half(odd, ROUND_RN), odd);
}
static inline uint16_t half_fma_ftz_sat(uint16_t a, uint16_t b, uint16_t c)
{
	float odd = half_fma_odd(half_ftz(a), half_ftz(b), half_ftz(c));

	return flushed_half(float_to_half(saturate_f32(odd), ROUND_RN), odd);
}
static inline uint16_t half_fma_ftz_relu(uint16_t a, uint16_t b, uint16_t c)
{
	float odd = half_fma_odd(half_ftz(a), half_ftz(b), half_ftz(c));

	return flushed_half(float_to_half(relu_f32(odd), ROUND_RN), odd);
}
static inline float bfloat_fma_odd(uint16_t a, uint16_t b, uint16_t c)
{
	return fma_odd(bfloat_to_float(a), bfloat_to_float(b), bfloat_to_float(c));
}
static inline uint16_t bfloat_fma(uint16_t a, uint16_t b, uint16_t c)
{
	return float_to_bfloat(bfloat_fma_odd(a, b, c), ROUND_RN);
}
static inline uint16_t bfloat_fma_relu(uint16_t a, uint16_t b, uint16_t c)
{
	return float_to_bfloat(relu_f32(bfloat_fma_odd(a, b, c)), ROUND_RN);
}

static inline uint16_t half_canonical(uint16_t a)
{
	return (a & 0x7fff) > 0x7c00 ? 0x7fff : a;
}
static inline uint16_t bfloat_canonical(uint16_t a)
{
	return (a & 0x7fff) > 0x7f80 ? 0x7fff : a;
}
static inline uint16_t half_neg(uint16_t a)
{
	return half_canonical(a ^ 0x8000);
}
static inline uint16_t half_neg_ftz(uint16_t a)
{
	return half_neg(half_ftz(a));
}
static inline uint16_t half_abs(uint16_t a)
{
	return half_canonical(a & 0x7fff);
}
static inline uint16_t half_abs_ftz(uint16_t a)
{
	return half_abs(half_ftz(a));
}
static inline uint16_t bfloat_neg(uint16_t a)
{
	return bfloat_canonical(a ^ 0x8000);
}
static inline uint16_t bfloat_abs(uint16_t a)
{
	return bfloat_canonical(a & 0x7fff);
}

#define HALF_EXTREMUM(name, of)                                                               \
	static inline uint16_t half_##name(uint16_t a, uint16_t b)                            \
	{                                                                                     \
		return float_to_half(of(half_to_float(a), half_to_float(b)), ROUND_RN);       \
	}                                                                                     \
	static inline uint16_t bfloat_##name(uint16_t a, uint16_t b)                          \
	{                                                                                     \
		return float_to_bfloat(of(bfloat_to_float(a), bfloat_to_float(b)), ROUND_RN); \
	}
#define HALF_EXTREMUM_FTZ(name, of)                                \
	static inline uint16_t half_##name(uint16_t a, uint16_t b) \
	{                                                          \
		return of(half_ftz(a), half_ftz(b));               \
	}
HALF_EXTREMUM(min, min_f32)
HALF_EXTREMUM(max, max_f32)
HALF_EXTREMUM(min_nan, min_nan_f32)
HALF_EXTREMUM(max_nan, max_nan_f32)
HALF_EXTREMUM_FTZ(min_ftz, half_min)
HALF_EXTREMUM_FTZ(max_ftz, half_max)
HALF_EXTREMUM_FTZ(min_ftz_nan, half_min_nan)
HALF_EXTREMUM_FTZ(max_ftz_nan, half_max_nan)
#undef HALF_EXTREMUM
#undef HALF_EXTREMUM_FTZ

/* The smaller or larger magnitude, with the product of the signs unless it is a NaN. */
#define EXTREMUM_XORSIGN(name)                                                   \
	static inline uint16_t name##_xorsign(uint16_t a, uint16_t b)            \
	{                                                                        \
		uint16_t magnitude = name(a & 0x7fff, b & 0x7fff) & 0x7fff;      \
                                                                                 \
		return magnitude | (magnitude == 0x7fff ? 0 : (a ^ b) & 0x8000); \
	}
EXTREMUM_XORSIGN(half_min)
EXTREMUM_XORSIGN(half_max)
EXTREMUM_XORSIGN(half_min_ftz)
EXTREMUM_XORSIGN(half_max_ftz)
EXTREMUM_XORSIGN(half_min_nan)
EXTREMUM_XORSIGN(half_max_nan)
EXTREMUM_XORSIGN(half_min_ftz_nan)
EXTREMUM_XORSIGN(half_max_ftz_nan)
EXTREMUM_XORSIGN(bfloat_min)
EXTREMUM_XORSIGN(bfloat_max)
EXTREMUM_XORSIGN(bfloat_min_nan)
EXTREMUM_XORSIGN(bfloat_max_nan)
#undef EXTREMUM_XORSIGN

/* Functions of halves are those of f32, truncated. Results beyond the format are still infinite,
 * and an exponent is first truncated to 23 places. */
static inline uint16_t half_exponential_2(uint16_t a)
{
	float x = half_to_float(a);
	float result = absolute_f32(x) < 0x1p-23f ? 1.0f : exponential_2_approx(x);

	return float_to_half(result >= 65536.0f ? INFINITY : result, ROUND_RZ);
}
static inline uint16_t half_tanh(uint16_t a)
{
	return float_to_half(tanh_approx(half_to_float(a)), ROUND_RZ);
}
static inline uint16_t bfloat_exponential_2(uint16_t a)
{
	float result = ftz(exponential_2_approx(ftz(bfloat_to_float(a))));

	return float_to_bfloat(result, ROUND_RZ);
}
static inline uint16_t bfloat_tanh(uint16_t a)
{
	return float_to_bfloat(tanh_approx(bfloat_to_float(a)), ROUND_RZ);
}

#endif
