/*
 * Random fills: uniform, normal and whole numbers. Tiles of hashes and of values
 * are computed in loops that compilers vectorise.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "kernels/element.h"
#include "kernels/fill.h"
#include "kernels/parallel.h"
#include "kernels/vectors.h"

/* The hashes of FILL_TILE indices, `step` apart. */
WIDE_VECTORS static void hash_tile(uint64_t *hashes, uint64_t key, uint64_t first, uint64_t step)
{
	for (uint64_t i = 0; i < FILL_TILE; i++)
		hashes[i] = random_at(key, first + step * i);
}

/* ---- uniform ---- */

struct float_range {
	float low, range, last;
};

/* low + range * unit may round up to the upper bound, which is excluded. */
WIDE_VECTORS static void uniform_tile(float *values, const uint64_t *hashes,
				      struct float_range range)
{
	for (int i = 0; i < FILL_TILE; i++) {
		const float unit = (float)(int32_t)(hashes[i] >> 40) * 0x1p-24f;
		const float value = range.low + range.range * unit;

		values[i] = value < range.last ? value : range.last;
	}
}

/* F32 and the narrower types. */
static void fill_narrow(void *context, int64_t begin, int64_t end)
{
	const struct filling *filling = context;
	const struct case_buffer *buffer = filling->buffer;
	const float low = fill_float_within(buffer->fill_low);
	const struct float_range range = {low,
					  fill_float_within(buffer->fill_high - buffer->fill_low),
					  nextafterf(fill_float_within(buffer->fill_high), low)};

	for (int64_t first = begin; first < end; first += FILL_TILE) {
		const int64_t count = element_tile_length(first, end);
		uint64_t hashes[FILL_TILE];
		float floats[FILL_TILE];
		double values[FILL_TILE];

		hash_tile(hashes, filling->key, (uint64_t)first, 1);
		uniform_tile(floats, hashes, range);
		if (buffer->type == ELEMENT_F32) {
			memcpy((float *)filling->data + first, floats,
			       (size_t)count * sizeof(*floats));
			continue;
		}
		for (int i = 0; i < FILL_TILE; i++)
			values[i] = (double)floats[i];
		fill_store(filling, first, values, count);
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
		double unit =
			(double)(int64_t)(random_at(filling->key, (uint64_t)i) >> 11) * 0x1p-53;
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

	for (int64_t first = begin; first < end; first += FILL_TILE) {
		uint64_t hashes[FILL_TILE], more[FILL_TILE] = {0};
		double values[FILL_TILE];

		hash_tile(hashes, filling->key, (uint64_t)first, 1);
		if (wide)
			hash_tile(more, ~filling->key, (uint64_t)first, 1);
		for (int i = 0; i < FILL_TILE; i++) {
			double value = low + range * ((double)(int64_t)(hashes[i] >> 11) * 0x1p-53);

			value += range * ((double)(int64_t)(more[i] >> 11) * 0x1p-106);
			values[i] = value < last ? value : last;
		}
		fill_store(filling, first, values, element_tile_length(first, end));
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
		const uint64_t random = random_at(filling->key, (uint64_t)i) >> 11;
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

/* Numbers of `width` below 2^32 or equal to it, from `low` on, by the first half of each hash. */
WIDE_VECTORS static void scale_tile(uint64_t *hashes, uint64_t low, uint64_t width)
{
	for (int i = 0; i < FILL_TILE; i++)
		hashes[i] = low + ((hashes[i] >> 32) * width >> 32);
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
		for (int64_t first = begin; first < end; first += FILL_TILE) {
			uint64_t values[FILL_TILE];

			hash_tile(values, filling->key, (uint64_t)first, 1);
			scale_tile(values, low, width);
			fill_store_integers(filling, first, values,
					    element_tile_length(first, end));
		}
		return;
	}
	/* Both bounds can be cut to the same integer. */
	if (!width && buffer->fill_high < 0x1p63)
		width = 1;
	for (int64_t i = begin; i < end; i++) {
		uint64_t hash = random_at(filling->key, (uint64_t)i);

		((uint64_t *)filling->data)[i] = low + hash_below(hash, width);
	}
}

/* A bound of whole numbers, cut to those that the floating-point type holds exactly. */
static int64_t whole_bound(enum element_type type, double value)
{
	const double most = ldexp(1.0, element_significant_bits(type));

	return (int64_t)fmin(fmax(value, -most), most);
}

static void whole_range(void *context, int64_t begin, int64_t end)
{
	const struct filling *filling = context;
	const struct case_buffer *buffer = filling->buffer;
	const int64_t low = whole_bound(buffer->type, buffer->fill_low);
	const int64_t high = whole_bound(buffer->type, buffer->fill_high);
	const uint64_t width = high > low ? (uint64_t)(high - low) + 1 : 1;

	for (int64_t first = begin; first < end; first += FILL_TILE) {
		uint64_t hashes[FILL_TILE];
		double values[FILL_TILE];

		hash_tile(hashes, filling->key, (uint64_t)first, 1);
		for (int i = 0; i < FILL_TILE; i++)
			values[i] = (double)(low + (int64_t)hash_below(hashes[i], width));
		fill_store(filling, first, values, element_tile_length(first, end));
	}
}

void fill_whole_numbers(struct filling *filling)
{
	parallel_for(filling->buffer->length, FILL_GRAIN, whole_range, filling);
}

void fill_uniform(struct filling *filling)
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

/* ---- normal ---- */

/*
 * The sum of 12 values of 60 bits each, less its mean: a standard deviation of
 * 2^60 up to a relative 2^-120, and a range of 6 of them on each side. Its last
 * bit is set, so that the conversion never meets a tie: ties would make even
 * mantissas more frequent.
 */
WIDE_VECTORS static void normal_tile(int64_t *sums, uint64_t key, uint64_t first)
{
	for (int i = 0; i < FILL_TILE; i++)
		sums[i] = -6 * ((INT64_C(1) << 60) - 1);
	for (uint64_t part = 0; part < 12; part++)
		for (uint64_t i = 0; i < FILL_TILE; i++)
			sums[i] += (int64_t)(random_at(key, 12 * (first + i) + part) >> 4);
}

static void normal_range(void *context, int64_t begin, int64_t end)
{
	const struct filling *filling = context;
	const struct case_buffer *buffer = filling->buffer;
	bool integer = element_is_integer(buffer->type);

	for (int64_t first = begin; first < end; first += FILL_TILE) {
		int64_t sums[FILL_TILE];
		double values[FILL_TILE];

		normal_tile(sums, filling->key, (uint64_t)first);
		for (int i = 0; i < FILL_TILE; i++) {
			const double normal = (double)(sums[i] | 1) * 0x1p-60;
			const double value = buffer->fill_low + buffer->fill_high * normal;

			values[i] = integer ? rint(value) : value;
		}
		fill_store(filling, first, values, element_tile_length(first, end));
	}
}

void fill_normal(struct filling *filling)
{
	parallel_for(filling->buffer->length, FILL_GRAIN, normal_range, filling);
}
