/*
 * shared_cells: what the shadow of shared memory remembers of each word, and
 * which two accesses to it race. Internal to shared_cells.c, races_shared.c,
 * shared_async.c, shared_bulk.c and bulk_pending.c.
 */
#ifndef EMULATOR_MACHINE_RACES_SHARED_CELLS_H
#define EMULATOR_MACHINE_RACES_SHARED_CELLS_H

#include "emulator/machine/copies/bulk_pending.h"
#include "emulator/machine/races/block_clocks.h"
#include "emulator/machine/races/shared_locks.h"
#include "emulator/machine/races/shared_notes.h"
#include "emulator/machine/races/shared_report.h"

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

/* The instruction of a place, and its function. */
const struct instruction *shadow_find_place(const struct shared_races *shadow, uint32_t place,
					    uint32_t *function);

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
/* The logarithm of the bytes of a cell, for accesses of so many bytes. */
unsigned shadow_cell_shift(struct shared_races *shadow, unsigned bytes);

/* ---- shared_async.c ---- */

/* Reports a read by the async proxy of a cell whose last write no fence orders for that proxy. */
void shadow_check_fence(struct shared_races *shadow, const struct shadow_access *by, size_t index,
			struct reported_kinds *reported);

#endif
