/* Stores and reductions in im2col mode: where the tensor ends within a chunk of 16 bytes, where the
 * bounding box goes beyond the tensor, and with a step from image to image. */
#include "copies.h"

#include <stdlib.h>
#include <string.h>

#define OUT_WORDS 640
#define FIRST_BYTE 256

/* 3 images, 5 wide and 4 high, of 8 channels of 4 bytes. */
static const struct tensor_map edge_images = {
	.type = TENSOR_U32,
	.rank = 4,
	.address = FIRST_BYTE,
	.sizes = {8, 5, 4, 3},
	.strides = {0, 32, 160, 640},
	.steps = {1, 1, 1, 1},
	.im2col = true,
	.channels = 8,
	.pixels = 24,
};

static struct copy_case *store_images(struct copy_list *list, char *name,
				      const struct tensor_map *map, const char *operation,
				      const char *coordinates)
{
	struct copy_case *copy = copy_add(
		list, name,
		xasprintf("@%%lead cp.%sasync.bulk.tensor.%ud.global.shared::cta%s%s.im2col_no_offs"
			  ".bulk_group [%%map, {%s}], [%%a];\n" COPY_COMMIT,
			  *operation ? "reduce." : "", map->rank, *operation ? "." : "", operation,
			  coordinates),
		OUT_WORDS);

	copy->area_from_in = true;
	copy->has_map = copy->map_of_out = true;
	copy->map = *map;
	copy->in_fill = FILL_MIXED;
	copy->out_fill = FILL_WORDS;
	return copy;
}

static void add_chunks_of_pixels(struct copy_list *list)
{
	static const enum tensor_type types[] = {TENSOR_U8, TENSOR_U16, TENSOR_U32, TENSOR_U64,
						 TENSOR_F32_FTZ};
	struct tensor_map map = edge_images;

	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		const unsigned bytes = tensor_type_bytes(types[i]);

		map.type = types[i];
		map.sizes[0] = 32 / bytes - 1;
		map.channels = 32 / bytes;
		store_images(list,
			     xasprintf("im2col store %s in a chunk", tensor_type_name(types[i])),
			     &map, "", "0, 3, 2, 1");
	}
	map = edge_images;
	map.sizes[0] = 5;
	store_images(list, xstrdup("im2col store from the last chunk"), &map, "", "4, 3, 2, 1");
	store_images(list, xstrdup("im2col reduce add u32 in a chunk"), &map, "add", "0, 3, 2, 1");
	map.type = TENSOR_F16;
	map.channels = 16;
	map.sizes[0] = 13;
	store_images(list, xstrdup("im2col reduce max f16 in a chunk"), &map, "max", "0, 3, 2, 1");
}

/* Not all pixels of these boxes are inside. The copies end before they come to others, or after. */
static void add_boxes_beyond(struct copy_list *list)
{
	static const struct {
		int lower[2], upper[2];
		unsigned pixels, steps[3];
		const char *at;
	} boxes[] = {
		{{0, 0}, {1, 0}, 4, {1, 1, 1}, "0, 0, 0, 0"},
		{{0, 0}, {1, 0}, 5, {1, 1, 1}, "0, 0, 0, 0"},
		{{0, 0}, {1, 0}, 6, {1, 1, 1}, "0, 0, 0, 0"},
		{{0, 0}, {0, 2}, 20, {1, 1, 1}, "0, 0, 0, 1"},
		{{0, 0}, {0, 2}, 21, {1, 1, 1}, "0, 0, 0, 1"},
		{{-1, 0}, {0, 0}, 5, {1, 1, 1}, "0, 0, 1, 0"},
		{{-1, 0}, {0, 0}, 6, {1, 1, 1}, "0, 0, 1, 0"},
		{{0, -1}, {0, 0}, 20, {1, 1, 1}, "0, 0, 0, 0"},
		{{0, -1}, {0, 0}, 20, {1, 1, 1}, "0, 0, 0, 2"}, /* nothing behind it */
		/* a place outside, behind the last image or the last channel */
		{{0, -1}, {0, 0}, 24, {1, 1, 1}, "0, 0, 0, 2"},
		{{0, 0}, {1, 0}, 6, {1, 1, 1}, "0, 0, 0, 3"},
		{{0, 0}, {1, 0}, 6, {1, 1, 1}, "8, 0, 0, 0"},
		/* the steps pass over the places outside */
		{{0, 0}, {1, 0}, 9, {2, 1, 1}, "0, 0, 0, 0"},
		{{0, 0}, {0, 1}, 20, {1, 3, 1}, "0, 0, 0, 0"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(boxes); i++) {
		struct tensor_map map = edge_images;

		memcpy(map.lower, boxes[i].lower, sizeof(boxes[i].lower));
		memcpy(map.upper, boxes[i].upper, sizeof(boxes[i].upper));
		memcpy(map.steps + 1, boxes[i].steps, sizeof(boxes[i].steps));
		map.pixels = boxes[i].pixels;
		store_images(list,
			     xasprintf("im2col store %u pixels of %d,%d to %d,%d steps %u,%u at %s",
				       map.pixels, map.lower[0], map.lower[1], map.upper[0],
				       map.upper[1], map.steps[1], map.steps[2], boxes[i].at),
			     &map, "", boxes[i].at)
			->may_fault = true;
	}
}

static void add_steps_of_images(struct copy_list *list)
{
	struct tensor_map map = edge_images, five = edge_images;

	map.pixels = 50;
	map.steps[3] = 2;
	store_images(list, xstrdup("im2col store steps 1,1,2"), &map, "", "0, 2, 1, 0");
	store_images(list, xstrdup("im2col store steps 1,1,2 from image 1"), &map, "",
		     "0, 2, 1, 1");
	store_images(list, xstrdup("im2col reduce add steps 1,1,2"), &map, "add", "0, 2, 1, 0");
	map.steps[1] = 2;
	store_images(list, xstrdup("im2col store steps 2,1,2"), &map, "", "0, 2, 1, 0");
	map = edge_images;
	map.rank = 3;
	map.sizes[2] = 7;
	map.steps[2] = 3;
	store_images(list, xstrdup("im2col store 3d steps 1,3"), &map, "", "0, 2, 1");
	five.rank = 5;
	five.channels = five.sizes[0] = 4;
	for (unsigned i = 1; i < 5; i++) {
		five.sizes[i] = i < 4 ? 2 : 5;
		five.strides[i] = i == 1 ? 16 : five.strides[i - 1] * five.sizes[i - 1];
		five.steps[i] = i < 4 ? 1 : 2;
	}
	store_images(list, xstrdup("im2col store 5d steps 1,1,1,2"), &five, "", "0, 1, 0, 1, 0");
}

void copies_add_edge_images(struct copy_list *list)
{
	add_chunks_of_pixels(list);
	add_boxes_beyond(list);
	add_steps_of_images(list);
}
