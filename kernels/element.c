/* Element types: their names and sizes, and conversions of the narrow types. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "kernels/kernels.h"

static const struct {
	const char *name;
	size_t bytes;
} elements[ELEMENT_TYPES] = {
	[ELEMENT_F32] = {"f32", 4},   [ELEMENT_F64] = {"f64", 8}, [ELEMENT_I32] = {"i32", 4},
	[ELEMENT_U32] = {"u32", 4},   [ELEMENT_F16] = {"f16", 2}, [ELEMENT_BF16] = {"bf16", 2},
	[ELEMENT_TF32] = {"tf32", 4},
};

size_t element_size_bytes(enum element_type type)
{
	return elements[type].bytes;
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

static uint32_t bits_of(float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

static float float_of(uint32_t bits)
{
	float value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

/* IEEE half precision: 1 sign bit, 5 exponent bits, 10 fraction bits. */
static double half_value(uint16_t half)
{
	int exponent = half >> 10 & 31;
	int fraction = half & 0x3ff;
	double value;

	if (exponent == 31)
		value = fraction ? NAN : INFINITY;
	else if (exponent == 0)
		value = ldexp(fraction, -24);
	else
		value = ldexp(0x400 + fraction, exponent - 25);
	return half & 0x8000 ? -value : value;
}

static uint16_t half_towards_zero(float value)
{
	uint32_t bits = bits_of(value);
	uint32_t sign = bits >> 16 & 0x8000;
	int exponent = (int)(bits >> 23 & 255) - 127;
	uint32_t fraction = bits & 0x7fffff;

	if (exponent > 15)
		return (uint16_t)(sign | 0x7bff);
	if (exponent >= -14)
		return (uint16_t)(sign | (uint32_t)(exponent + 15) << 10 | fraction >> 13);
	if (exponent >= -24)
		return (uint16_t)(sign | (0x800000 | fraction) >> (-1 - exponent));
	return (uint16_t)sign;
}

double element_value(enum element_type type, const void *data, int64_t index)
{
	switch (type) {
	case ELEMENT_F32:
	case ELEMENT_TF32:
		return ((const float *)data)[index];
	case ELEMENT_F64:
		return ((const double *)data)[index];
	case ELEMENT_I32:
		return ((const int32_t *)data)[index];
	case ELEMENT_U32:
		return ((const uint32_t *)data)[index];
	case ELEMENT_F16:
		return half_value(((const uint16_t *)data)[index]);
	case ELEMENT_BF16:
		return float_of((uint32_t)((const uint16_t *)data)[index] << 16);
	case ELEMENT_TYPES:
		break;
	}
	return NAN;
}

/* Rounds towards zero. A value beyond the range of float becomes FLT_MAX of that sign. */
static float float_towards_zero(double value)
{
	float near;

	if (fabs(value) > (double)FLT_MAX)
		return copysignf(FLT_MAX, (float)copysign(1.0, value));
	near = (float)value;
	return fabs((double)near) > fabs(value) ? nextafterf(near, 0.0f) : near;
}

static int64_t element_clamp_integer(double value, int64_t lowest, int64_t highest)
{
	if (!(value > (double)lowest))
		return lowest;
	return value < (double)highest ? (int64_t)value : highest;
}

void element_store(enum element_type type, void *data, int64_t index, double value)
{
	switch (type) {
	case ELEMENT_F32:
		((float *)data)[index] = float_towards_zero(value);
		break;
	case ELEMENT_F64:
		((double *)data)[index] = value;
		break;
	case ELEMENT_I32:
		((int32_t *)data)[index] =
			(int32_t)element_clamp_integer(value, INT32_MIN, INT32_MAX);
		break;
	case ELEMENT_U32:
		((uint32_t *)data)[index] = (uint32_t)element_clamp_integer(value, 0, UINT32_MAX);
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
	case ELEMENT_TYPES:
		break;
	}
}
