/* What asynchronous copies and products of a warpgroup do to shared memory. See races_shared.h. */
#include "emulator/machine/races/shared_cells.h"
#include "emulator/machine/warpgroups/group_matrix.h"

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
	for (; mask; mask &= mask - 1) {
		const unsigned lane = (unsigned)__builtin_ctz(mask);

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

	for (; mask; mask &= mask - 1) {
		const unsigned lane = (unsigned)__builtin_ctz(mask);

		by.thread = (uint16_t)(first_thread(warp) + lane);
		for (size_t i = 0; i < bytes / shadow->grain; i++) {
			size_t index = offset[lane] / shadow->grain + i;

			shadow->cells[index].copy_place = 0;
			remember_writer(&shadow->cells[index], &by);
			if (shadow->clocks)
				shadow->clocks[index].write = clock;
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
		shadow_open_row(shadow, &shadow->notes[first / ROW_CELLS], first / ROW_CELLS,
				by.epoch);
		for (size_t index = first; index < first + cells; index++) {
			check_product_cell(shadow, &by, index, &reported);
			settled &= is_settled(&shadow->cells[index], by.epoch);
		}
		if (settled)
			row->products |= unit;
	}
	return by.place;
}
