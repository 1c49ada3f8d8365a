/* Loads in im2col mode. */
#include "copies.h"

#include <stdlib.h>
#include <string.h>

#define GUARD_WORDS 8

/* 3 images, 5 wide and 4 high, of 8 channels of 4 bytes. */
static const struct tensor_map images = {
	.type = TENSOR_U32,
	.rank = 4,
	.sizes = {8, 5, 4, 3},
	.strides = {0, 32, 160, 640},
	.steps = {1, 1, 1, 1},
	.im2col = true,
	.channels = 8,
	.pixels = 48,
};

/* With a box from `lower` to `upper` in both dimensions of the images. */
static struct tensor_map images_with(int lower, int upper)
{
	struct tensor_map map = images;

	for (unsigned i = 0; i < 2; i++) {
		map.lower[i] = lower;
		map.upper[i] = upper;
	}
	return map;
}

/* Loads pixels to the first area, and stores it and some words behind them. Swizzled rows that are
 * short lie apart. */
static struct copy_case *load_pixels(struct copy_list *list, char *name,
				     const struct tensor_map *map, const char *coordinates,
				     const char *offsets)
{
	const unsigned span = tensor_swizzle_bytes(map->swizzle);
	const unsigned row = span ? span : tensor_map_row_bytes(map);
	const unsigned words = row * map->pixels / 4 + GUARD_WORDS;
	struct text body = TEXT_INIT;
	struct copy_case *copy;

	text_addf(&body,
		  COPY_EXPECT
		  "%u;\n@%%lead cp.async.bulk.tensor.%ud.shared::cluster.global.im2col"
		  ".mbarrier::complete_tx::bytes [%%a], [%%map, {%s}], [%%bar], {%s};\n" COPY_WAIT,
		  tensor_map_box_bytes(map), map->rank, coordinates, offsets);
	copy_dump(&body, "%a", 0, words, COPY_WAITED);
	copy = copy_add(list, name, text_detach(&body), COPY_WAITED + words);
	copy->has_map = true;
	copy->map = *map;
	return copy;
}

static void add_boxes(struct copy_list *list)
{
	static const struct {
		int lower[2], upper[2];
		const char *at, *offsets;
	} boxes[] = {
		{{0, 0}, {0, 0}, "0, 0, 0, 0", "0, 0"},
		{{-1, -1}, {-1, -1}, "0, -1, -1, 0", "0, 0"},
		{{-1, -1}, {-1, -1}, "0, -1, -1, 0", "1, 0"},
		{{-1, -1}, {-1, -1}, "0, -1, -1, 0", "0, 1"},
		{{-1, -1}, {-1, -1}, "0, -1, -1, 0", "2, 2"},
		{{-1, -1}, {-1, -1}, "0, 1, 2, 1", "1, 2"},
		{{0, 0}, {-2, -2}, "0, 0, 0, 0", "0, 0"},
		{{0, 0}, {-2, -2}, "0, 2, 1, 0", "2, 1"},
		/* the two dimensions differ */
		{{-2, 0}, {-1, -3}, "0, -2, 0, 0", "0, 0"},
		{{-2, 0}, {-1, -3}, "0, 1, 0, 0", "1, 3"},
		{{0, -2}, {0, 1}, "0, 0, -2, 0", "0, 0"},
		{{1, 0}, {1, 0}, "0, 3, 2, 0", "0, 1"},
		{{1, 2}, {-3, -1}, "0, 1, 2, 0", "0, 0"},
		{{2, 1}, {-2, -2}, "0, 2, 1, 1", "255, 255"},
		{{-128, -128}, {-5, -4}, "0, -3, -2, 0", "3, 2"},
		/* from the last pixel of an image, and from past the last image */
		{{-1, -1}, {-1, -1}, "0, 3, 2, 0", "1, 1"},
		{{0, 0}, {0, 0}, "0, 4, 3, 2", "0, 0"},
		{{0, 0}, {0, 0}, "0, 0, 0, 3", "0, 0"},
		{{0, 0}, {0, 0}, "0, 0, 0, -1", "0, 0"},
		{{0, 0}, {0, 0}, "0, 2, 2, -1", "1, 1"},
		/* channels */
		{{0, 0}, {0, 0}, "4, 0, 0, 0", "0, 0"},
		{{0, 0}, {0, 0}, "-4, 1, 0, 0", "0, 0"},
		{{0, 0}, {0, 0}, "8, 0, 0, 0", "0, 0"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(boxes); i++) {
		struct tensor_map map = images;

		memcpy(map.lower, boxes[i].lower, sizeof(boxes[i].lower));
		memcpy(map.upper, boxes[i].upper, sizeof(boxes[i].upper));
		load_pixels(list,
			    xasprintf("im2col %d,%d to %d,%d at %s offsets %s", map.lower[0],
				      map.lower[1], map.upper[0], map.upper[1], boxes[i].at,
				      boxes[i].offsets),
			    &map, boxes[i].at, boxes[i].offsets);
	}
}

static void add_traversals(struct copy_list *list)
{
	static const unsigned steps[][2] = {{2, 1}, {1, 2}, {2, 2}, {3, 2}, {8, 8}};

	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		struct tensor_map map = images_with(-1, -1);

		memcpy(map.steps + 1, steps[i], sizeof(steps[i]));
		map.pixels = 24;
		load_pixels(list, xasprintf("im2col steps %u,%u", map.steps[1], map.steps[2]), &map,
			    "0, -1, -1, 0", "0, 0");
		load_pixels(list,
			    xasprintf("im2col steps %u,%u offsets", map.steps[1], map.steps[2]),
			    &map, "0, -1, -1, 0", "1, 2");
		/* not where a walk from the corner comes along */
		load_pixels(list,
			    xasprintf("im2col steps %u,%u from 0,2", map.steps[1], map.steps[2]),
			    &map, "0, 0, 2, 0", "1, 1");
	}
}

static void add_image_ranks(struct copy_list *list)
{
	struct tensor_map three = images, five = images;

	three.rank = 3;
	three.sizes[2] = 7;
	three.lower[0] = -2;
	three.upper[0] = -1;
	load_pixels(list, xstrdup("im2col 3d"), &three, "0, -2, 0", "0");
	load_pixels(list, xstrdup("im2col 3d offset"), &three, "0, 1, 2", "3");
	load_pixels(list, xstrdup("im2col 3d far offset"), &three, "0, 0, 1", "65535");
	three.upper[0] = 3;
	three.steps[1] = 2;
	load_pixels(list, xstrdup("im2col 3d steps 2"), &three, "0, -2, 0", "1");

	five.rank = 5;
	five.channels = five.sizes[0] = 4;
	for (unsigned i = 1; i < 5; i++) {
		five.sizes[i] = i < 3 ? 4 : 3;
		five.strides[i] = i == 1 ? 16 : five.strides[i - 1] * five.sizes[i - 1];
		five.steps[i] = 1;
	}
	for (unsigned i = 0; i < 3; i++)
		five.lower[i] = five.upper[i] = -1;
	five.pixels = 100;
	load_pixels(list, xstrdup("im2col 5d"), &five, "0, -1, -1, -1, 0", "0, 0, 0");
	load_pixels(list, xstrdup("im2col 5d offsets"), &five, "0, 0, 1, -1, 1", "1, 2, 0");
	load_pixels(list, xstrdup("im2col 5d far offsets"), &five, "0, 0, 1, -1, 0", "31, 0, 31");
	five.lower[0] = -2;
	five.lower[1] = 1;
	five.upper[1] = 0;
	five.upper[2] = 2;
	load_pixels(list, xstrdup("im2col 5d other corners"), &five, "0, 1, 2, 2, 0", "1, 0, 2");
	five.steps[1] = 2;
	five.steps[3] = 3;
	load_pixels(list, xstrdup("im2col 5d steps 2,1,3"), &five, "0, -2, 1, -1, 0", "1, 0, 2");
}

static void add_pixels(struct copy_list *list)
{
	static const unsigned counts[] = {1, 3, 8, 100};
	struct tensor_map map = images_with(-1, -1);

	for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
		map.pixels = counts[i];
		load_pixels(list, xasprintf("im2col %u pixels", counts[i]), &map, "0, 0, 0, 0",
			    "1, 0");
	}
	map.channels = 4;
	map.pixels = 200;
	load_pixels(list, xstrdup("im2col 200 pixels of 4 channels"), &map, "4, 0, 0, 0", "1, 0");
	map = images_with(0, 0);
	map.channels = 16;
	load_pixels(list, xstrdup("im2col more channels than there are"), &map, "0, 0, 0, 0",
		    "0, 0");
	map.address = 16;
	load_pixels(list, xstrdup("im2col tensor at byte 16"), &map, "4, 0, 0, 0", "0, 0");
}

static void add_image_types(struct copy_list *list)
{
	for (int type = 0; type < TENSOR_TYPE_COUNT; type++) {
		const char *name = tensor_type_name((enum tensor_type)type);
		const unsigned bytes = tensor_type_bytes((enum tensor_type)type);
		struct tensor_map map = images_with(-1, -1);
		struct copy_case *copy;

		map.type = (enum tensor_type)type;
		map.channels = 32 / bytes;
		map.sizes[0] = 32 / bytes - 1;
		map.fills_nan = type >= TENSOR_F16;
		copy = load_pixels(list, xasprintf("im2col %s", name), &map, "0, -1, -1, 1",
				   "1, 0");
		copy->in_fill = type < TENSOR_F16       ? FILL_BYTES
				: type < TENSOR_F32_FTZ ? FILL_WORDS
							: FILL_TIES;
	}
}

static void add_image_swizzles(struct copy_list *list)
{
	for (int swizzle = SWIZZLE_32B; swizzle < SWIZZLE_COUNT; swizzle++) {
		const unsigned span = tensor_swizzle_bytes((enum tensor_swizzle)swizzle);

		for (unsigned row = 16; row <= span; row *= 2) {
			struct tensor_map map = images_with(-1, -1);

			map.swizzle = (enum tensor_swizzle)swizzle;
			map.channels = row / 4;
			map.pixels = 24;
			load_pixels(list, xasprintf("im2col swizzle %u rows of %u", span, row),
				    &map, "0, -1, 0, 0", "1, 1");
		}
	}
}

static void add_image_forms(struct copy_list *list)
{
	struct text body = TEXT_INIT;
	struct copy_case *copy;

	text_add(&body, "createpolicy.fractional.L2::evict_first.b64 %d1, 1.0;\nmov.u16 %h0, 1;\n"
			"mov.u16 %h1, 2;\nmov.u32 %r5, -1;\n"
			"@%lead cp.async.bulk.prefetch.tensor.4d.L2.global.im2col.L2::cache_hint "
			"[%map, {0, %r5, %r5, 0}], {%h0, %h1}, %d1;\n");
	text_addf(&body, COPY_EXPECT
		  "1536;\n@%%lead cp.async.bulk.tensor.4d.shared::cta.global.im2col"
		  ".mbarrier::complete_tx::bytes.L2::cache_hint [%%a], "
		  "[%%map, {0, %%r5, %%r5, 0}], [%%bar], {%%h0, %%h1}, %%d1;\n" COPY_WAIT);
	copy_dump(&body, "%a", 0, 392, COPY_WAITED);
	copy = copy_add(list, xstrdup("im2col form with registers and a hint"), text_detach(&body),
			COPY_WAITED + 392);
	copy->has_map = true;
	copy->map = images_with(-1, -1);
}

/* Rank 0 loads for the ranks of the mask. Others only store their area. */
static void add_image_multicasts(struct copy_list *list)
{
	static const unsigned masks[] = {3, 2, 15};

	for (size_t i = 0; i < ARRAY_SIZE(masks); i++) {
		struct text body = TEXT_INIT;
		struct copy_case *copy;

		text_addf(&body,
			  COPY_EXPECT "512;\n" COPY_CLUSTER_SYNC
				      "mov.u16 %%h0, %u;\nsetp.eq.and.u32 %%p, %%rank, 0, %%lead;\n"
				      "@%%p cp.async.bulk.tensor.4d.shared::cluster.global.im2col"
				      ".mbarrier::complete_tx::bytes.multicast::cluster [%%a+128], "
				      "[%%map, {0, 1, -1, 0}], [%%bar], {1, 1}, %%h0;\n",
			  masks[i]);
		text_addf(
			&body,
			"mov.u32 %%ok, 2;\nshr.u32 %%r5, %u, %%rank;\nand.b32 %%r5, %%r5, 1;\n"
			"setp.eq.u32 %%p, %%r5, 0;\n@%%p bra WAITED;\n" COPY_WAIT COPY_CLUSTER_SYNC,
			masks[i]);
		copy_dump(&body, "%a", 0, 168, COPY_WAITED);
		copy = copy_add(list, xasprintf("im2col multicast %x", masks[i]),
				text_detach(&body), COPY_WAITED + 168);
		copy_set_cluster(copy, masks[i] > 3 ? 4 : 2, 1, 1);
		copy->has_map = true;
		copy->map = images_with(-1, -1);
		copy->map.pixels = 16;
	}
}

/* Maps at the edge of the rules of the driver. */
static void add_image_maps(struct copy_list *list)
{
	struct tensor_map map = images_with(-1, -1);

	map.pixels = 128;
	map.channels = 4;
	map.lower[0] = -129;
	load_pixels(list, xstrdup("map im2col corner -129"), &map, "0, 0, 0, 0", "0, 0");
	map = images_with(-1, -1);
	map.upper[1] = 128;
	load_pixels(list, xstrdup("map im2col corner 128"), &map, "0, 0, 0, 0", "0, 0");
	map = images_with(0, 0);
	map.upper[0] = -5;
	load_pixels(list, xstrdup("map im2col empty box"), &map, "0, 0, 0, 0", "0, 0");
	map = images_with(-1, -1);
	map.channels = 6;
	load_pixels(list, xstrdup("map im2col pixels of 24 bytes"), &map, "0, 0, 0, 0", "0, 0")
		->rule = COPY_RECORDED;
	map = images_with(-1, -1);
	map.swizzle = SWIZZLE_32B;
	map.channels = 16;
	load_pixels(list, xstrdup("map im2col pixels longer than the swizzle"), &map, "0, 0, 0, 0",
		    "0, 0");
	map = images_with(-1, -1);
	map.steps[3] = 2;
	load_pixels(list, xstrdup("im2col step 2 of images"), &map, "0, 0, 0, 0", "0, 0");
	map.steps[3] = 1;
	map.steps[0] = 2;
	load_pixels(list, xstrdup("im2col step 2 of channels"), &map, "0, 0, 0, 0", "0, 0");
}

/* What PTX forbids or leaves open. */
static void add_image_faults(struct copy_list *list)
{
	struct tensor_map map = images_with(-1, -1), five = images_with(-1, -1);

	load_pixels(list, xstrdup("im2col before the bounding box"), &map, "0, -2, 0, 0", "0, 0")
		->rule = COPY_RECORDED;
	load_pixels(list, xstrdup("im2col past the bounding box"), &map, "0, 4, 0, 0", "0, 0")
		->rule = COPY_RECORDED;
	load_pixels(list, xstrdup("im2col past the bounding box in the second dimension"), &map,
		    "0, 0, 3, 0", "0, 0")
		->rule = COPY_RECORDED;
	load_pixels(list, xstrdup("im2col offset 256"), &map, "0, 0, 0, 0", "256, 0")->rule =
		COPY_RECORDED;
	load_pixels(list, xstrdup("im2col at channel 1"), &map, "1, 0, 0, 0", "0, 0")->may_fault =
		true;
	five.rank = 5;
	five.sizes[4] = 1;
	five.steps[4] = 1;
	five.strides[4] = 1920;
	five.lower[2] = five.upper[2] = 0;
	load_pixels(list, xstrdup("im2col 5d offset 32"), &five, "0, 0, 0, 0, 0", "0, 32, 0")
		->rule = COPY_RECORDED;
	for (size_t i = 0; i < list->count; i++)
		if (list->items[i].rule == COPY_RECORDED && list->items[i].map.im2col)
			list->items[i].may_fault = true;
}

/* A copy in one mode with a map of the other. */
static void add_other_modes(struct copy_list *list)
{
	struct tensor_map tile = {
		.type = TENSOR_U32,
		.rank = 4,
		.sizes = {8, 5, 4, 3},
		.strides = {0, 32, 160, 640},
		.box = {8, 2, 2, 2},
		.steps = {1, 1, 1, 1},
	};
	struct copy_case *copy;

	tile.channels = 8; /* for the number of bytes that the case awaits */
	tile.pixels = 8;
	copy = load_pixels(list, xstrdup("im2col with a tile map"), &tile, "0, 0, 0, 0", "0, 0");
	copy->rule = COPY_RECORDED;
	copy->may_fault = true;
	copy = copy_add(list, xstrdup("tile with an im2col map"),
			xasprintf(COPY_EXPECT
				  "256;\n@%%lead cp.async.bulk.tensor.4d"
				  ".shared::cluster.global.tile.mbarrier::complete_tx"
				  "::bytes [%%a], [%%map, {0, 0, 0, 0}], [%%bar];\n" COPY_WAIT),
			COPY_WAITED);
	copy->has_map = true;
	copy->map = images_with(0, 0);
	copy->map.pixels = 8;
	copy->rule = COPY_RECORDED;
	copy->may_fault = true;
}

void copies_add_im2col(struct copy_list *list)
{
	add_boxes(list);
	add_traversals(list);
	add_image_ranks(list);
	add_pixels(list);
	add_image_types(list);
	add_image_swizzles(list);
	add_image_forms(list);
	add_image_multicasts(list);
	add_image_maps(list);
	add_image_faults(list);
	add_other_modes(list);
}
