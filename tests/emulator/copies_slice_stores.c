/* Stores and reductions of interleaved layouts, where one thing differs from case to case. */
#include <stdlib.h>
#include <string.h>

#include "copies_slices.h"

static struct copy_case *add_store(struct copy_list *list, unsigned slice,
				   const struct tensor_map *map, const char *coordinates,
				   const char *what)
{
	return slices_store(list,
			    xasprintf("slices %u %s %ud store %s", slice,
				      tensor_type_name(map->type), map->rank, what),
			    map, slice, "", coordinates);
}

static void add_places(struct copy_list *list)
{
	static const char *const places[] = {"0, 0, 0",  "1, 0, 0", "3, 0, 0", "9, 0, 0",
					     "10, 0, 0", "0, 1, 0", "0, 4, 0", "0, 5, 0",
					     "0, 0, 1",  "0, 0, 3", "0, 0, 4", "7, 2, 1"};
	static const char *const negative[] = {"-1, 0, 0", "0, -1, 0", "0, 0, -1"};

	for (unsigned slice = 16; slice <= 32; slice += 16) {
		struct tensor_map map = slices_of(slice, TENSOR_F16, 3);

		for (size_t i = 0; i < ARRAY_SIZE(places); i += slice / 16)
			add_store(list, slice, &map, places[i], places[i]);
		for (size_t i = 0; i < ARRAY_SIZE(negative) && slice == 16; i++)
			add_store(list, slice, &map, negative[i], negative[i])->may_fault = true;
		map = slices_of(slice, TENSOR_F16, 4);
		add_store(list, slice, &map, "1, 1, 0, 1", "1, 1, 0, 1");
		map = slices_of(slice, TENSOR_F32, 5);
		add_store(list, slice, &map, "1, 1, 0, 1, 0", "1, 1, 0, 1, 0");
	}
}

static void add_boxes(struct copy_list *list)
{
	static const struct {
		unsigned slice, dimension, size;
	} boxes[] = {{16, 0, 16}, {16, 0, 24}, {16, 1, 1},  {16, 1, 8},  {16, 1, 9},
		     {16, 1, 16}, {16, 1, 24}, {16, 1, 64}, {16, 2, 3},  {16, 2, 6},
		     {32, 0, 32}, {32, 1, 16}, {32, 1, 17}, {32, 1, 32}, {32, 2, 3}};
	static const enum tensor_type types[] = {TENSOR_U8, TENSOR_F32, TENSOR_U64, TENSOR_TF32};

	for (size_t i = 0; i < ARRAY_SIZE(boxes); i++) {
		struct tensor_map map = slices_of(boxes[i].slice, TENSOR_F16, 3);
		char *what = xasprintf("box %u is %u", boxes[i].dimension, boxes[i].size);

		map.box[boxes[i].dimension] = boxes[i].size;
		add_store(list, boxes[i].slice, &map, "1, 1, 0", what);
		free(what);
	}
	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		struct tensor_map map = slices_of(16, types[i], 3);

		map.box[1] = 2 * map.box[0];
		add_store(list, 16, &map, "1, 1, 0", "two slices");
	}
}

static void add_swizzles_and_steps(struct copy_list *list)
{
	struct tensor_map map = slices_of(16, TENSOR_F16, 3);

	for (int swizzle = SWIZZLE_32B; swizzle < SWIZZLE_COUNT; swizzle++) {
		char *what = xasprintf("swizzle %d", 16 << swizzle);

		map.swizzle = (enum tensor_swizzle)swizzle;
		add_store(list, 16, &map, "1, 1, 0", what);
		free(what);
	}
	for (unsigned dimension = 0; dimension < 3; dimension++) {
		char *what = xasprintf("step %u is 2", dimension);

		map = slices_of(16, TENSOR_F16, 3);
		map.box[1] = 32;
		map.box[2] = 4;
		map.steps[dimension] = 2;
		add_store(list, 16, &map, "1, 0, 0", what);
		free(what);
	}
}

static void add_reductions(struct copy_list *list)
{
	struct tensor_map map = slices_of(16, TENSOR_U32, 3);

	slices_store(list, xstrdup("slices 16 u32 3d add"), &map, 16, "add", "1, 1, 0")->out_fill =
		FILL_WORDS;
	slices_store(list, xstrdup("slices 16 u32 3d add past the end"), &map, 16, "add", "9, 4, 3")
		->out_fill = FILL_WORDS;
	map = slices_of(32, TENSOR_U32, 3);
	slices_store(list, xstrdup("slices 32 u32 3d add"), &map, 32, "add", "1, 1, 0")->out_fill =
		FILL_WORDS;
}

void copies_add_slice_stores(struct copy_list *list)
{
	add_places(list);
	add_boxes(list);
	add_swizzles_and_steps(list);
	add_reductions(list);
}
