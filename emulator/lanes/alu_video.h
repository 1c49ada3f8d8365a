/*
 * alu_video: the functions of the video instructions. ptxas composes nearly all video instructions
 * of several others, so they are rare, and one function that reads the control word serves all of
 * them.
 */
#ifndef EMULATOR_LANES_ALU_VIDEO_H
#define EMULATOR_LANES_ALU_VIDEO_H

#include "emulator/lanes/alu_integer.h"
#include "emulator/program/operations.h"

static inline int64_t video_extended(uint32_t value, int bits, bool is_signed)
{
	int left = 64 - bits;
	uint64_t high = (uint64_t)value << left;

	return is_signed ? (int64_t)high >> left : (int64_t)(high >> left);
}
static inline int video_part_bits(uint32_t part)
{
	return part == PART_ALL ? 32 : part < PART_H0 ? 8 : 16;
}
static inline int video_part_at(uint32_t part)
{
	return part == PART_ALL ? 0
	       : part < PART_H0 ? 8 * ((int)part - PART_B0)
				: 16 * ((int)part - PART_H0);
}
static inline int64_t video_part_of(uint32_t value, uint32_t part, bool is_signed)
{
	return video_extended(value >> video_part_at(part), video_part_bits(part), is_signed);
}

static inline int64_t video_clamped(int64_t value, int bits, bool is_signed)
{
	int64_t least = is_signed ? -(INT64_C(1) << (bits - 1)) : 0;
	int64_t greatest = (INT64_C(1) << (is_signed ? bits - 1 : bits)) - 1;

	return value < least ? least : value > greatest ? greatest : value;
}

static inline bool video_compared(uint32_t compare, int64_t a, int64_t b)
{
	switch ((enum video_compare)compare) {
	case COMPARE_EQ:
		return a == b;
	case COMPARE_NE:
		return a != b;
	case COMPARE_LT:
		return a < b;
	case COMPARE_LE:
		return a <= b;
	case COMPARE_GT:
		return a > b;
	case COMPARE_GE:
		return a >= b;
	}
	return false;
}

/* The operation itself, on two numbers of at most 33 bits. */
static inline int64_t video_result(uint64_t control, int64_t a, int64_t b)
{
	int64_t amount = VIDEO_GET(control, WRAPS) ? b & 31 : b < 32 ? b : 32;

	switch ((enum video_operation)VIDEO_GET(control, OPERATION)) {
	case VIDEO_ADD:
		return a + b;
	case VIDEO_SUB:
		return a - b;
	case VIDEO_ABSDIFF:
		return a < b ? b - a : a - b;
	case VIDEO_MIN:
		return a < b ? a : b;
	case VIDEO_MAX:
		return a > b ? a : b;
	case VIDEO_SHL:
		return (int64_t)((uint64_t)a << amount);
	case VIDEO_SHR:
		return a >> amount;
	case VIDEO_SET:
		return video_compared(VIDEO_GET(control, COMPARE), a, b);
	case VIDEO_AVRG:
		return (a + b + (a + b >= 0 ? 1 : 0)) >> 1;
	case VIDEO_MAD:
		break;
	}
	return 0;
}

/*
 * Scalar instructions. ptxas composes each one of instructions on 64-bit numbers. The functions
 * below do what these do, which in many forms is not what the manual says:
 * docs/results/ptx-opcodes.md.
 */

static inline bool video_shifts(uint64_t control)
{
	uint32_t operation = VIDEO_GET(control, OPERATION);

	return operation == VIDEO_SHL || operation == VIDEO_SHR;
}

static inline int64_t video_saturated(uint64_t control, int64_t value)
{
	bool is_signed = VIDEO_GET(control, SIGNED_RESULT);
	int bits = video_part_bits(VIDEO_GET(control, PART_OF_RESULT));
	uint64_t greatest = (UINT64_C(1) << (is_signed ? bits - 1 : bits)) - 1;

	/* Shifts drop all but 34 bits, and take a part of the result for a word. */
	if (video_shifts(control))
		return video_clamped((int64_t)((uint64_t)value << 30) >> 30, 32, is_signed);
	/* In a part, a negative number is too large, even if the result is signed. */
	if (bits < 32)
		return (int64_t)((uint64_t)value > greatest ? greatest : (uint64_t)value);
	/* A u32 result has no upper limit. */
	return is_signed ? video_clamped(value, 32, true) : value < 0 ? 0 : value;
}

/* Whether the secondary operation gets only the low word of the result, as a signed number, and not
 * 64 bits. */
static inline bool video_narrows(uint64_t control)
{
	uint32_t operation = VIDEO_GET(control, OPERATION);

	return operation == VIDEO_ADD || operation == VIDEO_SUB ||
	       (video_shifts(control) && VIDEO_GET(control, SATURATES));
}

static inline uint32_t video_secondary(uint64_t control, int64_t result, uint32_t c)
{
	bool is_signed = VIDEO_GET(control, SIGNED_RESULT);
	int64_t third = video_extended(c, 32, is_signed);
	/* Without a sign, a negative result is greater than any c. */
	bool is_less = is_signed ? result < third : (uint64_t)result < (uint64_t)third;

	switch ((enum video_second)VIDEO_GET(control, SECOND)) {
	case SECOND_ADD:
		return (uint32_t)result + c;
	case SECOND_MIN:
		return is_less ? (uint32_t)result : c;
	case SECOND_MAX:
		return is_less ? c : (uint32_t)result;
	case SECOND_NONE:
		break;
	}
	return (uint32_t)result;
}

/* Returns c with a part of it replaced. */
static inline uint32_t video_inserted(uint32_t c, uint32_t part, uint32_t result)
{
	int bits = video_part_bits(part), at = video_part_at(part);
	uint32_t mask = bits == 32 ? UINT32_MAX : ((1u << bits) - 1) << at;

	/* The upper half is the result's upper half; other parts are its low bits. */
	return ((part == PART_H1 ? result : result << at) & mask) | (c & ~mask);
}

static inline uint32_t video_multiply_add(uint64_t control, int64_t a, int64_t b, uint32_t c)
{
	bool is_signed = VIDEO_GET(control, SIGNED_A) || VIDEO_GET(control, SIGNED_B) ||
			 VIDEO_GET(control, NEGATES_PRODUCT) || VIDEO_GET(control, NEGATES_C);
	int shift = (int)VIDEO_GET(control, SHIFT);
	int64_t sum = a * b, addend = (int32_t)c;

	if (VIDEO_GET(control, NEGATES_PRODUCT))
		sum = -sum;
	if (VIDEO_GET(control, NEGATES_C))
		addend = -addend;
	sum += addend + (int)VIDEO_GET(control, PLUS_ONE);
	sum = is_signed ? sum >> shift : (int64_t)((uint64_t)sum >> shift);
	/* The type of the result does not matter. */
	return (uint32_t)(VIDEO_GET(control, SATURATES) ? video_clamped(sum, 32, is_signed) : sum);
}

static inline uint32_t video_scalar(uint32_t a, uint32_t b, uint32_t c, uint64_t control)
{
	uint32_t part_of_a = VIDEO_GET(control, PART_OF_A);
	uint32_t part_of_b = VIDEO_GET(control, PART_OF_B);
	bool signed_a = VIDEO_GET(control, SIGNED_A), signed_b = VIDEO_GET(control, SIGNED_B);
	int64_t result;

	/* vmad takes words for signed numbers. */
	if (VIDEO_GET(control, OPERATION) == VIDEO_MAD)
		return video_multiply_add(
			control, video_part_of(a, part_of_a, signed_a || part_of_a == PART_ALL),
			video_part_of(b, part_of_b, signed_b || part_of_b == PART_ALL), c);
	result = video_result(control, video_part_of(a, part_of_a, signed_a),
			      video_part_of(b, part_of_b, signed_b));
	if (VIDEO_GET(control, SATURATES))
		result = video_saturated(control, result);
	if (video_narrows(control))
		result = (int32_t)result;
	return video_inserted(c, VIDEO_GET(control, PART_OF_RESULT),
			      video_secondary(control, result, c));
}

/* Applies the operation to pairs of 16-bit numbers, or to bytes. */
static inline uint32_t video_parts(uint32_t a, uint32_t b, uint32_t c, uint64_t control, int parts)
{
	uint64_t source = (uint64_t)b << 32 | a;
	bool is_signed = VIDEO_GET(control, SIGNED_RESULT);
	bool adds = VIDEO_GET(control, SECOND) == SECOND_ADD;
	int bits = 32 / parts;
	uint32_t mask = (1u << bits) - 1;
	uint32_t out = c;

	for (int i = 0; i < parts; i++) {
		int from_a = (int)(VIDEO_GET(control, FROM_A) >> 3 * i & 7) * bits;
		int from_b = (int)(VIDEO_GET(control, FROM_B) >> 3 * i & 7) * bits;
		int64_t left = video_extended((uint32_t)(source >> from_a), bits,
					      VIDEO_GET(control, SIGNED_A));
		int64_t right = video_extended((uint32_t)(source >> from_b), bits,
					       VIDEO_GET(control, SIGNED_B));
		int64_t result = video_result(control, left, right);

		if (!(VIDEO_GET(control, MASK) >> i & 1))
			continue;
		if (VIDEO_GET(control, SATURATES))
			result = video_clamped(result, bits, is_signed);
		if (adds)
			out += (uint32_t)result;
		else
			out = (out & ~(mask << bits * i)) | ((uint32_t)result & mask) << bits * i;
	}
	return out;
}

#endif
