/*
 * shared_report: the state of the race check of shared memory, and the texts of its findings.
 * Internal to races/.
 */
#ifndef EMULATOR_MACHINE_RACES_SHARED_REPORT_H
#define EMULATOR_MACHINE_RACES_SHARED_REPORT_H

#include "emulator/machine/races/races_shared.h"

#define WORD_BYTES 4

/* The contents of a cell: shared_cells.h. */
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

#endif
