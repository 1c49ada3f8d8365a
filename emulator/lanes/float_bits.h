/*
 * float_bits: floats as bits: signs, NaNs, what testp asks, and neighbouring values. Internal to
 * lanes/.
 */
#ifndef EMULATOR_LANES_FLOAT_BITS_H
#define EMULATOR_LANES_FLOAT_BITS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum rounding { ROUND_RN, ROUND_RZ, ROUND_RM, ROUND_RP };
enum integer_rounding { INTEGER_RNI, INTEGER_RZI, INTEGER_RMI, INTEGER_RPI };

#define AS_IT_IS(x) (x)

static inline uint32_t bits_of_f32(float x)
{
	uint32_t bits;

	memcpy(&bits, &x, sizeof(bits));
	return bits;
}
static inline float f32_of_bits(uint32_t bits)
{
	float x;

	memcpy(&x, &bits, sizeof(x));
	return x;
}
static inline uint64_t bits_of_f64(double x)
{
	uint64_t bits;

	memcpy(&bits, &x, sizeof(bits));
	return bits;
}
static inline double f64_of_bits(uint64_t bits)
{
	double x;

	memcpy(&x, &bits, sizeof(x));
	return x;
}

static inline float canonical_f32(float x)
{
	return x == x ? x : f32_of_bits(0x7fffffff);
}
static inline float ftz(float x)
{
	uint32_t bits = bits_of_f32(x);

	return f32_of_bits(bits & 0x7f800000 ? bits : bits & 0x80000000);
}
static inline float saturate_f32(float x)
{
	float low = x > 0.0f ? x : 0.0f;

	return low < 1.0f ? low : 1.0f;
}
static inline float relu_f32(float x)
{
	return x < 0.0f ? 0.0f : x == 0.0f ? 0.0f : x;
}
static inline float negate_f32(float x)
{
	return f32_of_bits(bits_of_f32(x) ^ 0x80000000);
}
static inline float absolute_f32(float x)
{
	return f32_of_bits(bits_of_f32(x) & 0x7fffffff);
}
static inline float copy_sign_f32(float sign, float x)
{
	return f32_of_bits((bits_of_f32(sign) & 0x80000000) | (bits_of_f32(x) & 0x7fffffff));
}
static inline float xor_sign_f32(float x, float a, float b)
{
	uint32_t sign = (bits_of_f32(a) ^ bits_of_f32(b)) & 0x80000000;

	return x == x ? f32_of_bits((bits_of_f32(x) & 0x7fffffff) | sign) : canonical_f32(x);
}
static inline double negate_f64(double x)
{
	return f64_of_bits(bits_of_f64(x) ^ UINT64_C(0x8000000000000000));
}
static inline double absolute_f64(double x)
{
	return f64_of_bits(bits_of_f64(x) & INT64_MAX);
}
static inline double copy_sign_f64(double sign, double x)
{
	return f64_of_bits((bits_of_f64(sign) & ~(uint64_t)INT64_MAX) |
			   (bits_of_f64(x) & INT64_MAX));
}

/* ---- tests ---- */

#define FLOAT_TESTS(name, type, unsigned_type, bits_of, exponent)                            \
	static inline bool is_finite_##name(type x)                                          \
	{                                                                                    \
		return (bits_of(x) & (exponent)) != (exponent);                              \
	}                                                                                    \
	static inline bool is_infinite_##name(type x)                                        \
	{                                                                                    \
		return (unsigned_type)(bits_of(x) << 1) == (unsigned_type)((exponent) << 1); \
	}                                                                                    \
	static inline bool is_subnormal_##name(type x)                                       \
	{                                                                                    \
		return ((bits_of(x) & (exponent)) == 0) && (x != 0);                         \
	}                                                                                    \
	/* testp counts a zero as normal. */                                                 \
	static inline bool is_normal_##name(type x)                                          \
	{                                                                                    \
		return is_finite_##name(x) && !is_subnormal_##name(x);                       \
	}
FLOAT_TESTS(f32, float, uint32_t, bits_of_f32, UINT32_C(0x7f800000))
FLOAT_TESTS(f64, double, uint64_t, bits_of_f64, UINT64_C(0x7ff0000000000000))
#undef FLOAT_TESTS

/* The neighbouring values. Not for infinities and NaNs. */
static inline float above_f32(float x)
{
	uint32_t bits = bits_of_f32(x);

	return f32_of_bits(x == 0.0f ? 1 : bits + (bits >> 31 ? UINT32_MAX : 1));
}
static inline float below_f32(float x)
{
	return negate_f32(above_f32(negate_f32(x)));
}
static inline double above_f64(double x)
{
	uint64_t bits = bits_of_f64(x);

	return f64_of_bits(x == 0.0 ? 1 : bits + (bits >> 63 ? UINT64_MAX : 1));
}
static inline double below_f64(double x)
{
	return negate_f64(above_f64(negate_f64(x)));
}

#endif
