/*
 * Fills inputs from a seed. Element i depends only on the seed, the buffer's
 * name and i, so that any part can be filled anywhere and in any order. Only
 * integer arithmetic and exact conversions are used, so that every machine
 * computes the same bits.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include <xxhash.h>

#include "kernels/kernels.h"
#include "kernels/parallel.h"

/* Weyl step and finaliser of splitmix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number
 * Generators). */
#define STEP UINT64_C(0x9e3779b97f4a7c15)

/* The smallest number of elements for which a fill uses another thread: 256 KiB of floats. */
#define FILL_GRAIN (INT64_C(1) << 16)

static inline uint64_t hash_at(uint64_t key, uint64_t index)
{
	uint64_t z = key + (index + 1) * STEP;

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

/* Clamps the value: in C, converting a double out of range is undefined. */
static int64_t fill_clamp_integer(double value, int64_t low, int64_t high)
{
	if (!(value > (double)low))
		return low;
	return value < (double)high ? (int64_t)value : high;
}

static float float_within(double value)
{
	return (float)fmin(fmax(value, -FLT_MAX), FLT_MAX);
}

struct filling {
	void *data;
	const struct case_buffer *buffer;
	uint64_t key;
};

/* F32 and the narrower types. */
static void fill_narrow(void *context, int64_t begin, int64_t end)
{
	const struct filling *filling = context;
	const struct case_buffer *buffer = filling->buffer;
	uint64_t key = filling->key;
	float low = float_within(buffer->fill_low);
	float range = float_within(buffer->fill_high - buffer->fill_low);
	/* low + range * unit may round up to high, which is excluded. */
	float last = nextafterf(float_within(buffer->fill_high), low);

	for (int64_t i = begin; i < end; i++) {
		float unit = (float)(int32_t)(hash_at(key, (uint64_t)i) >> 40) * 0x1p-24f;
		float value = low + range * unit;

		value = value < last ? value : last;
		if (buffer->type == ELEMENT_F32)
			((float *)filling->data)[i] = value;
		else
			element_store(buffer->type, filling->data, i, (double)value);
	}
}

static void fill_f64(double *data, const struct case_buffer *buffer, uint64_t key)
{
	double low = buffer->fill_low;
	double range = buffer->fill_high - buffer->fill_low;
	double last = nextafter(buffer->fill_high, low);

	for (int64_t i = 0; i < buffer->length; i++) {
		double unit = (double)(int64_t)(hash_at(key, (uint64_t)i) >> 11) * 0x1p-53;
		double value = low + range * unit;

		data[i] = value < last ? value : last;
	}
}

/* I32 and U32: taking `low` and the width modulo 2^32 is right for both. */
static void fill_u32(uint32_t *data, int64_t length, int64_t low, int64_t high, uint64_t key)
{
	uint64_t width = high > low ? (uint64_t)(high - low) : 1;

	for (int64_t i = 0; i < length; i++) {
		uint64_t unit = hash_at(key, (uint64_t)i) >> 32;

		data[i] = (uint32_t)low + (uint32_t)(unit * width >> 32);
	}
}

static void fill_uniform(void *data, const struct case_buffer *buffer, uint64_t key)
{
	/* `high` is excluded, so the end is one past the largest value of the type. */
	int64_t lowest = buffer->type == ELEMENT_I32 ? INT32_MIN : 0;
	int64_t end = buffer->type == ELEMENT_I32 ? INT64_C(1) << 31 : INT64_C(1) << 32;

	switch (buffer->type) {
	case ELEMENT_F32:
	case ELEMENT_F16:
	case ELEMENT_BF16:
	case ELEMENT_TF32:
		parallel_for(buffer->length, FILL_GRAIN, fill_narrow,
			     &(struct filling){data, buffer, key});
		break;
	case ELEMENT_F64:
		fill_f64(data, buffer, key);
		break;
	case ELEMENT_I32:
	case ELEMENT_U32:
		fill_u32(data, buffer->length,
			 fill_clamp_integer(buffer->fill_low, lowest, end - 1),
			 fill_clamp_integer(buffer->fill_high, lowest, end), key);
		break;
	case ELEMENT_TYPES:
		break;
	}
}

static void fill_index(void *data, const struct case_buffer *buffer)
{
	for (int64_t i = 0; i < buffer->length; i++)
		switch (buffer->type) {
		case ELEMENT_F32:
			((float *)data)[i] = (float)i;
			break;
		case ELEMENT_F64:
			((double *)data)[i] = (double)i;
			break;
		case ELEMENT_I32:
		case ELEMENT_U32:
			((uint32_t *)data)[i] = (uint32_t)i;
			break;
		case ELEMENT_F16:
		case ELEMENT_BF16:
		case ELEMENT_TF32:
		case ELEMENT_TYPES:
			element_store(buffer->type, data, i, (double)i);
			break;
		}
}

static void fill_constant(void *data, const struct case_buffer *buffer)
{
	double value = buffer->fill_low;
	float real = float_within(value);
	uint32_t integer = buffer->type == ELEMENT_I32
				   ? (uint32_t)fill_clamp_integer(value, INT32_MIN, INT32_MAX)
				   : (uint32_t)fill_clamp_integer(value, 0, UINT32_MAX);

	for (int64_t i = 0; i < buffer->length; i++)
		switch (buffer->type) {
		case ELEMENT_F32:
			((float *)data)[i] = real;
			break;
		case ELEMENT_F64:
			((double *)data)[i] = value;
			break;
		case ELEMENT_I32:
		case ELEMENT_U32:
			((uint32_t *)data)[i] = integer;
			break;
		case ELEMENT_F16:
		case ELEMENT_BF16:
		case ELEMENT_TF32:
		case ELEMENT_TYPES:
			element_store(buffer->type, data, i, value);
			break;
		}
}

void kernel_fill(void *data, const struct case_buffer *buffer, uint64_t seed)
{
	switch (buffer->fill) {
	case FILL_NONE:
		memset(data, 0, (size_t)buffer->length * element_size_bytes(buffer->type));
		break;
	case FILL_UNIFORM:
		fill_uniform(data, buffer, XXH64(buffer->name, strlen(buffer->name), seed));
		break;
	case FILL_INDEX:
		fill_index(data, buffer);
		break;
	case FILL_CONSTANT:
		fill_constant(data, buffer);
		break;
	}
}
