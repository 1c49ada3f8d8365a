#include "emulator/machine/copies/bulk.h"

void tensor_walk_begin(struct tensor_walk *out, const struct tensor_map *map,
		       const int32_t first[TENSOR_MOST_RANK],
		       const uint32_t offsets[TENSOR_IMAGE_MOST_RANK])
{
	*out = (struct tensor_walk){.map = map};
	out->low = map->im2col && map->interleave ? 0 : 1;
	for (unsigned i = out->low; i < map->rank; i++)
		out->first[i] = out->at[i] = first[i];
	for (unsigned i = 0; map->im2col && i < tensor_map_image_rank(map); i++)
		out->offsets[tensor_map_image_first(map) + i] = offsets[i];
}

bool tensor_walk_locate(const struct tensor_walk *walk, uint64_t *address)
{
	const struct tensor_map *map = walk->map;

	*address = map->address;
	for (unsigned i = walk->low; i < map->rank; i++) {
		const int64_t at = walk->at[i] + walk->offsets[i];

		if (at < 0 || at >= (int64_t)map->sizes[i])
			return false;
		*address += (uint64_t)at * (i ? map->strides[i] : map->interleave);
	}
	return true;
}

static void next_in_box(struct tensor_walk *walk)
{
	for (unsigned i = 1; i < walk->map->rank; i++) {
		walk->at[i] += walk->map->steps[i];
		if (++walk->moved[i] < tensor_map_count(walk->map, i))
			return;
		walk->moved[i] = 0;
		walk->at[i] = walk->first[i];
	}
}

static void next_pixel(struct tensor_walk *walk)
{
	const struct tensor_map *map = walk->map;

	for (unsigned i = 0; i < tensor_map_image_rank(map); i++) {
		const unsigned dimension = tensor_map_image_first(map) + i;

		walk->at[dimension] += map->steps[dimension];
		if (walk->at[dimension] < (int64_t)map->sizes[dimension] + map->upper[i])
			return;
		walk->at[dimension] = map->lower[i];
	}
	walk->at[map->rank - 1] += map->steps[map->rank - 1];
}

void tensor_walk_next(struct tensor_walk *walk)
{
	if (walk->map->im2col)
		next_pixel(walk);
	else
		next_in_box(walk);
}
