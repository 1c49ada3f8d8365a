#include "base/tensor_map.h"

#include <string.h>

#define MOST_SIZE (UINT64_C(1) << 32)
#define STRIDES_END (UINT64_C(1) << 40)
#define MOST_BOX 256
#define MOST_STEP 8
#define MOST_CHANNELS 256
#define MOST_PIXELS 1024
#define UNIT_BYTES 16 /* of addresses, strides and rows of a box */
#define INTERLEAVE_LEAST_RANK 3

static const struct {
	const char *name;
	unsigned bytes;
} types[] = {
#define X(symbol, name, bytes) {name, bytes},
	TENSOR_TYPE_LIST(X)
#undef X
};

const char *tensor_type_name(enum tensor_type type)
{
	return types[type].name;
}

bool tensor_type_parse(enum tensor_type *out, const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (!strcmp(types[i].name, name)) {
			*out = (enum tensor_type)i;
			return true;
		}
	return false;
}

unsigned tensor_type_bytes(enum tensor_type type)
{
	return types[type].bytes;
}

unsigned tensor_swizzle_bytes(enum tensor_swizzle swizzle)
{
	return swizzle == SWIZZLE_NONE ? 0 : 16U << swizzle;
}

unsigned tensor_map_unit_bytes(const struct tensor_map *map)
{
	return map->interleave ? map->interleave : tensor_type_bytes(map->type);
}

uint32_t tensor_map_count(const struct tensor_map *map, unsigned dimension)
{
	if (dimension == 0 && !map->interleave)
		return map->box[0];
	if (map->interleave && dimension == map->rank - 2)
		return 1;
	return (map->box[dimension] + map->steps[dimension] - 1) / map->steps[dimension];
}

uint32_t tensor_map_row_bytes(const struct tensor_map *map)
{
	const unsigned bytes = tensor_map_unit_bytes(map);

	if (!map->im2col)
		return tensor_map_count(map, 0) * bytes;
	return map->interleave ? bytes : map->channels * bytes;
}

uint32_t tensor_map_box_bytes(const struct tensor_map *map)
{
	uint64_t bytes = tensor_map_row_bytes(map);

	if (map->im2col)
		return (uint32_t)bytes * map->pixels;
	for (unsigned i = 1; i < map->rank; i++) {
		bytes *= tensor_map_count(map, i);
		if (bytes > UINT32_MAX)
			return UINT32_MAX;
	}
	return (uint32_t)bytes;
}

unsigned tensor_map_image_rank(const struct tensor_map *map)
{
	return map->rank - 2;
}

unsigned tensor_map_image_first(const struct tensor_map *map)
{
	return map->interleave ? 0 : 1;
}

/* The bits of a corner, and of an offset: of each dimension of an image. */
static unsigned corner_bits(const struct tensor_map *map)
{
	static const unsigned bits[TENSOR_IMAGE_MOST_RANK] = {16, 8, 5};

	return bits[tensor_map_image_rank(map) - 1];
}

unsigned tensor_map_most_offset(const struct tensor_map *map)
{
	return (1U << corner_bits(map)) - 1;
}

uint64_t tensor_map_extent(const struct tensor_map *map)
{
	uint64_t extent = map->sizes[0] * tensor_map_unit_bytes(map), more;

	for (unsigned i = 1; i < map->rank; i++)
		if (__builtin_mul_overflow(map->sizes[i] - 1, map->strides[i], &more) ||
		    __builtin_add_overflow(extent, more, &extent))
			return UINT64_MAX;
	return extent;
}

/* ---- the rules of the driver ---- */

/* Addresses and strides are multiples of this, in bytes. */
static unsigned unit_of_places(const struct tensor_map *map)
{
	return map->interleave ? map->interleave : UNIT_BYTES;
}

static int check_interleave(const struct tensor_map *map, struct error *err)
{
	if (!map->interleave)
		return 0;
	if (map->interleave != 16 && map->interleave != 32)
		return error_set(err, PL_EUSAGE,
				 "a tensor map has slices of %u bytes; slices have 16 or 32",
				 map->interleave);
	if (map->rank < INTERLEAVE_LEAST_RANK)
		return error_set(err, PL_EUSAGE,
				 "an interleaved tensor map has %d to %d dimensions, not %u",
				 INTERLEAVE_LEAST_RANK, TENSOR_MOST_RANK, map->rank);
	return 0;
}

/* Copies move slices, whatever this number is. */
static int check_elements_of_slices(const struct tensor_map *map, struct error *err)
{
	const unsigned count = map->im2col ? map->channels : map->box[0];
	const unsigned bytes = count * tensor_type_bytes(map->type);

	if (!map->interleave || bytes % UNIT_BYTES == 0)
		return 0;
	if (map->im2col)
		return error_set(
			err, PL_EUSAGE,
			"an interleaved im2col map has %u channels of a pixel, and so many "
			"elements of %s have %u bytes; they must have a multiple of %d, "
			"though a pixel is a slice of %u",
			count, tensor_type_name(map->type), bytes, UNIT_BYTES, map->interleave);
	return error_set(err, PL_EUSAGE,
			 "the box of an interleaved tensor map is %u in dimension 0, and so "
			 "many elements of %s have %u bytes; they must have a multiple of "
			 "%d, though the box counts slices",
			 count, tensor_type_name(map->type), bytes, UNIT_BYTES);
}

static int check_dimension(const struct tensor_map *map, unsigned i, struct error *err)
{
	const unsigned long long size = map->sizes[i], stride = map->strides[i];
	const unsigned unit = unit_of_places(map);

	if (!size || size > MOST_SIZE)
		return error_set(err, PL_EUSAGE,
				 "size %u of a tensor map is %llu; sizes are 1 to 2^32", i, size);
	if (!map->im2col && (!map->box[i] || map->box[i] > MOST_BOX))
		return error_set(err, PL_EUSAGE,
				 "size %u of the box of a tensor map is %u; these sizes are 1 to "
				 "%d",
				 i, map->box[i], MOST_BOX);
	if (!map->steps[i] || map->steps[i] > MOST_STEP)
		return error_set(err, PL_EUSAGE,
				 "element stride %u of a tensor map is %u; element strides are 1 "
				 "to %d",
				 i, map->steps[i], MOST_STEP);
	if (i && (stride % unit || stride >= STRIDES_END))
		return error_set(err, PL_EUSAGE,
				 "the stride of dimension %u of a tensor map is %llu bytes; "
				 "strides are multiples of %u below 2^40",
				 i, stride, unit);
	return 0;
}

static int check_map_row(const struct tensor_map *map, struct error *err)
{
	const char *what = map->im2col ? "a pixel" : "a row of the box";
	const unsigned row = tensor_map_row_bytes(map);
	const unsigned span = tensor_swizzle_bytes(map->swizzle);

	if (row % UNIT_BYTES)
		return error_set(
			err, PL_EUSAGE,
			"%s of a tensor map has %u bytes (%u elements of %s); it must have "
			"a multiple of %d bytes",
			what, row, row / tensor_type_bytes(map->type), tensor_type_name(map->type),
			UNIT_BYTES);
	if (span && !map->interleave && row > span)
		return error_set(
			err, PL_EUSAGE,
			"%s of a tensor map has %u bytes; with a swizzle of %u bytes it has "
			"at most %u",
			what, row, span, span);
	return 0;
}

/* The dimension i of an image. */
static int check_corner(const struct tensor_map *map, unsigned i, struct error *err)
{
	const int most = 1 << (corner_bits(map) - 1);
	const unsigned dimension = tensor_map_image_first(map) + i;

	if (map->lower[i] < -most || map->lower[i] >= most || map->upper[i] < -most ||
	    map->upper[i] >= most)
		return error_set(err, PL_EUSAGE,
				 "the corners %d and %d of an im2col map in dimension %u; with %u "
				 "dimensions corners are %d to %d",
				 map->lower[i], map->upper[i], dimension, map->rank, -most,
				 most - 1);
	if ((int64_t)map->sizes[dimension] - map->lower[i] + map->upper[i] < 1)
		return error_set(err, PL_EUSAGE,
				 "the bounding box of an im2col map is empty in dimension %u: from "
				 "%d to %lld",
				 dimension, map->lower[i],
				 (long long)map->sizes[dimension] - 1 + map->upper[i]);
	return 0;
}

static int check_im2col(const struct tensor_map *map, struct error *err)
{
	int rc = 0;

	if (!map->channels || map->channels > MOST_CHANNELS)
		return error_set(err, PL_EUSAGE,
				 "an im2col map moves %u channels of a pixel; it moves 1 to %d",
				 map->channels, MOST_CHANNELS);
	if (!map->pixels || map->pixels > MOST_PIXELS)
		return error_set(err, PL_EUSAGE, "an im2col map moves %u pixels; it moves 1 to %d",
				 map->pixels, MOST_PIXELS);
	for (unsigned i = 0; i < tensor_map_image_rank(map) && !rc; i++)
		rc = check_corner(map, i, err);
	return rc;
}

int tensor_map_check_changed(const struct tensor_map *map, struct error *err)
{
	int rc = 0;

	if (map->rank < 1 || map->rank > TENSOR_MOST_RANK)
		return error_set(err, PL_EUSAGE, "a tensor map has 1 to %d dimensions, not %u",
				 TENSOR_MOST_RANK, map->rank);
	if (map->im2col && map->rank < TENSOR_IM2COL_LEAST_RANK)
		return error_set(err, PL_EUSAGE,
				 "an im2col map has %d to %d dimensions (channels, width, …, "
				 "images), not %u",
				 TENSOR_IM2COL_LEAST_RANK, TENSOR_MOST_RANK, map->rank);
	rc = check_interleave(map, err);
	if (rc)
		return rc;
	if (map->address % unit_of_places(map))
		return error_set(err, PL_EUSAGE,
				 "the tensor of a tensor map begins at 0x%llx, which is not a "
				 "multiple of %u",
				 (unsigned long long)map->address, unit_of_places(map));
	for (unsigned i = 0; i < map->rank && !rc; i++)
		rc = check_dimension(map, i, err);
	if (!rc && map->im2col)
		rc = check_im2col(map, err);
	if (!rc)
		rc = check_map_row(map, err);
	if (!rc && map->promotion && map->promotion != 64 && map->promotion != 128 &&
	    map->promotion != 256)
		rc = error_set(err, PL_EUSAGE,
			       "a tensor map promotes fetches to %u bytes; 64, 128 and 256 are "
			       "possible",
			       map->promotion);
	if (!rc && map->fills_nan && map->type < TENSOR_F16 /* integers come first */)
		rc = error_set(err, PL_EUSAGE,
			       "a tensor map fills with NaN, but its elements are %s; NaN is for "
			       "floating-point types",
			       tensor_type_name(map->type));
	return rc;
}

int tensor_map_check(const struct tensor_map *map, struct error *err)
{
	const int rc = tensor_map_check_changed(map, err);

	return rc ? rc : check_elements_of_slices(map, err);
}
