#include "emulator/machine/races/shared_cells.h"

#include "emulator/machine/warp_splits.h"

#include <stdlib.h>
#include <string.h>

#define CELL_ALIGNMENT 64

static size_t note_rows(size_t cells)
{
	return (cells + ROW_CELLS - 1) / ROW_CELLS;
}

/* Zeroed cells, each in one line of the cache if it has 64 bytes. NULL: no memory. */
static struct cell *allocate_cells(size_t count)
{
	size_t bytes = (count + 1) * sizeof(struct cell);
	struct cell *cells = aligned_alloc(CELL_ALIGNMENT, (bytes + CELL_ALIGNMENT - 1) /
								   CELL_ALIGNMENT * CELL_ALIGNMENT);

	if (cells)
		memset(cells, 0, bytes);
	return cells;
}

struct shared_races *shared_races_create(const struct launch *launch)
{
	struct shared_races *shadow = xcalloc(1, sizeof(*shadow));

	shadow->program = launch->program;
	shadow->first_place = instruction_numbers(launch->program);
	shadow->bytes = ((size_t)launch->shared_bytes + 31) / 32 * 32;
	shadow->reserved_bytes = launch->reserved_bytes;
	shadow->grain = WORD_BYTES;
	shadow->cell_count = shadow->bytes / WORD_BYTES;
	shadow->cells = allocate_cells(shadow->cell_count);
	shadow->notes = calloc(note_rows(shadow->bytes) + 1, sizeof(*shadow->notes));
	shadow->reads = calloc(note_rows(shadow->cell_count) + 1, sizeof(*shadow->reads));
	shadow->arriving = calloc(shadow->bytes + 1, 1);
	if (!shadow->cells || !shadow->notes || !shadow->reads || !shadow->arriving) {
		shared_races_free(shadow);
		return NULL;
	}
	return shadow;
}

void shared_races_free(struct shared_races *shadow)
{
	if (!shadow)
		return;
	free(shadow->first_place);
	free(shadow->cells);
	free(shadow->clocks);
	free(shadow->notes);
	free(shadow->reads);
	free(shadow->arriving);
	free(shadow->uses);
	free(shadow);
}

/* Clears the cells. Those of a row that was not opened are still clear. */
static void clear_cells(struct shared_races *shadow)
{
	const bool bytes = shadow->grain != WORD_BYTES;

	for (size_t first = 0; first < shadow->cell_count; first += ROW_CELLS) {
		const size_t rest = shadow->cell_count - first;
		const size_t count = rest < ROW_CELLS ? rest : ROW_CELLS;

		if (bytes || shadow->notes[first / ROW_CELLS].opened)
			memset(shadow->cells + first, 0, count * sizeof(*shadow->cells));
	}
}

void shared_races_begin(struct shared_races *shadow)
{
	clear_cells(shadow);
	if (shadow->clocks)
		memset(shadow->clocks, 0, shadow->cell_count * sizeof(*shadow->clocks));
	shadow->has_copies = false;
	memset(shadow->notes, 0, note_rows(shadow->cell_count) * sizeof(*shadow->notes));
	free(shadow->uses);
	shadow->uses = NULL;
}

void split_cells_into_bytes(struct shared_races *shadow)
{
	struct cell *cells = xcalloc(shadow->bytes + 1, sizeof(*cells));
	struct cell_clocks *clocks =
		shadow->clocks ? xcalloc(shadow->bytes + 1, sizeof(*clocks)) : NULL;

	for (size_t i = 0; i < shadow->bytes; i++) {
		cells[i] = shadow->cells[i / WORD_BYTES];
		if (clocks)
			clocks[i] = shadow->clocks[i / WORD_BYTES];
	}
	free(shadow->cells);
	free(shadow->clocks);
	shadow->cells = cells;
	shadow->clocks = clocks;
	memset(shadow->notes, 0, note_rows(shadow->bytes) * sizeof(*shadow->notes));
	shadow->cell_count = shadow->bytes;
	shadow->grain = 1;
}

void begin_cell_clocks(struct shared_races *shadow)
{
	if (!shadow->clocks)
		shadow->clocks = xcalloc(shadow->cell_count + 1, sizeof(*shadow->clocks));
}

/* ---- accesses of two threads to a cell ---- */

/* Returns true if neither a synchronisation of a common warp, nor an mbarrier, nor a lock orders
 * the access of `thread`, with that sync and clock, before the other one. */
static bool unordered(const struct shadow_access *by, uint16_t thread, uint32_t sync,
		      uint32_t clock)
{
	if (warp_of(thread) == warp_of(by->thread))
		return sync == by->sync && !shared_locks_order_lanes(by->warp, clock);
	return !block_clock_known(by->warp, warp_of(thread), clock);
}

/* The clocks of a cell. */
static struct cell_clocks clocks_of(const struct shadow_access *by, const struct cell *cell)
{
	const struct shared_races *shadow = by->block->shadow;

	return shadow->clocks ? shadow->clocks[cell - shadow->cells] : (struct cell_clocks){0};
}

/* Whether an access of that epoch, 0 for none, may be one that nothing orders before this one. */
static bool may_be_unordered(const struct shadow_access *by, uint32_t epoch)
{
	return by->clocked ? epoch != 0 : epoch == by->epoch;
}

bool rival_writer(const struct cell *cell, const struct shadow_access *by, struct rival *rival)
{
	/* Lanes of a warp that exchange values by volatile accesses need __syncwarp(). */
	const bool apart = warp_of(cell->writer) != warp_of(by->thread);
	const bool atomic = by->atomic && (apart || !by->is_volatile);
	/* An atomic access can race with a plain write only. */
	uint32_t sync = atomic ? cell->plain_sync : cell->write_sync;

	if (!may_be_unordered(by, cell->write_epoch) || cell->writer == by->thread ||
	    (atomic && cell->write_atomic && (apart || !cell->write_volatile)) ||
	    !unordered(by, cell->writer, sync, clocks_of(by, cell).write))
		return false;
	*rival = (struct rival){cell->writer, cell->write_place, true};
	return true;
}

/* Whether a read at that place by another lane of the warp is over. */
static bool shared_read_is_over(const struct shadow_access *by, uint16_t thread, uint32_t place)
{
	const struct shared_races *shadow = by->block->shadow;
	uint32_t function;

	if (warp_of(thread) != warp_of(by->thread))
		return false;
	instruction_of_number(shadow->program, shadow->first_place, place, &function);
	return lane_read_is_over(by->warp, by->at, thread % LANES, function,
				 place - shadow->first_place[function]);
}

static bool reader_races(const struct shadow_access *by, uint16_t thread, uint32_t place,
			 struct rival *rival)
{
	if (thread == NOBODY || thread == by->thread || shared_read_is_over(by, thread, place))
		return false;
	*rival = (struct rival){thread, place, false};
	return true;
}

bool reader_is_unordered(const struct cell *cell, const struct shadow_access *by, size_t nth)
{
	const struct readers *readers = &cell->readers[nth];

	return readers->first != NOBODY &&
	       unordered(by, readers->first, readers->sync, clocks_of(by, cell).readers[nth]);
}

bool rival_reader(const struct cell *cell, const struct shadow_access *by, struct rival *rival)
{
	if (!may_be_unordered(by, cell->read_epoch))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(cell->readers); i++) {
		const struct readers *readers = &cell->readers[i];

		if (!reader_is_unordered(cell, by, i))
			continue;
		if (reader_races(by, readers->first, readers->first_place, rival) ||
		    reader_races(by, readers->other, readers->other_place, rival))
			return true;
	}
	return false;
}

void remember_clocked_reader(struct shared_races *shadow, size_t index,
			     const struct shadow_access *by)
{
	struct cell *cell = &shadow->cells[index];
	uint32_t *clocks = shadow->clocks[index].readers;
	const uint32_t epoch = cell->read_epoch ? cell->read_epoch : by->epoch;
	int at = remember_reader(cell, epoch, by->thread, by->sync, by->place);

	for (int i = 0; i < (int)ARRAY_SIZE(cell->readers) && at < 0; i++) {
		if (!block_clock_known(by->warp, warp_of(cell->readers[i].first), clocks[i]))
			continue;
		begin_readers(&cell->readers[i], by->thread, by->sync, by->place);
		at = i;
	}
	if (at >= 0)
		clocks[at] = by->clock;
}

struct row_notes *row_notes_of(struct shared_races *shadow, size_t row, uint32_t epoch)
{
	struct row_notes *notes = &shadow->notes[row];

	if (notes->epoch == epoch)
		return notes;
	/* Cells ignore reads of earlier epochs, so their notes are not needed. */
	notes->epoch = epoch;
	notes->settled = notes->products = 0;
	notes->owner = NO_WARP;
	notes->reader_count = notes->read_count = 0;
	return notes;
}

static bool has_notes(const struct block *block)
{
	const struct shared_races *shadow = block->shadow;

	return shadow->grain == WORD_BYTES && !shadow->has_copies && !block->clocks &&
	       !block->groups && !block->cluster;
}

static bool is_in_order(uint32_t lanes, const uint8_t word[LANES])
{
	uint8_t different = 0;

	for (unsigned lane = 0; lane < LANES; lane++)
		different |= word[lane] ^ lane;
	return lanes == ALL_LANES && !different;
}

/* Notes that the warp has read these cells. Returns false if there are too many warps. */
static bool add_reader(struct row_notes *notes, uint32_t warp, uint32_t cells)
{
	uint32_t others = 0;
	unsigned mine = notes->reader_count;

	for (unsigned i = 0; i < notes->reader_count; i++) {
		if (notes->readers[i].warp == warp)
			mine = i;
		else
			others |= notes->readers[i].cells;
	}
	if (mine == ROW_READERS)
		return false;
	if (mine == notes->reader_count) {
		notes->readers[mine].warp = warp;
		notes->readers[mine].cells = 0;
		notes->reader_count++;
	}
	notes->readers[mine].cells |= cells;
	notes->settled |= cells & others;
	return true;
}

bool note_load(struct warp *warp, const struct instruction *at, uint32_t lanes, size_t row,
	       const uint8_t word[LANES], uint32_t cells)
{
	struct shared_races *shadow = warp->block->shadow;
	const uint32_t epoch = warp->block->epoch + 1;
	struct row_notes *notes = row_notes_of(shadow, row, epoch);
	const bool written = notes->write.epoch == epoch;
	struct read_note *read;
	bool owns;

	if (!has_notes(warp->block) || is_atomic_access(warp, at) || notes->opened == epoch ||
	    cells & ~notes->initialised || notes->read_count == ROW_READS)
		return false;
	owns = is_in_order(lanes, word) &&
	       (notes->read_count == 0 || notes->owner == warp->index) &&
	       (!written || notes->write.warp == warp->index);
	if ((written && !owns) || !add_reader(notes, warp->index, cells))
		return false;
	notes->owner = owns ? warp->index : NO_WARP;
	read = &shadow->reads[row].notes[notes->read_count++];
	read->lanes = lanes;
	read->warp = warp->index;
	read->sync = warp->sync_epoch;
	read->place = shadow_place(shadow, warp, at);
	memcpy(read->word, word, LANES);
	return true;
}

bool shared_races_store_row(struct warp *warp, const struct instruction *at, uint32_t row)
{
	struct shared_races *shadow = warp->block->shadow;
	const uint32_t epoch = warp->block->epoch + 1;
	struct row_notes *notes = row_notes_of(shadow, row, epoch);

	if (!has_notes(warp->block) || is_atomic_access(warp, at) || notes->opened == epoch ||
	    row * SHADOW_ROW_BYTES < shadow->reserved_bytes ||
	    (notes->read_count && notes->owner != warp->index) ||
	    (notes->write.epoch == epoch && notes->write.warp != warp->index))
		return false;
	notes->write = (struct write_note){
		.epoch = epoch,
		.sync = warp->sync_epoch,
		.place = shadow_place(shadow, warp, at),
		.warp = (uint16_t)warp->index,
		.fences = warp->proxy_fences,
	};
	notes->write_is_pending = true;
	notes->initialised = UINT32_MAX;
	return true;
}

void shadow_move_notes(struct shared_races *shadow, size_t row)
{
	struct row_notes *notes = &shadow->notes[row];
	struct cell *cells = &shadow->cells[row * ROW_CELLS];

	for (unsigned i = 0; notes->write_is_pending && i < ROW_CELLS; i++)
		remember_plain_write(&cells[i], (uint16_t)(notes->write.warp * LANES + i),
				     &notes->write);
	notes->write_is_pending = false;
	for (unsigned i = 0; i < notes->read_count; i++) {
		const struct read_note *read = &shadow->reads[row].notes[i];

		EACH_BIT(lane, read->lanes) {
			remember_reader(&cells[read->word[lane]], notes->epoch,
					(uint16_t)(read->warp * LANES + lane), read->sync,
					read->place);
		}
	}
	notes->read_count = 0;
}
