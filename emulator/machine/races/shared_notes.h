/*
 * shared_notes: accesses to a row of shared memory that its cells do not show yet. Internal to the
 * check of shared memory.
 *
 * Most rows are written by one warp in order, and read after a barrier, and nobody ever asks what
 * their cells remember. So the last write of a row, and the reads of an epoch, are first noted
 * beside the cells. Before anything looks at the cells of a row, shadow_open_row() moves the notes
 * there, in the order of the accesses. The cells then are as if each access had gone there at once,
 * and for the rest of the epoch each does.
 *
 * Only accesses that cannot be a finding are noted: loads of words that are initialised and not
 * written in the epoch, and plain stores of a whole row, lane i to word i, that nobody else has
 * accessed in the epoch. Blocks of clusters, those with mbarriers, barriers of some warps,
 * asynchronous copies or products of warpgroups, and cells of bytes have no notes.
 */
#ifndef EMULATOR_MACHINE_RACES_SHARED_NOTES_H
#define EMULATOR_MACHINE_RACES_SHARED_NOTES_H

#include "emulator/machine/machine.h"

struct shared_races;

#define ROW_CELLS 32
#define ROW_READS 32  /* notes of a row in an epoch */
#define ROW_READERS 4 /* different warps among them */

struct read_note {
	uint32_t lanes; /* mask */
	uint32_t warp, sync, place;
	uint8_t word[LANES]; /* in the row, by lane */
};

struct write_note {
	uint32_t epoch; /* 0: none; else the block's, plus 1, as all epochs here */
	uint32_t sync, place;
	uint16_t warp, fences;
};

#define NO_WARP UINT32_MAX

/* All zeroes: nothing happened. */
struct row_notes {
	uint32_t epoch; /* of the fields up to read_count; another one: all of them are 0 */
	/* A cell is settled for an epoch if lanes of two warps have read it and no thread has
	 * written it. Further loads need no record: any later writer already races with one of the
	 * readers. */
	uint32_t settled;  /* mask of cells */
	uint32_t products; /* mask of those that a product of a warpgroup has read, too */
	uint32_t owner;    /* the warp whose lane i did all reads of word i; NO_WARP: none */
	uint32_t reader_count;
	struct {
		uint32_t warp, cells;
	} readers[ROW_READERS];
	uint32_t read_count;

	uint32_t initialised; /* cells that are known to be */
	uint32_t opened;      /* epoch since which the cells show all */
	bool write_is_pending;
	struct write_note write; /* of all cells */
};

/* The notes of the reads of a row, read_count of them. */
struct row_reads {
	struct read_note notes[ROW_READS];
};

/* Returns the notes of a row, emptied if they are of an earlier epoch. */
struct row_notes *row_notes_of(struct shared_races *shadow, size_t row, uint32_t epoch);
/* Notes loads of the lanes' words in a row; `cells` are these words. Returns false if the cells
 * must be checked. */
bool note_load(struct warp *warp, const struct instruction *at, uint32_t lanes, size_t row,
	       const uint8_t word[LANES], uint32_t cells);
/* Notes stores of all lanes to all words of a row, in order; the same. */
bool note_store(struct warp *warp, const struct instruction *at, size_t row);

/* Moves the notes of a row to its cells. */
void shadow_move_notes(struct shared_races *shadow, size_t row);

/* Has the cells of a row, which has these notes, show all accesses until the next epoch. Call
 * before anything looks at them. */
static inline void shadow_open_row(struct shared_races *shadow, struct row_notes *notes, size_t row,
				   uint32_t epoch)
{
	if (notes->opened == epoch)
		return;
	shadow_move_notes(shadow, row);
	notes->opened = epoch;
}

#endif
