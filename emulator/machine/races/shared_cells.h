/*
 * shared_cells: what the shadow of shared memory remembers of each word, and
 * which two accesses to it race. Internal to races/ and bulk_pending.c.
 */
#ifndef EMULATOR_MACHINE_RACES_SHARED_CELLS_H
#define EMULATOR_MACHINE_RACES_SHARED_CELLS_H

#include "emulator/machine/copies/bulk_pending.h"
#include "emulator/machine/finding.h"
#include "emulator/machine/machine.h"
#include "emulator/machine/races/block_clocks.h"
#include "emulator/machine/races/races_shared.h"

/* ---- notes: accesses to a row that its cells do not show yet ---- */

/*
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

/* Moves the notes of a row to its cells. */
void shadow_move_notes(struct shared_races *shadow, size_t row);

/* ---- the state of the check, and shared_report.c ---- */

#define WORD_BYTES 4

struct shared_races {
	const struct ptx_program *program;
	uint32_t *first_place;   /* by function: number of its first instruction */
	uint32_t reserved_bytes; /* at the beginning, which are not checked */
	unsigned grain;          /* bytes of a cell: WORD_BYTES, or 1 */
	size_t cell_count;
	struct cell *cells;
	struct cell_clocks *clocks; /* by cell; NULL: the block has no mbarriers */
	unsigned char *arriving;    /* by byte: the value that a pending copy will write */
	struct row_notes *notes;    /* cells / ROW_CELLS, rounded up */
	struct row_reads *reads;    /* the same, while cells are words */
	bool has_copies;            /* the block has started asynchronous copies */
	size_t bytes;
	/* By number of the warp in the cluster: its last access from another block. NULL: none. */
	struct remote_use *uses;
};

/* The number of an instruction that a warp executes. */
static inline uint32_t shadow_place(const struct shared_races *shadow, const struct warp *warp,
				    const struct instruction *at)
{
	return shadow->first_place[warp->frame->function_index] + pc_of(warp, at);
}

/* Has the cells of a row show all accesses until the next epoch. Call before anything looks at
 * them. */
static inline void shadow_open_row(struct shared_races *shadow, size_t row, uint32_t epoch)
{
	if (shadow->notes[row].opened == epoch)
		return;
	shadow_move_notes(shadow, row);
	shadow->notes[row].opened = epoch;
}

struct remote_use {
	uint32_t clock; /* plus 1; 0: none */
	uint32_t place;
	const struct warp *warp;
};

/* The access of a lane that is being checked. */
struct shadow_access {
	struct warp *warp;
	struct block *block; /* whose shared memory it is */
	const struct instruction *at;
	uint16_t
		thread; /* in the cluster: its number in the block, plus 1024 for each rank below */
	bool clocked;   /* clocks alone order the accesses: the block is in a cluster */
	uint32_t epoch, sync, clock, place; /* clock: of block_clocks.h */
	bool reads, writes, atomic;
	bool is_volatile; /* if atomic, then only between warps */
	bool unread;      /* nothing reads what the lane loads from this cell */
};

/* The earlier access of another thread. */
struct rival {
	uint16_t thread;
	uint32_t place;
	bool wrote;
};

/* Each reports a finding about the cell with that number, for the lane of the access. */
void shadow_report_race(const struct shared_races *shadow, const struct shadow_access *by,
			size_t cell, const struct rival *rival);
/* The asynchronous copy of `copier` to the cell is pending. */
void shadow_report_unwaited(const struct shared_races *shadow, const struct shadow_access *by,
			    size_t cell, const struct rival *copier);
/* A pending bulk copy of `copier` reads the cell. */
void shadow_report_source(const struct shared_races *shadow, const struct shadow_access *by,
			  size_t cell, const struct rival *copier);
/* A product of a warpgroup, at `place`, may still read the cell. */
void shadow_report_product(const struct shared_races *shadow, const struct shadow_access *by,
			   size_t cell, unsigned group, uint32_t place);
/* wgmma or a bulk copy reads the cell, and no fence orders the write before it. */
void shadow_report_unfenced(const struct shared_races *shadow, const struct shadow_access *by,
			    size_t cell, const struct rival *writer);
/* The block of the warp ends at an instruction, and nothing orders the use of its memory before. */
void shadow_report_ended(const struct shared_races *shadow, struct warp *warp,
			 const struct instruction *at, const struct remote_use *use);

#define NOBODY UINT16_MAX

/*
 * The readers of one warp since its last synchronisation: the first one and one
 * other. Two are enough to find a race with any later writer: if the writer is
 * one of the two, it races with the other; if not, with either.
 */
struct readers {
	uint16_t first, other; /* thread numbers in the cluster; NOBODY */
	uint32_t sync;
	uint32_t first_place, other_place;
};

/*
 * A word or a byte. All zeroes: untouched, since epochs are stored plus 1. The
 * readers of two warps are enough, for the same reason: at least one of the two
 * is not the warp of the writer.
 */
struct cell {
	uint32_t write_epoch, write_sync, write_place;
	uint32_t plain_sync; /* of the writer's last write that was not atomic, if any */
	uint16_t writer;
	bool write_atomic : 1; /* all writes of the writer in the epoch were atomic */
	/* All of them were between warps only: volatile. */
	bool write_volatile : 1;
	bool initialised;
	uint32_t read_epoch;
	struct readers readers[2];
	uint32_t copy_place;   /* of a pending asynchronous copy, plus 1; 0: none */
	uint16_t copier;       /* thread of that copy */
	uint16_t write_fences; /* what proxy_fences of the writer's warp was then */
};

/* The clocks of a cell's accesses (block_clocks.h): of the last write, and of the last reads by the
 * warps of its readers. Beside the cells, so that these keep their size in other blocks. */
struct cell_clocks {
	uint32_t write, readers[2];
};

static inline void unsettle(struct shared_races *shadow, size_t cell)
{
	struct row_notes *row = &shadow->notes[cell / ROW_CELLS];

	row->settled &= ~(UINT32_C(1) << cell % ROW_CELLS);
	row->products &= ~(UINT32_C(1) << cell % ROW_CELLS);
}

static inline bool is_settled(const struct cell *cell, uint32_t epoch)
{
	return cell->initialised && !cell->copy_place && cell->write_epoch != epoch &&
	       cell->read_epoch == epoch && cell->readers[1].first != NOBODY;
}

/* The number of a thread's warp in the cluster. */
static inline uint32_t warp_of(uint16_t thread)
{
	return thread / LANES;
}

/* The number of a warp's first thread in the cluster. */
static inline uint16_t first_thread(const struct warp *warp)
{
	return (uint16_t)(cluster_warp(warp) * LANES);
}

/* The warp of a thread of the cluster that `block` is in. */
static inline struct warp *warp_of_thread(struct block *block, uint16_t thread)
{
	const unsigned rank = thread / (LANES * BLOCK_WARPS_MOST);
	struct block *of = rank == block->rank ? block : cluster_block(block, rank);

	return &of->warps[warp_of(thread) % BLOCK_WARPS_MOST];
}

static inline void begin_readers(struct readers *readers, uint16_t thread, uint32_t sync,
				 uint32_t place)
{
	readers->first = thread;
	readers->other = NOBODY;
	readers->sync = sync;
	readers->first_place = place;
}

/* `thread`, `sync` and `place` are those of the access. Returns the number of the readers to which
 * it was added; -1: there are two of other warps. */
static inline int remember_reader(struct cell *cell, uint32_t epoch, uint16_t thread, uint32_t sync,
				  uint32_t place)
{
	struct readers *readers = cell->readers;

	if (cell->read_epoch != epoch) {
		cell->read_epoch = epoch;
		begin_readers(&readers[0], thread, sync, place);
		readers[1].first = NOBODY;
		return 0;
	}
	for (int i = 0; i < (int)ARRAY_SIZE(cell->readers); i++) {
		if (readers[i].first == NOBODY) {
			begin_readers(&readers[i], thread, sync, place);
			return i;
		}
		if (warp_of(readers[i].first) != warp_of(thread))
			continue;
		if (readers[i].sync != sync) {
			begin_readers(&readers[i], thread, sync, place);
		} else if (readers[i].first != thread && readers[i].other == NOBODY) {
			readers[i].other = thread;
			readers[i].other_place = place;
		}
		return i;
	}
	return -1;
}

static inline void remember_writer(struct cell *cell, const struct shadow_access *by)
{
	bool again = cell->write_epoch == by->epoch && cell->writer == by->thread;

	cell->write_atomic = by->atomic && (!again || cell->write_atomic);
	cell->write_volatile = by->is_volatile || (again && cell->write_volatile);
	cell->write_epoch = by->epoch;
	cell->write_sync = by->sync;
	if (!by->atomic || by->is_volatile)
		cell->plain_sync = by->sync;
	cell->write_place = by->place;
	cell->writer = by->thread;
	cell->write_fences = warp_of_thread(by->warp->block, by->thread)->proxy_fences;
	cell->initialised = true;
}

/* Remembers a write of the cell with that number, and its clock. */
static inline void remember_write_at(struct shared_races *shadow, size_t index,
				     const struct shadow_access *by)
{
	remember_writer(&shadow->cells[index], by);
	if (shadow->clocks)
		shadow->clocks[index].write = by->clock;
}

/* Notes the clock of a read that was added to those readers of the cell. */
static inline void note_read(struct shared_races *shadow, size_t index, uint32_t clock, int readers)
{
	if (shadow->clocks && readers >= 0)
		shadow->clocks[index].readers[readers] = clock;
}

/* What remember_writer() does for a write that was noted. */
static inline void remember_plain_write(struct cell *cell, uint16_t thread,
					const struct write_note *write)
{
	cell->write_atomic = cell->write_volatile = false;
	cell->write_epoch = write->epoch;
	cell->write_sync = cell->plain_sync = write->sync;
	cell->write_place = write->place;
	cell->writer = thread;
	cell->write_fences = write->fences;
	cell->initialised = true;
}

/* Notes a reader and its clock, in a block whose accesses are ordered by clocks alone: an earlier
 * reader that is ordered before this one makes room for it. */
void remember_clocked_reader(struct shared_races *shadow, size_t index,
			     const struct shadow_access *by);

/* Sets *rival to an earlier write, or to an earlier read, that races with the access. */
bool rival_writer(const struct cell *cell, const struct shadow_access *by, struct rival *rival);
bool rival_reader(const struct cell *cell, const struct shadow_access *by, struct rival *rival);

/* Whether nothing orders the reads of a warp, the nth of the cell, before the access. */
bool reader_is_unordered(const struct cell *cell, const struct shadow_access *by, size_t nth);

/* Makes each cell a byte from now on. The notes of all rows must have been moved to the cells. */
void split_cells_into_bytes(struct shared_races *shadow);
/* Call when the block has mbarriers: cells have clocks from now on. */
void begin_cell_clocks(struct shared_races *shadow);

/* ---- races_shared.c ---- */

/* The kinds of finding that this request has reported: one of each kind is enough. */
struct reported_kinds {
	bool race, unwaited, product, unfenced;
};

/* Whether the access is atomic: a plain load is whose value an atomic corrects, and a volatile
 * access is where a fence may make a flag of it. */
static inline bool is_atomic_access(const struct warp *warp, const struct instruction *at)
{
	return at->operation == OP_ATOMIC || at->strong || at->guess ||
	       (at->is_volatile && warp->block->launch->shared_locking == LOCKING_WITH_FENCES);
}

/* What a warp does at an instruction. The caller sets the thread, and what it does. */
struct shadow_access shadow_access_by(struct warp *warp, struct block *block,
				      const struct instruction *at);
/* Checks an access to a cell, then records it. `value`: the bytes to be stored at `there`, or
 * NULL. A store of the value that is there already does not race with an earlier write. */
void shadow_check_cell(struct shared_races *shadow, const struct shadow_access *by, size_t index,
		       const unsigned char *value, const unsigned char *there,
		       struct reported_kinds *reported);
/* Reports a write to bytes that a product of a warpgroup or a bulk copy may still read. */
void shadow_check_readers(struct shared_races *shadow, const struct shadow_access *by,
			  const struct bulk_range *range, struct reported_kinds *reported);
/* The logarithm of the bytes of a cell, for accesses of `bytes` bytes. */
unsigned shadow_cell_shift(struct shared_races *shadow, unsigned bytes);

/* ---- shared_async.c ---- */

/* Reports a read by the async proxy of a cell whose last write no fence orders for that proxy. */
void shadow_check_fence(struct shared_races *shadow, const struct shadow_access *by, size_t index,
			struct reported_kinds *reported);

#endif
