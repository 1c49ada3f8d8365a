#include "copies.h"

#include <stdlib.h>
#include <string.h>

#define GUARD_WORDS 8 /* stored after the box, which nothing may write */

/* 16 rows of 24 elements of 4 bytes, copied 8 x 4 at a time. */
static const struct tensor_map plain_source = {
	.type = TENSOR_U32,
	.rank = 2,
	.sizes = {24, 16},
	.strides = {0, 96},
	.box = {8, 4},
	.steps = {1, 1},
};

static void add_load(struct text *body, const struct tensor_map *map, const char *coordinates,
		     unsigned offset)
{
	text_addf(body,
		  COPY_EXPECT
		  "%u;\n@%%lead cp.async.bulk.tensor.%ud.shared::cluster.global.tile"
		  ".mbarrier::complete_tx::bytes [%%a+%u], [%%map, {%s}], [%%bar];\n" COPY_WAIT,
		  tensor_map_box_bytes(map), map->rank, offset, coordinates);
}

/* Loads a box to the first area plus `offset`, and stores the area up to the end of the box. */
static struct copy_case *load(struct copy_list *list, char *name, const struct tensor_map *map,
			      const char *coordinates, unsigned offset)
{
	const unsigned words = (offset + tensor_map_box_bytes(map) + 3) / 4 + GUARD_WORDS;
	struct text body = TEXT_INIT;
	struct copy_case *copy;

	add_load(&body, map, coordinates, offset);
	copy_dump(&body, "%a", 0, words, COPY_WAITED);
	copy = copy_add(list, name, text_detach(&body), COPY_WAITED + words);
	copy->has_map = true;
	copy->map = *map;
	if (tensor_type_bytes(map->type) < 4)
		copy->in_fill = tensor_type_bytes(map->type) == 1 ? FILL_BYTES : FILL_HALVES;
	return copy;
}

/* Rows of `row` bytes, and `rows` of them, copied whole. */
static struct tensor_map table_of(enum tensor_type type, unsigned row, unsigned rows)
{
	const unsigned elements = row / tensor_type_bytes(type);

	return (struct tensor_map){
		.type = type,
		.rank = 2,
		.sizes = {elements, rows},
		.strides = {0, row},
		.box = {elements, rows},
		.steps = {1, 1},
	};
}

static void add_types(struct copy_list *list)
{
	for (int type = 0; type < TENSOR_TYPE_COUNT; type++) {
		const char *name = tensor_type_name((enum tensor_type)type);
		struct tensor_map map = table_of((enum tensor_type)type, 96, 6);
		struct copy_case *copy;

		map.box[0] /= 3;
		map.box[1] = 3;
		load(list, xasprintf("load %s", name), &map, "0, 2", 0)->in_fill = FILL_MIXED;
		if (type < TENSOR_F16)
			continue;
		map.fills_nan = true;
		copy = load(list, xasprintf("load %s with NaN outside", name), &map, "-1, 4", 128);
		/* The types from here on change most values. */
		copy->in_fill = type < TENSOR_F32_FTZ ? FILL_WORDS : FILL_ZERO;
		map = table_of((enum tensor_type)type, 64, 8);
		copy = load(list, xasprintf("load %s special values", name), &map, "0, 0", 0);
		copy->in_fill = FILL_NEW;
		copy->type = tensor_type_bytes(map.type) == 4 ? "f32" : name;
		if (tensor_type_bytes(map.type) != 4)
			continue;
		load(list, xasprintf("load %s ties", name), &map, "0, 0", 0)->in_fill = FILL_TIES;
		load(list, xasprintf("load %s small", name), &map, "0, 0", 0)->in_fill = FILL_SMALL;
	}
}

static void add_swizzles(struct copy_list *list)
{
	static const enum tensor_type types[] = {TENSOR_U8, TENSOR_U16, TENSOR_U32, TENSOR_U64};
	static const unsigned offsets[] = {0, 128, 384, 640};

	for (int swizzle = SWIZZLE_32B; swizzle < SWIZZLE_COUNT; swizzle++) {
		const unsigned span = tensor_swizzle_bytes((enum tensor_swizzle)swizzle);
		struct tensor_map map;

		for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
			map = table_of(types[i], span, 1024 / span);
			map.swizzle = (enum tensor_swizzle)swizzle;
			load(list,
			     xasprintf("load %s swizzle %u", tensor_type_name(types[i]), span),
			     &map, "0, 0", 0);
		}
		map = table_of(TENSOR_U32, span, 1024 / span);
		map.swizzle = (enum tensor_swizzle)swizzle;
		for (size_t i = 1; i < ARRAY_SIZE(offsets); i++)
			load(list, xasprintf("load swizzle %u at byte %u", span, offsets[i]), &map,
			     "0, 0", offsets[i]);
		load(list, xasprintf("load swizzle %u partly outside", span), &map, "3, -2", 0);
		for (unsigned row = 16; row < span; row *= 2) {
			map = table_of(TENSOR_U32, row, 16);
			map.swizzle = (enum tensor_swizzle)swizzle;
			load(list, xasprintf("load swizzle %u rows of %u bytes", span, row), &map,
			     "0, 0", 0);
		}
		/* A third dimension continues the rows of the pattern. */
		map = table_of(TENSOR_U16, span, 3);
		map.swizzle = (enum tensor_swizzle)swizzle;
		map.rank = 3;
		map.sizes[2] = map.box[2] = 5;
		map.strides[2] = (uint64_t)3 * span;
		map.steps[2] = 1;
		load(list, xasprintf("load 3d swizzle %u", span), &map, "0, 0, 0", 0);
	}
}

static void add_outside(struct copy_list *list)
{
	static const char *const places[] = {
		"-1, 0",
		"0, -1",
		"-3, -2",
		"20, 14",
		"23, 15",
		"24, 0",
		"0, 16",
		"-8, 0",
		"-7, -3",
		"100, 100",
		"-1000, 3",
		"3, 13",
		"17, 12",
		"-100, 0",
		"65536, 0",
		"0, -2000000",
		"0x7fffffff, 0x7fffffff",
		"0x80000000, 0",
	};
	struct tensor_map map = plain_source;

	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		load(list, xasprintf("load at %s", places[i]), &map, places[i], 0);
	map.sizes[0] = 5;
	map.sizes[1] = 3;
	load(list, xstrdup("load box larger than the tensor"), &map, "0, 0", 0);
	load(list, xstrdup("load box around the tensor"), &map, "-2, -1", 128);
	map.sizes[0] = map.sizes[1] = 1;
	load(list, xstrdup("load tensor of one element"), &map, "-1, -1", 128);
}

static void add_ranks(struct copy_list *list)
{
	/* 8 x 3 x 4 x 3 x 3 words; its box has half of each. */
	const struct tensor_map five = {
		.type = TENSOR_U32,
		.rank = 5,
		.sizes = {8, 3, 4, 3, 3},
		.strides = {0, 32, 96, 384, 1152},
		.box = {4, 2, 2, 2, 2},
		.steps = {1, 1, 1, 1, 1},
	};
	static const char *const inside[] = {"2", "2, 1", "2, 1, 1", "2, 1, 1, 1", "2, 1, 1, 1, 1"};
	static const char *const low[] = {"-1", "-1, -1", "-1, -1, -1", "-1, -1, -1, -1",
					  "-1, -1, -1, -1, -1"};
	static const char *const high[] = {"5", "5, 2", "5, 2, 3", "5, 2, 3, 2", "5, 2, 3, 2, 2"};
	static const char *const mixed[] = {"5", "-1, 2", "5, -1, 3", "-1, 2, -1, 2",
					    "1, -1, 3, 2, -1"};

	for (unsigned rank = 1; rank <= TENSOR_MOST_RANK; rank++) {
		struct tensor_map map = five;

		map.rank = rank;
		load(list, xasprintf("load %ud", rank), &map, inside[rank - 1], 0);
		load(list, xasprintf("load %ud before", rank), &map, low[rank - 1], 0);
		load(list, xasprintf("load %ud past", rank), &map, high[rank - 1], 0);
		load(list, xasprintf("load %ud mixed", rank), &map, mixed[rank - 1], 0);
	}
}

static void add_steps(struct copy_list *list)
{
	static const struct {
		unsigned box[2], steps[2];
		const char *at;
	} walks[] = {
		{{8, 4}, {1, 2}, "0, 0"},  {{8, 5}, {1, 2}, "0, 1"},   {{8, 8}, {1, 3}, "3, 1"},
		{{8, 8}, {1, 8}, "0, 0"},  {{8, 9}, {1, 8}, "0, 0"},   {{8, 6}, {1, 2}, "0, -1"},
		{{8, 6}, {1, 2}, "0, -2"}, {{8, 6}, {1, 2}, "-3, 13"}, {{8, 6}, {1, 4}, "20, -3"},
		{{8, 4}, {2, 1}, "0, 0"},  {{8, 4}, {3, 1}, "1, 0"},   {{8, 4}, {2, 2}, "-1, -1"},
		{{16, 2}, {2, 1}, "0, 0"},
	};
	struct tensor_map map = plain_source;

	for (size_t i = 0; i < ARRAY_SIZE(walks); i++) {
		for (int k = 0; k < 2; k++) {
			map.box[k] = walks[i].box[k];
			map.steps[k] = walks[i].steps[k];
		}
		load(list,
		     xasprintf("load box %ux%u steps %u,%u at %s", map.box[0], map.box[1],
			       map.steps[0], map.steps[1], walks[i].at),
		     &map, walks[i].at, 0);
	}
}

/* Maps that lie in unusual ways, and maps at the edge of the rules of the driver. */
static void add_maps(struct copy_list *list)
{
	struct tensor_map map = plain_source;

	map.address = 16;
	load(list, xstrdup("load tensor at byte 16"), &map, "1, 1", 0);
	map.address = 8;
	load(list, xstrdup("map address 8"), &map, "0, 0", 0);
	map = plain_source;
	map.strides[1] = 0;
	load(list, xstrdup("map stride 0"), &map, "0, 0", 0);
	map.strides[1] = 16;
	load(list, xstrdup("map stride 16 of rows of 96 bytes"), &map, "1, 1", 0);
	map.strides[1] = 104;
	load(list, xstrdup("map stride 104"), &map, "0, 0", 0);
	map = plain_source;
	map.box[0] = 6;
	load(list, xstrdup("map rows of 24 bytes"), &map, "0, 0", 0);
	map = plain_source;
	map.sizes[1] = 0;
	load(list, xstrdup("map size 0"), &map, "0, 0", 0);
	map = plain_source;
	map.steps[1] = 9;
	load(list, xstrdup("map step 9"), &map, "0, 0", 0);
	map.steps[1] = 0;
	map.box[1] = 1;
	copy_add(list, xstrdup("map step 0"), xstrdup(""), 1)->has_map = true;
	list->items[list->count - 1].map = map;
	map = plain_source;
	map.fills_nan = true;
	load(list, xstrdup("map NaN of integers"), &map, "-1, 0", 0);
	map = plain_source;
	map.box[0] = 16;
	map.swizzle = SWIZZLE_32B;
	load(list, xstrdup("map rows longer than the swizzle"), &map, "0, 0", 0);
}

/* The forms of the instruction; all copy the box at 1, 1. */
static void add_forms(struct copy_list *list)
{
	static const char *const forms[] = {
		".shared::cluster.global.mbarrier::complete_tx::bytes",
		".shared::cta.global.tile.mbarrier::complete_tx::bytes",
		".shared::cluster.global.tile.mbarrier::complete_tx::bytes.L2::cache_hint",
	};

	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		struct text body = TEXT_INIT;
		struct copy_case *copy;

		if (i == 2)
			text_add(&body, "createpolicy.fractional.L2::evict_first.b64 %d1, 1.0;\n");
		text_addf(&body,
			  "prefetch.tensormap [%%map];\n@%%lead cp.async.bulk.prefetch.tensor.2d"
			  ".L2.global.tile [%%map, {1, 1}];\n" COPY_EXPECT
			  "128;\n@%%lead cp.async.bulk.tensor.2d%s [%%a], [%%map, {1, 1}], "
			  "[%%bar]%s;\n" COPY_WAIT,
			  forms[i], i == 2 ? ", %d1" : "");
		copy_dump(&body, "%a", 0, 40, COPY_WAITED);
		copy = copy_add(list, xasprintf("load form %s", forms[i]), text_detach(&body), 41);
		copy->has_map = true;
		copy->map = plain_source;
	}
}

/* Each block announces the bytes of its box; rank 0 loads for the ranks of the mask. Blocks that
 * are not in the mask only store their area. */
static void add_multicasts(struct copy_list *list)
{
	static const struct {
		unsigned blocks, mask;
		const char *at;
	} casts[] = {{2, 3, "0, 0"},    {2, 1, "0, 0"},  {2, 2, "1, 1"},
		     {4, 15, "-1, 14"}, {4, 10, "0, 3"}, {4, 9, "2, 0"}};

	for (size_t i = 0; i < ARRAY_SIZE(casts); i++) {
		struct text body = TEXT_INIT;
		struct copy_case *copy;

		text_addf(&body,
			  COPY_EXPECT "128;\n" COPY_CLUSTER_SYNC
				      "mov.u16 %%h0, %u;\nsetp.eq.and.u32 %%p, %%rank, 0, %%lead;\n"
				      "@%%p cp.async.bulk.tensor.2d.shared::cluster.global.tile"
				      ".mbarrier::complete_tx::bytes.multicast::cluster [%%a+128], "
				      "[%%map, {%s}], [%%bar], %%h0;\n",
			  casts[i].mask, casts[i].at);
		text_addf(
			&body,
			"mov.u32 %%ok, 2;\nshr.u32 %%r5, %u, %%rank;\nand.b32 %%r5, %%r5, 1;\n"
			"setp.eq.u32 %%p, %%r5, 0;\n@%%p bra WAITED;\n" COPY_WAIT COPY_CLUSTER_SYNC,
			casts[i].mask);
		copy_dump(&body, "%a", 0, 72, COPY_WAITED);
		copy = copy_add(list,
				xasprintf("load multicast %x of %u at %s", casts[i].mask,
					  casts[i].blocks, casts[i].at),
				text_detach(&body), 73);
		copy_set_cluster(copy, casts[i].blocks, 1, 1);
		copy->has_map = true;
		copy->map = plain_source;
	}
}

void copies_add_tensor_loads(struct copy_list *list)
{
	add_types(list);
	add_swizzles(list);
	add_outside(list);
	add_ranks(list);
	add_steps(list);
	add_maps(list);
	add_forms(list);
	add_multicasts(list);
}
