/* Element types: their names and sizes, and conversions from and to numbers. */
#include "kernels/element.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "kernels/vectors.h"

static const struct {
	const char *name;
	size_t bytes;
	bool integer;
} elements[ELEMENT_TYPES] = {
#define X(symbol, name, bytes, integer) [symbol] = {name, bytes, integer},
	ELEMENT_TYPE_LIST(X)
#undef X
};

size_t element_size_bytes(enum element_type type)
{
	return elements[type].bytes;
}

bool element_is_integer(enum element_type type)
{
	return elements[type].integer;
}

bool element_is_signed(enum element_type type)
{
	return type == ELEMENT_I8 || type == ELEMENT_I16 || type == ELEMENT_I32 ||
	       type == ELEMENT_I64;
}

const char *element_type_name(enum element_type type)
{
	return elements[type].name;
}

bool element_type_parse(enum element_type *out, const char *name)
{
	for (int i = 0; i < ELEMENT_TYPES; i++)
		if (!strcmp(elements[i].name, name)) {
			*out = (enum element_type)i;
			return true;
		}
	return false;
}

/* ---- bits ---- */

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

/* ---- ranges ---- */

void element_integer_range(enum element_type type, double *low, double *end)
{
	const int bits = 8 * (int)elements[type].bytes;
	const bool is_signed = element_is_signed(type);

	*low = is_signed ? -ldexp(1.0, bits - 1) : 0.0;
	*end = ldexp(1.0, is_signed ? bits - 1 : bits);
}

/* The significant bits and the largest value of floating-point types. */
static const struct {
	int bits;
	double largest;
} reals[ELEMENT_TYPES] = {
	[ELEMENT_F16] = {11, 65504.0},      [ELEMENT_BF16] = {8, 0x1.fep127},
	[ELEMENT_TF32] = {11, 0x1.ffcp127}, [ELEMENT_F32] = {24, (double)FLT_MAX},
	[ELEMENT_F64] = {53, DBL_MAX},
};

bool element_in_range(enum element_type type, double value)
{
	double low, end;

	if (!elements[type].integer)
		return fabs(value) <= reals[type].largest;
	element_integer_range(type, &low, &end);
	return value >= low && value < end;
}

void element_describe_range(struct text *out, enum element_type type)
{
	const unsigned unused = 64 - (unsigned)elements[type].bytes * 8;

	if (!elements[type].integer)
		text_addf(out, "%.6g to %.6g", -reals[type].largest, reals[type].largest);
	else if (element_is_signed(type))
		text_addf(out, "the integers %" PRId64 " to %" PRId64, INT64_MIN >> unused,
			  INT64_MAX >> unused);
	else
		text_addf(out, "the integers 0 to %" PRIu64, UINT64_MAX >> unused);
}

/* ---- conversions ---- */

/* IEEE half precision: 1 sign bit, 5 exponent bits, 10 fraction bits. */
static double half_value(uint16_t half)
{
	int exponent = half >> 10 & 31;
	int fraction = half & 0x3ff;
	double value;

	if (exponent == 31)
		value = fraction ? NAN : INFINITY;
	else if (exponent == 0)
		value = fraction * 0x1p-24;
	else /* a float with the same fraction; ldexp() is ten times slower */
		value = (double)float_of((uint32_t)(exponent + 112) << 23 | (uint32_t)fraction
										    << 13);
	return half & 0x8000 ? -value : value;
}

int64_t element_integer(enum element_type type, const void *data, int64_t index)
{
	switch (type) {
	case ELEMENT_I8:
		return ((const int8_t *)data)[index];
	case ELEMENT_U8:
		return ((const uint8_t *)data)[index];
	case ELEMENT_I16:
		return ((const int16_t *)data)[index];
	case ELEMENT_U16:
		return ((const uint16_t *)data)[index];
	case ELEMENT_I32:
		return ((const int32_t *)data)[index];
	case ELEMENT_U32:
		return ((const uint32_t *)data)[index];
	case ELEMENT_I64:
	case ELEMENT_U64:
		return ((const int64_t *)data)[index];
	default:
		return 0;
	}
}

double element_value(enum element_type type, const void *data, int64_t index)
{
	switch (type) {
	case ELEMENT_F32:
	case ELEMENT_TF32:
		return ((const float *)data)[index];
	case ELEMENT_F64:
		return ((const double *)data)[index];
	case ELEMENT_F16:
		return half_value(((const uint16_t *)data)[index]);
	case ELEMENT_BF16:
		return float_of((uint32_t)((const uint16_t *)data)[index] << 16);
	case ELEMENT_U64:
		return (double)((const uint64_t *)data)[index];
	default:
		return (double)element_integer(type, data, index);
	}
}

double element_difference(enum element_type type, const void *a, const void *b, int64_t index)
{
	int64_t left, right;
	bool less;

	if (!element_is_integer(type))
		return fabs(element_value(type, a, index) - element_value(type, b, index));
	left = element_integer(type, a, index);
	right = element_integer(type, b, index);
	less = type == ELEMENT_U64 ? (uint64_t)left < (uint64_t)right : left < right;
	return (double)(less ? (uint64_t)right - (uint64_t)left : (uint64_t)left - (uint64_t)right);
}

/* In C, converting a double out of range is undefined. */
static int64_t element_clamp_signed(double value, int64_t lowest, int64_t highest)
{
	if (!(value > (double)lowest))
		return lowest;
	return value < (double)highest ? (int64_t)value : highest;
}

static uint64_t element_clamp_unsigned(double value, uint64_t highest)
{
	if (!(value > 0.0))
		return 0;
	return value < (double)highest ? (uint64_t)value : highest;
}

int element_significant_bits(enum element_type type)
{
	return elements[type].integer ? 8 * (int)elements[type].bytes - element_is_signed(type)
				      : reals[type].bits;
}

void element_store_integer(enum element_type type, void *data, int64_t index, uint64_t value)
{
	switch (elements[type].bytes) {
	case 1:
		((uint8_t *)data)[index] = (uint8_t)value;
		break;
	case 2:
		((uint16_t *)data)[index] = (uint16_t)value;
		break;
	case 4:
		((uint32_t *)data)[index] = (uint32_t)value;
		break;
	default:
		((uint64_t *)data)[index] = value;
	}
}

void element_store(enum element_type type, void *data, int64_t index, double value)
{
	unsigned bits = (unsigned)elements[type].bytes * 8;

	switch (type) {
	case ELEMENT_F32:
		((float *)data)[index] = float_towards_zero(value);
		break;
	case ELEMENT_F64:
		((double *)data)[index] = value;
		break;
	case ELEMENT_F16:
		((uint16_t *)data)[index] = half_towards_zero(float_towards_zero(value));
		break;
	case ELEMENT_BF16:
		((uint16_t *)data)[index] = (uint16_t)(bits_of(float_towards_zero(value)) >> 16);
		break;
	case ELEMENT_TF32:
		((float *)data)[index] =
			float_of(bits_of(float_towards_zero(value)) & ~UINT32_C(0x1fff));
		break;
	case ELEMENT_I8:
	case ELEMENT_I16:
	case ELEMENT_I32:
	case ELEMENT_I64:
		element_store_integer(type, data, index,
				      (uint64_t)element_clamp_signed(value,
								     INT64_MIN >> (64 - bits),
								     INT64_MAX >> (64 - bits)));
		break;
	case ELEMENT_U8:
	case ELEMENT_U16:
	case ELEMENT_U32:
	case ELEMENT_U64:
		element_store_integer(type, data, index,
				      element_clamp_unsigned(value, UINT64_MAX >> (64 - bits)));
		break;
	case ELEMENT_TYPES:
		break;
	}
}

/*
 * Rounds to `bits` significant bits, ties to even, with a last bit of at least
 * 2^least. It divides by a power of two, so only rint() rounds.
 */
static double round_to_bits(double value, int bits, int least)
{
	int exponent;

	if (value == 0.0 || !isfinite(value))
		return value;
	frexp(value, &exponent);
	exponent = exponent - bits > least ? exponent - bits : least;
	return ldexp(rint(ldexp(value, -exponent)), exponent);
}

static uint16_t half_nearest(double value)
{
	double rounded = round_to_bits(value, 11, -24);
	uint16_t sign = signbit(value) ? 0x8000 : 0;

	if (isnan(value))
		return 0x7e00;
	if (fabs(rounded) > 65504.0)
		return sign | 0x7c00;
	return sign | half_towards_zero((float)fabs(rounded));
}

void element_store_nearest(enum element_type type, void *data, int64_t index, double value)
{
	switch (type) {
	case ELEMENT_F32:
		((float *)data)[index] = (float)value;
		break;
	case ELEMENT_F16:
		((uint16_t *)data)[index] = half_nearest(value);
		break;
	case ELEMENT_BF16:
		/* A cast to float is exact after the rounding, or gives infinity. */
		((uint16_t *)data)[index] =
			(uint16_t)(bits_of((float)round_to_bits(value, 8, -133)) >> 16);
		break;
	case ELEMENT_TF32:
		((float *)data)[index] = (float)round_to_bits(value, 11, -136);
		break;
	default:
		element_store(type, data, index, value);
	}
}

/* Whether a floating-point type has enough significant bits for an integer. */
static bool holds_digits(enum element_type type, int64_t value)
{
	const uint64_t magnitude = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;

	return !magnitude ||
	       magnitude >> __builtin_ctzll(magnitude) >> element_significant_bits(type) == 0;
}

bool element_hold_integer(enum element_type type, void *data, int64_t index, int64_t value)
{
	if (!elements[type].integer) {
		element_store_nearest(type, data, index, (double)value);
		return holds_digits(type, value) && element_in_range(type, (double)value);
	}
	element_store_integer(type, data, index, (uint64_t)value);
	return (element_is_signed(type) || value >= 0) &&
	       element_integer(type, data, index) == value;
}

bool element_hold_real(enum element_type type, void *data, int64_t index, double value)
{
	element_store_nearest(type, data, index, value);
	if (elements[type].integer)
		return value == trunc(value) && element_in_range(type, value);
	return !isfinite(value) || isfinite(element_value(type, data, index));
}

/* ---- tiles: one switch over the types for many elements ---- */

void element_store_tile(enum element_type type, void *data, int64_t first, const double *values)
{
	switch (type) {
	case ELEMENT_F32:
		for (int i = 0; i < ELEMENT_TILE; i++)
			((float *)data)[first + i] = float_towards_zero(values[i]);
		break;
	case ELEMENT_F64:
		memcpy((double *)data + first, values, ELEMENT_TILE * sizeof(*values));
		break;
	case ELEMENT_F16:
		for (int i = 0; i < ELEMENT_TILE; i++)
			((uint16_t *)data)[first + i] =
				half_towards_zero(float_towards_zero(values[i]));
		break;
	case ELEMENT_BF16:
		for (int i = 0; i < ELEMENT_TILE; i++)
			((uint16_t *)data)[first + i] =
				(uint16_t)(bits_of(float_towards_zero(values[i])) >> 16);
		break;
	case ELEMENT_TF32:
		for (int i = 0; i < ELEMENT_TILE; i++)
			((float *)data)[first + i] = float_of(
				bits_of(float_towards_zero(values[i])) & ~UINT32_C(0x1fff));
		break;
	default:
		for (int i = 0; i < ELEMENT_TILE; i++)
			element_store(type, data, first + i, values[i]);
	}
}

void element_store_integer_tile(enum element_type type, void *data, int64_t first,
				const uint64_t *values)
{
	switch (element_size_bytes(type)) {
	case 1:
		for (int i = 0; i < ELEMENT_TILE; i++)
			((uint8_t *)data)[first + i] = (uint8_t)values[i];
		break;
	case 2:
		for (int i = 0; i < ELEMENT_TILE; i++)
			((uint16_t *)data)[first + i] = (uint16_t)values[i];
		break;
	case 4:
		for (int i = 0; i < ELEMENT_TILE; i++)
			((uint32_t *)data)[first + i] = (uint32_t)values[i];
		break;
	default:
		memcpy((uint64_t *)data + first, values, ELEMENT_TILE * sizeof(*values));
	}
}
