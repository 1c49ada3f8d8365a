/* Reductions where the tensor ends within a chunk of 16 bytes. */
#include "copies.h"

#include <stdlib.h>
#include <string.h>

#define OUT_WORDS 512
#define FIRST_BYTE 256 /* of the tensor in `out`: what is before it may not be written */
#define ROW_BYTES 96

/* A row of the tensor ends one element before the last chunk does. */
static struct tensor_map ending_within_chunk(enum tensor_type type)
{
	const unsigned bytes = tensor_type_bytes(type);

	return (struct tensor_map){
		.type = type,
		.rank = 2,
		.address = FIRST_BYTE,
		.sizes = {ROW_BYTES / bytes - 1, 16},
		.strides = {0, ROW_BYTES},
		.box = {48 / bytes, 8},
		.steps = {1, 1},
	};
}

/* Reduces by the first area, which begins as `in`. */
static struct copy_case *reduce_at_edge(struct copy_list *list, char *name,
					const struct tensor_map *map, const char *operation,
					const char *coordinates)
{
	struct copy_case *copy =
		copy_add(list, name,
			 xasprintf("@%%lead cp.reduce.async.bulk.tensor.%ud.global.shared::cta.%s"
				   ".tile.bulk_group [%%map, {%s}], [%%a];\n" COPY_COMMIT,
				   map->rank, operation, coordinates),
			 OUT_WORDS);

	copy->area_from_in = true;
	copy->has_map = copy->map_of_out = true;
	copy->map = *map;
	copy->in_fill = FILL_MIXED;
	copy->out_fill = FILL_WORDS;
	return copy;
}

/* The values outside would change, too, if they were reduced. */
static void add_operations(struct copy_list *list)
{
	static const struct {
		enum tensor_type type;
		const char *operations, *values; /* NULL: any bits */
	} cases[] = {
		{TENSOR_U32, "add min max inc dec and or xor", NULL},
		{TENSOR_I32, "add min max xor", NULL},
		{TENSOR_U64, "add min max and or xor", NULL},
		{TENSOR_F16, "add min max", "f16"},
		{TENSOR_BF16, "add min max", "bf16"},
		{TENSOR_F32, "add", "f32"},
		{TENSOR_F32_FTZ, "add", "f32"},
		{TENSOR_TF32, "add", "f32"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct tensor_map map = ending_within_chunk(cases[i].type);
		char *at = xasprintf("%u, 3", 64 / tensor_type_bytes(map.type));
		char *operations = xstrdup(cases[i].operations);
		char *rest = operations;

		for (const char *operation; (operation = strsep(&rest, " "));) {
			struct copy_case *copy =
				reduce_at_edge(list,
					       xasprintf("reduce %s %s in a chunk", operation,
							 tensor_type_name(map.type)),
					       &map, operation, at);

			if (!cases[i].values)
				continue;
			copy->type = cases[i].values;
			copy->in_fill = FILL_NEW;
			copy->out_fill = FILL_OLD;
		}
		free(operations);
		free(at);
	}
}

static void add_places_of_ends(struct copy_list *list)
{
	struct tensor_map map = ending_within_chunk(TENSOR_U32);

	reduce_at_edge(list, xstrdup("reduce from the last chunk"), &map, "add", "20, 14");
	for (map.sizes[0] = 21; map.sizes[0] < 23; map.sizes[0]++)
		reduce_at_edge(
			list,
			xasprintf("reduce %u elements of a chunk", (unsigned)map.sizes[0] - 20),
			&map, "add", "16, 2");
	map.steps[1] = 3;
	reduce_at_edge(list, xstrdup("reduce in a chunk steps 1,3"), &map, "add", "16, 10");
	map = ending_within_chunk(TENSOR_U32);
	map.swizzle = SWIZZLE_64B;
	map.box[0] = 16;
	reduce_at_edge(list, xstrdup("reduce in a chunk swizzle 64"), &map, "add", "16, 0");
	/* A part of the chunk belongs to the next row. */
	map = ending_within_chunk(TENSOR_F16);
	map.sizes[0] = 42;
	map.strides[1] = 80;
	reduce_at_edge(list, xstrdup("reduce in a chunk of the next row"), &map, "add", "16, 1");
}

void copies_add_edge_reductions(struct copy_list *list)
{
	add_operations(list);
	add_places_of_ends(list);
}
