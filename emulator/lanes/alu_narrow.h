/* alu_narrow: the functions of alu_narrow.def: bf16, tf32, fp8, saturation, cvt.pack. */
#ifndef EMULATOR_LANES_ALU_NARROW_H
#define EMULATOR_LANES_ALU_NARROW_H

#include "emulator/lanes/alu_convert.h"

#define PACKED_FP8(low, high) ((uint16_t)((low) | (high) << 8))

static inline double saturate_f64(double x)
{
	double low = x > 0.0 ? x : 0.0;

	return low < 1.0 ? low : 1.0;
}

/* ---- results without infinities ---- */

static inline uint16_t finite_half(uint16_t half)
{
	return (half & 0x7fff) == 0x7c00 ? half - 1 : half;
}
static inline uint16_t finite_bfloat(uint16_t bfloat)
{
	return (bfloat & 0x7fff) == 0x7f80 ? bfloat - 1 : bfloat;
}
/* The hardware takes a NaN for an infinity. */
static inline uint32_t finite_tf32(uint32_t tf32)
{
	return (tf32 & 0x7f800000) == 0x7f800000 ? tf32 - 0x2000 : tf32;
}

/* Rounds to the 10 mantissa bits of tf32, to nearest even or towards zero. */
static inline uint32_t round_to_tf32(float x, enum rounding rounding)
{
	uint32_t bits = bits_of_f32(x);
	uint32_t up = rounding == ROUND_RN ? 0xfff + (bits >> 13 & 1) : 0;

	return (bits & 0x7fffffff) > 0x7f800000 ? 0x7fffe000 : (bits + up) & ~0x1fffu;
}

/* ---- fp8 ---- */

/*
 * Rounds to nearest even, to `mantissa` bits and the exponents of an IEEE format with this bias.
 * Everything above `greatest` becomes it, infinities too. A NaN becomes 0x7f.
 */
static inline uint8_t float_to_fp8(float x, int mantissa, uint32_t bias, uint32_t greatest)
{
	uint32_t bits = bits_of_f32(x);
	uint32_t rest = bits & 0x7fffffff;
	int cut = 23 - mantissa;
	bool small = rest < (128 - bias) << 23; /* below the smallest normal number */
	/* Small values in units of the last place. */
	float scaled = absolute_f32(x) * f32_of_bits((126 + bias + (uint32_t)mantissa) << 23);
	uint32_t subnormal = (uint32_t)(int32_t)rintf(small ? scaled : 0.0f);
	uint32_t rounded = (rest + (1u << (cut - 1)) - 1 + (rest >> cut & 1)) >> cut;
	uint32_t normal = rounded - ((127 - bias) << mantissa);
	uint32_t result = small ? subnormal : normal;

	result = result > greatest ? greatest : result;
	return (uint8_t)(rest > 0x7f800000 ? 0x7f : result | bits >> 31 << 7);
}
/* Exponents from 2^-6, the greatest number is 448; no infinities, and 0x7f and 0xff are NaNs. */
static inline uint8_t float_to_e4m3(float x)
{
	return float_to_fp8(x, 3, 7, 0x7e);
}
/* The upper byte of a half; the greatest number is 57344. */
static inline uint8_t float_to_e5m2(float x)
{
	return float_to_fp8(x, 2, 15, 0x7b);
}

static inline uint16_t half_of_e5m2(uint8_t fp8)
{
	return half_canonical((uint16_t)(fp8 << 8));
}
static inline uint16_t half_of_e4m3(uint8_t fp8)
{
	uint32_t rest = fp8 & 0x7f;
	uint32_t normal = (rest << 7) + 0x2000;
	uint32_t subnormal = float_to_half((float)(int32_t)rest * 0x1p-9f, ROUND_RN);
	uint32_t result = rest < 8 ? subnormal : normal;

	return (uint16_t)(rest == 0x7f ? 0x7fff : result | (uint32_t)(fp8 >> 7) << 15);
}
static inline uint16_t half_relu(uint16_t half)
{
	return half & 0x8000 ? 0 : half;
}

/* ---- cvt.pack ---- */

static inline uint32_t clamp_s32(int32_t x, int32_t least, int32_t greatest)
{
	return (uint32_t)(x < least ? least : x > greatest ? greatest : x);
}
static inline uint32_t pack_below(uint32_t above, uint32_t upper, uint32_t lower, int bits)
{
	uint32_t mask = (1u << bits) - 1;

	return above << 2 * bits | (upper & mask) << bits | (lower & mask);
}

#endif
