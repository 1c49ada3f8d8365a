/* Stores and reductions that begin where a GPU allows it: at no negative coordinate, and at a
 * multiple of 16 bytes. */
#include "copies.h"

#include <stdlib.h>
#include <string.h>

#define OUT_WORDS 512
#define FIRST_BYTE 256 /* of the tensor in `out`: what is before it may not be written */

static const struct tensor_map target = {
	.type = TENSOR_U32,
	.rank = 2,
	.address = FIRST_BYTE,
	.sizes = {24, 16},
	.strides = {0, 96},
	.box = {8, 4},
	.steps = {1, 1},
};

/* Stores the first area, which begins as `in`, from `offset` on. */
static struct copy_case *store_tile(struct copy_list *list, char *name,
				    const struct tensor_map *map, const char *operation,
				    const char *coordinates, unsigned offset)
{
	struct copy_case *copy =
		copy_add(list, name,
			 xasprintf("@%%lead cp.%sasync.bulk.tensor.%ud.global.shared::cta%s%s.tile"
				   ".bulk_group [%%map, {%s}], [%%a+%u];\n" COPY_COMMIT,
				   *operation ? "reduce." : "", map->rank, *operation ? "." : "",
				   operation, coordinates, offset),
			 OUT_WORDS);

	copy->area_from_in = true;
	copy->has_map = copy->map_of_out = true;
	copy->map = *map;
	return copy;
}

static void add_tiles(struct copy_list *list)
{
	static const char *const places[] = {"20, 0", "0, 14",  "20, 15", "24, 0",
					     "0, 16", "16, 13", "100, 3", "0x7ffffffc, 0"};
	struct tensor_map map = target;

	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		store_tile(list, xasprintf("store at %s", places[i]), &map, "", places[i], 128);
	map.box[1] = 8;
	for (unsigned step = 2; step <= 8; step += 3) {
		map.steps[1] = step;
		store_tile(list, xasprintf("store steps 1,%u", step), &map, "", "4, 1", 0);
		store_tile(list, xasprintf("store steps 1,%u past", step), &map, "", "20, 9", 0);
	}
	map.steps[0] = 2;
	store_tile(list, xstrdup("store steps 2,8"), &map, "", "4, 1", 0);
	map = target;
	map.sizes[0] = 5;
	map.sizes[1] = 3;
	store_tile(list, xstrdup("store box larger than the tensor"), &map, "", "0, 0", 0);
	store_tile(list, xstrdup("store one element of a chunk"), &map, "", "4, 1", 0);
}

static void add_types_of_stores(struct copy_list *list)
{
	for (int type = 0; type < TENSOR_TYPE_COUNT; type++) {
		const char *name = tensor_type_name((enum tensor_type)type);
		const unsigned bytes = tensor_type_bytes((enum tensor_type)type);
		struct tensor_map map = target;
		char *at = xasprintf("%u, 3", 64 / bytes);
		struct copy_case *copy;

		map.type = (enum tensor_type)type;
		map.sizes[0] = 96 / bytes - 1;
		map.box[0] = 48 / bytes;
		copy = store_tile(list, xasprintf("store %s", name), &map, "", at, 0);
		copy->in_fill = FILL_NEW;
		copy->type = bytes == 4 ? "f32" : bytes == 1 ? "u32" : bytes == 8 ? "f64" : "f16";
		free(at);
	}
}

static void add_swizzled_stores(struct copy_list *list)
{
	for (int swizzle = SWIZZLE_32B; swizzle < SWIZZLE_COUNT; swizzle++) {
		const unsigned span = tensor_swizzle_bytes((enum tensor_swizzle)swizzle);
		struct tensor_map map = target;

		map.swizzle = (enum tensor_swizzle)swizzle;
		map.sizes[0] = map.box[0] = span / 4;
		map.strides[1] = span;
		map.sizes[1] = map.box[1] = 1024 / span;
		store_tile(list, xasprintf("store swizzle %u past at byte 640", span), &map, "",
			   "4, 1", 640);
	}
}

static void add_more_ranks_of_stores(struct copy_list *list)
{
	const struct tensor_map five = {
		.type = TENSOR_U32,
		.rank = 5,
		.address = FIRST_BYTE,
		.sizes = {4, 3, 2, 3, 3},
		.strides = {0, 16, 48, 96, 288},
		.box = {4, 2, 2, 2, 2},
		.steps = {1, 1, 1, 1, 1},
	};
	static const char *const inside[] = {"0", "0, 1", "0, 1, 0", "0, 1, 0, 1", "0, 1, 0, 1, 1"};
	static const char *const past[] = {"4", "0, 2", "0, 2, 1", "0, 2, 1, 2", "0, 2, 1, 2, 2"};

	for (unsigned rank = 1; rank <= TENSOR_MOST_RANK; rank++) {
		struct tensor_map map = five;

		map.rank = rank;
		store_tile(list, xasprintf("store %ud", rank), &map, "", inside[rank - 1], 0);
		store_tile(list, xasprintf("store %ud past", rank), &map, "", past[rank - 1], 0);
		store_tile(list, xasprintf("reduce add u32 %ud", rank), &map, "add",
			   inside[rank - 1], 0)
			->out_fill = FILL_WORDS;
		store_tile(list, xasprintf("reduce add u32 %ud past", rank), &map, "add",
			   past[rank - 1], 0)
			->out_fill = FILL_WORDS;
	}
}

/* Forms with a hint of a cache policy, and without a mode. */
static void add_store_forms(struct copy_list *list)
{
	static const struct {
		const char *name, *words, *last;
	} forms[] = {
		{"store without a mode", "async.bulk.tensor.2d.global.shared::cta.bulk_group", ""},
		{"store with a hint",
		 "async.bulk.tensor.2d.global.shared::cta.tile.bulk_group.L2::cache_hint", ", %d1"},
		{"reduce with a hint",
		 "reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group"
		 ".L2::cache_hint",
		 ", %d1"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		struct copy_case *copy =
			copy_add(list, xstrdup(forms[i].name),
				 xasprintf("createpolicy.fractional.L2::evict_last.b64 %%d1, 1.0;\n"
					   "@%%lead cp.%s [%%map, {4, 1}], [%%a]%s;\n" COPY_COMMIT,
					   forms[i].words, forms[i].last),
				 OUT_WORDS);

		copy->area_from_in = true;
		copy->has_map = copy->map_of_out = true;
		copy->map = target;
		copy->out_fill = FILL_WORDS;
	}
}

/* Reductions of types for which PTX names none. */
static void add_unnamed_reductions(struct copy_list *list)
{
	static const struct {
		const char *operation;
		enum tensor_type type;
		const char *values;
	} cases[] = {
		{"add", TENSOR_TF32_FTZ, "f32"}, {"min", TENSOR_F32, "f32"},
		{"max", TENSOR_TF32, "f32"},     {"min", TENSOR_F64, "f64"},
		{"and", TENSOR_I64, "u64"},      {"or", TENSOR_I64, "u64"},
		{"or", TENSOR_F32, "f32"},       {"add", TENSOR_U16, "u16"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const unsigned bytes = tensor_type_bytes(cases[i].type);
		struct tensor_map map = target;
		struct copy_case *copy;

		map.address = 0;
		map.type = cases[i].type;
		map.sizes[0] = map.box[0] = 16;
		map.sizes[1] = map.box[1] = 16;
		map.strides[1] = (uint64_t)16 * bytes;
		copy = store_tile(list,
				  xasprintf("tensor reduce %s %s", cases[i].operation,
					    tensor_type_name(map.type)),
				  &map, cases[i].operation, "0, 0", 0);
		copy->may_fault = true;
		copy->out_words = 64 * (size_t)bytes;
		copy->type = cases[i].values;
		copy->in_fill = FILL_NEW;
		copy->out_fill = FILL_OLD;
	}
}

/* Values near the bits that tf32 lacks, and subnormals. */
static void add_single_precision(struct copy_list *list)
{
	static const enum tensor_type types[] = {TENSOR_F32, TENSOR_F32_FTZ, TENSOR_TF32};

	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		for (int small = 0; small < 2; small++) {
			struct tensor_map map = target;
			struct copy_case *copy;

			map.type = types[i];
			map.box[0] = 24;
			map.box[1] = 16;
			copy = store_tile(list,
					  xasprintf("tensor reduce add %s %s",
						    tensor_type_name(types[i]),
						    small ? "small" : "ties"),
					  &map, "add", "0, 0", 0);
			copy->in_fill = small ? FILL_SMALL : FILL_TIES;
			copy->out_fill = small ? FILL_TIES : FILL_SMALL;
			copy = store_tile(list,
					  xasprintf("tensor reduce add %s twice %s",
						    tensor_type_name(types[i]),
						    small ? "small" : "ties"),
					  &map, "add", "0, 0", 0);
			copy->in_fill = copy->out_fill = small ? FILL_SMALL : FILL_TIES;
		}
}

void copies_add_more_stores(struct copy_list *list)
{
	add_tiles(list);
	add_types_of_stores(list);
	add_swizzled_stores(list);
	add_more_ranks_of_stores(list);
	add_store_forms(list);
	add_unnamed_reductions(list);
	add_single_precision(list);
}
