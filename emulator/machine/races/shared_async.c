/* What asynchronous and bulk copies and products of a warpgroup do to shared memory. See
 * races_shared.h. */
#include "emulator/machine/races/shared_cells.h"
#include "emulator/machine/warpgroups/group_matrix.h"
#include "emulator/machine/warpgroups/warpgroup.h"

#include <string.h>

/* ---- asynchronous copies ---- */

uint32_t shared_races_copy(struct warp *warp, const struct instruction *at, uint32_t mask,
			   const uint32_t offset[LANES], unsigned bytes,
			   const unsigned char *values)
{
	struct shared_races *shadow = warp->block->shadow;
	struct shadow_access by = shadow_access_by(warp, warp->block, at);

	shadow->has_copies = true;
	/* The copy may write at any time from now on. */
	shared_races_store(warp, warp->block, at, mask, offset, bytes, values);
	EACH_BIT(lane, mask) {
		memcpy(shadow->arriving + offset[lane], values + lane * bytes, bytes);
		for (size_t i = 0; i < bytes / shadow->grain; i++) {
			struct cell *cell = &shadow->cells[offset[lane] / shadow->grain + i];

			cell->copy_place = by.place + 1;
			cell->copier = (uint16_t)(first_thread(warp) + lane);
		}
	}
	return by.place;
}

void shared_races_arrive(struct warp *warp, uint32_t mask, const uint32_t offset[LANES],
			 unsigned bytes, uint32_t place, uint32_t clock)
{
	struct shared_races *shadow = warp->block->shadow;
	struct shadow_access by = {.warp = warp,
				   .block = warp->block,
				   .epoch = warp->block->epoch + 1,
				   .sync = warp->sync_epoch,
				   .clock = clock,
				   .place = place,
				   .writes = true};

	EACH_BIT(lane, mask) {
		by.thread = (uint16_t)(first_thread(warp) + lane);
		for (size_t i = 0; i < bytes / shadow->grain; i++) {
			size_t index = offset[lane] / shadow->grain + i;

			shadow->cells[index].copy_place = 0;
			remember_write_at(shadow, index, &by);
			unsettle(shadow, index);
		}
	}
}

/* ---- products of a warpgroup ---- */

/* Whether nobody fenced the last write to the cell for the async proxy: neither its warp since
 * then, nor any thread after a barrier or after an mbarrier. Writes of other blocks of a cluster
 * are not followed. */
static bool is_unfenced(const struct shared_races *shadow, struct block *block, size_t index)
{
	const struct cell *cell = &shadow->cells[index];
	const struct warp *writer = warp_of_thread(block, cell->writer);

	return cell->initialised && writer->block == block &&
	       cell->write_epoch >= block->fence_epoch &&
	       writer->proxy_fences == cell->write_fences &&
	       !(shadow->clocks &&
		 block_clock_fenced(block, warp_of(cell->writer), shadow->clocks[index].write));
}

void shadow_check_fence(struct shared_races *shadow, const struct shadow_access *by, size_t index,
			struct reported_kinds *reported)
{
	const struct cell *cell = &shadow->cells[index];

	if (reported->unfenced || !is_unfenced(shadow, by->block, index) ||
	    index * shadow->grain < shadow->reserved_bytes)
		return;
	reported->unfenced = true;
	shadow_report_unfenced(shadow, by, index,
			       &(struct rival){cell->writer, cell->write_place, true});
}

/* Checks a read of a cell by the warpgroup of a warp. Two of its warps stand for all: a later
 * writer is not in one of them. */
static void check_product_cell(struct shared_races *shadow, struct shadow_access *by, size_t index,
			       struct reported_kinds *reported)
{
	struct block *block = by->warp->block;

	for (unsigned i = 0; i < 2; i++) {
		const struct warp *reader = &block->warps[by->warp->index ^ i];

		by->thread = first_thread(reader);
		by->sync = reader->sync_epoch;
		by->clock = block_clock(reader);
		shadow_check_cell(shadow, by, index, NULL, NULL, reported);
	}
	if (!reported->race)
		shadow_check_fence(shadow, by, index, reported);
}

uint32_t shared_races_product(struct warp *warp, const struct instruction *at, uint32_t mask,
			      const uint32_t offset[LANES])
{
	struct shared_races *shadow = warp->block->shadow;
	const unsigned shift = shadow_cell_shift(shadow, GROUP_UNIT_BYTES);
	const size_t cells = GROUP_UNIT_BYTES >> shift;
	struct shadow_access by = shadow_access_by(warp, warp->block, at);
	struct reported_kinds reported = {0};

	by.reads = true;
	for (; mask; mask &= mask - 1) {
		const size_t first = offset[__builtin_ctz(mask)] >> shift;
		struct row_notes *row = row_notes_of(shadow, first / ROW_CELLS, by.epoch);
		const uint32_t unit = ((UINT32_C(1) << cells) - 1) << first % ROW_CELLS;
		bool settled = true;

		/* Most units are read again and again. */
		if (!warp->block->clocks && (row->products & unit) == unit)
			continue;
		shadow_open_row(shadow, first / ROW_CELLS, by.epoch);
		for (size_t index = first; index < first + cells; index++) {
			check_product_cell(shadow, &by, index, &reported);
			settled &= is_settled(&shadow->cells[index], by.epoch);
		}
		if (settled)
			row->products |= unit;
	}
	return by.place;
}

static struct shadow_access access_of(const struct shadow_bulk *access)
{
	struct shadow_access by = shadow_access_by(access->warp, access->block, access->at);

	by.thread = (uint16_t)(first_thread(access->warp) + access->lane);
	return by;
}

/* From now on each access to the block goes to the cells. */
static void open_range(const struct shadow_bulk *access, uint32_t epoch)
{
	struct shared_races *shadow = access->block->shadow;
	const uint32_t row_bytes = ROW_CELLS * shadow->grain;
	const uint32_t end = access->range.offset + access->range.bytes;

	shadow->has_copies = true;
	for (uint32_t row = access->range.offset / row_bytes; row * row_bytes < end; row++)
		shadow_open_row(shadow, row, epoch);
}

uint32_t shadow_bulk_read(const struct shadow_bulk *access)
{
	struct shared_races *shadow = access->block->shadow;
	const unsigned shift = shadow_cell_shift(shadow, WORD_BYTES);
	const struct bulk_range *range = &access->range;
	struct shadow_access by = access_of(access);
	struct reported_kinds reported = {0};

	by.reads = true;
	open_range(access, by.epoch);
	for (size_t index = range->offset >> shift; index < (range->offset + range->bytes) >> shift;
	     index++) {
		shadow_check_cell(shadow, &by, index, NULL, NULL, &reported);
		if (!reported.race && !reported.unwaited)
			shadow_check_fence(shadow, &by, index, &reported);
	}
	return by.place;
}

/* Forgets the readers of 16 bytes that are among those warps of the block. */
static void forget_readers(const struct shadow_bulk *access, uint32_t offset, uint32_t warps)
{
	struct shared_races *shadow = access->block->shadow;
	const uint32_t first = first_thread(&access->block->warps[0]) / LANES;
	struct cell *cell = &shadow->cells[offset / shadow->grain];

	for (unsigned i = 0; i < GROUP_UNIT_BYTES / shadow->grain; i++, cell++)
		for (size_t k = 0; k < ARRAY_SIZE(cell->readers); k++) {
			uint32_t warp = warp_of(cell->readers[k].first) - first;

			if (warp < BLOCK_WARPS_MOST && warps >> warp & 1)
				cell->readers[k].first = NOBODY;
		}
}

static void forget_products(const struct shadow_bulk *access)
{
	const uint32_t end = access->range.offset + access->range.bytes;

	for (uint32_t at = access->range.offset; at < end; at += GROUP_UNIT_BYTES) {
		uint32_t warps = warpgroup_reads_over(access->block, at, access->warp);

		if (warps)
			forget_readers(access, at, warps);
	}
}

uint32_t shadow_bulk_write(const struct shadow_bulk *access, const unsigned char *values)
{
	struct block *block = access->block;
	struct shared_races *shadow = block->shadow;
	const unsigned shift = shadow_cell_shift(shadow, WORD_BYTES);
	const struct bulk_range *range = &access->range;
	struct shadow_access by = access_of(access);
	struct reported_kinds reported = {0};

	by.writes = true;
	by.reads = by.atomic = !values;
	open_range(access, by.epoch);
	if (block->groups)
		forget_products(access);
	shadow_check_readers(shadow, &by, range, &reported);
	for (uint32_t byte = 0; byte < range->bytes; byte += 1U << shift) {
		size_t index = (range->offset + byte) >> shift;
		struct cell *cell = &shadow->cells[index];

		/* Pending reductions of a place are in any order. */
		if (!values && cell->write_atomic)
			cell->copy_place = 0;
		shadow_check_cell(shadow, &by, index, values ? values + byte : NULL,
				  block->shared + range->offset + byte, &reported);
		unsettle(shadow, index);
		cell->copy_place = by.place + 1;
		cell->copier = by.thread;
		if (values)
			memcpy(shadow->arriving + range->offset + byte, values + byte, 1U << shift);
	}
	return by.place;
}
