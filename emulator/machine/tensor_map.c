#include "emulator/tensor_map.h"

#include <string.h>

#define MAP_MAGIC UINT64_C(0x70616d2d74662d70) /* "p-ft-map" */

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
	if (tensor_map_check(&map, &err))
		return false;
	*out = map;
	return true;
}
