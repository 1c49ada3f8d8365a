/* Loads of interleaved layouts, where one thing differs from case to case. */
#include <stdlib.h>
#include <string.h>

#include "copies_slices.h"

static const struct {
	unsigned slice;
	enum tensor_type type;
} layouts[] = {
	{16, TENSOR_U8}, {16, TENSOR_F16}, {16, TENSOR_F32}, {16, TENSOR_U64},
	{32, TENSOR_U8}, {32, TENSOR_F16}, {32, TENSOR_F32}, {32, TENSOR_U64},
};

static char *name_of(unsigned slice, const struct tensor_map *map, const char *what)
{
	return xasprintf("slices %u %s %ud %s", slice, tensor_type_name(map->type), map->rank,
			 what);
}

static void add_load(struct copy_list *list, unsigned slice, const struct tensor_map *map,
		     const char *coordinates, const char *what)
{
	slices_load(list, name_of(slice, map, what), map, slice, coordinates);
}

/* Each coordinate alone, and some together. */
static void add_places(struct copy_list *list)
{
	static const char *const places[] = {
		"0, 0, 0",  "-9, 0, 0",  "-3, 0, 0", "-1, 0, 0", "1, 0, 0",  "2, 0, 0", "3, 0, 0",
		"9, 0, 0",  "10, 0, 0",  "0, -2, 0", "0, -1, 0", "0, 1, 0",  "0, 3, 0", "0, 4, 0",
		"0, 5, 0",  "0, 0, -2",  "0, 0, -1", "0, 0, 1",  "0, 0, 3",  "0, 0, 4", "3, 2, 1",
		"-2, 1, 0", "-2, -1, 1", "7, 4, 2",  "7, 4, -1", "5, -1, 3",
	};
	static const char *const more[][2] = {
		/* of 4 dimensions */
		{"0, 0, 0, 0", "1, 0, 0, 0"},  {"0, 1, 0, 0", "0, 0, 1, 0"},
		{"0, 0, 0, 1", "0, -1, 0, 0"}, {"0, 0, -1, 0", "0, 0, 0, -1"},
		{"0, 2, 0, 0", "0, 0, 2, 0"},  {"-2, 2, 1, 0", "5, -1, 2, 1"},
	};
	static const char *const most[] = {"0, 0, 0, 0, 0",  "1, 0, 0, 0, 0",  "0, 1, 0, 0, 0",
					   "0, 0, 1, 0, 0",  "0, 0, 0, 1, 0",  "0, 0, 0, 0, 1",
					   "0, -1, 0, 0, 0", "0, 0, -1, 0, 0", "0, 0, 0, -1, 0",
					   "-1, 1, 2, 1, 1"};
	struct tensor_map map = slices_of(16, TENSOR_F16, 3);

	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		add_load(list, 16, &map, places[i], places[i]);
	for (unsigned slice = 16; slice <= 32; slice += 16) {
		map = slices_of(slice, TENSOR_F16, 4);
		for (size_t i = 0; i < 2 * ARRAY_SIZE(more); i++)
			add_load(list, slice, &map, more[i / 2][i % 2], more[i / 2][i % 2]);
		map = slices_of(slice, TENSOR_F32, 5);
		for (size_t i = 0; i < ARRAY_SIZE(most); i++)
			add_load(list, slice, &map, most[i], most[i]);
	}
	map = slices_of(32, TENSOR_F16, 3);
	for (size_t i = 0; i < ARRAY_SIZE(places); i += 2)
		add_load(list, 32, &map, places[i], places[i]);
}

static void add_box(struct copy_list *list, unsigned slice, struct tensor_map map,
		    unsigned dimension, unsigned size, const char *coordinates)
{
	char *what = xasprintf("box %u is %u at %s", dimension, size, coordinates);

	map.box[dimension] = size;
	add_load(list, slice, &map, coordinates, what);
	free(what);
}

/* Each size of the box alone. */
static void add_boxes(struct copy_list *list)
{
	static const unsigned firsts[] = {16, 24, 40, 256}, thirds[] = {1, 3, 4, 5, 6};
	static const unsigned seconds[] = {1,  3,  4,  5,  7,  8,  9,  15, 16,  17,
					   24, 25, 32, 33, 40, 41, 48, 64, 128, 256};
	struct tensor_map map = slices_of(16, TENSOR_F16, 3);

	for (size_t i = 0; i < ARRAY_SIZE(firsts); i++)
		add_box(list, 16, map, 0, firsts[i], "0, 0, 0");
	add_box(list, 16, map, 0, 16, "-1, 0, 0");
	for (size_t i = 0; i < ARRAY_SIZE(thirds); i++)
		add_box(list, 16, map, 2, thirds[i], "0, 0, 0");
	map.box[2] = 1;
	for (size_t i = 0; i < ARRAY_SIZE(seconds); i++)
		add_box(list, 16, map, 1, seconds[i], "0, 0, 0");
	map.box[2] = 2;
	add_box(list, 16, map, 1, 24, "0, 1, 1");
	add_box(list, 16, map, 1, 24, "1, -1, 0");
	add_box(list, 16, map, 1, 24, "3, 4, 3");
	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++) {
		const unsigned slice = layouts[i].slice;
		const unsigned per = slice / tensor_type_bytes(layouts[i].type);
		const unsigned sizes[] = {1, per / 2, per - 1, per, per + 1, 2 * per, 3 * per};

		map = slices_of(slice, layouts[i].type, 3);
		map.box[2] = 1;
		for (size_t k = 0; k < ARRAY_SIZE(sizes); k++)
			if (k == 0 || sizes[k] > sizes[k - 1])
				add_box(list, slice, map, 1, sizes[k], "0, 1, 0");
	}
}

/* Adds boxes with more dimensions: the one before the last may be the channels. */
static void add_boxes_of_more(struct copy_list *list)
{
	static const unsigned sizes[] = {1, 3, 8, 16, 17};

	for (unsigned slice = 16; slice <= 32; slice += 16)
		for (unsigned rank = 4; rank <= 5; rank++) {
			struct tensor_map map = slices_of(slice, TENSOR_F16, rank);

			if (rank == 5)
				map.box[4] = 1;
			for (unsigned dimension = 1; dimension < rank; dimension++)
				for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
					if (dimension == rank - 2 || i == 1)
						add_box(list, slice, map, dimension, sizes[i],
							rank == 4 ? "0, 0, 0, 0" : "0, 0, 0, 0, 0");
		}
}

static void add_sizes(struct copy_list *list)
{
	static const unsigned sizes[] = {1, 2, 4, 8, 9};

	/* Whether a size counts slices or elements. */
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
		for (unsigned dimension = 0; dimension < 2; dimension++) {
			struct tensor_map map = slices_of(16, TENSOR_F16, 3);
			char *what = xasprintf("size %u is %u", dimension, sizes[i]);

			map.box[1] = 24;
			map.sizes[dimension] = sizes[i];
			add_load(list, 16, &map, "0, 0, 0", what);
			free(what);
		}
}

static void add_steps(struct copy_list *list)
{
	static const unsigned steps[] = {2, 3, 8};

	for (unsigned slice = 16; slice <= 32; slice += 16)
		for (unsigned dimension = 0; dimension < 4; dimension++)
			for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
				const unsigned rank = dimension == 3 ? 4 : 3;
				struct tensor_map map = slices_of(slice, TENSOR_F16, rank);
				char *what = xasprintf("step %u is %u", dimension, steps[i]);

				map.steps[dimension] = steps[i];
				map.box[1] = slice * 2;
				map.box[2] = 4;
				add_load(list, slice, &map, rank == 3 ? "1, 0, 0" : "1, 0, 0, 0",
					 what);
				free(what);
			}
}

/* Swizzles, types, and fills outside. */
static void add_looks(struct copy_list *list)
{
	static const enum tensor_type filled[] = {TENSOR_F16, TENSOR_F32, TENSOR_TF32, TENSOR_F64};

	for (int swizzle = SWIZZLE_NONE; swizzle < SWIZZLE_COUNT; swizzle++)
		for (size_t i = 0; i < ARRAY_SIZE(layouts); i++) {
			const unsigned slice = layouts[i].slice;
			struct tensor_map map = slices_of(slice, layouts[i].type, 3);
			char *what = xasprintf("swizzle %d", swizzle ? 16 << swizzle : 0);

			map.swizzle = (enum tensor_swizzle)swizzle;
			if (map.type != TENSOR_U64 && (slice == 16 || map.type == TENSOR_F16))
				add_load(list, slice, &map, "1, 0, 1", what);
			free(what);
		}
	for (unsigned slice = 16; slice <= 32; slice += 16)
		for (size_t i = 0; i < ARRAY_SIZE(filled); i++) {
			struct tensor_map map = slices_of(slice, filled[i], 3);

			map.fills_nan = true;
			map.box[1] = 2 * map.box[0];
			add_load(list, slice, &map, "-1, -1, 1", "fills nan");
			if (filled[i] == TENSOR_TF32)
				list->items[list->count - 1].in_fill = FILL_TIES;
		}
}

/* Maps that the driver refuses, or may refuse. */
static void add_rules(struct copy_list *list)
{
	static const unsigned boxes[] = {1, 4, 12};
	struct tensor_map map;

	for (unsigned slice = 16; slice <= 32; slice += 16) {
		for (size_t i = 0; i < ARRAY_SIZE(boxes); i++)
			add_box(list, slice, slices_of(slice, TENSOR_F16, 3), 0, boxes[i],
				"0, 0, 0");
		add_box(list, slice, slices_of(slice, TENSOR_F32, 3), 0, 4, "0, 0, 0");
		add_box(list, slice, slices_of(slice, TENSOR_U8, 3), 0, 16, "0, 0, 0");
		map = slices_of(slice, TENSOR_F16, 3);
		map.address = 16;
		add_load(list, slice, &map, "0, 0, 0", "address 16");
		map.address = 0;
		map.strides[1] += 16;
		add_load(list, slice, &map, "0, 0, 0", "stride 16 more");
		map = slices_of(slice, TENSOR_F16, 3);
		map.strides[1] = 64;
		map.strides[2] = 256;
		add_load(list, slice, &map, "0, 0, 0", "stride below a row");
		map.rank = 2;
		add_load(list, slice, &map, "0, 0", "of two");
	}
	map = slices_of(32, TENSOR_F16, 3);
	add_box(list, 32, map, 0, 8, "0, 0, 0");
	add_box(list, 32, map, 0, 24, "0, 0, 0");
	add_box(list, 32, map, 0, 32, "0, 0, 0");
	add_box(list, 32, map, 2, 1, "0, 0, 0");
	add_box(list, 32, map, 2, 3, "0, 0, 0");
}

void copies_add_slice_loads(struct copy_list *list)
{
	add_places(list);
	add_boxes(list);
	add_boxes_of_more(list);
	add_sizes(list);
	add_steps(list);
	add_looks(list);
	add_rules(list);
}
