/*
 * Fills inputs from a seed. Element i depends only on the seed, the buffer's
 * name and i, so that any part can be filled anywhere and in any order. Only
 * integer arithmetic and correctly rounded operations are used, so that every
 * machine computes the same bits.
 */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include <xxhash.h>

#include "kernels/check_expression.h"
#include "kernels/element.h"
#include "kernels/fill.h"
#include "kernels/parallel.h"

/* The smallest number of elements for which a fill uses another thread: 256 KiB of floats. */
#define FILL_GRAIN (INT64_C(1) << 16)

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

static void fill_f64(void *context, int64_t begin, int64_t end)
{
	const struct filling *filling = context;
	const struct case_buffer *buffer = filling->buffer;
	double low = buffer->fill_low;
	double range = buffer->fill_high - buffer->fill_low;
	double last = nextafter(buffer->fill_high, low);

	for (int64_t i = begin; i < end; i++) {
		double unit = (double)(int64_t)(hash_at(filling->key, (uint64_t)i) >> 11) * 0x1p-53;
		double value = low + range * unit;

		((double *)filling->data)[i] = value < last ? value : last;
	}
}

/*
 * Uniform values with every bit of the mantissa: 53 random bits are more than
 * the narrow types have. For F64, a second hash supplies what 53 bits leave 0
 * in values near 0.
 */
static void fill_full_uniform(void *context, int64_t begin, int64_t end)
{
	const struct filling *filling = context;
	const struct case_buffer *buffer = filling->buffer;
	const bool wide = buffer->type == ELEMENT_F64;
	const double low = buffer->fill_low;
	const double range = buffer->fill_high - buffer->fill_low;
	const double last = nextafter(buffer->fill_high, low);

	for (int64_t i = begin; i < end; i++) {
		const uint64_t first = hash_at(filling->key, (uint64_t)i) >> 11;
		const uint64_t second = wide ? hash_at(~filling->key, (uint64_t)i) >> 11 : 0;
		double value = low + range * ((double)(int64_t)first * 0x1p-53);

		value += range * ((double)(int64_t)second * 0x1p-106);
		element_store(buffer->type, filling->data, i, value < last ? value : last);
	}
}

/*
 * fill_full_uniform() for F32, which most fills are: several times faster, and
 * equal but for values below FLT_MIN. Without its last 29 bits a double is a
 * float, cut towards zero.
 */
static void fill_full_f32(void *context, int64_t begin, int64_t end)
{
	const struct filling *filling = context;
	const struct case_buffer *buffer = filling->buffer;
	const double low = buffer->fill_low;
	const double range = buffer->fill_high - buffer->fill_low;
	const double last = nextafter(buffer->fill_high, low);
	float *const data = filling->data;

	for (int64_t i = begin; i < end; i++) {
		const uint64_t random = hash_at(filling->key, (uint64_t)i) >> 11;
		double value = low + range * ((double)(int64_t)random * 0x1p-53);
		uint64_t bits;

		value = value < last ? value : last;
		memcpy(&bits, &value, sizeof(bits));
		bits &= ~UINT64_C(0x1fffffff);
		memcpy(&value, &bits, sizeof(value));
		data[i] = (float)value;
	}
}

/* Whether a float holds the bounds, and nearly all values between them as normal numbers. */
static bool range_is_of_floats(const struct case_buffer *buffer)
{
	return fabs(buffer->fill_low) <= (double)FLT_MAX &&
	       fabs(buffer->fill_high) <= (double)FLT_MAX &&
	       buffer->fill_high - buffer->fill_low > 1e-20;
}

/*
 * The integer `value`, cut to the range of the type and then taken modulo 2^64.
 * `past` adds one value at the end of the range: the least excluded bound.
 */
static uint64_t integer_bound(enum element_type type, double value, bool past)
{
	int bits = 8 * (int)element_size_bytes(type);
	bool is_signed = element_is_signed(type);
	double lowest, end;
	uint64_t end_bits = is_signed   ? UINT64_C(1) << (bits - 1)
			    : bits < 64 ? UINT64_C(1) << bits
					: 0;

	element_integer_range(type, &lowest, &end);
	if (!(value > lowest))
		value = lowest;
	if (value >= end)
		return past ? end_bits : end_bits - 1;
	return value < 0.0 ? (uint64_t)(int64_t)value : (uint64_t)value;
}

/* A width of 0 stands for 2^64: every value of a 64-bit type. */
static void fill_integers(void *context, int64_t begin, int64_t end)
{
	const struct filling *filling = context;
	const struct case_buffer *buffer = filling->buffer;
	enum element_type type = buffer->type;
	uint64_t low = integer_bound(type, buffer->fill_low, false);
	uint64_t high = integer_bound(type, buffer->fill_high, true);
	uint64_t width = buffer->fill_high > buffer->fill_low ? high - low : 1;

	if (element_size_bytes(type) < 8) {
		width = width ? width : 1;
		for (int64_t i = begin; i < end; i++) {
			uint64_t unit = hash_at(filling->key, (uint64_t)i) >> 32;

			element_store_integer(type, filling->data, i, low + (unit * width >> 32));
		}
		return;
	}
	/* Both bounds can be cut to the same integer. */
	if (!width && buffer->fill_high < 0x1p63)
		width = 1;
	for (int64_t i = begin; i < end; i++) {
		uint64_t hash = hash_at(filling->key, (uint64_t)i);

		((uint64_t *)filling->data)[i] = low + hash_below(hash, width);
	}
}

/* A bound of whole numbers, cut to those that the floating-point type holds exactly. */
static int64_t whole_bound(enum element_type type, double value)
{
	const double most = ldexp(1.0, element_significant_bits(type));

	return (int64_t)fmin(fmax(value, -most), most);
}

static void fill_whole(void *context, int64_t begin, int64_t end)
{
	const struct filling *filling = context;
	const struct case_buffer *buffer = filling->buffer;
	const int64_t low = whole_bound(buffer->type, buffer->fill_low);
	const int64_t high = whole_bound(buffer->type, buffer->fill_high);
	const uint64_t width = high > low ? (uint64_t)(high - low) + 1 : 1;

	for (int64_t i = begin; i < end; i++) {
		uint64_t above = hash_below(hash_at(filling->key, (uint64_t)i), width);

		element_store(buffer->type, filling->data, i, (double)(low + (int64_t)above));
	}
}

static void fill_uniform(struct filling *filling)
{
	const struct case_buffer *buffer = filling->buffer;
	const bool full = buffer->has_fill_bits;

	parallel_for(buffer->length, FILL_GRAIN,
		     element_is_integer(buffer->type) ? fill_integers
		     : full && buffer->type == ELEMENT_F32 && range_is_of_floats(buffer)
			     ? fill_full_f32
		     : full                        ? fill_full_uniform
		     : buffer->type == ELEMENT_F64 ? fill_f64
						   : fill_narrow,
		     filling);
}

/*
 * The sum of 12 values of 60 bits each, less its mean: a standard deviation of
 * 2^60 up to a relative 2^-120, and a range of 6 of them on each side. Its last
 * bit is set, so that the conversion never meets a tie: ties would make even
 * mantissas more frequent.
 */
static double normal_at(uint64_t key, uint64_t index)
{
	int64_t sum = -6 * ((INT64_C(1) << 60) - 1);

	for (uint64_t part = 0; part < 12; part++)
		sum += (int64_t)(hash_at(key, 12 * index + part) >> 4);
	return (double)(sum | 1) * 0x1p-60;
}

static void fill_normal(void *context, int64_t begin, int64_t end)
{
	const struct filling *filling = context;
	const struct case_buffer *buffer = filling->buffer;
	bool integer = element_is_integer(buffer->type);

	for (int64_t i = begin; i < end; i++) {
		double value =
			buffer->fill_low + buffer->fill_high * normal_at(filling->key, (uint64_t)i);

		element_store(buffer->type, filling->data, i, integer ? rint(value) : value);
	}
}

static void fill_index(void *context, int64_t begin, int64_t end)
{
	const struct filling *filling = context;
	enum element_type type = filling->buffer->type;

	for (int64_t i = begin; i < end; i++) {
		if (type == ELEMENT_F32)
			((float *)filling->data)[i] = (float)i;
		else if (element_is_integer(type))
			element_store_integer(type, filling->data, i, (uint64_t)i);
		else
			element_store(type, filling->data, i, (double)i);
	}
}

static void fill_constant(void *context, int64_t begin, int64_t end)
{
	const struct filling *filling = context;
	double value = filling->buffer->fill_low;

	for (int64_t i = begin; i < end; i++) {
		if (filling->buffer->type == ELEMENT_F32)
			((float *)filling->data)[i] = float_within(value);
		else
			element_store(filling->buffer->type, filling->data, i, value);
	}
}

/* ---- significant bits ---- */

/* Division and multiplication by a power of two are exact. */
static double keep_bits_of_real(double value, int bits)
{
	int exponent;

	if (value == 0.0 || !isfinite(value))
		return value;
	value = frexp(value, &exponent);
	return ldexp(trunc(ldexp(value, bits)), exponent - bits);
}

static uint64_t keep_bits_of_integer(uint64_t magnitude, int bits)
{
	int width = magnitude ? 64 - __builtin_clzll(magnitude) : 0;

	return width > bits ? magnitude >> (width - bits) << (width - bits) : magnitude;
}

static void keep_bits(void *context, int64_t begin, int64_t end)
{
	const struct filling *filling = context;
	const enum element_type type = filling->buffer->type;
	const int bits = filling->buffer->fill_bits;

	for (int64_t i = begin; i < end; i++) {
		uint64_t value;
		bool negative;

		if (!element_is_integer(type)) {
			element_store(
				type, filling->data, i,
				keep_bits_of_real(element_value(type, filling->data, i), bits));
			continue;
		}
		value = (uint64_t)element_integer(type, filling->data, i);
		negative = element_is_signed(type) && (int64_t)value < 0;
		value = keep_bits_of_integer(negative ? 0 - value : value, bits);
		element_store_integer(type, filling->data, i, negative ? 0 - value : value);
	}
}

/* No mantissa is longer than that of its type, so a limit there changes nothing. */
static void limit_bits(struct filling *filling)
{
	const struct case_buffer *buffer = filling->buffer;

	if (!buffer->fill_bits)
		parallel_for(buffer->length, FILL_GRAIN, fill_constant, filling);
	else if (buffer->fill_bits < element_significant_bits(buffer->type))
		parallel_for(buffer->length, FILL_GRAIN, keep_bits, filling);
}

/* The smallest b with 2^b >= length. */
static int bits_of_indices(int64_t length)
{
	return length > 1 ? 64 - __builtin_clzll((unsigned long long)(length - 1)) : 0;
}

/*
 * A Feistel network: a bijection of the numbers of `bits` bits. A result beyond
 * the length goes through it again (cycle walking), which ends, as the walk
 * started within the length. Fewer than two passes are needed on average.
 */
static void fill_permutation(void *context, int64_t begin, int64_t end)
{
	const struct filling *filling = context;
	const struct case_buffer *buffer = filling->buffer;
	int bits = bits_of_indices(buffer->length);
	int low_bits = bits / 2;
	uint64_t low_mask = (UINT64_C(1) << low_bits) - 1;
	uint64_t high_mask = (UINT64_C(1) << (bits - low_bits)) - 1;

	for (int64_t i = begin; i < end; i++) {
		uint64_t at = (uint64_t)i;

		do {
			uint64_t low = at & low_mask;
			uint64_t high = at >> low_bits;

			for (uint64_t round = 0; round < 8; round += 2) {
				high ^= hash_at(filling->key + round, low) & high_mask;
				low ^= hash_at(filling->key + round + 1, high) & low_mask;
			}
			at = high << low_bits | low;
		} while (at >= (uint64_t)buffer->length);
		if (element_is_integer(buffer->type))
			element_store_integer(buffer->type, filling->data, i, at);
		else
			element_store(buffer->type, filling->data, i, (double)at);
	}
}

static int check_permutation(const struct case_buffer *buffer, struct error *err)
{
	int bits = element_significant_bits(buffer->type); /* it holds integers below 2^bits */

	if (bits_of_indices(buffer->length) <= bits)
		return 0;
	return error_set(err, PL_EUSAGE,
			 "buffer %s: a permutation of %" PRId64
			 " elements does not fit %s, which holds the integers below 2^%d; use a "
			 "wider type",
			 buffer->name, buffer->length, element_type_name(buffer->type), bits);
}

static int fill_expression(struct filling *filling, struct error *err)
{
	const struct check_names names = {.of_fill = true};
	struct check_expression *expression = NULL;
	int rc = check_expression_parse(&expression, filling->buffer->fill_expression, &names, err);

	rc = error_context(err, rc, "buffer %s", filling->buffer->name);
	if (!rc)
		rc = check_expression_fill(expression, filling->buffer, filling->key, filling->data,
					   err);
	check_expression_free(expression);
	return rc;
}

int kernel_fill(void *data, const struct case_buffer *buffer, uint64_t seed, struct error *err)
{
	struct filling filling = {data, buffer, XXH64(buffer->name, strlen(buffer->name), seed)};
	int rc = 0;

	switch (buffer->fill) {
	case FILL_NONE:
		memset(data, 0, (size_t)buffer->length * element_size_bytes(buffer->type));
		break;
	case FILL_UNIFORM:
		fill_uniform(&filling);
		break;
	case FILL_INDEX:
		parallel_for(buffer->length, FILL_GRAIN, fill_index, &filling);
		break;
	case FILL_CONSTANT:
		parallel_for(buffer->length, FILL_GRAIN, fill_constant, &filling);
		break;
	case FILL_NORMAL:
		parallel_for(buffer->length, FILL_GRAIN, fill_normal, &filling);
		break;
	case FILL_PERMUTATION:
		rc = check_permutation(buffer, err);
		if (!rc)
			parallel_for(buffer->length, FILL_GRAIN, fill_permutation, &filling);
		break;
	case FILL_FILE:
		rc = fill_from_file(data, buffer, err);
		break;
	case FILL_INTEGERS:
		parallel_for(buffer->length, FILL_GRAIN, fill_whole, &filling);
		break;
	case FILL_EXPRESSION:
		rc = fill_expression(&filling, err);
		break;
	case FILL_CAPTURE:
		rc = fill_from_capture(data, buffer, err);
		break;
	}
	if (!rc && buffer->has_fill_bits)
		limit_bits(&filling);
	return rc;
}
