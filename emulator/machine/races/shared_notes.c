/* Notes of rows, and what becomes of them. See shared_notes.h. */
#include "emulator/machine/races/shared_notes.h"

#include "emulator/machine/races/shared_cells.h"

#include <string.h>

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

static uint32_t noted_place(const struct warp *warp, const struct instruction *at)
{
	return warp->block->shadow->first_place[warp->frame->function_index] +
	       (uint32_t)(at - warp->frame->function->code);
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
	read->place = noted_place(warp, at);
	memcpy(read->word, word, LANES);
	return true;
}

bool note_store(struct warp *warp, const struct instruction *at, size_t row)
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
		.place = noted_place(warp, at),
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

		for (uint32_t rest = read->lanes; rest; rest &= rest - 1) {
			const unsigned lane = (unsigned)__builtin_ctz(rest);

			remember_reader(&cells[read->word[lane]], notes->epoch,
					(uint16_t)(read->warp * LANES + lane), read->sync,
					read->place);
		}
	}
	notes->read_count = 0;
}
