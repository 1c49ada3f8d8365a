#include "copies.h"

#include <stdlib.h>
#include <string.h>

#define OUT_WORDS 512
#define FIRST_BYTE 256 /* of the tensor in `out`: what is before it may not be written */

static const struct tensor_map plain_target = {
	.type = TENSOR_U32,
	.rank = 2,
	.address = FIRST_BYTE,
	.sizes = {24, 16},
	.strides = {0, 96},
	.box = {8, 4},
	.steps = {1, 1},
};

/* Stores the first area, which begins as `in`, from `offset` on. */
static struct copy_case *store(struct copy_list *list, char *name, const struct tensor_map *map,
			       const char *operation, const char *coordinates, unsigned offset)
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

static void add_stores(struct copy_list *list)
{
	static const char *const places[] = {
		"0, 0",   "20, -1",   "-3, 14",
		"-1, -1", "23, 15",   "24, 0",
		"-8, 2",  "100, 100", "0x7fffffff, 0x80000000",
	};
	struct tensor_map map = plain_target;

	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		store(list, xasprintf("store at %s", places[i]), &map, "", places[i], 128);
	map.box[1] = 8;
	for (unsigned step = 2; step <= 8; step += 3) {
		map.steps[1] = step;
		store(list, xasprintf("store steps 1,%u", step), &map, "", "1, -1", 0);
	}
	map.steps[0] = 2;
	store(list, xstrdup("store steps 2,8"), &map, "", "1, 1", 0);
	map = plain_target;
	map.sizes[0] = 5;
	map.sizes[1] = 3;
	store(list, xstrdup("store box larger than the tensor"), &map, "", "-1, -1", 0);
	for (int type = 0; type < TENSOR_TYPE_COUNT; type++) {
		const char *name = tensor_type_name((enum tensor_type)type);
		const unsigned bytes = tensor_type_bytes((enum tensor_type)type);
		struct copy_case *copy;

		map = plain_target;
		map.type = (enum tensor_type)type;
		map.sizes[0] = 96 / bytes;
		map.box[0] = 32 / bytes;
		copy = store(list, xasprintf("store %s", name), &map, "", "-1, 3", 0);
		copy->in_fill = FILL_NEW;
		copy->type = bytes == 4 ? "f32" : bytes == 1 ? "u32" : bytes == 8 ? "f64" : "f16";
		if (bytes != 4 || type < TENSOR_F32)
			continue;
		copy = store(list, xasprintf("store %s ties", name), &map, "", "0, 0", 0);
		copy->in_fill = FILL_TIES;
		copy = store(list, xasprintf("store %s small", name), &map, "", "0, 0", 0);
		copy->in_fill = FILL_SMALL;
	}
}

static void add_store_swizzles(struct copy_list *list)
{
	for (int swizzle = SWIZZLE_32B; swizzle < SWIZZLE_COUNT; swizzle++) {
		const unsigned span = tensor_swizzle_bytes((enum tensor_swizzle)swizzle);
		struct tensor_map map = plain_target;

		map.swizzle = (enum tensor_swizzle)swizzle;
		map.sizes[0] = map.box[0] = span / 4;
		map.strides[1] = span;
		map.sizes[1] = map.box[1] = 1024 / span;
		store(list, xasprintf("store swizzle %u", span), &map, "", "0, 0", 0);
		store(list, xasprintf("store swizzle %u at byte 640", span), &map, "", "2, -1",
		      640);
		map.sizes[0] = map.box[0] = 4;
		map.strides[1] = 16;
		map.sizes[1] = map.box[1] = 16;
		store(list, xasprintf("store swizzle %u rows of 16 bytes", span), &map, "", "0, 0",
		      0);
	}
}

static void add_ranks_of_stores(struct copy_list *list)
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
	static const char *const mixed[] = {"-1", "1, 2", "-1, -1, 1", "0, 2, -1, 2",
					    "1, -1, 1, 2, -1"};

	for (unsigned rank = 1; rank <= TENSOR_MOST_RANK; rank++) {
		struct tensor_map map = five;

		map.rank = rank;
		store(list, xasprintf("store %ud", rank), &map, "", mixed[rank - 1], 0);
		store(list, xasprintf("reduce add u32 %ud", rank), &map, "add", mixed[rank - 1], 0)
			->out_fill = FILL_WORDS;
	}
}

/* All pairs of special values. The name of the values may differ from that of the elements. */
static void add_tensor_reductions(struct copy_list *list)
{
	static const struct {
		const char *operation;
		enum tensor_type type;
		const char *values;
	} cases[] = {
		{"add", TENSOR_U32, "u32"},     {"add", TENSOR_I32, "u32"},
		{"add", TENSOR_U64, "u64"},     {"add", TENSOR_F16, "f16"},
		{"add", TENSOR_BF16, "bf16"},   {"add", TENSOR_F32, "f32"},
		{"add", TENSOR_F32_FTZ, "f32"}, {"add", TENSOR_TF32, "f32"},
		{"add", TENSOR_F64, "f64"},     {"min", TENSOR_U32, "u32"},
		{"min", TENSOR_I32, "u32"},     {"min", TENSOR_U64, "u64"},
		{"min", TENSOR_I64, "u64"},     {"min", TENSOR_F16, "f16"},
		{"min", TENSOR_BF16, "bf16"},   {"max", TENSOR_U32, "u32"},
		{"max", TENSOR_I32, "u32"},     {"max", TENSOR_U64, "u64"},
		{"max", TENSOR_I64, "u64"},     {"max", TENSOR_F16, "f16"},
		{"max", TENSOR_BF16, "bf16"},   {"inc", TENSOR_U32, "u32"},
		{"dec", TENSOR_U32, "u32"},     {"and", TENSOR_U32, "u32"},
		{"or", TENSOR_U32, "u32"},      {"xor", TENSOR_U32, "u32"},
		{"and", TENSOR_I32, "u32"},     {"or", TENSOR_U64, "u64"},
		{"xor", TENSOR_I64, "u64"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const unsigned bytes = tensor_type_bytes(cases[i].type);
		struct tensor_map map = plain_target;
		struct copy_case *copy;

		map.address = 0;
		map.type = cases[i].type;
		map.sizes[0] = map.box[0] = 16;
		map.sizes[1] = map.box[1] = 16;
		map.strides[1] = (uint64_t)16 * bytes;
		copy = store(list,
			     xasprintf("tensor reduce %s %s", cases[i].operation,
				       tensor_type_name(map.type)),
			     &map, cases[i].operation, "0, 0", 0);
		/* PTX does not name these types. */
		copy->may_fault = map.type >= TENSOR_F32_FTZ;
		copy->out_words = 64 * (size_t)bytes;
		copy->type = cases[i].values;
		copy->in_fill = FILL_NEW;
		copy->out_fill = FILL_OLD;
	}
}

void copies_add_tensor_stores(struct copy_list *list)
{
	add_stores(list);
	add_store_swizzles(list);
	add_ranks_of_stores(list);
	add_tensor_reductions(list);
}
