#include "copies_slices.h"

#include <stdlib.h>
#include <string.h>

#include "copies_changes.h"

#define VARIABLE ".shared .align 1024 .b8 wide[32768];\n"
#define STORED_WORDS 2304
#define FIRST_BYTE 256 /* of the tensor in `out`: what is before it may not be written */

/* In slices, and the distances in bytes of slices of 16 bytes. */
static const struct {
	uint64_t sizes[TENSOR_MOST_RANK], strides[TENSOR_MOST_RANK];
} tensors[2][3] = {
	{{{10, 5, 4}, {0, 192, 1152}},
	 {{10, 3, 3, 2}, {0, 176, 704, 2816}},
	 {{9, 2, 3, 2, 2}, {0, 160, 480, 1920, 3840}}},
	{{{20, 3, 2}, {0, 704, 2816}},
	 {{18, 2, 2, 2}, {0, 608, 1824, 3648}},
	 {{9, 2, 2, 2, 2}, {0, 320, 960, 1920, 3840}}},
};

struct tensor_map slices_of(unsigned slice, enum tensor_type type, unsigned rank)
{
	struct tensor_map map = {
		.type = type,
		.rank = rank,
		.box = {slice / tensor_type_bytes(type)},
		.steps = {1, 1, 1, 1, 1},
		.swizzle = slice == 32 ? SWIZZLE_32B : SWIZZLE_NONE,
	};

	memcpy(map.sizes, tensors[slice == 32][rank - 3].sizes, sizeof(map.sizes));
	memcpy(map.strides, tensors[slice == 32][rank - 3].strides, sizeof(map.strides));
	for (unsigned i = 1; i < rank; i++)
		map.box[i] = 2;
	return map;
}

/* ---- bodies ---- */

/* Sets all words of the shared memory to the register %r3, to which `step` is added per word. */
static void add_shared(struct text *body, const char *first, unsigned step)
{
	text_addf(body,
		  "mov.u32 %%a, wide;\nmov.u32 %%r0, %%thread;\nSET:\nshl.b32 %%r1, %%r0, 2;\n"
		  "add.u32 %%r1, %%r1, %%a;\nmov.u32 %%r3, %s;\nmov.u32 %%r4, %u;\n"
		  "mad.lo.u32 %%r3, %%r0, %%r4, %%r3;\nst.shared.u32 [%%r1], %%r3;\n"
		  "add.u32 %%r0, %%r0, 32;\nsetp.lt.u32 %%p, %%r0, %d;\n@%%p bra SET;\n" COPY_FENCE,
		  first, step, SLICE_SHARED_BYTES / 4);
}

/* Waits much longer than a copy takes, and then ends the phase of the mbarrier by steps of 16
 * bytes, which it counts. */
static void add_count(struct text *body)
{
	text_addf(body,
		  "mov.u32 %%r8, 0;\nPAUSE:\nnanosleep.u32 500;\nadd.u32 %%r8, %%r8, 1;\n"
		  "setp.lt.u32 %%p, %%r8, 200;\n@%%p bra PAUSE;\nmov.u32 %%r8, 0;\n"
		  "@!%%lead bra COUNTED;\n"
		  "COUNT:\nmbarrier.test_wait.parity.shared.b64 %%q, [%%bar], 0;\n"
		  "@%%q bra COUNTED;\nsetp.ge.u32 %%q, %%r8, %d;\n@%%q bra COUNTED;\n"
		  "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%%bar], 16;\n"
		  "add.u32 %%r8, %%r8, 1;\nbra COUNT;\nCOUNTED:\nbar.sync 0;\n" COPY_WAIT
		  "@%%lead st.global.u32 [%%out+4], %%r8;\n",
		  SLICE_AWAITED_BYTES / 16 + 100);
}

/* Loads and shows all. `map_at`: the register with the map's address. `more`: the operands behind
 * the mbarrier. */
static void add_load_body(struct text *body, const char *mode, unsigned rank, const char *map_at,
			  const char *coordinates, const char *more)
{
	add_shared(body, "0xeeeeeeee", 0);
	text_addf(body,
		  COPY_EXPECT "%d;\n@%%lead cp.async.bulk.tensor.%ud.shared::cluster.global.%s"
			      ".mbarrier::complete_tx::bytes [%%a], [%s, {%s}], [%%bar]%s;\n",
		  SLICE_AWAITED_BYTES, rank, mode, map_at, coordinates, more);
	add_count(body);
	copy_dump(body, "%a", 0, SLICE_SHARED_BYTES / 4, SLICE_TOLD);
}

static struct copy_case *add_with_map(struct copy_list *list, char *name, struct text *body,
				      const struct tensor_map *map, unsigned slice)
{
	struct copy_case *copy =
		copy_add(list, name, text_detach(body), SLICE_TOLD + SLICE_SHARED_BYTES / 4);

	copy->variables = VARIABLE;
	copy->has_map = true;
	copy->map = *map;
	copy->map.interleave = slice;
	copy->in_fill = FILL_HALVES;
	return copy;
}

struct copy_case *slices_load(struct copy_list *list, char *name, const struct tensor_map *map,
			      unsigned slice, const char *coordinates)
{
	struct text body = TEXT_INIT;

	add_load_body(&body, "tile", map->rank, "%map", coordinates, "");
	return add_with_map(list, name, &body, map, slice);
}

struct copy_case *slices_load_pixels(struct copy_list *list, char *name,
				     const struct tensor_map *map, unsigned slice,
				     const char *coordinates, const char *offsets)
{
	char *more = xasprintf(", {%s}", offsets);
	struct text body = TEXT_INIT;

	add_load_body(&body, "im2col", map->rank, "%map", coordinates, more);
	free(more);
	return add_with_map(list, name, &body, map, slice);
}

/* Changes the map before. Its address is in %d8. */
static void add_change(struct text *body, const char *changes)
{
	changes_add_copied_map(body, "shared.u64 [%b");
	changes_add_by_lead(body, changes);
	text_add(body, COPY_OUT ACQUIRE);
}

struct copy_case *slices_load_changed(struct copy_list *list, char *name,
				      const struct tensor_map *map, unsigned slice,
				      const char *changes, unsigned rank, const char *coordinates)
{
	struct text body = TEXT_INIT;
	struct copy_case *copy;

	add_change(&body, changes);
	add_load_body(&body, "tile", rank, "%d8", coordinates, "");
	copy = add_with_map(list, name, &body, map, slice);
	copy->target = CHANGED_TARGET;
	copy->variables = VARIABLE CHANGED_MAPS;
	return copy;
}

static void add_store_body(struct text *body, const char *operation, const char *mode,
			   unsigned rank, const char *map_at, const char *coordinates)
{
	add_shared(body, "0x00020001", 0x20002);
	text_addf(body,
		  "@%%lead cp.%sasync.bulk.tensor.%ud.global.shared::cta%s%s.%s.bulk_group "
		  "[%s, {%s}], [%%a];\n" COPY_COMMIT,
		  *operation ? "reduce." : "", rank, *operation ? "." : "", operation, mode, map_at,
		  coordinates);
}

static struct copy_case *add_stored(struct copy_list *list, char *name, struct text *body,
				    const struct tensor_map *map, unsigned slice)
{
	struct copy_case *copy = copy_add(list, name, text_detach(body), STORED_WORDS);

	copy->variables = VARIABLE;
	copy->has_map = copy->map_of_out = true;
	copy->map = *map;
	copy->map.address = FIRST_BYTE;
	copy->map.interleave = slice;
	return copy;
}

struct copy_case *slices_store(struct copy_list *list, char *name, const struct tensor_map *map,
			       unsigned slice, const char *operation, const char *coordinates)
{
	struct text body = TEXT_INIT;

	add_store_body(&body, operation, map->im2col ? "im2col_no_offs" : "tile", map->rank, "%map",
		       coordinates);
	return add_stored(list, name, &body, map, slice);
}

struct copy_case *slices_store_changed(struct copy_list *list, char *name,
				       const struct tensor_map *map, unsigned slice,
				       const char *changes, const char *operation,
				       const char *coordinates)
{
	struct text body = TEXT_INIT;
	struct copy_case *copy;

	add_change(&body, changes);
	add_store_body(&body, operation, "tile", map->rank, "%d8", coordinates);
	copy = add_stored(list, name, &body, map, slice);
	copy->target = CHANGED_TARGET;
	copy->variables = VARIABLE CHANGED_MAPS;
	return copy;
}
