/* The input values of opcodes. The first values of each list are also tried in all combinations. */
#include <string.h>

#include "tests/emulator/opcodes.h"

static const uint64_t integer_edges[] = {
	0,
	1,
	UINT64_MAX,
	/* placeholders for the greatest and the least value of the operand's width: see
	 * single_value() */
	0,
	0,
	0x7fffffff7fff7f7f,
	0x8000000080008080,
	5,
	0xfffffffffffffff9,
	0x123456789abcdef0,
	2,
	0x7f,
	0x80,
	0xff,
	0x100,
	0x7fff,
	0x8000,
	0xffff,
	0x10000,
	0x7fffff,
	0x800000,
	0xffffff,
	0x1000000,
	0x1000001,
	0x1000003,
	0x7fffffff,
	0x80000000,
	0xffffffff,
	0x100000000,
	0x1fffffffffffff,
	0x20000000000000,
	0x20000000000001,
	0x20000000000003,
	0x7fffffbfffffffff,
	0x7fffff4000000001,
	0xffffffffffffff7f,
	0xffffffffffff7fff,
	0xffffffff7fffffff,
	0xffffffff80000000,
	0x3210,
	0x7654,
	0xfedc,
	0xba98,
	0xaaaaaaaaaaaaaaaa,
	0x5555555555555555,
	0x0f0f0f0f0f0f0f0f,
	1000000007,
	10,
	65504,
	65519,
	65520,
	2049,
	2051,
	257,
	259,
};
static const uint64_t amount_edges[] = {
	0,  1,  31, 32, 8,  33, 63,  64,  16,  255,        7,          15,     17,
	24, 30, 40, 47, 48, 65, 256, 257, 287, 0x80000000, 0xffffffff, 0x1f00, 12,
};
static const uint64_t f16_edges[] = {
	0x0000, 0x8000, 0x3c00, 0xbe00, 0x0001, 0x7bff, 0x7c00, 0x7e42, 0x3c01,
	0x8400, 0xbc00, 0x03ff, 0x0400, 0x8001, 0xfbff, 0xfc00, 0xfe00, 0x7c01,
	0x3bff, 0x4100, 0x4500, 0x3800, 0xb800, 0x3e00, 0x4248, 0x6800, 0x6801,
	0x7800, 0x1400, 0x5bf8, 0x57f8, 0x0200, 0x4700, 0xc700, 0x3555, 0xfd55,
};
static const uint64_t bf16_edges[] = {
	0x0000, 0x8000, 0x3f80, 0xbfc0, 0x0001, 0x7f7f, 0x7f80, 0x7fc5, 0x3f81,
	0x8080, 0xbf80, 0x007f, 0x0080, 0x8001, 0xff7f, 0xff80, 0xffc0, 0x7f81,
	0x3f7f, 0x4020, 0x40a0, 0x3f00, 0xbf00, 0x4049, 0x4f00, 0x5f00, 0xcf00,
	0xdf00, 0x437f, 0x4b80, 0x3eaa, 0xff99, 0x0040, 0x2000, 0x7000, 0x4180,
};
static const uint64_t f32_edges[] = {
	0x00000000,
	0x80000000,
	0x3f800000,
	0xbfc00000,
	0x00400001,
	0x7f7fffff,
	0x7f800000,
	0x7fc12345,
	0x3f800001,
	0x80800000, /* the values to here are combined */
	0xbf800000,
	0x00000001,
	0x80000001,
	0x007fffff,
	0x807fffff,
	0x00800000,
	0x00800001,
	0xff7fffff,
	0xff800000,
	0xffc00000,
	0xffc12345,
	0x7f812345,
	0xff800001,
	0x3f7fffff,
	0x3f000000,
	0xbf000000,
	0x40200000,
	0xc0200000,
	0x40600000,
	0x3effffff,
	0x3f000001,
	/* 2^23 and its halves below, 2^24, 2^31, 2^32, 2^63, 2^64 and their neighbours */
	0x4b000000,
	0x4affffff,
	0x4b800000,
	0x4b7fffff,
	0x4f000000,
	0x4effffff,
	0xcf000000,
	0xcf000001,
	0x4f800000,
	0x4f7fffff,
	0x5f000000,
	0x5effffff,
	0xdf000000,
	0xdf000001,
	0x5f800000,
	0x5f7fffff,
	/* limits of the narrow integers, and a half above them */
	0x42fe0000,
	0x42ff0000,
	0x43000000,
	0x43008000,
	0x437f0000,
	0x437f8000,
	0xc3000000,
	0xc3008000,
	0x46fffe00,
	0x46ffff00,
	0x47000000,
	0xc7000000,
	0xc7000080,
	0x477fff00,
	0x477fff80,
	/* ties in rounding to f16 and bf16 */
	0x477fe000,
	0x477fefff,
	0x477ff000,
	0x3f801000,
	0x3f801001,
	0x3f803000,
	0x33000000,
	0x33000001,
	0x33800000,
	0x387fe000,
	0x38800000,
	0x387fffff,
	0x3f808000,
	0x3f808001,
	0x3f818000,
	0x7f7f8000,
	0x7f7f7fff,
	0x00008000,
	0x00018000,
	0x3f801fff,
	0x3f800fff,
	/* arguments for sin, cos, ex2 and similar functions */
	0x40490fdb,
	0x3fc90fdb,
	0xc0490fdb,
	0x42c80000,
	0xc2c80000,
	0x42fe8000,
	0xc2fc0000,
	0xc3150000,
	0x43160000,
	0x3dcccccd,
	0x49742400,
	0x7e800000,
	0x7e800001,
	0x7f000000,
	0x3eaaaaab,
	0x40000000,
	0x41200000,
};
static const uint64_t f64_edges[] = {
	0x0000000000000000,
	0x8000000000000000,
	0x3ff0000000000000,
	0xbff8000000000000,
	0x0008000000000001,
	0x7fefffffffffffff,
	0x7ff0000000000000,
	0x7ff8123456789abc,
	0x3ff0000000000001,
	0x8010000000000000, /* the values to here are combined */
	0xbff0000000000000,
	0x0000000000000001,
	0x8000000000000001,
	0x000fffffffffffff,
	0x0010000000000000,
	0xffefffffffffffff,
	0xfff0000000000000,
	0xfff8000000000000,
	0x7ff0000000000001,
	0xfff4123456789abc,
	0x3fefffffffffffff,
	0x3fe0000000000000,
	0xbfe0000000000000,
	0x4004000000000000,
	0xc004000000000000,
	0x400c000000000000,
	0x3fdfffffffffffff,
	0x3fe0000000000001,
	/* limits of integers and their neighbours */
	0x41dfffffffc00000,
	0x41e0000000000000,
	0x41dfffffffe00000,
	0xc1e0000000000000,
	0xc1e0000000200000,
	0xc1e0000000100000,
	0x41efffffffe00000,
	0x41f0000000000000,
	0x41effffffff00000,
	0x43e0000000000000,
	0x43dfffffffffffff,
	0xc3e0000000000000,
	0xc3e0000000000001,
	0x43f0000000000000,
	0x43efffffffffffff,
	0x405fc00000000000,
	0x405fe00000000000,
	0x4060000000000000,
	0xc060000000000000,
	0xc060100000000000,
	0x406fe00000000000,
	0x406ff00000000000,
	0x40dfffc000000000,
	0x40e0000000000000,
	0x40efffe000000000,
	0x40effff000000000,
	0x4330000000000000,
	0x4330000000000001,
	0x432fffffffffffff,
	0x4340000000000000,
	/* ties in rounding to f32, f16 and bf16, and the limits of these types */
	0x3ff0000010000000,
	0x3ff0000010000001,
	0x3ff0000030000000,
	0x47efffffe0000000,
	0x47efffffefffffff,
	0x47effffff0000000,
	0x36a0000000000000,
	0x3690000000000000,
	0x3690000000000001,
	0x380fffffc0000000,
	0x380ffffff0000000,
	0x3810000000000000,
	0x3ff0020000000000,
	0x3ff0020000000001,
	0x3ff0060000000000,
	0x40effc0000000000,
	0x40effdffffffffff,
	0x40effe0000000000,
	0x3e60000000000000,
	0x3e60000000000001,
	0x3e70000000000000,
	0x3ff0100000000000,
	0x3ff0100000000001,
	0x3ff0300000000000,
	0x0018000000000001,
	0x7fe0000000000001,
	0x1ff0000000000003,
	0x2000000000000007,
	0x400921fb54442d18,
	0x4059000000000000,
};

/* Quiet and signalling NaNs of both signs with distinct payloads, and a few numbers. */
static const uint64_t nan_f64_edges[] = {
	0x7ff8000000000001, 0xfff8000000000002, 0x7ff0000000000003, 0xfff0000000000004,
	0x3ff0000000000000, 0x7ff8abcdef012345, 0x7ff0000000000000, 0xfff8000000000000,
	0x7fffffffffffffff, 0x0000000000000000, 0xfff0000000000000, 0x8000000000000000,
};
/* Products of two of the first ten are near the least normal number. Some lie between it and the
 * next smaller number with as many digits. */
static const uint64_t tiny_f16_edges[] = {
	0x0400, 0x3bff, 0x0401, 0x3bfe, 0x8400, 0x3c01, 0x07ff, 0x3800, 0xbbff,
	0x3801, 0x2000, 0x1fff, 0x2001, 0x1c00, 0x23ff, 0x21a8, 0x1da8, 0xa000,
};
static const uint64_t tiny_f32_edges[] = {
	0x00800000, 0x3f7fffff, 0x00800001, 0x3f7ffffe, 0x80800000, 0x3f800001,
	0x00ffffff, 0x3f000000, 0xbf7fffff, 0x3f000001, 0x20000000, 0x1fffffff,
	0x20000001, 0x1f800000, 0x203504f3, 0x1fb504f3, 0xa0000000, 0x3f7ffffd,
};
/* 2^-126 and 2^-150, and slightly smaller numbers. */
static const uint64_t tiny_f64_edges[] = {
	0x380ffffff8000000, 0x380ffffff0000000, 0x380fffffefffffff, 0x380ffffff0000001,
	0x380fffffe8000000, 0x380fffffe0000000, 0x380fffffdfffffff, 0x380fffffe0000001,
	0x380fffffd0000000, 0x380fffffc0000000, 0xb80ffffff8000000, 0xb80ffffff0000000,
	0xb80fffffefffffff, 0xb80ffffff0000001, 0xb80fffffe8000000, 0xb80fffffe0000000,
	0xb80fffffdfffffff, 0xb80fffffe0000001, 0x380fffffffffffff, 0xb80fffffffffffff,
	0x3810000000000000, 0xb810000000000000, 0x3810000000000001, 0x36a0000000000000,
	0x3690000000000001, 0x3690000000000000, 0x368fffffffffffff, 0x0000000000000001,
};

uint64_t opcode_mix(uint64_t seed)
{
	seed += 0x9e3779b97f4a7c15;
	seed = (seed ^ seed >> 30) * 0xbf58476d1ce4e5b9;
	seed = (seed ^ seed >> 27) * 0x94d049bb133111eb;
	return seed ^ seed >> 31;
}

struct edges {
	const uint64_t *values;
	size_t count;
};

static struct edges edges_of(enum opcode_input input)
{
	switch (input) {
	case INPUT_INTEGER:
		return (struct edges){integer_edges, ARRAY_SIZE(integer_edges)};
	case INPUT_AMOUNT:
		return (struct edges){amount_edges, ARRAY_SIZE(amount_edges)};
	case INPUT_F16:
		return (struct edges){f16_edges, ARRAY_SIZE(f16_edges)};
	case INPUT_BF16:
		return (struct edges){bf16_edges, ARRAY_SIZE(bf16_edges)};
	case INPUT_F32:
		return (struct edges){f32_edges, ARRAY_SIZE(f32_edges)};
	case INPUT_F64:
		return (struct edges){f64_edges, ARRAY_SIZE(f64_edges)};
	case INPUT_NAN_F64:
		return (struct edges){nan_f64_edges, ARRAY_SIZE(nan_f64_edges)};
	case INPUT_TINY_F16:
		return (struct edges){tiny_f16_edges, ARRAY_SIZE(tiny_f16_edges)};
	case INPUT_TINY_F32:
		return (struct edges){tiny_f32_edges, ARRAY_SIZE(tiny_f32_edges)};
	case INPUT_TINY_F64:
		return (struct edges){tiny_f64_edges, ARRAY_SIZE(tiny_f64_edges)};
	default:
		return (struct edges){NULL, 0};
	}
}

size_t opcode_edge_count(const struct opcode_operand *operand)
{
	return edges_of(operand->input).count;
}

/* Half of the values have random bits, half an exponent near 1, where results are neither 0 nor
 * inf. */
static uint64_t random_float(uint64_t bits, unsigned mantissa, unsigned exponent)
{
	uint64_t middle = (UINT64_C(1) << (exponent - 1)) - 1;

	if (bits >> 63)
		return bits & UINT64_MAX >> (63 - mantissa - exponent);
	return (bits & ((UINT64_C(1) << mantissa) - 1)) |
	       (middle - 6 + (bits >> 56) % 12) << mantissa |
	       (bits >> 55 & 1) << (mantissa + exponent);
}

/* Bits of a float with this many bits of mantissa, whose exponent is among those of fp8 or just
 * outside. The bits behind its first 2, 3 or 4 are all 0, all 1, 0 but for the last, or random. */
static uint64_t near_fp8(uint64_t bits, unsigned mantissa, unsigned middle)
{
	unsigned left = mantissa - 2 - (unsigned)(bits & 3) % 3;
	uint64_t exponent = middle + (bits >> 4) % 36 - 18;
	uint64_t first = (bits >> 16 & 15) << (mantissa - 4) >> left << left;
	uint64_t rest = bits >> 32 & ((UINT64_C(1) << left) - 1);

	if (exponent > 2 * middle)
		exponent = (bits >> 4) % 3 ? 2 * middle : 0;
	if (bits >> 8 & 1)
		rest = 0;
	else if (bits >> 9 & 1)
		rest = bits >> 10 & 1 ? 1 : (UINT64_C(1) << left) - 1;
	return (bits >> 63) * 2 * (middle + 1) << mantissa | exponent << mantissa | first | rest;
}

static uint64_t random_value(const struct opcode_operand *operand, uint64_t bits)
{
	switch (operand->input) {
	case INPUT_NEAR_FP8:
		if (!operand->is_signed)
			return near_fp8(bits, 23, 127);
		return near_fp8(bits, 10, 15) | near_fp8(opcode_mix(bits), 10, 15) << 16;
	case INPUT_AMOUNT:
		return bits % 66;
	case INPUT_SMALL:
		return bits % 4;
	case INPUT_LANE:
		return bits % 41;
	case INPUT_OFFSET:
		return bits % 83 == 82 ? 0x80000000 : bits % 83 - 41;
	case INPUT_NAN_F64:
		return bits | UINT64_C(0x7ff0000000000001);
	case INPUT_TINY_F16: /* roots of the least normal number, and their neighbours */
		return (bits & 0x83ff) | ((bits >> 20 & 1) + 7) << 10;
	case INPUT_TINY_F32:
		return (bits & 0x807fffff) | ((bits >> 40 & 1) + 63) << 23;
	case INPUT_TINY_F64:
		return (bits & UINT64_C(0x800fffffffffffff)) | ((bits >> 60 & 1) + 0x380) << 52;
	case INPUT_F16:
		return random_float(bits, 10, 5);
	case INPUT_BF16:
		return random_float(bits, 7, 8);
	case INPUT_F32:
		return random_float(bits, 23, 8);
	case INPUT_F64:
		return random_float(opcode_mix(bits) >> 12 | bits >> 52 << 52, 52, 11);
	default:
		/* Values of any magnitude. */
		return bits >> (bits & 7) * 8 % 64;
	}
}

static uint64_t single_value(const struct opcode_operand *operand, size_t index)
{
	struct edges edges = edges_of(operand->input);
	uint64_t least = UINT64_C(1) << (operand->bits - 1);

	/* If a register is wider than the type, its other bits are random. */
	if (operand->input == INPUT_INTEGER && index == 3)
		return operand->bits == 8 ? 0x5a7f : least - 1;
	if (operand->input == INPUT_INTEGER && index == 4)
		return operand->bits == 8 ? 0x2580 : least;
	if (index < edges.count)
		return edges.values[index];
	return random_value(operand, opcode_mix(index));
}

uint64_t opcode_value(const struct opcode_operand *operand, size_t index)
{
	uint64_t value = single_value(operand, index);

	if (operand->bits == 32 && (operand->input == INPUT_F16 || operand->input == INPUT_BF16))
		value |= single_value(operand, index < 64 ? (index * 7 + 3) % 36 : index + 9) << 16;
	if (operand->bits == 1)
		return value & 1;
	return operand->bits == 64
		       ? value
		       : value & ((UINT64_C(1) << (operand->bits < 16 ? 16 : operand->bits)) - 1);
}
