#include "emulator/machine/races/shared_cells.h"
#include "emulator/machine/warpgroups/warpgroup.h"

#include <string.h>

/* ---- the lanes of an instruction ---- */

/* Notes that a warp of another block accesses the memory. */
static void note_use(struct shared_races *shadow, const struct warp *warp,
		     const struct instruction *at)
{
	if (!shadow->uses)
		shadow->uses = xcalloc(CLUSTER_WARPS_MOST, sizeof(*shadow->uses));
	shadow->uses[cluster_warp(warp)] =
		(struct remote_use){block_clock(warp) + 1, shadow_place(shadow, warp, at), warp};
}

void shared_races_end(struct warp *warp, const struct instruction *at)
{
	const struct shared_races *shadow = warp->block->shadow;
	struct warp_clocks known = {0};

	if (!shadow->uses)
		return;
	clocks_of_block(warp->block, &known);
	for (unsigned i = 0; i < CLUSTER_WARPS_MOST; i++) {
		if (shadow->uses[i].clock <= known.known[i])
			continue;
		shadow_report_ended(shadow, warp, at, &shadow->uses[i]);
		return;
	}
}

struct shadow_access shadow_access_by(struct warp *warp, struct block *block,
				      const struct instruction *at)
{
	struct shared_races *shadow = block->shadow;

	if (block->clocks)
		begin_cell_clocks(shadow);
	if (block != warp->block)
		note_use(shadow, warp, at);
	return (struct shadow_access){
		.warp = warp,
		.block = block,
		.clocked = block->cluster != NULL,
		.at = at,
		.is_volatile = at->is_volatile,
		.epoch = warp->block->epoch + 1,
		.sync = warp->sync_epoch,
		.clock = block_clock(warp),
		.place = shadow_place(shadow, warp, at),
	};
}

/* Whether accesses of the warp to flags in that block can order others. */
static bool has_locks(const struct warp *warp, const struct block *block)
{
	return warp->block->locks || block->locks;
}

/* Whether the load or store can read or set a flag. */
static bool is_flag_access(const struct instruction *at)
{
	return at->strong || at->is_volatile;
}

/* Returns true if a copy to the cell is pending, unless `value` is what the copy will write. */
static bool is_early(const struct shared_races *shadow, const struct cell *cell, size_t index,
		     const unsigned char *value)
{
	return cell->copy_place &&
	       !(value && !memcmp(value, shadow->arriving + index * shadow->grain, shadow->grain));
}

/* Forgets readers that are ordered before the access, so that a later one has their place. */
static void forget_ordered_readers(struct cell *cell, const struct shadow_access *by)
{
	for (size_t i = 0; i < ARRAY_SIZE(cell->readers); i++)
		if (!reader_is_unordered(cell, by, i))
			cell->readers[i].first = NOBODY;
}

void shadow_check_cell(struct shared_races *shadow, const struct shadow_access *by, size_t index,
		       const unsigned char *value, const unsigned char *there,
		       struct reported_kinds *reported)
{
	struct cell *cell = &shadow->cells[index];
	struct rival rival;

	if (index * shadow->grain < shadow->reserved_bytes)
		return;
	if (by->reads && !by->unread && !cell->initialised)
		*by->warp->block->launch->may_be_undefined = true;
	if (is_early(shadow, cell, index, value)) {
		rival = (struct rival){cell->copier, cell->copy_place - 1, true};
		if (!reported->unwaited)
			shadow_report_unwaited(shadow, by, index, &rival);
		reported->unwaited = true;
	} else if (!reported->race && !reported->product &&
		   ((rival_writer(cell, by, &rival) &&
		     !(value && !memcmp(value, there, shadow->grain))) ||
		    (by->writes && rival_reader(cell, by, &rival)))) {
		reported->race = true;
		shadow_report_race(shadow, by, index, &rival);
	}
	if (by->reads && !by->atomic && by->clocked)
		remember_clocked_reader(shadow, index, by);
	else if (by->reads && !by->atomic && by->block->locks)
		forget_ordered_readers(cell, by);
	if (by->reads && !by->atomic && !by->clocked)
		note_read(shadow, index, by->clock,
			  remember_reader(cell, by->epoch, by->thread, by->sync, by->place));
	if (by->writes) {
		/* Earlier writes of this thread do not count for others that know of them. */
		if (shadow->clocks && shadow->clocks[index].write != by->clock)
			cell->write_epoch = 0;
		remember_write_at(shadow, index, by);
	}
}

unsigned shadow_cell_shift(struct shared_races *shadow, unsigned bytes)
{
	if (bytes < shadow->grain) {
		for (size_t row = 0; row * ROW_CELLS < shadow->cell_count; row++)
			shadow_move_notes(shadow, row);
		split_cells_into_bytes(shadow);
	}
	return shadow->grain == WORD_BYTES ? 2 : 0;
}

void shadow_check_readers(struct shared_races *shadow, const struct shadow_access *by,
			  const struct bulk_range *range, struct reported_kinds *reported)
{
	struct rival copier = {0};
	uint32_t place, first;
	unsigned group;

	for (uint32_t byte = 0; by->block->groups && byte < range->bytes; byte += GROUP_UNIT_BYTES)
		if (!reported->product &&
		    warpgroup_reads(by->block, range->offset + byte, &group, &place)) {
			reported->product = true;
			shadow_report_product(shadow, by, (range->offset + byte) / shadow->grain,
					      group, place);
		}
	if (!reported->unwaited &&
	    bulk_reads(by->block, range, &first, &copier.thread, &copier.place)) {
		reported->unwaited = true;
		shadow_report_source(shadow, by, first / shadow->grain, &copier);
	}
}

/* Whether a store or atomic cannot be a finding: no thread has accessed the cell in this epoch. */
static inline bool write_is_clean(const struct cell *cell, const struct shadow_access *by)
{
	return !by->clocked && cell->write_epoch != by->epoch && cell->read_epoch != by->epoch &&
	       !cell->copy_place && (!by->reads || cell->initialised);
}

/* Checks the cells of each lane's bytes. `values`: the bytes of a store, else NULL. */
static void check_lanes(struct shadow_access *by, uint32_t mask, const uint32_t offset[LANES],
			unsigned bytes, const unsigned char *values)
{
	struct shared_races *shadow = by->block->shadow;
	const unsigned shift = shadow_cell_shift(shadow, bytes);
	const size_t reserved = shadow->reserved_bytes >> shift;
	struct reported_kinds reported = {0};

	EACH_BIT(lane, mask) {
		const unsigned char *value = values ? values + lane * bytes : NULL;
		const unsigned char *there = by->block->shared + offset[lane];

		by->thread = (uint16_t)(first_thread(by->warp) + lane);
		if (by->block->groups || by->block->bulk)
			shadow_check_readers(shadow, by, &(struct bulk_range){offset[lane], bytes},
					     &reported);
		for (size_t i = 0; i < bytes >> shift; i++) {
			size_t index = (offset[lane] >> shift) + i;

			shadow_open_row(shadow, index / ROW_CELLS, by->epoch);
			if (index >= reserved && write_is_clean(&shadow->cells[index], by)) {
				remember_write_at(shadow, index, by);
				continue;
			}
			shadow_check_cell(shadow, by, index, value ? value + (i << shift) : NULL,
					  there + (i << shift), &reported);
			unsettle(shadow, index);
		}
	}
}

/* ---- loads: most cells are settled ---- */

uint32_t shared_races_unsettled(struct warp *warp, struct block *block, uint32_t row,
				uint32_t words)
{
	struct shared_races *shadow = block->shadow;

	/* Later reads matter, since an mbarrier may order only the earlier ones. */
	if (shadow->grain != WORD_BYTES || warp->block->clocks)
		return words;
	return words & ~row_notes_of(shadow, row, warp->block->epoch + 1)->settled;
}

/* Whether a load cannot be a finding: no thread has written the cell in this epoch. */
static inline bool read_is_clean(const struct cell *cell, uint32_t epoch)
{
	return cell->initialised && cell->write_epoch != epoch && !cell->copy_place;
}

void shared_races_load_words(struct warp *warp, struct block *block, const struct instruction *at,
			     uint32_t mask, const uint32_t offset[LANES], const uint8_t word[LANES],
			     uint32_t words)
{
	if (block != warp->block ||
	    !note_load(warp, at, mask, offset[0] / SHADOW_ROW_BYTES, word, words))
		shared_races_load(warp, block, at, mask, offset, WORD_BYTES);
}

void shared_races_load(struct warp *warp, struct block *block, const struct instruction *at,
		       uint32_t mask, const uint32_t offset[LANES], unsigned bytes)
{
	struct shared_races *shadow = block->shadow;
	const unsigned shift = shadow_cell_shift(shadow, bytes);
	const size_t count = bytes >> shift;
	struct shadow_access by = shadow_access_by(warp, block, at);
	/* Copies, which calls cannot change. */
	const uint32_t epoch = by.epoch, sync = by.sync, clock = by.clock, place = by.place;
	const bool atomic = is_atomic_access(warp, at);
	const bool may_be_clean = !atomic && !by.clocked && !block->locks;
	struct reported_kinds reported = {0};

	by.reads = true;
	by.atomic = atomic;
	if (is_flag_access(at) && has_locks(warp, block))
		shared_locks_access(warp, block, mask, offset, true, false);
	EACH_BIT(lane, mask) {
		const size_t first = offset[lane] >> shift;

		by.thread = (uint16_t)(first_thread(warp) + lane);
		for (size_t index = first; index < first + count; index++) {
			struct cell *cell = &shadow->cells[index];
			struct row_notes *row = row_notes_of(shadow, index / ROW_CELLS, epoch);

			shadow_open_row(shadow, index / ROW_CELLS, epoch);
			if (may_be_clean && read_is_clean(cell, epoch)) {
				note_read(shadow, index, clock,
					  remember_reader(cell, epoch, by.thread, sync, place));
			} else {
				if (at->unread)
					by.unread = at->unread >>
							    ((index - first) << shift) / at->width &
						    1;
				shadow_check_cell(shadow, &by, index, NULL, NULL, &reported);
			}
			row->initialised |= (uint32_t)cell->initialised << index % ROW_CELLS;
			row->settled |= (uint32_t)is_settled(cell, epoch) << index % ROW_CELLS;
		}
	}
}

/* ---- atomics and stores ---- */

void shared_races_atomic(struct warp *warp, struct block *block, const struct instruction *at,
			 uint32_t mask, const uint32_t offset[LANES], unsigned bytes)
{
	struct shadow_access by = shadow_access_by(warp, block, at);

	by.reads = by.writes = by.atomic = true;
	check_lanes(&by, mask, offset, bytes, NULL);
	if (has_locks(warp, block))
		shared_locks_access(warp, block, mask, offset, true, true);
}

/* Reports two lanes of one instruction that store different values to one place. */
static void report_disagreement(const struct shadow_access *by, unsigned lane, unsigned earlier,
				uint32_t offset)
{
	const struct shared_races *shadow = by->block->shadow;
	struct shadow_access at = *by;
	const struct rival rival = {(uint16_t)(first_thread(by->warp) + earlier), by->place, true};

	at.thread = (uint16_t)(first_thread(by->warp) + lane);
	if (offset >= shadow->reserved_bytes)
		shadow_report_race(shadow, &at, offset / shadow->grain, &rival);
}

/*
 * Returns the lanes of a store that are the lowest at their place; they stand
 * for the others. Accesses are aligned: two lanes share all of their bytes or
 * none.
 */
static uint32_t lowest_of_each_place(const struct shadow_access *by, uint32_t mask,
				     const uint32_t offset[LANES], unsigned bytes,
				     const unsigned char *values)
{
	uint32_t lowest = mask;
	bool rising = true, reported = false;

	for (unsigned lane = 1; lane < LANES; lane++)
		rising &= offset[lane] > offset[lane - 1];
	if (rising)
		return mask;
	for (unsigned lane = 0; lane < LANES; lane++) {
		uint32_t same = 0;

		if (!(lowest >> lane & 1))
			continue;
		for (unsigned other = 0; other < LANES; other++)
			same |= (uint32_t)(offset[other] == offset[lane]) << other;
		same &= lowest & ~(UINT32_C(1) << lane);
		lowest &= ~same;
		for (; same && !reported; same &= same - 1) {
			unsigned other = (unsigned)__builtin_ctz(same);

			reported =
				memcmp(values + lane * bytes, values + other * bytes, bytes) != 0;
			if (reported)
				report_disagreement(by, other, lane, offset[lane]);
		}
	}
	return lowest;
}

void shared_races_store(struct warp *warp, struct block *block, const struct instruction *at,
			uint32_t mask, const uint32_t offset[LANES], unsigned bytes,
			const unsigned char *values)
{
	struct shadow_access by = shadow_access_by(warp, block, at);

	by.writes = true;
	by.atomic = is_atomic_access(warp, at);
	if (!at->strong)
		mask = lowest_of_each_place(&by, mask, offset, bytes, values);
	check_lanes(&by, mask, offset, bytes, values);
	if (is_flag_access(at) && has_locks(warp, block))
		shared_locks_access(warp, block, mask, offset, false, true);
}
