#include "emulator/tensor_map.h"

#include <string.h>

#define MAP_MAGIC UINT64_C(0x70616d2d74662d70) /* "p-ft-map" */
#define MOST_SIZE (UINT64_C(1) << 32)
#define STRIDES_END (UINT64_C(1) << 40)
#define MOST_BOX 256
#define MOST_STEP 8
#define UNIT_BYTES 16 /* of addresses, strides and rows of a box */

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

unsigned tensor_type_bytes(enum tensor_type type)
{
	return types[type].bytes;
}

unsigned tensor_swizzle_bytes(enum tensor_swizzle swizzle)
{
	return swizzle == SWIZZLE_NONE ? 0 : 16U << swizzle;
}

uint32_t tensor_map_count(const struct tensor_map *map, unsigned dimension)
{
	if (dimension == 0)
		return map->box[0];
	return (map->box[dimension] + map->steps[dimension] - 1) / map->steps[dimension];
}

uint32_t tensor_map_box_bytes(const struct tensor_map *map)
{
	uint64_t bytes = tensor_type_bytes(map->type);

	for (unsigned i = 0; i < map->rank; i++) {
		bytes *= tensor_map_count(map, i);
		if (bytes > UINT32_MAX)
			return UINT32_MAX;
	}
	return (uint32_t)bytes;
}

/* ---- the rules of cuTensorMapEncodeTiled() ---- */

static int check_dimension(const struct tensor_map *map, unsigned i, struct error *err)
{
	const unsigned long long size = map->sizes[i], stride = map->strides[i];

	if (!size || size > MOST_SIZE)
		return error_set(err, PL_EUSAGE,
				 "size %u of a tensor map is %llu; sizes are 1 to 2^32", i, size);
	if (!map->box[i] || map->box[i] > MOST_BOX)
		return error_set(err, PL_EUSAGE,
				 "size %u of the box of a tensor map is %u; these sizes are 1 to "
				 "%d",
				 i, map->box[i], MOST_BOX);
	if (!map->steps[i] || map->steps[i] > MOST_STEP)
		return error_set(err, PL_EUSAGE,
				 "element stride %u of a tensor map is %u; element strides are 1 "
				 "to %d",
				 i, map->steps[i], MOST_STEP);
	if (i && (stride % UNIT_BYTES || stride >= STRIDES_END))
		return error_set(err, PL_EUSAGE,
				 "the stride of dimension %u of a tensor map is %llu bytes; "
				 "strides are multiples of %d below 2^40",
				 i, stride, UNIT_BYTES);
	return 0;
}

static bool is_floating(enum tensor_type type)
{
	return type >= TENSOR_F16;
}

static int check_box(const struct tensor_map *map, struct error *err)
{
	const unsigned row = map->box[0] * tensor_type_bytes(map->type);
	const unsigned span = tensor_swizzle_bytes(map->swizzle);

	if (row % UNIT_BYTES)
		return error_set(err, PL_EUSAGE,
				 "a row of the box of a tensor map has %u bytes (%u elements of "
				 "%s); a row must be a multiple of %d bytes",
				 row, map->box[0], tensor_type_name(map->type), UNIT_BYTES);
	if (span && row > span)
		return error_set(err, PL_EUSAGE,
				 "a row of the box of a tensor map has %u bytes; with a swizzle of "
				 "%u bytes it has at most %u",
				 row, span, span);
	return 0;
}

static int check_map(const struct tensor_map *map, struct error *err)
{
	int rc = 0;

	if (map->rank < 1 || map->rank > TENSOR_MOST_RANK)
		return error_set(err, PL_EUSAGE, "a tensor map has 1 to %d dimensions, not %u",
				 TENSOR_MOST_RANK, map->rank);
	if (map->address % UNIT_BYTES)
		return error_set(err, PL_EUSAGE,
				 "the tensor of a tensor map begins at 0x%llx, which is not a "
				 "multiple of %d",
				 (unsigned long long)map->address, UNIT_BYTES);
	for (unsigned i = 0; i < map->rank && !rc; i++)
		rc = check_dimension(map, i, err);
	if (!rc)
		rc = check_box(map, err);
	if (!rc && map->fills_nan && !is_floating(map->type))
		rc = error_set(err, PL_EUSAGE,
			       "a tensor map fills with NaN, but its elements are %s; NaN is for "
			       "floating-point types",
			       tensor_type_name(map->type));
	return rc;
}

/* ---- bytes ---- */

struct packed_map {
	uint64_t magic, address;
	uint64_t strides[TENSOR_MOST_RANK - 1];
	uint32_t sizes[TENSOR_MOST_RANK]; /* less 1 */
	uint16_t box[TENSOR_MOST_RANK];
	uint8_t steps[TENSOR_MOST_RANK];
	uint8_t type, rank, swizzle, fills_nan;
	uint8_t unused[TENSOR_MAP_BYTES - 87];
};
_Static_assert(sizeof(struct packed_map) == TENSOR_MAP_BYTES, "a tensor map has 128 bytes");

int tensor_map_encode(unsigned char out[TENSOR_MAP_BYTES], const struct tensor_map *map,
		      struct error *err)
{
	struct packed_map packed;
	int rc = check_map(map, err);

	if (rc)
		return rc;
	memset(&packed, 0, sizeof(packed));
	packed.magic = MAP_MAGIC;
	packed.address = map->address;
	packed.type = (uint8_t)map->type;
	packed.rank = (uint8_t)map->rank;
	packed.swizzle = (uint8_t)map->swizzle;
	packed.fills_nan = map->fills_nan;
	for (unsigned i = 0; i < map->rank; i++) {
		packed.sizes[i] = (uint32_t)(map->sizes[i] - 1);
		packed.box[i] = (uint16_t)map->box[i];
		packed.steps[i] = (uint8_t)map->steps[i];
		if (i)
			packed.strides[i - 1] = map->strides[i];
	}
	memcpy(out, &packed, sizeof(packed));
	return 0;
}

bool tensor_map_decode(struct tensor_map *out, const unsigned char in[TENSOR_MAP_BYTES])
{
	struct packed_map packed;
	struct tensor_map map;
	struct error err;

	memcpy(&packed, in, sizeof(packed));
	if (packed.magic != MAP_MAGIC || packed.rank > TENSOR_MOST_RANK ||
	    packed.type >= TENSOR_TYPE_COUNT || packed.swizzle >= SWIZZLE_COUNT ||
	    packed.fills_nan > 1)
		return false;
	map = (struct tensor_map){.type = (enum tensor_type)packed.type,
				  .rank = packed.rank,
				  .address = packed.address,
				  .swizzle = (enum tensor_swizzle)packed.swizzle,
				  .fills_nan = packed.fills_nan};
	for (unsigned i = 0; i < map.rank; i++) {
		map.sizes[i] = (uint64_t)packed.sizes[i] + 1;
		map.box[i] = packed.box[i];
		map.steps[i] = packed.steps[i];
		if (i)
			map.strides[i] = packed.strides[i - 1];
	}
	if (check_map(&map, &err))
		return false;
	*out = map;
	return true;
}
