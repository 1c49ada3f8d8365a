/* Loads of interleaved layouts, whose dimension 0 counts slices of 16 or 32 bytes. The driver
 * refuses the maps whose box has no multiple of 16 bytes in dimension 0, counted in elements. */
#include "copies.h"

#include <stdlib.h>
#include <string.h>

#define GUARD_WORDS 8

/* 6 slices wide, 5 high, 4 deep. */
static struct tensor_map slices_of(enum tensor_type type, unsigned slice)
{
	return (struct tensor_map){
		.type = type,
		.rank = 3,
		.sizes = {6, 5, 4},
		.strides = {0, 8 * slice, 48 * slice},
		.box = {4, 3, 2},
		.steps = {1, 1, 1},
		.swizzle = slice == 32 ? SWIZZLE_32B : SWIZZLE_NONE,
		.fills_nan = type >= TENSOR_F16,
	};
}

static struct copy_case *load_slices(struct copy_list *list, char *name, enum tensor_type type,
				     unsigned slice, const char *coordinates)
{
	const struct tensor_map map = slices_of(type, slice);
	const unsigned bytes = map.box[0] * map.box[1] * map.box[2] * slice;
	struct text body = TEXT_INIT;
	struct copy_case *copy;

	text_addf(&body,
		  COPY_EXPECT
		  "%u;\n@%%lead cp.async.bulk.tensor.%ud.shared::cluster.global.tile"
		  ".mbarrier::complete_tx::bytes [%%a], [%%map, {%s}], [%%bar];\n" COPY_WAIT,
		  bytes, map.rank, coordinates);
	copy_dump(&body, "%a", 0, bytes / 4 + GUARD_WORDS, COPY_WAITED);
	copy = copy_add(list, name, text_detach(&body), COPY_WAITED + bytes / 4 + GUARD_WORDS);
	copy->has_map = true;
	copy->map = map;
	copy->interleave = slice;
	copy->in_fill = FILL_HALVES;
	return copy;
}

void copies_add_interleaved(struct copy_list *list)
{
	static const enum tensor_type types[] = {TENSOR_U8, TENSOR_U64, TENSOR_F32, TENSOR_TF32};

	for (unsigned slice = 16; slice <= 32; slice += 16)
		load_slices(list, xasprintf("load slices of %u at 0, 0, 0", slice), TENSOR_U16,
			    slice, "0, 0, 0");
	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		load_slices(list, xasprintf("load slices of %s", tensor_type_name(types[i])),
			    types[i], 16, "4, -1, 1")
			->in_fill = types[i] == TENSOR_TF32 ? FILL_TIES : FILL_HALVES;
}
