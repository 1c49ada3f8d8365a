/* Changes of tensor maps to, from and within interleaved layouts, by tensormap.replace. */
#include <stdlib.h>
#include <string.h>

#include "copies_changes.h"
#include "copies_slices.h"

#define SET(field, dimension, value) REPLACE field IN_AREA dimension ", " value ";\n"
#define SET_WIDE(field, dimension, value) REPLACE field IN_AREA_WIDE dimension ", " value ";\n"
#define SET_ONE(field, value) REPLACE field IN_AREA value ";\n"

static const char *const layout_names[] = {"none", "slices of 16", "slices of 32"};
/* A layout, and that of the map before it. */
#define LAYOUTS 3

/* `slice` is of the map before the change. The distances suit slices of 32 bytes, too. */
static struct tensor_map tile_of(unsigned slice, unsigned rank)
{
	struct tensor_map map = slices_of(32, TENSOR_F16, rank);

	map.box[0] = slice == 32 ? 16 : 8;
	map.swizzle = slice == 32 ? SWIZZLE_32B : SWIZZLE_NONE;
	return map;
}

static const char *place_of(unsigned rank)
{
	static const char *const places[] = {"0, 1, 0", "0, 1, 1, 0", "0, 1, 0, 1, 0"};

	return places[rank - 3];
}

/* Each layout changed to each, with each swizzle, and nothing else. */
static void add_layouts(struct copy_list *list)
{
	for (unsigned from = 0; from < LAYOUTS; from++)
		for (unsigned to = 0; to < LAYOUTS; to++)
			for (unsigned swizzle = 0; swizzle < SWIZZLE_COUNT; swizzle++)
				for (unsigned rank = 3; rank <= 5; rank++) {
					const struct tensor_map map = tile_of(16 * from, rank);
					char *changes = xasprintf("%sinterleave_layout%s%u;\n"
								  "%sswizzle_mode%s%u;\n",
								  REPLACE, IN_AREA, to, REPLACE,
								  IN_AREA, swizzle);

					if (rank == 3 || swizzle == 0)
						slices_load_changed(
							list,
							xasprintf("layout %s to %s %ud swizzle %u",
								  layout_names[from],
								  layout_names[to], rank, swizzle),
							&map, 16 * from, changes, rank,
							place_of(rank));
					free(changes);
				}
}

/* Another field after the layout, before it, or without it. */
static void add_fields(struct copy_list *list)
{
	static const struct {
		const char *name, *changes;
		unsigned rank;
	} cases[] = {
		{"global_address",
		 "add.u64 %d1, %in, 96;\n" REPLACE "global_address" IN_AREA_WIDE "%d1;\n", 3},
		{"box_dim 0 16", SET("box_dim", "0", "16"), 3},
		{"box_dim 0 24", SET("box_dim", "0", "24"), 3},
		{"box_dim 0 4", SET("box_dim", "0", "4"), 3},
		{"box_dim 0 12", SET("box_dim", "0", "12"), 3},
		{"box_dim 0 256", SET("box_dim", "0", "256"), 3},
		{"box_dim 1 1", SET("box_dim", "1", "1"), 3},
		{"box_dim 1 3", SET("box_dim", "1", "3"), 3},
		{"box_dim 1 16", SET("box_dim", "1", "16"), 3},
		{"box_dim 1 24", SET("box_dim", "1", "24"), 3},
		{"box_dim 2 1", SET("box_dim", "2", "1"), 3},
		{"box_dim 2 3", SET("box_dim", "2", "3"), 3},
		{"box_dim 2 16 of 4", SET("box_dim", "2", "16"), 4},
		{"box_dim 1 3 of 4", SET("box_dim", "1", "3"), 4},
		{"box_dim 3 16 of 5", SET("box_dim", "3", "16"), 5},
		{"global_dim 0 9", SET("global_dim", "0", "9"), 3},
		{"global_dim 0 3", SET("global_dim", "0", "3"), 3},
		{"global_dim 1 1", SET("global_dim", "1", "1"), 3},
		{"global_dim 2 1", SET("global_dim", "2", "1"), 3},
		{"global_stride 0 640", SET_WIDE("global_stride", "0", "640"), 3},
		{"global_stride 1 1472", SET_WIDE("global_stride", "1", "1472"), 3},
		{"element_stride 0 2", SET("element_stride", "0", "2"), 3},
		{"element_stride 0 3", SET("element_stride", "0", "3"), 3},
		{"element_stride 1 2", SET("element_stride", "1", "2"), 3},
		{"element_stride 2 2", SET("element_stride", "2", "2"), 3},
		{"element_stride 1 2 and box_dim 1 8",
		 SET("element_stride", "1", "2") SET("box_dim", "1", "8"), 3},
		{"element_stride 0 2 of 4", SET("element_stride", "0", "2"), 4},
		{"element_stride 2 2 of 4", SET("element_stride", "2", "2"), 4},
		{"rank 4",
		 SET_ONE("rank", "3") SET("box_dim", "3", "2") SET("global_dim", "3", "2")
			 SET_WIDE("global_stride", "2", "2816") SET("element_stride", "3", "1"),
		 4},
		{"elemtype u8", SET_ONE("elemtype", "0"), 3},
		{"elemtype f32", SET_ONE("elemtype", "7"), 3},
		{"elemtype u64", SET_ONE("elemtype", "4"), 3},
		{"elemtype f32 and box_dim 0 4", SET_ONE("elemtype", "7") SET("box_dim", "0", "4"),
		 3},
		{"elemtype f32 and box_dim 0 8", SET_ONE("elemtype", "7") SET("box_dim", "0", "8"),
		 3},
		{"elemtype tf32 and box_dim 0 8",
		 SET_ONE("elemtype", "11") SET("box_dim", "0", "8"), 3},
		{"fill_mode 1", SET_ONE("fill_mode", "1"), 3},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		for (unsigned from = 0; from < LAYOUTS; from++)
			for (unsigned to = 1; to < LAYOUTS; to++) {
				const unsigned rank = cases[i].rank;
				const bool more = strcmp(cases[i].name, "rank 4") == 0;
				const struct tensor_map map = tile_of(16 * from, rank - more);
				const bool keeps = from == to;
				char *layout =
					keeps ? xstrdup("")
					      : xasprintf("%s%s%u;\n", REPLACE "interleave_layout",
							  IN_AREA, to);
				struct text changes = TEXT_INIT;
				/* both orders in turn */
				const bool first = i % 2 == 0;

				text_add(&changes, first ? layout : "");
				text_add(&changes, cases[i].changes);
				text_add(&changes, first ? "" : layout);
				slices_load_changed(
					list,
					xasprintf("layout %s to %s, %s", layout_names[from],
						  layout_names[to], cases[i].name),
					&map, 16 * from, changes.data, rank,
					strncmp(cases[i].name, "fill", 4) ? place_of(rank)
									  : "-1, 1, 1")
					->in_fill = strncmp(cases[i].name, "elemtype tf32", 13)
							    ? FILL_HALVES
							    : FILL_TIES;
				text_release(&changes);
				free(layout);
			}
}

/* All fields of a map of zeroes. */
static void add_made(struct copy_list *list)
{
	for (unsigned to = 1; to < LAYOUTS; to++)
		for (unsigned rank = 3; rank <= 5; rank++)
			for (int boxes = 0; boxes < 2; boxes++) {
				const struct tensor_map map = tile_of(16 * to, rank);
				struct text changes = TEXT_INIT;

				for (unsigned i = 0; i < TENSOR_MAP_BYTES; i += 8)
					text_addf(&changes, "st.shared.u64 [%%b+%u], 0;\n", i);
				text_add(&changes, REPLACE "global_address" IN_AREA_WIDE "%in;\n");
				text_addf(&changes,
					  "%srank%s%u;\n%selemtype%s6;\n%sinterleave_layout%s%u;\n"
					  "%sswizzle_mode%s%u;\n%sfill_mode%s0;\n",
					  REPLACE, IN_AREA, rank - 1, REPLACE, IN_AREA, REPLACE,
					  IN_AREA, to, REPLACE, IN_AREA, to - 1, REPLACE, IN_AREA);
				for (unsigned i = 0; i < rank; i++) {
					const bool channels = i == rank - 2;

					text_addf(&changes,
						  "%sbox_dim%s%u, %u;\n%sglobal_dim%s%u, %u;\n"
						  "%selement_stride%s%u, 1;\n",
						  REPLACE, IN_AREA, i,
						  boxes && channels ? 1 : map.box[i], REPLACE,
						  IN_AREA, i, (unsigned)map.sizes[i], REPLACE,
						  IN_AREA, i);
					if (i)
						text_addf(&changes, "%sglobal_stride%s%u, %u;\n",
							  REPLACE, IN_AREA_WIDE, i - 1,
							  (unsigned)map.strides[i]);
				}
				slices_load_changed(
					list,
					xasprintf(
						"layout %s made of zeroes %ud, box of channels %d",
						layout_names[to], rank, boxes ? 1 : 2),
					&map, 16 * to, changes.data, rank, place_of(rank));
				text_release(&changes);
			}
}

static void add_stores(struct copy_list *list)
{
	for (unsigned from = 0; from < LAYOUTS; from++)
		for (unsigned to = 1; to < LAYOUTS; to++)
			for (int reduces = 0; reduces < 2; reduces++) {
				struct tensor_map map = tile_of(16 * from, 3);
				char *changes =
					xasprintf("%sinterleave_layout%s%u;\n%s", REPLACE, IN_AREA,
						  to, SET_ONE("swizzle_mode", "1"));
				struct copy_case *copy;

				map.type = reduces ? TENSOR_U32 : TENSOR_F16;
				copy = slices_store_changed(
					list,
					xasprintf("layout %s to %s, %s", layout_names[from],
						  layout_names[to], reduces ? "add" : "store"),
					&map, 16 * from, changes, reduces ? "add" : "", "1, 1, 0");
				copy->out_fill = reduces ? FILL_WORDS : FILL_ZERO;
				free(changes);
			}
}

/* What breaks a rule. */
static void add_open(struct copy_list *list)
{
	static const struct {
		const char *name, *changes;
	} cases[] = {
		{"interleave_layout 3", SET_ONE("interleave_layout", "3")},
		{"global_stride of slices of 32 by 16 more",
		 SET_ONE("interleave_layout", "2") SET_WIDE("global_stride", "0", "720")},
		{"global_address of slices of 32 by 16 more",
		 SET_ONE("interleave_layout", "2") "add.u64 %d1, %in, 16;\n" REPLACE
						   "global_address" IN_AREA_WIDE "%d1;\n"},
		{"rank 2 of slices of 16", SET_ONE("interleave_layout", "1") SET_ONE("rank", "1")},
	};
	struct copy_case *copy;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const unsigned rank = strncmp(cases[i].name, "rank", 4) ? 3 : 2;
		const struct tensor_map map = tile_of(16, 3);

		copy = slices_load_changed(list, xasprintf("layout %s", cases[i].name), &map, 16,
					   cases[i].changes, rank, rank == 3 ? "0, 1, 0" : "0, 1");
		copy->rule = COPY_RECORDED;
		copy->may_fault = true;
	}
}

void copies_add_layout_changes(struct copy_list *list)
{
	add_layouts(list);
	add_fields(list);
	add_made(list);
	add_stores(list);
	add_open(list);
}
