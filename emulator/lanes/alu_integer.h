/* alu_integer: the functions of alu_integer.def, defined for all operands. */
#ifndef EMULATOR_LANES_ALU_INTEGER_H
#define EMULATOR_LANES_ALU_INTEGER_H

#include <stdbool.h>
#include <stdint.h>

#define WRAP(type, a, operator, b) ((type)(1u * (type)(a) operator(type)(b)))
#define MINIMUM(a, b) ((a) < (b) ? (a) : (b))
#define MAXIMUM(a, b) ((a) > (b) ? (a) : (b))
#define MINIMUM_RELU(a, b) MAXIMUM(MINIMUM(a, b), 0)
#define MAXIMUM_RELU(a, b) MAXIMUM(MAXIMUM(a, b), 0)
/* Applies a function to each half of two pairs. */
#define PAIRWISE(type, of, a, b)              \
	((uint16_t)of((type)(a), (type)(b)) | \
	 (uint32_t)(uint16_t)of((type)((a) >> 16), (type)((b) >> 16)) << 16)

/* The product of a part of a and a part of b. */
#define PRODUCT_OF_PARTS(a_type, a_shift, b_type, b_shift)        \
	((uint32_t)((int32_t)(a_type)((uint32_t)a >> (a_shift)) * \
		    (int32_t)(b_type)((uint32_t)b >> (b_shift))))
#define DP4A(a_type, b_type)                                                                 \
	((uint32_t)c + PRODUCT_OF_PARTS(a_type, 0, b_type, 0) +                              \
	 PRODUCT_OF_PARTS(a_type, 8, b_type, 8) + PRODUCT_OF_PARTS(a_type, 16, b_type, 16) + \
	 PRODUCT_OF_PARTS(a_type, 24, b_type, 24))
#define DP2A(a_type, b_type, shift)                                 \
	((uint32_t)c + PRODUCT_OF_PARTS(a_type, 0, b_type, shift) + \
	 PRODUCT_OF_PARTS(a_type, 16, b_type, (shift) + 8))

static inline uint16_t mul_hi_u16(uint16_t a, uint16_t b)
{
	return (uint16_t)((uint32_t)a * b >> 16);
}
static inline int16_t mul_hi_s16(int16_t a, int16_t b)
{
	return (int16_t)((int32_t)a * b >> 16);
}
static inline uint32_t mul_hi_u32(uint32_t a, uint32_t b)
{
	return (uint32_t)((uint64_t)a * b >> 32);
}
static inline int32_t mul_hi_s32(int32_t a, int32_t b)
{
	return (int32_t)((int64_t)a * b >> 32);
}
static inline uint64_t mul_hi_u64(uint64_t a, uint64_t b)
{
	__extension__ unsigned __int128 product = a;

	product *= b;
	return (uint64_t)(product >> 64);
}
static inline int64_t mul_hi_s64(int64_t a, int64_t b)
{
	uint64_t high = mul_hi_u64((uint64_t)a, (uint64_t)b);

	high -= a < 0 ? (uint64_t)b : 0;
	return (int64_t)(high - (b < 0 ? (uint64_t)a : 0));
}
static inline uint64_t mul24_u32(uint32_t a, uint32_t b)
{
	return (uint64_t)(a & 0xffffff) * (b & 0xffffff);
}
static inline int64_t mul24_s32(int32_t a, int32_t b)
{
	return (int64_t)((int32_t)((uint32_t)a << 8) >> 8) * ((int32_t)((uint32_t)b << 8) >> 8);
}

/* Division by zero does not trap: quotient and remainder are all ones. */
#define UNSIGNED_DIVISION(name, type)                 \
	static inline type div_##name(type a, type b) \
	{                                             \
		return b ? (type)(a / b) : (type)-1;  \
	}                                             \
	static inline type rem_##name(type a, type b) \
	{                                             \
		return b ? (type)(a % b) : (type)-1;  \
	}
/* The smallest value divided by -1 is itself. */
#define SIGNED_DIVISION(name, type, unsigned_type)                                            \
	static inline type div_##name(type a, type b)                                         \
	{                                                                                     \
		if (b == 0)                                                                   \
			return -1;                                                            \
		return b == -1 ? (type)(unsigned_type)(0 - (unsigned_type)a) : (type)(a / b); \
	}                                                                                     \
	static inline type rem_##name(type a, type b)                                         \
	{                                                                                     \
		if (b == 0)                                                                   \
			return -1;                                                            \
		return b == -1 ? 0 : (type)(a % b);                                           \
	}
UNSIGNED_DIVISION(u16, uint16_t)
UNSIGNED_DIVISION(u32, uint32_t)
UNSIGNED_DIVISION(u64, uint64_t)
SIGNED_DIVISION(s16, int16_t, uint16_t)
SIGNED_DIVISION(s32, int32_t, uint32_t)
SIGNED_DIVISION(s64, int64_t, uint64_t)
#undef UNSIGNED_DIVISION
#undef SIGNED_DIVISION

/* Converts to the nearest value of the type. */
#define SATURATE(name, type, least, greatest)                                               \
	static inline type signed_to_##name(int64_t value)                                  \
	{                                                                                   \
		return (type)(value < (int64_t)(least)      ? (int64_t)(least)              \
			      : value > (int64_t)(greatest) ? (int64_t)(greatest)           \
							    : value);                       \
	}                                                                                   \
	static inline type unsigned_to_##name(uint64_t value)                               \
	{                                                                                   \
		return (type)(value > (uint64_t)(greatest) ? (uint64_t)(greatest) : value); \
	}
SATURATE(u8, uint8_t, 0, UINT8_MAX)
SATURATE(s8, int8_t, INT8_MIN, INT8_MAX)
SATURATE(u16, uint16_t, 0, UINT16_MAX)
SATURATE(s16, int16_t, INT16_MIN, INT16_MAX)
SATURATE(u32, uint32_t, 0, UINT32_MAX)
SATURATE(s32, int32_t, INT32_MIN, INT32_MAX)
SATURATE(s64, int64_t, INT64_MIN, INT64_MAX)
#undef SATURATE
static inline uint64_t signed_to_u64(int64_t value)
{
	return value < 0 ? 0 : (uint64_t)value;
}
static inline int32_t saturate_s32(int64_t value)
{
	return signed_to_s32(value);
}

static inline uint32_t popcount_32(uint32_t value)
{
	value -= value >> 1 & 0x55555555;
	value = (value & 0x33333333) + (value >> 2 & 0x33333333);
	return ((value + (value >> 4)) & 0x0f0f0f0f) * 0x01010101 >> 24;
}
static inline uint32_t leading_zeroes_32(uint32_t value)
{
	value |= value >> 1;
	value |= value >> 2;
	value |= value >> 4;
	value |= value >> 8;
	value |= value >> 16;
	return popcount_32(~value);
}
static inline uint32_t leading_zeroes_64(uint64_t value)
{
	uint32_t high = (uint32_t)(value >> 32);

	return high ? leading_zeroes_32(high) : 32 + leading_zeroes_32((uint32_t)value);
}
static inline uint32_t reverse_bits_32(uint32_t value)
{
	value = (value >> 1 & 0x55555555) | (value & 0x55555555) << 1;
	value = (value >> 2 & 0x33333333) | (value & 0x33333333) << 2;
	value = (value >> 4 & 0x0f0f0f0f) | (value & 0x0f0f0f0f) << 4;
	value = (value >> 8 & 0x00ff00ff) | (value & 0x00ff00ff) << 8;
	return value >> 16 | value << 16;
}

static inline uint32_t lop3(uint32_t a, uint32_t b, uint32_t c, uint32_t table)
{
	uint32_t result = 0;

	for (unsigned row = 0; row < 8; row++)
		result |= (row & 4 ? a : ~a) & (row & 2 ? b : ~b) & (row & 1 ? c : ~c) &
			  (0 - (table >> row & 1));
	return result;
}

/* Shifts the 64 bits b:a by at most 32. */
static inline uint32_t funnel_left(uint32_t a, uint32_t b, uint32_t amount)
{
	return (uint32_t)(((uint64_t)b << 32 | a) << amount >> 32);
}
static inline uint32_t funnel_right(uint32_t a, uint32_t b, uint32_t amount)
{
	return (uint32_t)(((uint64_t)b << 32 | a) >> amount);
}

/* The lowest `length` bits, 0 to 64. */
static inline uint64_t low_bits(uint32_t length)
{
	return length < 64 ? (UINT64_C(1) << length) - 1 : UINT64_MAX;
}
/*
 * 64-bit fields use all bits of position and length, 32-bit fields the low byte.
 * The hardware does so, although the manual says otherwise for 64 bits.
 */
static inline uint64_t extract_u64(uint64_t a, uint32_t position, uint32_t length)
{
	return position < 64 ? (a >> position) & low_bits(length) : 0;
}
/* Extends the field by its highest bit, or by that of a if the field ends beyond a. */
static inline int64_t extract_s64(int64_t a, uint32_t position, uint32_t length)
{
	uint32_t first = position < 64 ? position : 64;
	uint32_t unused = length < 64 - first ? 64 - first - length : 0;
	uint32_t shift = unused + first;

	if (length == 0)
		return 0;
	return (int64_t)((uint64_t)a << unused) >> (shift < 63 ? shift : 63);
}
static inline uint64_t insert_b64(uint64_t a, uint64_t b, uint32_t position, uint32_t length)
{
	uint64_t field = low_bits(length);

	if (position > 63)
		return b;
	return (b & ~(field << position)) | (a & field) << position;
}
static inline uint32_t extract_u32(uint32_t a, uint32_t position, uint32_t length)
{
	return (uint32_t)extract_u64(a, position & 255, length & 255);
}
static inline int32_t extract_s32(int32_t a, uint32_t position, uint32_t length)
{
	return (int32_t)extract_s64(a, position & 255, length & 255);
}
static inline uint32_t insert_b32(uint32_t a, uint32_t b, uint32_t position, uint32_t length)
{
	return (uint32_t)insert_b64(a, b, position & 255, length & 255);
}
static inline uint32_t bit_mask(uint32_t position, uint32_t length)
{
	return (uint32_t)(low_bits(length) << position);
}

/* The smallest offset has no negative; the hardware returns 0 for it. */
static inline uint32_t find_nth_set(uint32_t mask, uint32_t base, int32_t offset)
{
	int32_t step = offset < 0 ? -1 : 1;
	uint32_t left = offset < 0 ? 0 - (uint32_t)offset : (uint32_t)offset;

	if (offset == INT32_MIN)
		return 0;
	if (base > 31)
		return UINT32_MAX;
	if (offset == 0)
		return mask >> base & 1 ? base : UINT32_MAX;
	for (int32_t at = (int32_t)base; at >= 0 && at < 32; at += step)
		if (mask >> at & 1 && --left == 0)
			return (uint32_t)at;
	return UINT32_MAX;
}

static inline uint32_t permute_byte(uint64_t bytes, uint32_t selector)
{
	uint32_t byte = (uint32_t)(bytes >> (selector & 7) * 8) & 255;

	return selector & 8 ? (byte >> 7) * 255 : byte;
}
static inline uint32_t permute(uint32_t a, uint32_t b, uint32_t selector)
{
	uint64_t bytes = (uint64_t)b << 32 | a;

	return permute_byte(bytes, selector) | permute_byte(bytes, selector >> 4) << 8 |
	       permute_byte(bytes, selector >> 8) << 16 | permute_byte(bytes, selector >> 12) << 24;
}
/* Selectors of the modes of prmt, by the lowest two bits of the operand. */
static inline uint32_t permute_backward(uint32_t mode)
{
	return (uint32_t)(UINT64_C(0x0123701267015670) >> mode * 16) & 0xffff;
}
static inline uint32_t permute_edge_left(uint32_t mode)
{
	return (uint32_t)(UINT64_C(0x3333322232113210) >> mode * 16) & 0xffff;
}
static inline uint32_t permute_edge_right(uint32_t mode)
{
	return (uint32_t)(UINT64_C(0x3210221011100000) >> mode * 16) & 0xffff;
}

#endif
