/* Copies of interleaved layouts, whose dimension 0 counts slices of 16 or 32 bytes. */
#include "copies.h"

#include <stdlib.h>
#include <string.h>

#define GUARD_WORDS 8
#define OUT_WORDS 2048
#define FIRST_BYTE 256

/* The strides of all dimensions differ, so half words that count tell where a slice was. */
static struct tensor_map slices_of(unsigned rank, unsigned slice)
{
	static const struct tensor_map few = {
		.type = TENSOR_U16,
		.rank = 3,
		.sizes = {6, 5, 4},
		.strides = {0, 8, 48},
		.box = {4, 3, 2},
		.steps = {1, 1, 1},
	};
	static const struct tensor_map many = {
		.type = TENSOR_U16,
		.rank = 5,
		.sizes = {4, 3, 3, 3, 2},
		.strides = {0, 4, 12, 36, 108},
		.box = {2, 3, 2, 2, 2},
		.steps = {1, 1, 1, 1, 1},
	};
	struct tensor_map map = rank == 3 ? few : many;

	map.rank = rank;
	for (unsigned i = 1; i < rank; i++)
		map.strides[i] *= slice;
	if (slice == 32)
		map.swizzle = SWIZZLE_32B;
	return map;
}

/* With a step in dimension 0 that a GPU ignores, as it does without an interleaved layout. */
static unsigned bytes_of_slices(const struct tensor_map *map, unsigned slice)
{
	unsigned bytes = slice;

	for (unsigned i = 0; i < map->rank; i++)
		bytes *= tensor_map_count(map, i);
	return bytes;
}

static struct copy_case *load_slices(struct copy_list *list, char *name,
				     const struct tensor_map *map, unsigned slice,
				     const char *coordinates)
{
	const unsigned bytes = bytes_of_slices(map, slice);
	struct text body = TEXT_INIT;
	struct copy_case *copy;

	text_addf(&body,
		  COPY_EXPECT
		  "%u;\n@%%lead cp.async.bulk.tensor.%ud.shared::cluster.global.tile"
		  ".mbarrier::complete_tx::bytes [%%a], [%%map, {%s}], [%%bar];\n" COPY_WAIT,
		  bytes, map->rank, coordinates);
	copy_dump(&body, "%a", 0, bytes / 4 + GUARD_WORDS, COPY_WAITED);
	copy = copy_add(list, name, text_detach(&body), COPY_WAITED + bytes / 4 + GUARD_WORDS);
	copy->has_map = true;
	copy->map = *map;
	copy->interleave = slice;
	copy->in_fill = FILL_HALVES;
	return copy;
}

static struct copy_case *store_slices(struct copy_list *list, char *name,
				      const struct tensor_map *map, unsigned slice,
				      const char *operation, const char *coordinates)
{
	struct copy_case *copy =
		copy_add(list, name,
			 xasprintf("@%%lead cp.%sasync.bulk.tensor.%ud.global.shared::cta%s%s.tile"
				   ".bulk_group [%%map, {%s}], [%%a];\n" COPY_COMMIT,
				   *operation ? "reduce." : "", map->rank, *operation ? "." : "",
				   operation, coordinates),
			 OUT_WORDS);

	copy->area_from_in = true;
	copy->has_map = copy->map_of_out = true;
	copy->map = *map;
	copy->map.address = FIRST_BYTE;
	copy->interleave = slice;
	copy->in_fill = FILL_HALVES;
	return copy;
}

static void add_slices(struct copy_list *list, unsigned slice)
{
	static const char *const loads[] = {"0, 0, 0",  "1, 0, 0",  "0, 1, 0",  "0, 0, 1",
					    "4, 0, 0",  "0, 4, 0",  "0, 0, 3",  "-1, 0, 0",
					    "0, -1, 0", "0, 0, -1", "6, 5, -1", "3, -2, 3"};
	static const char *const stores[] = {"0, 0, 0", "1, 2, 1", "4, 1, 0", "1, 4, 0", "1, 1, 3"};
	const struct tensor_map map = slices_of(3, slice);

	for (size_t i = 0; i < ARRAY_SIZE(loads); i++)
		load_slices(list, xasprintf("load slices of %u at %s", slice, loads[i]), &map,
			    slice, loads[i]);
	for (size_t i = 0; i < ARRAY_SIZE(stores); i++)
		store_slices(list, xasprintf("store slices of %u at %s", slice, stores[i]), &map,
			     slice, "", stores[i]);
	store_slices(list, xasprintf("reduce add slices of %u", slice), &map, slice, "add",
		     "4, 1, 3")
		->out_fill = FILL_HALVES;
}

static void add_ranks_of_slices(struct copy_list *list, unsigned slice)
{
	static const char *const inside[] = {"1, 0, 1, 1", "1, 0, 1, 1, 0"};
	static const char *const mixed[] = {"3, -1, 2, -1", "-1, 1, -1, 2, 1"};
	static const char *const past[] = {"3, 1, 2, 2", "3, 1, 2, 2, 1"};

	for (unsigned rank = 4; rank <= 5; rank++) {
		const struct tensor_map map = slices_of(rank, slice);

		load_slices(list, xasprintf("load %ud slices of %u", rank, slice), &map, slice,
			    inside[rank - 4]);
		load_slices(list, xasprintf("load %ud slices of %u mixed", rank, slice), &map,
			    slice, mixed[rank - 4]);
		store_slices(list, xasprintf("store %ud slices of %u past", rank, slice), &map,
			     slice, "", past[rank - 4]);
	}
}

/* Swizzles other than the usual one, of which a driver may refuse some. */
static void add_swizzles_of_slices(struct copy_list *list, unsigned slice)
{
	for (int swizzle = SWIZZLE_NONE; swizzle < SWIZZLE_COUNT; swizzle++) {
		struct tensor_map map = slices_of(3, slice);

		if ((enum tensor_swizzle)swizzle == map.swizzle)
			continue;
		map.swizzle = (enum tensor_swizzle)swizzle;
		load_slices(list,
			    xasprintf("map slices of %u swizzle %u", slice,
				      tensor_swizzle_bytes(map.swizzle)),
			    &map, slice, "1, -1, 1");
	}
}

static void add_steps_of_slices(struct copy_list *list)
{
	for (unsigned i = 0; i < 3; i++) {
		struct tensor_map map = slices_of(3, 16);

		map.steps[i] = 2;
		load_slices(list, xasprintf("load slices step 2 in dimension %u", i), &map, 16,
			    "1, 1, 0");
	}
}

static void add_types_of_slices(struct copy_list *list)
{
	static const enum tensor_type types[] = {TENSOR_U8, TENSOR_U64, TENSOR_F32, TENSOR_TF32};

	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		struct tensor_map map = slices_of(3, 16);

		map.type = types[i];
		map.fills_nan = types[i] >= TENSOR_F16;
		load_slices(list, xasprintf("load slices of %s", tensor_type_name(types[i])), &map,
			    16, "4, -1, 1")
			->in_fill = types[i] == TENSOR_TF32 ? FILL_TIES : FILL_HALVES;
	}
}

void copies_add_interleaved(struct copy_list *list)
{
	for (unsigned slice = 16; slice <= 32; slice += 16) {
		add_slices(list, slice);
		add_ranks_of_slices(list, slice);
		add_swizzles_of_slices(list, slice);
	}
	add_steps_of_slices(list);
	add_types_of_slices(list);
}
