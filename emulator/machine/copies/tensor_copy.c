#include "emulator/machine/copies/bulk.h"

#include <stdlib.h>

#include "emulator/program/program.h"
#include "emulator/tensor_map.h"

#define CHUNK_BYTES 16
/* A box begins at a multiple of this many bytes in shared memory. */
#define TENSOR_BOX_ALIGN 128
/* A box begins at a multiple of this many bytes in the first dimension. */
#define TENSOR_ROW_ALIGN 16
#define TF32_NAN 0x7fffe000
/* What fill(nan) writes, in elements of each type: recorded (docs/results/ptx-copies.md). */
#define FILL_NAN 0x7ff7

/* A copy of a box. */
struct box_copy {
	const struct bulk_issue *issue;
	struct tensor_map map;
	int32_t first[TENSOR_MOST_RANK]; /* coordinates */
	uint32_t offsets[TENSOR_IMAGE_MOST_RANK];
	bool loads;
	unsigned element_bytes, row_bytes;
	unsigned unit_bytes; /* of a step in dimension 0: an element, or a slice */
	/* The first unit of a row, and the units from one to the next. The rows of interleaved
	 * images are a slice each, which the walk locates. */
	int32_t row_first;
	unsigned row_step;
	/* From one row to the next in shared memory: at least the span of the swizzle, if the rows
	 * are not interleaved. */
	unsigned pitch_bytes;
	uint32_t offset;       /* of the box in shared memory */
	unsigned char *values; /* of the box, as they lie in shared memory */
	bool *chunks;          /* which chunks rows fill; NULL: all */
};

/* ---- the map ---- */

static enum step refuse_map(const struct bulk_issue *issue, const char *why)
{
	return warp_finding(issue->warp, issue->at, (int)issue->lane, FINDING_BAD_MAP, "%s", why);
}

/* Finds the bytes of the map at a generic address: of a parameter, or in global memory. */
static const unsigned char *find_map(const struct bulk_issue *issue, uint64_t address)
{
	const struct warp *warp = issue->warp;
	const struct allocation *in;

	if (address - LOCAL_WINDOW < WINDOW_BYTES) {
		uint64_t offset = address - LOCAL_WINDOW;

		if (warp->local_bytes < TENSOR_MAP_BYTES ||
		    offset > warp->local_bytes - TENSOR_MAP_BYTES)
			return NULL;
		return warp->local + (size_t)issue->lane * warp->local_bytes + offset;
	}
	in = device_memory_below(warp->block->launch->memory, address);
	if (!in || in->bytes < TENSOR_MAP_BYTES ||
	    address - in->address > in->bytes - TENSOR_MAP_BYTES)
		return NULL;
	return in->data + (address - in->address);
}

static enum step read_map(struct box_copy *box)
{
	const struct bulk_issue *issue = box->issue;
	const struct program_bulk_copy *copy = issue->copy;
	const uint64_t address = bulk_address_in(issue, box->loads ? &copy->from : &copy->to);
	const unsigned char *bytes = find_map(issue, address);
	struct error err;
	int rc;

	if (!bytes)
		return warp_finding(issue->warp, issue->at, (int)issue->lane, FINDING_BAD_MAP,
				    "a tensor map at address 0x%llx, which is neither a parameter "
				    "nor in global memory; pass it as const __grid_constant__ "
				    "CUtensorMap",
				    (unsigned long long)address);
	if (issue->warp->block->shadow)
		tensormap_updates_check(issue->warp, issue->at, (int)issue->lane, address);
	rc = tensor_map_decode(&box->map, bytes, &err);
	if (rc == PL_EPARSE)
		return warp_finding(issue->warp, issue->at, (int)issue->lane, FINDING_BAD_MAP,
				    "the %d bytes at address 0x%llx are not a tensor map; pass "
				    "tensormap(…) in the launch",
				    TENSOR_MAP_BYTES, (unsigned long long)address);
	if (rc)
		return warp_finding(issue->warp, issue->at, (int)issue->lane, FINDING_BAD_MAP,
				    "the tensor map at address 0x%llx: %s",
				    (unsigned long long)address, err.text);
	if (box->map.im2col != copy->im2col)
		return refuse_map(issue, copy->im2col
						 ? "a copy in im2col mode with a tensor map of "
						   "the tile mode"
						 : "a copy in tile mode with a tensor map of the "
						   "im2col mode");
	if (box->map.rank != copy->rank)
		return warp_finding(issue->warp, issue->at, (int)issue->lane, FINDING_BAD_MAP,
				    "a copy of %u dimensions with a tensor map of %u", copy->rank,
				    box->map.rank);
	box->element_bytes = tensor_type_bytes(box->map.type);
	box->unit_bytes = tensor_map_unit_bytes(&box->map);
	box->row_bytes = tensor_map_row_bytes(&box->map);
	box->row_step = box->map.interleave && !box->map.im2col ? box->map.steps[0] : 1;
	box->pitch_bytes = box->map.swizzle == SWIZZLE_NONE || box->map.interleave
				   ? box->row_bytes
				   : tensor_swizzle_bytes(box->map.swizzle);
	return STEP_NEXT;
}

/* ---- elements ---- */

/* tf32 has 10 bits of fraction: the nearest value, ties to even, also of subnormals. A load alone
 * rounds, and no load flushes subnormals, whatever the type (docs/results/ptx-copies.md). */
static void round_elements(const struct box_copy *box, unsigned char *values, uint32_t bytes)
{
	if (box->map.type != TENSOR_TF32 && box->map.type != TENSOR_TF32_FTZ)
		return;
	for (uint32_t at = 0; at < bytes; at += sizeof(uint32_t)) {
		uint32_t bits;

		memcpy(&bits, values + at, sizeof(bits));
		if (box->issue->origin)
			bits = bits ? UINT32_MAX : 0;
		else if ((bits & 0x7fffffff) > 0x7f800000)
			bits = TF32_NAN;
		else
			bits = (bits + 0xfff + (bits >> 13 & 1)) & ~UINT32_C(0x1fff);
		memcpy(values + at, &bits, sizeof(bits));
	}
}

/* What stands for elements outside of the tensor. */
static void fill_outside(const struct box_copy *box, unsigned char *to, uint32_t bytes)
{
	const uint16_t fill = box->map.fills_nan && !box->issue->origin ? FILL_NAN : 0;

	for (uint32_t at = 0; at < bytes; at += sizeof(fill))
		memcpy(to + at, &fill, sizeof(fill));
}

/* ---- rows ---- */

/* Where a chunk of the box lies, given where it would lie without a swizzle. */
static uint32_t swizzled(const struct box_copy *box, uint32_t at)
{
	const uint32_t chunks = (tensor_swizzle_bytes(box->map.swizzle) / CHUNK_BYTES - 1) & 7;
	const uint32_t offset = box->offset + at;

	if (box->map.swizzle == SWIZZLE_NONE)
		return at;
	return (offset ^ (offset >> 7 & chunks) << 4) - box->offset;
}

/* Without what lies behind the last row. */
static uint64_t rows_bytes(const struct box_copy *box)
{
	return (uint64_t)(tensor_map_box_bytes(&box->map) / box->row_bytes) * box->pitch_bytes;
}

/* How much shared memory the box takes, with what short rows leave. Interleaved slices may end
 * within a span, whose chunks the swizzle exchanges as usual, also with those behind the box. */
static uint32_t shared_bytes(const struct box_copy *box)
{
	const uint64_t span =
		box->map.swizzle == SWIZZLE_NONE ? 1 : tensor_swizzle_bytes(box->map.swizzle);
	const uint64_t bytes = (rows_bytes(box) + span - 1) / span * span;

	return bytes < UINT32_MAX ? (uint32_t)bytes : UINT32_MAX;
}

/* Marks what is accessed, unless that is all: the other chunks of a span are not. */
static void find_chunks(struct box_copy *box, uint32_t bytes)
{
	if (bytes == tensor_map_box_bytes(&box->map))
		return;
	box->chunks = xcalloc(bytes / CHUNK_BYTES, sizeof(*box->chunks));
	for (uint32_t at = 0; at < rows_bytes(box); at += box->pitch_bytes)
		for (uint32_t byte = 0; byte < box->row_bytes; byte += CHUNK_BYTES)
			box->chunks[swizzled(box, at + byte) / CHUNK_BYTES] = true;
}

/* Copies the row at `at` of the box to or from `row`. */
static void move_row(const struct box_copy *box, uint32_t at, unsigned char *row, bool to_box)
{
	for (uint32_t byte = 0; byte < box->row_bytes; byte += CHUNK_BYTES) {
		unsigned char *chunk = box->values + swizzled(box, at + byte);

		if (to_box)
			memcpy(chunk, row + byte, CHUNK_BYTES);
		else
			memcpy(row + byte, chunk, CHUNK_BYTES);
	}
}

/* The units of a row before the end of the tensor in dimension 0, counted from the start of the
 * row. Not positive: the row is past the end. */
static int64_t units_before_end(const struct box_copy *box)
{
	const int64_t left = (int64_t)box->map.sizes[0] - box->row_first;
	const int64_t units = box->row_bytes / box->unit_bytes;
	const int64_t before = left > 0 ? (left + box->row_step - 1) / box->row_step : left;

	return before < units ? before : units;
}

/* The units of a row that lie side by side in global memory, of `count` units. */
static int64_t units_together(const struct box_copy *box, int64_t count)
{
	return box->row_step == 1 ? count : 1;
}

/* Where a unit of a row lies, if element 0 of the tensor's row lies at `address`. */
static uint64_t unit_address(const struct box_copy *box, uint64_t address, int64_t unit)
{
	return address + (uint64_t)(box->row_first + unit * box->row_step) * box->unit_bytes;
}

/* Loads the elements of a row that are inside of the tensor. */
static enum step load_row(const struct box_copy *box, uint64_t address, unsigned char *row)
{
	const int64_t step = box->row_step, first = box->row_first;
	const int64_t low = first < 0 ? (-first + step - 1) / step : 0;
	const int64_t high = units_before_end(box), run = units_together(box, high - low);
	const unsigned bytes = box->unit_bytes;

	if (low >= high)
		return STEP_NEXT;
	for (int64_t at = low; at < high; at += run)
		if (bulk_global_read(box->issue, unit_address(box, address, at),
				     row + (uint32_t)at * bytes, (uint32_t)run * bytes,
				     box->element_bytes) != STEP_NEXT)
			return STEP_STOPPED;
	round_elements(box, row + (uint32_t)low * bytes, (uint32_t)(high - low) * bytes);
	return STEP_NEXT;
}

/* Stores or reduces a row. Chunks that begin inside of the tensor are taken whole, also over what
 * lies behind its last element: recorded (docs/results/ptx-copies.md). */
static enum step store_row(const struct box_copy *box, uint64_t address, const unsigned char *row)
{
	const int64_t high = units_before_end(box), run = units_together(box, high);
	const unsigned bytes = box->unit_bytes;
	const uint32_t count =
		((uint32_t)run * bytes + CHUNK_BYTES - 1) / CHUNK_BYTES * CHUNK_BYTES;

	for (int64_t at = 0; at < high; at += run)
		if (bulk_global_write(box->issue, unit_address(box, address, at),
				      row + (uint32_t)at * bytes, count,
				      box->element_bytes) != STEP_NEXT)
			return STEP_STOPPED;
	return STEP_NEXT;
}

static enum step walk_box(const struct box_copy *box)
{
	const uint64_t bytes = rows_bytes(box);
	unsigned char *row = xmalloc(box->row_bytes);
	struct tensor_walk walk;
	enum step step = STEP_NEXT;

	tensor_walk_begin(&walk, &box->map, box->first, box->offsets);
	for (uint32_t at = 0; at < bytes && step == STEP_NEXT; at += box->pitch_bytes) {
		uint64_t address;
		bool inside = tensor_walk_locate(&walk, &address);

		if (box->loads) {
			fill_outside(box, row, box->row_bytes);
			if (inside)
				step = load_row(box, address, row);
			move_row(box, at, row, true);
		} else if (inside) {
			move_row(box, at, row, false);
			step = store_row(box, address, row);
		}
		tensor_walk_next(&walk);
	}
	free(row);
	return step;
}

/* ---- the two directions ---- */

static enum step load_box(struct box_copy *box)
{
	const uint32_t bytes = shared_bytes(box);
	struct bulk_targets targets;
	enum step step;

	if (bulk_find_targets(&targets, box->issue, bytes, TENSOR_BOX_ALIGN) != STEP_NEXT)
		return STEP_STOPPED;
	box->offset = targets.items[0].range.offset;
	find_chunks(box, bytes);
	box->values = xmalloc(bytes);
	step = walk_box(box);
	if (step == STEP_NEXT)
		step = bulk_write_targets(box->issue, &targets, box->values, box->chunks);
	free(box->chunks);
	free(box->values);
	return step;
}

static enum step store_box(struct box_copy *box)
{
	const uint32_t bytes = shared_bytes(box);
	struct bulk_pending source;

	if (bulk_find_source(&source, box->issue, bytes, TENSOR_BOX_ALIGN) != STEP_NEXT)
		return STEP_STOPPED;
	box->offset = source.range.offset;
	box->values = bulk_source_bytes(box->issue, &source);
	if (walk_box(box) != STEP_NEXT)
		return STEP_STOPPED;
	find_chunks(box, bytes);
	bulk_source_pending(box->issue, &source, NULL, box->chunks);
	free(box->chunks);
	return STEP_NEXT;
}

/* ---- the instruction ---- */

/* The type of a reduction's elements, as PTX names it. */
static const char *reduced_type(enum tensor_type type, enum atomic_kind asked)
{
	const bool bits = asked == ATOMIC_AND || asked == ATOMIC_OR || asked == ATOMIC_XOR;

	switch (type) {
	case TENSOR_U32:
		return bits ? "b32" : "u32";
	case TENSOR_I32:
		return bits ? "b32" : "s32";
	case TENSOR_U64:
		return bits ? "b64" : "u64";
	case TENSOR_I64: /* a GPU refuses operations on bits */
		return "s64";
	case TENSOR_F32_FTZ: /* PTX does not name these. A GPU adds them, with all their bits */
	case TENSOR_TF32:
	case TENSOR_TF32_FTZ:
		return "f32";
	default:
		return tensor_type_name(type);
	}
}

static enum step reduce_box(const struct bulk_issue *issue, struct box_copy *box)
{
	const enum atomic_kind asked = (enum atomic_kind)issue->copy->kind;
	const bool flushes = box->map.type == TENSOR_F32_FTZ || box->map.type == TENSOR_TF32_FTZ;
	struct program_bulk_copy copy = *issue->copy;
	struct bulk_issue typed = *issue;
	const struct bulk_reduction *found =
		bulk_reduction_find(asked, reduced_type(box->map.type, asked));

	if (!found)
		return refuse_map(issue, "PTX has no such reduction of elements of the type of "
					 "the tensor map");
	copy.kind = (uint8_t)(flushes ? ATOMIC_ADD_FTZ : found->kind);
	copy.type = (uint8_t)found->executed;
	typed.copy = &copy;
	box->issue = &typed;
	return store_box(box);
}

/* A GPU refuses stores as illegal instructions if the bounding box goes beyond the tensor, wherever
 * they begin and end: recorded (docs/results/ptx-copies.md). */
static enum step check_stored_images(const struct box_copy *box)
{
	const struct bulk_issue *issue = box->issue;
	const struct tensor_map *map = &box->map;

	for (unsigned i = 0; i < tensor_map_image_rank(map); i++)
		if (map->lower[i] < 0 || map->upper[i] > 0)
			return warp_finding(
				issue->warp, issue->at, (int)issue->lane, FINDING_OUT_OF_BOUNDS,
				"an im2col copy from shared memory, with a bounding box that goes "
				"beyond the tensor in dimension %u, with the corners %d and %d; "
				"use a tensor map whose lower corners are not negative and upper "
				"corners not positive",
				tensor_map_image_first(map) + i, map->lower[i], map->upper[i]);
	return STEP_NEXT;
}

/* Checks the first pixel of an im2col copy, and reads the offsets of a load. */
static enum step read_pixel(struct box_copy *box)
{
	const struct bulk_issue *issue = box->issue;
	const struct tensor_map *map = &box->map;

	for (unsigned i = 0; i < tensor_map_image_rank(map); i++) {
		const unsigned dimension = tensor_map_image_first(map) + i;
		const int64_t end = (int64_t)map->sizes[dimension] + map->upper[i];

		if (box->first[dimension] < map->lower[i] || box->first[dimension] >= end)
			return warp_finding(
				issue->warp, issue->at, (int)issue->lane, FINDING_OUT_OF_BOUNDS,
				"an im2col copy at coordinate %d of dimension %u, outside of the "
				"bounding box of the tensor map, which goes from %d to %lld",
				box->first[dimension], dimension, map->lower[i],
				(long long)end - 1);
		if (!issue->copy->offsets[i])
			continue;
		box->offsets[i] =
			(uint32_t)bulk_value(issue, issue->copy->offsets[i], true) & UINT16_MAX;
		if (box->offsets[i] > tensor_map_most_offset(map))
			return warp_finding(
				issue->warp, issue->at, (int)issue->lane, FINDING_OUT_OF_BOUNDS,
				"an im2col copy with the offset %u in dimension %u; with %u "
				"dimensions offsets are 0 to %u",
				box->offsets[i], dimension, map->rank, tensor_map_most_offset(map));
	}
	return STEP_NEXT;
}

/* A GPU refuses other coordinates as illegal instructions (docs/results/ptx-copies.md). */
static enum step read_coordinates(struct box_copy *box)
{
	const struct bulk_issue *issue = box->issue;

	for (unsigned i = 0; i < box->map.rank; i++) {
		box->first[i] =
			(int32_t)(uint32_t)bulk_value(issue, issue->copy->coordinates[i], true);
		if (!box->loads && box->first[i] < 0)
			return warp_finding(issue->warp, issue->at, (int)issue->lane,
					    FINDING_OUT_OF_BOUNDS,
					    "a tensor copy from shared memory to the negative "
					    "coordinate %d of dimension %u; only copies to shared "
					    "memory may begin before the tensor",
					    box->first[i], i);
	}
	if ((int64_t)box->first[0] * box->unit_bytes % TENSOR_ROW_ALIGN)
		return warp_finding(issue->warp, issue->at, (int)issue->lane, FINDING_MISALIGNED,
				    "a tensor copy at coordinate %d of elements of %u bytes; the "
				    "first coordinate must be a multiple of %d bytes",
				    box->first[0], box->element_bytes, TENSOR_ROW_ALIGN);
	box->row_first = box->map.interleave && box->map.im2col ? 0 : box->first[0];
	if (!box->map.im2col)
		return STEP_NEXT;
	if (!box->loads && check_stored_images(box) != STEP_NEXT)
		return STEP_STOPPED;
	return read_pixel(box);
}

enum step tensor_copy_issue(const struct bulk_issue *issue)
{
	struct box_copy box = {.issue = issue, .loads = issue->copy->to.space == PTX_SPACE_SHARED};

	if (read_map(&box) != STEP_NEXT || read_coordinates(&box) != STEP_NEXT)
		return STEP_STOPPED;
	if (!issue->origin)
		count_at(issue->warp, issue->at)->bytes += tensor_map_box_bytes(&box.map);
	if (issue->combine)
		return reduce_box(issue, &box);
	return box.loads ? load_box(&box) : store_box(&box);
}
