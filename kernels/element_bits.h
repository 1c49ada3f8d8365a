/*
 * element_bits: conversions to floating-point types that round towards zero, as
 * inline functions. Internal to kernels/.
 */
#ifndef KERNELS_ELEMENT_BITS_H
#define KERNELS_ELEMENT_BITS_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "kernels/vectors.h"

ALWAYS_INLINE uint32_t bits_of(float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

ALWAYS_INLINE float float_of(uint32_t bits)
{
	float value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

/* Rounds towards zero. A value beyond the range of float becomes FLT_MAX of that sign. */
ALWAYS_INLINE float float_towards_zero(double value)
{
	const float near = (float)value;
	const uint32_t bits = bits_of(near);
	const bool is_infinite = (bits & 0x7fffffff) == 0x7f800000;

	/* One less in the bits is the next float towards zero. nextafterf() is ten times slower. */
	return float_of(bits - (uint32_t)(is_infinite || fabs((double)near) > fabs(value)));
}

/* IEEE half precision: 1 sign bit, 5 exponent bits, 10 fraction bits. A value beyond the range
 * becomes the largest. */
ALWAYS_INLINE uint16_t half_towards_zero(float value)
{
	const uint32_t bits = bits_of(value);
	const uint32_t sign = bits >> 16 & 0x8000;
	const int exponent = (int)(bits >> 23 & 255) - 127;
	const uint32_t fraction = bits & 0x7fffff;
	const uint32_t normal = (uint32_t)(exponent + 15) << 10 | fraction >> 13;
	/* a number below the least subnormal one is shifted out */
	const int shift = exponent < -32 ? 31 : exponent > -15 ? 0 : -1 - exponent;
	const uint32_t subnormal = (0x800000 | fraction) >> shift;

	return (uint16_t)(sign | (exponent > 15 ? 0x7bff : exponent > -15 ? normal : subnormal));
}

#endif
