/* Interleaved layouts in im2col mode, where one thing differs from case to case.
 * copies_slice_images.c has the first ones. */
#include <stdlib.h>
#include <string.h>

#include "copies_slices.h"

static struct tensor_map images_of(unsigned slice, unsigned rank)
{
	struct tensor_map map = slices_of(slice, TENSOR_F16, rank);

	map.im2col = true;
	map.channels = slice / tensor_type_bytes(map.type);
	map.pixels = 20;
	return map;
}

/* `offsets`: NULL: a store. */
static struct copy_case *add_case(struct copy_list *list, const struct tensor_map *map,
				  unsigned slice, const char *at, const char *offsets,
				  const char *what)
{
	char *name = xasprintf("images %u %s %ud %sat %s%s%s", slice, tensor_type_name(map->type),
			       map->rank, what, at, offsets ? " offsets " : " store",
			       offsets ? offsets : "");

	return offsets ? slices_load_pixels(list, name, map, slice, at, offsets)
		       : slices_store(list, name, map, slice, "", at);
}

static void add_places(struct copy_list *list)
{
	static const struct {
		unsigned rank;
		const char *at, *offsets;
	} places[] = {
		{3, "0, 0, 0", "0"},
		{3, "1, 0, 0", "0"},
		{3, "0, 1, 0", "0"},
		{3, "0, 0, 1", "0"},
		{3, "0, 0, 0", "1"},
		{3, "8, 2, 1", "1"},
		{3, "0, -1, 0", "0"},
		{3, "0, -3, 1", "1"},
		{3, "0, 5, 0", "0"},
		{3, "1, 7, 1", "0"},
		{3, "0, 0, -1", "0"},
		{3, "2, 0, -2", "3"},
		{3, "0, 0, 4", "0"},
		{3, "0, 0, 3", "65535"},
		{4, "0, 0, 0, 0", "1, 0"},
		{4, "0, 1, 0, 0", "0, 1"},
		{4, "7, 1, -1, 0", "0, 0"},
		{4, "7, 1, 3, 0", "0, 0"},
		{4, "7, 1, 1, -1", "2, 1"},
		{4, "5, 1, 1, 1", "0, 0"},
		{4, "5, 1, 1, 0", "255, 0"},
		{4, "5, 1, 1, 0", "0, 255"},
		{5, "0, 0, 0, 1, 0", "0, 0, 0"},
		{5, "1, 1, 1, 1, 0", "1, 0, 1"},
		{5, "8, 1, 0, 0, 1", "0, 1, 0"},
		{5, "8, 1, 1, 0, -1", "1, 1, 1"},
		{5, "8, 1, 1, -1, 0", "1, 0, 0"},
		{5, "8, 1, 1, 2, 0", "1, 0, 0"},
		{5, "0, 0, 0, 1, 0", "31, 0, 0"},
		{5, "0, 0, 0, 1, 0", "0, 31, 0"},
		{5, "0, 0, 0, 1, 0", "0, 0, 31"},
		{3, "0, 0, 0", NULL},
		{3, "8, 1, 0", NULL},
		{3, "0, 2, 1", NULL},
		{3, "0, 5, 0", NULL},
		{3, "3, 1, 3", NULL},
		{3, "0, 0, 4", NULL},
		{4, "1, 1, 1, 0", NULL},
		{4, "8, 1, 1, 1", NULL},
		{4, "8, 1, 3, 0", NULL},
		{5, "1, 0, 1, 1, 0", NULL},
		{5, "7, 1, 1, 0, 1", NULL},
	};
	static const char *const negative[] = {"0, -1, 0", "0, 0, -1"};

	for (unsigned slice = 16; slice <= 32; slice += 16) {
		struct tensor_map map;

		for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
			map = images_of(slice, places[i].rank);
			add_case(list, &map, slice, places[i].at, places[i].offsets, "");
		}
		map = images_of(slice, 3);
		for (size_t i = 0; i < ARRAY_SIZE(negative); i++)
			add_case(list, &map, slice, negative[i], NULL, "")->may_fault = true;
	}
}

static void add_corners(struct copy_list *list)
{
	/* Corners of up to three dimensions of an image, and a copy with them. */
	static const struct {
		unsigned slice, rank;
		int lower[TENSOR_IMAGE_MOST_RANK], upper[TENSOR_IMAGE_MOST_RANK];
		const char *at, *offsets;
		bool may_fault;
	} cases[] = {
		{16, 3, {-1}, {-1}, "-1, 0, 0", "0", false},
		{16, 3, {-1}, {-1}, "-1, 1, 0", "2", false},
		{16, 3, {-2}, {1}, "8, 1, 1", "1", false},
		{16, 3, {-2}, {1}, "-2, 1, 1", "0", false},
		{16, 3, {0}, {-3}, "2, 0, 0", "3", false},
		{16, 3, {3}, {-2}, "3, 2, 0", "0", false},
		{16, 3, {3}, {2}, "5, 4, 1", "1", false},
		{16, 4, {-1, -1}, {-1, -1}, "-1, -1, 0, 0", "0, 0", false},
		{16, 4, {-1, -1}, {-1, -1}, "3, 1, 1, 0", "2, 1", false},
		{16, 4, {-2, 0}, {-4, -1}, "-2, 0, 1, 0", "1, 1", false},
		{16, 4, {0, -2}, {-5, 1}, "0, -2, 0, 0", "0, 2", false},
		{16, 4, {2, 1}, {-6, 0}, "2, 1, 2, 0", "0, 0", false},
		{16, 4, {1, 0}, {1, 1}, "9, 2, 0, 0", "0, 0", false},
		{16, 5, {-1, 0, 1}, {-5, 0, 0}, "-1, 0, 1, 0, 0", "1, 0, 0", false},
		{16, 5, {-1, 0, 1}, {-5, 0, -1}, "-1, 0, 1, 0, 0", "1, 0, 0", false},
		{16, 5, {0, -1, -2}, {-6, -1, 0}, "0, -1, -2, 1, 0", "0, 1, 2", false},
		{16, 5, {5, 0, 0}, {0, 1, -1}, "5, 0, 0, 1, 0", "0, 0, 1", false},
		{16, 5, {-2, -1, -1}, {-7, 0, 1}, "-2, -1, -1, 0, 1", "1, 1, 1", false},
		{32, 3, {-1}, {-1}, "-1, 1, 0", "1", false},
		{32, 3, {-2}, {-14}, "-2, 1, 0", "0", false},
		{32, 3, {4}, {-8}, "5, 2, 0", "4", false},
		{32, 4, {-2, 0}, {-12, -1}, "-2, 0, 1, 0", "1, 1", false},
		{32, 4, {0, -1}, {-14, 1}, "1, -1, 0, 0", "0, 1", false},
		{32, 4, {12, 1}, {1, 0}, "12, 1, 1, 0", "0, 0", false},
		{32, 5, {-1, 0, 1}, {-5, 0, 0}, "-1, 0, 1, 0, 0", "1, 0, 0", false},
		{32, 5, {-2, -1, 0}, {-7, 0, 1}, "-2, -1, 0, 0, 0", "1, 1, 1", false},
		{16, 3, {0}, {-3}, "2, 1, 0", NULL, false},
		{16, 3, {3}, {-2}, "3, 2, 0", NULL, false},
		{16, 4, {2, 1}, {-3, 0}, "2, 1, 2, 0", NULL, false},
		{16, 4, {0, 0}, {-6, -1}, "1, 1, 0, 0", NULL, false},
		{16, 5, {1, 0, 1}, {-5, -1, 0}, "1, 0, 1, 0, 0", NULL, false},
		{32, 3, {2}, {-3}, "3, 1, 0", NULL, false},
		{32, 4, {9, 0}, {-2, -1}, "9, 0, 1, 0", NULL, false},
		{32, 5, {1, 0, 1}, {-5, -1, 0}, "1, 0, 1, 0, 0", NULL, false},
		/* outside of the bounding box, and stores with one that goes beyond the tensor */
		{16, 3, {0}, {-3}, "7, 0, 0", "0", true},
		{16, 3, {1}, {0}, "0, 0, 0", "0", true},
		{16, 4, {0, 0}, {0, -1}, "0, 2, 0, 0", "0, 0", true},
		{16, 4, {-1, 0}, {0, 0}, "0, 0, 0, 0", NULL, true},
		{16, 4, {0, 0}, {0, 1}, "0, 0, 0, 0", NULL, true},
		{16, 5, {0, 0, -1}, {0, 0, 0}, "0, 0, 0, 0, 0", NULL, true},
		{32, 3, {0}, {-3}, "17, 0, 0", "0", true},
		{32, 4, {0, 0}, {1, 0}, "0, 0, 0, 0", NULL, true},
		/* at and past the limits */
		{16, 3, {-32768}, {-1}, "-3, 1, 0", "0", false},
		{16, 3, {0}, {32767}, "5, 1, 0", "0", false},
		{16, 4, {-128, 0}, {127, 0}, "-4, 1, 1, 0", "0, 0", false},
		{16, 4, {-129, 0}, {0, 0}, "0, 0, 0, 0", "0, 0", true},
		{16, 4, {0, 0}, {0, 128}, "0, 0, 0, 0", "0, 0", true},
		{16, 5, {-16, 0, 0}, {0, 15, 0}, "-3, 0, 1, 0, 0", "0, 0, 0", false},
		{16, 5, {-17, 0, 0}, {0, 0, 0}, "0, 0, 0, 0, 0", "0, 0, 0", true},
		{16, 5, {0, 0, 0}, {0, 0, 16}, "0, 0, 0, 0, 0", "0, 0, 0", true},
		{16, 3, {10}, {0}, "10, 0, 0", "0", true},
		{16, 4, {0, 2}, {0, -1}, "0, 2, 0, 0", "0, 0", true},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct tensor_map map = images_of(cases[i].slice, cases[i].rank);
		struct text corners = TEXT_INIT;

		memcpy(map.lower, cases[i].lower, sizeof(map.lower));
		memcpy(map.upper, cases[i].upper, sizeof(map.upper));
		for (unsigned k = 0; k < map.rank - 2; k++)
			text_addf(&corners, "%d to %d ", map.lower[k], map.upper[k]);
		add_case(list, &map, cases[i].slice, cases[i].at, cases[i].offsets, corners.data)
			->may_fault = cases[i].may_fault;
		text_release(&corners);
	}
}

/* Loads and stores at a place where all is inside. */
static void add_both(struct copy_list *list, const struct tensor_map *map, unsigned slice,
		     const char *what)
{
	add_case(list, map, slice, "1, 1, 0", "0", what);
	add_case(list, map, slice, "1, 1, 0", NULL, what);
}

static void add_numbers(struct copy_list *list)
{
	static const unsigned channels[] = {1, 4, 8, 12, 16, 24, 32, 40, 64, 256, 257, 512};
	static const unsigned pixels[] = {1, 7, 64, 1024, 1025};

	for (unsigned slice = 16; slice <= 32; slice += 16) {
		struct tensor_map map;

		for (size_t i = 0; i < ARRAY_SIZE(channels); i++) {
			char *what = xasprintf("%u channels ", channels[i]);

			map = images_of(slice, 3);
			map.channels = channels[i];
			add_both(list, &map, slice, what);
			if (channels[i] == 16 || channels[i] == 4 || channels[i] == 24)
				for (enum tensor_type type = TENSOR_U8; type <= TENSOR_U64;
				     type += TENSOR_U32 - TENSOR_U8) {
					map.type = type;
					add_case(list, &map, slice, "1, 1, 0", "0", what);
				}
			free(what);
		}
		for (size_t i = 0; i < ARRAY_SIZE(pixels); i++) {
			char *what = xasprintf("%u pixels ", pixels[i]);

			map = images_of(slice, 3);
			map.pixels = pixels[i];
			add_case(list, &map, slice, "1, 1, 0", "0", what);
			if (pixels[i] <= 64)
				add_case(list, &map, slice, "1, 1, 0", NULL, what);
			free(what);
		}
	}
}

static void add_steps(struct copy_list *list)
{
	static const unsigned steps[] = {2, 3, 8, 9};

	for (unsigned slice = 16; slice <= 32; slice += 16)
		for (unsigned rank = 3; rank <= 5; rank++)
			for (unsigned dimension = 0; dimension < rank; dimension++)
				for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
					static const char *const places[3][3] = {
						{"0, 0, 0", "0, 0, 0, 0", "0, 0, 0, 0, 0"},
						{"1, 1, 0", "1, 1, 1, 0", "1, 1, 0, 1, 0"},
						{"1", "1, 0", "0, 1, 0"},
					};
					struct tensor_map map = images_of(slice, rank);
					char *what;

					if (steps[i] > 8 && rank > 3) /* refused, as with three */
						continue;
					what = xasprintf("step %u is %u ", dimension, steps[i]);
					map.steps[dimension] = steps[i];
					add_case(list, &map, slice, places[1][rank - 3], NULL,
						 what);
					map.lower[0] = map.lower[1] = -1;
					map.upper[0] = -4;
					add_case(list, &map, slice, places[0][rank - 3],
						 places[2][rank - 3], what);
					free(what);
				}
}

/* Types, fills and swizzles. */
static void add_looks(struct copy_list *list)
{
	for (unsigned slice = 16; slice <= 32; slice += 16) {
		struct tensor_map map;

		for (int swizzle = SWIZZLE_NONE; swizzle < SWIZZLE_COUNT; swizzle++) {
			char *what = xasprintf("swizzle %d ", swizzle ? 16 << swizzle : 0);

			map = images_of(slice, 3);
			map.swizzle = (enum tensor_swizzle)swizzle;
			add_both(list, &map, slice, what);
			map = images_of(slice, 4);
			map.swizzle = (enum tensor_swizzle)swizzle;
			map.lower[0] = -1;
			add_case(list, &map, slice, "-1, 1, 1, 0", "1, 0", what);
			free(what);
		}
		for (enum tensor_type type = TENSOR_U8; type < TENSOR_TYPE_COUNT; type++) {
			map = images_of(slice, 3);
			map.type = type;
			map.channels = slice / tensor_type_bytes(type);
			map.fills_nan = type >= TENSOR_F16;
			map.lower[0] = -2;
			map.pixels = 48;
			add_case(list, &map, slice, "-2, 1, 1", "0", "")->in_fill =
				type < TENSOR_TF32 ? FILL_HALVES : FILL_TIES;
			map.lower[0] = 0;
			add_case(list, &map, slice, "2, 1, 1", NULL, "");
		}
		map = images_of(slice, 3);
		map.type = TENSOR_U32;
		map.channels = slice / 4;
		slices_store(list, xasprintf("images %u u32 3d add", slice), &map, slice, "add",
			     "1, 1, 0")
			->out_fill = FILL_WORDS;
		slices_store(list, xasprintf("images %u u32 3d add past the end", slice), &map,
			     slice, "add", "7, 1, 1")
			->out_fill = FILL_WORDS;
		map = images_of(slice, 4);
		map.type = TENSOR_F16;
		slices_store(list, xasprintf("images %u f16 4d max", slice), &map, slice, "max",
			     "1, 1, 0, 0")
			->out_fill = FILL_WORDS;
	}
}

static void leave_open(struct copy_case *copy)
{
	copy->rule = COPY_RECORDED;
	copy->may_fault = true;
}

/* Maps that the driver refuses, or may refuse, and offsets that are too large. */
static void add_rules(struct copy_list *list)
{
	for (unsigned slice = 16; slice <= 32; slice += 16) {
		struct tensor_map map = images_of(slice, 3);

		map.address = 16;
		add_case(list, &map, slice, "1, 1, 0", "0", "address 16 ");
		map.address = 0;
		map.strides[1] += 16;
		add_case(list, &map, slice, "1, 1, 0", "0", "stride 16 more ");
		map = images_of(slice, 3);
		map.strides[1] = 64;
		map.strides[2] = 256;
		add_case(list, &map, slice, "1, 1, 0", "0", "stride below a row ");
		for (unsigned dimension = 0; dimension < 3; dimension++) {
			char *what = xasprintf("size %u is 1 ", dimension);

			map = images_of(slice, 3);
			map.sizes[dimension] = 1;
			add_case(list, &map, slice, "0, 0, 0", "0", what);
			free(what);
		}
		map = images_of(slice, 4);
		leave_open(add_case(list, &map, slice, "0, 0, 0, 0", "256, 0", ""));
		map = images_of(slice, 5);
		leave_open(add_case(list, &map, slice, "0, 0, 0, 0, 0", "0, 32, 0", ""));
	}
}

void copies_add_layout_images(struct copy_list *list)
{
	add_places(list);
	add_corners(list);
	add_numbers(list);
	add_steps(list);
	add_looks(list);
	add_rules(list);
}
