/*
 * Reading a texture at a place: which texels, with which weights, and their sum. The rules are
 * those of an H200, derived from tests/golden/ptx/textures.txt.zst, whose results they give to the
 * bit except for filters of three axes and of signed bytes.
 */
#include "emulator/machine/textures/texture_object.h"

#include <math.h>
#include <string.h>

#define FRACTION_BITS 8
#define FRACTION_ONE (1 << FRACTION_BITS)
#define PLACE_BITS 21
#define PLACE_MOST 1e12
#define OUTSIDE (-1) /* a texel beyond the border */

/* The two texels of one axis. Without a filter only the first counts. */
struct axis_texels {
	int64_t at[2];
	unsigned weight; /* of the second, in units of 1 / FRACTION_ONE */
};

/* ---- one axis ---- */

static int64_t modulo(int64_t value, int64_t by)
{
	int64_t rest = value % by;

	return rest < 0 ? rest + by : rest;
}

static int64_t texel_at(int64_t at, int64_t size, enum address_mode mode)
{
	switch (mode) {
	case ADDRESS_WRAP:
		return modulo(at, size);
	case ADDRESS_MIRROR:
		at = modulo(at, 2 * size);
		return at < size ? at : 2 * size - 1 - at;
	case ADDRESS_BORDER:
		return at < 0 || at >= size ? OUTSIDE : at;
	default:
		return at < 0 ? 0 : at >= size ? size - 1 : at;
	}
}

static enum address_mode mode_of(const struct emulated_texture *what, int axis)
{
	enum address_mode mode = what->modes[axis];

	if (what->fetched)
		return ADDRESS_BORDER;
	if (!what->normalised && (mode == ADDRESS_WRAP || mode == ADDRESS_MIRROR))
		return ADDRESS_CLAMP;
	return mode;
}

/* Further outside than any texture is wide, and small enough for integers of 64 bits. */
static double limit_place(double place)
{
	return place < -PLACE_MOST ? -PLACE_MOST : place > PLACE_MOST ? PLACE_MOST : place;
}

/* A coordinate in texels. Subnormal numbers and NaN count as 0. */
static double plain_place(float coordinate)
{
	if (isnan(coordinate) || fabsf(coordinate) < 0x1p-126f)
		return 0;
	return limit_place((double)coordinate);
}

/*
 * A normalised coordinate in texels. It is cut to 21 bits after the point, or to as many as give
 * the texel and 8 bits of its fraction. WRAP and MIRROR cut what is left of the whole number below.
 */
static double normalised_place(float coordinate, int64_t size, enum address_mode mode)
{
	const double place = plain_place(coordinate), whole = floor(place);
	int bits = PLACE_BITS;

	while (((int64_t)1 << (bits - FRACTION_BITS)) < size)
		bits++;
	if (mode == ADDRESS_CLAMP || mode == ADDRESS_BORDER)
		return limit_place(ldexp(floor(ldexp(place, bits)), -bits) * (double)size);
	/* just below a whole number, the difference is 1 after rounding */
	return (ldexp(fmin(floor(ldexp(place - whole, bits)), ldexp(1, bits) - 1), -bits) +
		(mode == ADDRESS_MIRROR && fmod(whole, 2) != 0 ? 1 : 0)) *
	       (double)size;
}

static struct axis_texels axis_locate(const struct emulated_texture *what, int axis, int64_t size,
				      uint32_t bits, bool integer, bool filtered)
{
	enum address_mode mode = mode_of(what, axis);
	struct axis_texels out = {0};
	double place;
	int64_t fixed;

	if (integer) {
		out.at[0] = texel_at((int32_t)bits, size, ADDRESS_BORDER);
		return out;
	}
	place = what->normalised ? normalised_place(bits_float(bits), size, mode)
				 : plain_place(bits_float(bits));
	if (!filtered) {
		out.at[0] = texel_at((int64_t)floor(place), size, mode);
		return out;
	}
	fixed = (int64_t)floor(place * FRACTION_ONE + 0.5) - FRACTION_ONE / 2;
	out.weight = (unsigned)(fixed & (FRACTION_ONE - 1));
	out.at[0] = texel_at(fixed >> FRACTION_BITS, size, mode);
	out.at[1] = texel_at((fixed >> FRACTION_BITS) + 1, size, mode);
	return out;
}

/* ---- texels ---- */

struct sampling {
	const struct texture_object *object;
	struct allocation *in;
	struct axis_texels x, y, z;
};

static void read_texel(uint32_t out[4], const struct sampling *from, int64_t x, int64_t y,
		       int64_t z)
{
	const struct texture_object *object = from->object;
	uint64_t offset;

	if (x == OUTSIDE || y == OUTSIDE || z == OUTSIDE) {
		memset(out, 0, 4 * sizeof(*out));
		return;
	}
	offset = object->what.address - from->in->address + texture_object_offset(object, x, y, z);
	touch_read(from->in, offset / SECTOR_BYTES,
		   (offset + (uint64_t)object->texel_bytes - 1) / SECTOR_BYTES);
	texel_read(out, object, from->in->data + offset);
}

/* A product of weights in units of 1 / FRACTION_ONE. */
static unsigned weight_product(unsigned a, unsigned b)
{
	return (a * b + FRACTION_ONE / 2) / FRACTION_ONE;
}

/*
 * The weights of the texels k, of which bit 0 stands for the second in x, bit 1 in y, bit 2 in z.
 * Each is a multiple of 1 / 256, and their sum is 1. With two axes they are those of an H200; with
 * three a weight may differ by 1 / 256 from the hardware.
 */
static void filter_weights(unsigned out[8], const struct sampling *from)
{
	const unsigned x = from->x.weight, y = from->y.weight, z = from->z.weight;
	const unsigned both = weight_product(x, z ? z : y), other = z ? z : y;
	const unsigned planes[4] = {FRACTION_ONE + both - x - other, x - both, other - both, both};

	memset(out, 0, 8 * sizeof(*out));
	for (int k = 0; k < 4; k++) {
		unsigned second = z ? weight_product(planes[k], y) : 0;

		if (!z) {
			out[k] = planes[k];
			continue;
		}
		out[(k & 1) | (k & 2) << 1] = planes[k] - second;
		out[(k & 1) | (k & 2) << 1 | 2] = second;
	}
}

/* Rounds a value to `bits` bits of the mantissa; ties go away from zero. */
static double round_bits(double value, int bits)
{
	uint64_t word;
	const int dropped = 53 - bits;

	memcpy(&word, &value, sizeof(word));
	word = (word + (UINT64_C(1) << (dropped - 1))) & ~((UINT64_C(1) << dropped) - 1);
	memcpy(&value, &word, sizeof(value));
	return value;
}

/* Halves stay halves, and normalised integers have 16 bits. Floats have neither subnormal numbers
 * nor more than one NaN. */
static uint32_t round_sum(const struct emulated_texture *what, double sum)
{
	const double most = what->type == TEXEL_I8 || what->type == TEXEL_I16 ? 32767 : 65535;

	if (what->as_float)
		return float_bits((float)(round(sum) / most));
	if (isnan(sum))
		return 0x7fffffff;
	if (isinf(sum))
		return float_bits((float)sum);
	sum = round_bits(sum, what->type == TEXEL_F16 ? 11 : 24);
	return float_bits(fabs(sum) < 0x1p-126 ? 0 : (float)sum);
}

/* A channel as the filter sees it. */
static double filter_channel(const struct emulated_texture *what, uint32_t word)
{
	const double value = (double)bits_float(word);

	if (what->as_float)
		return round(value *
			     (what->type == TEXEL_I8 || what->type == TEXEL_I16 ? 32767 : 65535));
	return fabs(value) < 0x1p-126 ? 0 : value;
}

static void filter_texels(uint32_t out[4], const struct sampling *from)
{
	double sums[4] = {0};
	unsigned weights[8];

	filter_weights(weights, from);
	for (int k = 0; k < 8; k++) {
		uint32_t texel[4];

		if (!weights[k])
			continue;
		read_texel(texel, from, from->x.at[k & 1], from->y.at[k >> 1 & 1],
			   from->z.at[k >> 2]);
		for (int i = 0; i < 4; i++)
			sums[i] += filter_channel(&from->object->what, texel[i]) *
				   (weights[k] * 0x1p-8);
	}
	for (int i = 0; i < 4; i++)
		out[i] = round_sum(&from->object->what, sums[i]);
}

/* Counter-clockwise from the lower left, as tld4 returns them. */
static void gather_texels(uint32_t out[4], const struct sampling *from, unsigned channel)
{
	static const uint8_t order[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};

	for (int i = 0; i < 4; i++) {
		uint32_t texel[4];

		read_texel(texel, from, from->x.at[order[i][0]], from->y.at[order[i][1]],
			   from->z.at[0]);
		out[i] = texel[channel];
	}
}

/* ---- cubes ---- */

/* NaN counts as 0, and an infinite direction as none. */
static float direction_part(const struct texture_place *place, int axis)
{
	for (int i = 0; i < 3; i++)
		if (isinf(bits_float(place->at[i])))
			return 0;
	return isnan(bits_float(place->at[axis])) ? 0 : bits_float(place->at[axis]);
}

/* Replaces the direction in place->at by a place on a face, and returns the face. */
static int64_t find_face(struct texture_place *place)
{
	float x = direction_part(place, 0), y = direction_part(place, 1),
	      z = direction_part(place, 2);
	float s, t, most;
	int64_t face;

	if (fabsf(x) > fabsf(y) && fabsf(x) > fabsf(z)) {
		face = x < 0;
		most = fabsf(x);
		s = x < 0 ? z : -z;
		t = -y;
	} else if (fabsf(y) > fabsf(z)) {
		face = 2 + (y < 0);
		most = fabsf(y);
		s = x;
		t = y < 0 ? -z : z;
	} else {
		face = 4 + (z < 0);
		most = fabsf(z);
		s = z < 0 ? -x : x;
		t = -y;
	}
	if (most == 0)
		most = 1;
	place->at[0] = float_bits((s / most + 1) * 0.5f);
	place->at[1] = float_bits((t / most + 1) * 0.5f);
	return face;
}

/* ---- all together ---- */

static int64_t layer_of(const struct texture_object *object, uint32_t layer, int64_t size)
{
	int64_t layers = object->what.depth / size;

	return layer < layers ? layer : layers - 1;
}

void texture_sample(uint32_t out[4], const struct texture_object *object, struct allocation *in,
		    const struct texture_place *at, enum texture_kind kind)
{
	const struct emulated_texture *what = &object->what;
	bool filtered = what->linear || kind != TEXTURE_SAMPLE;
	/* A layer is the nearest one, unless the coordinates are integers. */
	bool outside = at->integers && at->layer >= what->depth;
	struct sampling from = {.object = object, .in = in};
	struct texture_place place = *at;

	if (what->geometry == GEOMETRY_CUBE || what->geometry == GEOMETRY_ACUBE) {
		from.z.at[0] = find_face(&place);
		if (what->geometry == GEOMETRY_ACUBE)
			from.z.at[0] += 6 * layer_of(object, place.layer, 6);
	} else if (what->geometry == GEOMETRY_A1D || what->geometry == GEOMETRY_A2D) {
		from.z.at[0] = layer_of(object, place.layer, 1);
	} else if (what->geometry == GEOMETRY_3D) {
		from.z = axis_locate(what, 2, what->depth, place.at[2], place.integers, filtered);
	}
	from.x = axis_locate(what, 0, what->width, place.at[0], place.integers, filtered);
	if (what->geometry != GEOMETRY_1D && what->geometry != GEOMETRY_A1D)
		from.y = axis_locate(what, 1, what->height, place.at[1], place.integers, filtered);
	if (outside)
		memset(out, 0, 4 * sizeof(*out));
	else if (kind != TEXTURE_SAMPLE)
		gather_texels(out, &from, (unsigned)(kind - TEXTURE_GATHER_R));
	else if (what->linear && !place.integers)
		filter_texels(out, &from);
	else
		read_texel(out, &from, from.x.at[0], from.y.at[0], from.z.at[0]);
}
