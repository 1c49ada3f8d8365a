/*
 * alu_video: the functions of alu_video.def. ptxas composes nearly all video instructions of
 * several others, so they are rare, and one function that reads the control word serves all of
 * them.
 */
#ifndef EMULATOR_LANES_ALU_VIDEO_H
#define EMULATOR_LANES_ALU_VIDEO_H

#include "emulator/lanes/alu_integer.h"
#include "emulator/program/video.h"

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

__extension__ typedef __int128 video_sum;
static inline uint32_t video_multiply_add(uint64_t control, int64_t a, int64_t b, uint32_t c)
{
	bool is_signed = VIDEO_GET(control, SIGNED_A) || VIDEO_GET(control, SIGNED_B) ||
			 VIDEO_GET(control, NEGATES_PRODUCT) || VIDEO_GET(control, NEGATES_C);
	int shift = (int)VIDEO_GET(control, SHIFT);
	video_sum sum = (video_sum)a * b;
	/* PTX extends an unsigned c with zeroes, the hardware never does. */
	video_sum addend = (int32_t)c;

	if (VIDEO_GET(control, NEGATES_PRODUCT))
		sum = -sum;
	if (VIDEO_GET(control, NEGATES_C))
		addend = -addend;
	sum += addend + (int)VIDEO_GET(control, PLUS_ONE);
	/* Without signs it shifts 64 bits. */
	sum = is_signed || !shift ? sum >> shift : (video_sum)((uint64_t)sum >> shift);
	if (VIDEO_GET(control, SATURATES)) {
		int64_t least = is_signed ? INT32_MIN : 0;
		int64_t greatest = is_signed ? INT32_MAX : UINT32_MAX;

		sum = sum < least ? least : sum > greatest ? greatest : sum;
	}
	return (uint32_t)sum;
}

static inline uint32_t video_scalar(uint32_t a, uint32_t b, uint32_t c, uint64_t control)
{
	bool is_signed = VIDEO_GET(control, SIGNED_RESULT);
	uint32_t part = VIDEO_GET(control, PART_OF_RESULT);
	int bits = video_part_bits(part), at = video_part_at(part);
	uint32_t mask = bits == 32 ? UINT32_MAX : ((1u << bits) - 1) << at;
	int64_t left =
		video_part_of(a, VIDEO_GET(control, PART_OF_A), VIDEO_GET(control, SIGNED_A));
	int64_t right =
		video_part_of(b, VIDEO_GET(control, PART_OF_B), VIDEO_GET(control, SIGNED_B));
	int64_t third = video_extended(c, 32, is_signed);
	int64_t result;

	if (VIDEO_GET(control, OPERATION) == VIDEO_MAD)
		return video_multiply_add(control, left, right, c);
	result = video_result(control, left, right);
	if (VIDEO_GET(control, SATURATES))
		result = video_clamped(result, bits, is_signed);
	else
		result = video_extended((uint32_t)result, 32, is_signed);
	switch ((enum video_second)VIDEO_GET(control, SECOND)) {
	case SECOND_ADD:
		result += third;
		break;
	case SECOND_MIN:
		result = result < third ? result : third;
		break;
	case SECOND_MAX:
		result = result > third ? result : third;
		break;
	case SECOND_NONE:
		break;
	}
	return bits == 32 ? (uint32_t)result : ((uint32_t)result << at & mask) | (c & ~mask);
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
