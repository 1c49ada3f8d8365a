#include "emulator/tensor_map.h"

#include <string.h>

#define MAP_MAGIC UINT64_C(0x70616d2d74662d70) /* "p-ft-map" */

struct packed_map {
	uint64_t magic, address;
	uint64_t strides[TENSOR_MOST_RANK - 1];
	uint64_t sizes[TENSOR_MOST_RANK];
	uint16_t box[TENSOR_MOST_RANK]; /* im2col: channels, pixels */
	int16_t lower[TENSOR_IMAGE_MOST_RANK], upper[TENSOR_IMAGE_MOST_RANK];
	uint8_t steps[TENSOR_MOST_RANK];
	uint8_t type, rank, swizzle, fills_nan, im2col, interleave;
	uint8_t unused[TENSOR_MAP_BYTES - 121];
};
_Static_assert(sizeof(struct packed_map) == TENSOR_MAP_BYTES, "a tensor map has 128 bytes");

int tensor_map_encode(unsigned char out[TENSOR_MAP_BYTES], const struct tensor_map *map,
		      struct error *err)
{
	struct packed_map packed;
	int rc = tensor_map_check(map, err);

	if (rc)
		return rc;
	memset(&packed, 0, sizeof(packed));
	packed.magic = MAP_MAGIC;
	packed.address = map->address;
	packed.type = (uint8_t)map->type;
	packed.rank = (uint8_t)map->rank;
	packed.swizzle = (uint8_t)map->swizzle;
	packed.fills_nan = map->fills_nan;
	packed.im2col = map->im2col;
	packed.interleave = (uint8_t)map->interleave;
	for (unsigned i = 0; i < map->rank; i++) {
		packed.sizes[i] = map->sizes[i];
		packed.box[i] = (uint16_t)map->box[i];
		packed.steps[i] = (uint8_t)map->steps[i];
		if (i)
			packed.strides[i - 1] = map->strides[i];
	}
	if (map->im2col) {
		packed.box[0] = (uint16_t)map->channels;
		packed.box[1] = (uint16_t)map->pixels;
		for (unsigned i = 0; i < tensor_map_image_rank(map); i++) {
			packed.lower[i] = (int16_t)map->lower[i];
			packed.upper[i] = (int16_t)map->upper[i];
		}
	}
	memcpy(out, &packed, sizeof(packed));
	return 0;
}

int tensor_map_decode(struct tensor_map *out, const unsigned char in[TENSOR_MAP_BYTES],
		      struct error *err)
{
	struct packed_map packed;
	struct tensor_map map;
	int rc;

	memcpy(&packed, in, sizeof(packed));
	if (packed.magic != MAP_MAGIC || packed.rank > TENSOR_MOST_RANK ||
	    packed.type >= TENSOR_TYPE_COUNT || packed.swizzle >= SWIZZLE_COUNT ||
	    packed.fills_nan > 1 || packed.im2col > 1)
		return error_set(err, PL_EPARSE, "the %d bytes are not a tensor map",
				 TENSOR_MAP_BYTES);
	map = (struct tensor_map){.type = (enum tensor_type)packed.type,
				  .rank = packed.rank,
				  .address = packed.address,
				  .im2col = packed.im2col,
				  .interleave = packed.interleave,
				  .swizzle = (enum tensor_swizzle)packed.swizzle,
				  .fills_nan = packed.fills_nan};
	for (unsigned i = 0; i < map.rank; i++) {
		map.sizes[i] = packed.sizes[i];
		map.steps[i] = packed.steps[i];
		if (!map.im2col)
			map.box[i] = packed.box[i];
		if (i)
			map.strides[i] = packed.strides[i - 1];
	}
	if (map.im2col) {
		map.channels = packed.box[0];
		map.pixels = packed.box[1];
		for (unsigned i = 0; i < TENSOR_IMAGE_MOST_RANK; i++) {
			map.lower[i] = packed.lower[i];
			map.upper[i] = packed.upper[i];
		}
	}
	rc = tensor_map_check_changed(&map, err);
	if (!rc)
		*out = map;
	return rc;
}

/* ---- changes ---- */

/* By number of .elemtype in PTX. */
static const enum tensor_type types_of_ptx[TENSOR_TYPE_COUNT] = {
	TENSOR_U8,   TENSOR_U16,  TENSOR_U32,      TENSOR_I32,     TENSOR_U64,
	TENSOR_I64,  TENSOR_F16,  TENSOR_F32,      TENSOR_F32_FTZ, TENSOR_F64,
	TENSOR_BF16, TENSOR_TF32, TENSOR_TF32_FTZ,
};

static bool all_zero(const unsigned char *bytes)
{
	for (size_t i = 0; i < TENSOR_MAP_BYTES; i++)
		if (bytes[i])
			return false;
	return true;
}

static uint64_t saturated(uint64_t value, uint64_t most)
{
	return value < most ? value : most;
}

/* Sets a field with a value for each dimension. Those too large for their bytes stay too large for
 * the rules. */
static void replace_in_dimension(struct packed_map *map, enum tensor_field field, unsigned ordinal,
				 uint64_t value)
{
	if (field == FIELD_BOX)
		map->box[ordinal] = (uint16_t)saturated(value, UINT16_MAX);
	else if (field == FIELD_SIZE)
		map->sizes[ordinal] = value;
	else if (field == FIELD_STRIDE)
		map->strides[ordinal] = value;
	else
		map->steps[ordinal] = (uint8_t)saturated(value, UINT8_MAX);
}

const char *tensor_map_replace(unsigned char map[TENSOR_MAP_BYTES], enum tensor_field field,
			       unsigned ordinal, uint64_t value)
{
	struct packed_map packed;

	memcpy(&packed, map, sizeof(packed));
	if (all_zero(map))
		packed.magic = MAP_MAGIC;
	if (packed.magic != MAP_MAGIC)
		return "the bytes are not a tensor map";
	if (packed.im2col)
		return "the tensor map is of the im2col mode";
	switch (field) {
	case FIELD_ADDRESS:
		packed.address = value;
		break;
	case FIELD_RANK:
		if (value >= TENSOR_MOST_RANK)
			return "the new value is not a rank less 1, which is 0 to 4";
		packed.rank = (uint8_t)(value + 1);
		break;
	case FIELD_TYPE:
		packed.type = (uint8_t)types_of_ptx[value % TENSOR_TYPE_COUNT];
		break;
	case FIELD_SWIZZLE:
		packed.swizzle = (uint8_t)(value % SWIZZLE_COUNT);
		break;
	case FIELD_FILL:
		packed.fills_nan = value & 1;
		break;
	case FIELD_INTERLEAVE: /* none, and slices of 16 and 32 bytes */
		packed.interleave = (uint8_t)(value % 3 * 16);
		break;
	default:
		replace_in_dimension(&packed, field, ordinal, value);
		break;
	}
	memcpy(map, &packed, sizeof(packed));
	return NULL;
}
