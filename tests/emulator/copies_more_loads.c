/* Loads that begin where a GPU allows it: the first coordinate is a multiple of 16 bytes. */
#include "copies.h"

#include <stdlib.h>
#include <string.h>

#define GUARD_WORDS 8 /* stored after the box, which nothing may write */

/* 16 rows of 24 elements of 4 bytes, copied 8 x 4 at a time. */
static const struct tensor_map source = {
	.type = TENSOR_U32,
	.rank = 2,
	.sizes = {24, 16},
	.strides = {0, 96},
	.box = {8, 4},
	.steps = {1, 1},
};

/* Loads a box to the first area, and stores it and some words behind it. */
static struct copy_case *load_tile(struct copy_list *list, char *name, const struct tensor_map *map,
				   const char *coordinates)
{
	const unsigned words = (tensor_map_box_bytes(map) + 3) / 4 + GUARD_WORDS;
	struct text body = TEXT_INIT;
	struct copy_case *copy;

	text_addf(&body,
		  COPY_EXPECT
		  "%u;\n@%%lead cp.async.bulk.tensor.%ud.shared::cluster.global.tile"
		  ".mbarrier::complete_tx::bytes [%%a], [%%map, {%s}], [%%bar];\n" COPY_WAIT,
		  tensor_map_box_bytes(map), map->rank, coordinates);
	copy_dump(&body, "%a", 0, words, COPY_WAITED);
	copy = copy_add(list, name, text_detach(&body), COPY_WAITED + words);
	copy->has_map = true;
	copy->map = *map;
	return copy;
}

/* The types from TENSOR_F32_FTZ on change most values, so the values inside are zeroes there. */
static void add_nan(struct copy_list *list)
{
	for (int type = TENSOR_F16; type < TENSOR_TYPE_COUNT; type++) {
		const char *name = tensor_type_name((enum tensor_type)type);
		const unsigned bytes = tensor_type_bytes((enum tensor_type)type);
		const enum copy_fill fill = type < TENSOR_F32_FTZ ? FILL_WORDS : FILL_ZERO;
		struct tensor_map map = source;
		char *at = xasprintf("-%u, 14", 16 / bytes);

		map.type = (enum tensor_type)type;
		map.sizes[0] = 96 / bytes;
		map.box[0] = 32 / bytes;
		map.fills_nan = true;
		load_tile(list, xasprintf("load %s with NaN outside", name), &map, at)->in_fill =
			fill;
		map.sizes[0] = 96 / bytes - 1; /* a chunk is partly outside */
		free(at);
		at = xasprintf("%u, -1", 64 / bytes);
		load_tile(list, xasprintf("load %s with NaN in a chunk", name), &map, at)->in_fill =
			fill;
		free(at);
	}
}

/* Elements outside within a chunk of 16 bytes, of all types and without NaN. */
static void add_ends(struct copy_list *list)
{
	for (int type = 0; type < TENSOR_TYPE_COUNT; type++) {
		const unsigned bytes = tensor_type_bytes((enum tensor_type)type);
		struct tensor_map map = source;
		char *at = xasprintf("%u, 13", 64 / bytes);

		map.type = (enum tensor_type)type;
		map.sizes[0] = 96 / bytes - 1;
		map.box[0] = 48 / bytes;
		load_tile(list,
			  xasprintf("load %s with a chunk partly outside",
				    tensor_type_name((enum tensor_type)type)),
			  &map, at)
			->in_fill = FILL_BYTES;
		free(at);
	}
}

static void add_places(struct copy_list *list)
{
	static const char *const places[] = {
		"-4, 0", "0, -1",    "-4, -2",   "20, 14", "24, 0",    "4, 13",  "16, 12",
		"-8, 3", "100, 100", "-1000, 3", "8, -16", "0, 65536", "-4, 15", "65536, -100"};
	struct tensor_map map = source;

	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		load_tile(list, xasprintf("load at %s", places[i]), &map, places[i]);
	map.sizes[0] = 5;
	map.sizes[1] = 3;
	load_tile(list, xstrdup("load box larger than the tensor"), &map, "0, 0");
	map.box[0] = 16;
	load_tile(list, xstrdup("load box around the tensor"), &map, "-4, -1");
	map.sizes[0] = map.sizes[1] = 1;
	load_tile(list, xstrdup("load tensor of one element"), &map, "-4, -1");
}

static void add_more_ranks(struct copy_list *list)
{
	/* 8 x 3 x 4 x 3 x 3 words; its box has half of each. */
	const struct tensor_map five = {
		.type = TENSOR_U32,
		.rank = 5,
		.sizes = {8, 3, 4, 3, 3},
		.strides = {0, 32, 96, 384, 1152},
		.box = {8, 2, 2, 2, 2},
		.steps = {1, 1, 1, 1, 1},
	};
	static const char *const inside[] = {"0", "0, 1", "0, 1, 1", "0, 1, 1, 1", "0, 1, 1, 1, 1"};
	static const char *const low[] = {"-4", "-4, -1", "-4, -1, -1", "-4, -1, -1, -1",
					  "-4, -1, -1, -1, -1"};
	static const char *const high[] = {"4", "4, 2", "4, 2, 3", "4, 2, 3, 2", "4, 2, 3, 2, 2"};
	static const char *const mixed[] = {"8", "-4, 2", "4, -1, 3", "-4, 2, -1, 2",
					    "0, -1, 3, 2, -1"};

	for (unsigned rank = 1; rank <= TENSOR_MOST_RANK; rank++) {
		struct tensor_map map = five;

		map.rank = rank;
		load_tile(list, xasprintf("load %ud", rank), &map, inside[rank - 1]);
		load_tile(list, xasprintf("load %ud before", rank), &map, low[rank - 1]);
		load_tile(list, xasprintf("load %ud past", rank), &map, high[rank - 1]);
		load_tile(list, xasprintf("load %ud mixed", rank), &map, mixed[rank - 1]);
		for (unsigned i = 1; i < rank; i++)
			map.steps[i] = 2;
		if (rank > 1)
			load_tile(list, xasprintf("load %ud steps 2", rank), &map, low[rank - 1]);
	}
}

static void add_walks(struct copy_list *list)
{
	static const struct {
		unsigned box, steps[2];
		const char *at;
	} walks[] = {
		{5, {1, 2}, "0, 1"},   {8, {1, 3}, "4, 1"},   {9, {1, 8}, "0, 0"},
		{6, {1, 2}, "0, -1"},  {6, {1, 2}, "-4, 13"}, {6, {1, 4}, "20, -3"},
		{4, {2, 1}, "-4, -1"}, {4, {3, 2}, "4, -1"},
	};
	struct tensor_map map = source;

	for (size_t i = 0; i < ARRAY_SIZE(walks); i++) {
		map.box[1] = walks[i].box;
		memcpy(map.steps, walks[i].steps, sizeof(walks[i].steps));
		load_tile(list,
			  xasprintf("load box 8x%u steps %u,%u at %s", map.box[1], map.steps[0],
				    map.steps[1], walks[i].at),
			  &map, walks[i].at);
	}
}

/* The forms of the instruction; all copy the box at 4, 1. */
static void add_more_forms(struct copy_list *list)
{
	static const struct {
		const char *words;
		bool hint;
	} forms[] = {
		{".shared::cluster.global.mbarrier::complete_tx::bytes", false},
		{".shared::cta.global.tile.mbarrier::complete_tx::bytes", false},
		{".shared::cta.global.mbarrier::complete_tx::bytes.L2::cache_hint", true},
		{".shared::cluster.global.tile.mbarrier::complete_tx::bytes.L2::cache_hint", true},
	};

	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		struct text body = TEXT_INIT;
		struct copy_case *copy;

		text_addf(&body,
			  "createpolicy.fractional.L2::evict_first.b64 %%d1, 1.0;\n"
			  "prefetch.tensormap [%%map];\n@%%lead cp.async.bulk.prefetch.tensor.2d"
			  ".L2.global.tile%s [%%map, {4, 1}]%s;\n" COPY_EXPECT
			  "128;\n@%%lead cp.async.bulk.tensor.2d%s [%%a], [%%map, {4, 1}], "
			  "[%%bar]%s;\n" COPY_WAIT,
			  forms[i].hint ? ".L2::cache_hint" : "", forms[i].hint ? ", %d1" : "",
			  forms[i].words, forms[i].hint ? ", %d1" : "");
		copy_dump(&body, "%a", 0, 40, COPY_WAITED);
		copy = copy_add(list, xasprintf("load form %s", forms[i].words), text_detach(&body),
				41);
		copy->has_map = true;
		copy->map = source;
	}
}

void copies_add_more_loads(struct copy_list *list)
{
	add_nan(list);
	add_ends(list);
	add_places(list);
	add_more_ranks(list);
	add_walks(list);
	add_more_forms(list);
}
