#include "kernels/tensor_argument.h"

#include <inttypes.h>

static void add_sizes(struct text *out, const char *word, const uint32_t *values, unsigned rank)
{
	text_addf(out, " %s", word);
	for (unsigned i = 0; i < rank; i++)
		text_addf(out, "%s%" PRIu32, i ? "x" : " ", values[i]);
}

static void add_im2col(struct text *out, const struct tensor_map *map)
{
	text_addf(out, " im2col %" PRIu32 " channels %" PRIu32 " pixels from", map->channels,
		  map->pixels);
	for (unsigned i = 0; i < tensor_map_image_rank(map); i++)
		text_addf(out, "%s%" PRId32, i ? "," : " ", map->lower[i]);
	text_add(out, " to");
	for (unsigned i = 0; i < tensor_map_image_rank(map); i++)
		text_addf(out, "%s%" PRId32, i ? "," : " ", map->upper[i]);
}

void tensor_map_describe(struct text *out, const struct tensor_map *map)
{
	text_addf(out, " tensormap %s", tensor_type_name(map->type));
	for (unsigned i = 0; i < map->rank; i++)
		text_addf(out, "%s%" PRIu64, i ? "x" : " ", map->sizes[i]);
	for (unsigned i = 1; i < map->rank; i++)
		text_addf(out, " +%" PRIu64, map->strides[i]);
	if (map->im2col)
		add_im2col(out, map);
	else
		add_sizes(out, "box", map->box, map->rank);
	add_sizes(out, "steps", map->steps, map->rank);
	if (map->interleave)
		text_addf(out, " interleave %u", map->interleave);
	if (map->swizzle)
		text_addf(out, " swizzle %u", tensor_swizzle_bytes(map->swizzle));
	if (map->promotion)
		text_addf(out, " promotion %u", map->promotion);
	if (map->fills_nan)
		text_add(out, " nan");
}
