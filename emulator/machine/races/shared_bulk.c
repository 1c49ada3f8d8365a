#include "emulator/machine/races/shared_bulk.h"

#include "emulator/machine/races/shared_cells.h"
#include "emulator/machine/warpgroups/warpgroup.h"

#include <string.h>

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
		shadow_open_row(shadow, &shadow->notes[row], row, epoch);
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
