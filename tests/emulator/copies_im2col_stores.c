/* Stores and reductions in im2col mode, which have no offsets. */
#include "copies.h"

#include <stdlib.h>
#include <string.h>

#define OUT_WORDS 640
#define FIRST_BYTE 256

static const struct tensor_map stored_images = {
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

static struct copy_case *store_pixels(struct copy_list *list, char *name,
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
	return copy;
}

static void add_stored_boxes(struct copy_list *list)
{
	static const struct {
		int lower[2], upper[2];
		const char *at;
		bool may_fault; /* a coordinate is negative */
	} boxes[] = {
		{{0, 0}, {0, 0}, "0, 0, 0, 0", false},
		{{0, 0}, {0, 0}, "0, 3, 2, 1", false},
		{{0, 0}, {0, 0}, "4, 3, 2, 2", false},
		{{0, 0}, {-2, -1}, "0, 1, 0, 0", false},
		{{1, 0}, {0, -2}, "0, 1, 1, 0", false},
		{{0, 0}, {1, 2}, "0, 4, 3, 1", false},
		{{0, 0}, {0, 0}, "0, 0, 0, 3", false},
		/* the walk comes to elements before the tensor */
		{{-1, -1}, {-1, -1}, "0, 0, 0, 0", false},
		{{-1, -1}, {-1, -1}, "0, -1, 0, 0", true},
		{{-1, -1}, {-1, -1}, "0, -1, -1, 0", true},
		{{0, 0}, {0, 0}, "-4, 0, 0, 0", true},
		{{0, 0}, {0, 0}, "0, 0, 0, -1", true},
	};

	for (size_t i = 0; i < ARRAY_SIZE(boxes); i++) {
		struct tensor_map map = stored_images;
		struct copy_case *copy;

		memcpy(map.lower, boxes[i].lower, sizeof(boxes[i].lower));
		memcpy(map.upper, boxes[i].upper, sizeof(boxes[i].upper));
		copy = store_pixels(list,
				    xasprintf("im2col store %d,%d to %d,%d at %s", map.lower[0],
					      map.lower[1], map.upper[0], map.upper[1],
					      boxes[i].at),
				    &map, "", boxes[i].at);
		copy->may_fault = boxes[i].may_fault;
		if (boxes[i].may_fault)
			continue;
		copy = store_pixels(list,
				    xasprintf("im2col reduce add %d,%d to %d,%d at %s",
					      map.lower[0], map.lower[1], map.upper[0],
					      map.upper[1], boxes[i].at),
				    &map, "add", boxes[i].at);
		copy->out_fill = FILL_WORDS;
	}
}

static void add_stored_ranks(struct copy_list *list)
{
	struct tensor_map three = stored_images, five = stored_images;

	three.rank = 3;
	three.upper[0] = -1;
	three.sizes[2] = 7;
	store_pixels(list, xstrdup("im2col store 3d"), &three, "", "0, 2, 1");
	three.steps[1] = 2;
	store_pixels(list, xstrdup("im2col store 3d steps 2"), &three, "", "0, 0, 0");
	five.rank = 5;
	five.channels = five.sizes[0] = 4;
	for (unsigned i = 1; i < 5; i++) {
		five.sizes[i] = i < 3 ? 4 : 3;
		five.strides[i] = i == 1 ? 16 : five.strides[i - 1] * five.sizes[i - 1];
		five.steps[i] = 1;
	}
	five.upper[1] = -2;
	five.pixels = 40;
	store_pixels(list, xstrdup("im2col store 5d"), &five, "", "0, 1, 1, 2, 0");
}

static void add_stored_swizzles(struct copy_list *list)
{
	for (int swizzle = SWIZZLE_32B; swizzle < SWIZZLE_COUNT; swizzle++) {
		struct tensor_map map = stored_images;

		map.swizzle = (enum tensor_swizzle)swizzle;
		store_pixels(list,
			     xasprintf("im2col store swizzle %u",
				       tensor_swizzle_bytes((enum tensor_swizzle)swizzle)),
			     &map, "", "0, 1, 0, 0");
	}
}

void copies_add_im2col_stores(struct copy_list *list)
{
	add_stored_boxes(list);
	add_stored_ranks(list);
	add_stored_swizzles(list);
}
