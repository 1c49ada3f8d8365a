/*
 * global_cells: the accesses that the race check remembers of global memory. Internal to
 * global_shadow.c and global_report.c.
 *
 * A cell is a 4-byte word of an allocation, or a byte once an instruction has accessed fewer bytes
 * there. A row is 32 cells. Most rows are accessed by lanes in order, so a row has records of whole
 * instructions: which of its cells a warp accessed, and how the lane follows from the cell. A row
 * with more accesses than its records hold gets a record per cell. So have rows with strong
 * accesses.
 *
 * A stream needs even less: a row whose cells one instruction accessed all at once has its record
 * in the 8 bytes of a summary, and its 64 bytes stay untouched.
 *
 * Rows belong to an allocation and are kept between launches. Those of an earlier launch count as
 * untouched.
 */
#ifndef EMULATOR_MACHINE_GLOBAL_CELLS_H
#define EMULATOR_MACHINE_GLOBAL_CELLS_H

#include "emulator/machine/device_memory.h"
#include "emulator/machine/machine.h"

#define ROW_SHIFT 5
#define ROW_CELLS (1 << ROW_SHIFT)
#define WORD_SHIFT 2

/* Cells of a row that lanes of one instruction access in order. */
struct lane_run {
	uint32_t cells;
	/* The lane of a cell is (cell + bias) >> shift. */
	int16_t bias;
	uint8_t shift;
	bool many; /* several lanes access each cell; the lane is one of them */
};

struct run_record {
	struct lane_run run;
	uint32_t segment, place;
};

enum cell_slot { SLOT_WRITE, SLOT_STRONG_WRITE, SLOT_READ, SLOT_READ_BEFORE, SLOT_COUNT };

/* A record of one cell. All zeroes: none. */
struct cell_record {
	uint32_t segment;
	uint32_t place : 24, lane : 5, many : 1, strong : 1, of_block : 1;
};
#define PLACE_MOST ((UINT32_C(1) << 24) - 1)

struct row_cells {
	struct cell_record slots[ROW_CELLS][SLOT_COUNT];
};

/* 64 bytes. */
struct shadow_row {
	struct run_record write, reads[2];
	/* Cells that warps of two blocks read and nobody wrote, if nothing was released since that
	 * time: a later writer races with one of them, so further reads need no record. */
	uint32_t settled, settled_time;
	uint32_t launch;
	uint32_t cells; /* number of its struct row_cells; 0: the records above hold */
};

enum summary_kind {
	SUMMARY_READ,    /* one read of all cells */
	SUMMARY_WRITE,   /* one write of all cells, and no read since */
	SUMMARY_DETAILS, /* the row says it */
	SUMMARY_SETTLED, /* the row says it, and all of its cells are settled */
};

/* All zeroes: untouched, because segments are numbered from 1. One of a segment or a time of an
 * earlier launch counts as untouched. */
struct row_summary {
	uint32_t segment; /* DETAILS: any of the launch; SETTLED: settled_time of the row */
	uint32_t place : 24, kind : 2;
	uint32_t shift : 2, part : 3; /* of a struct lane_run, whose bias is part * ROW_CELLS */
};
/* Whether lanes access all cells of a row in an order that a summary can hold. */
static inline bool run_fits_summary(const struct lane_run *run)
{
	return run->cells == UINT32_MAX && !run->many && run->shift < 4 &&
	       !(run->bias & ~(7 * ROW_CELLS));
}

struct shadow_rows {
	size_t count;
	unsigned cell_shift; /* WORD_SHIFT, or 0: bytes */
	bool unchecked;      /* there is no memory for them; rows is NULL */
	struct row_summary *summaries;
	struct shadow_row *rows;
	void *memory; /* that holds the rows */
};
/* Makes `count` rows, untouched, each in a cache line of its own. Returns false if there is no
 * memory. The host gives the memory when a row is touched. */
bool shadow_rows_allocate(struct shadow_rows *of, size_t count);
void shadow_rows_free(struct shadow_rows *of); /* NULL is allowed */
/* Gives the rows back, and has the allocation unchecked from now on. */
void shadow_rows_release(struct shadow_rows *of);
int64_t shadow_rows_bytes(const struct shadow_rows *of);
/* The bytes of `count` rows. */
int64_t shadow_rows_need(size_t count);

/* The records per cell of a launch. */
struct cell_pool {
	struct row_cells **chunks;
	size_t chunk_count, chunk_capacity;
	uint32_t used; /* the number 0 is none */
};
#define POOL_CHUNK 64
void cell_pool_release(struct cell_pool *pool);
int64_t cell_pool_bytes(const struct cell_pool *pool);
/* Returns the number of a new struct row_cells, all zeroes; 0: no memory. */
uint32_t cell_pool_take(struct cell_pool *pool);
static inline struct row_cells *cell_pool_at(const struct cell_pool *pool, uint32_t number)
{
	return &pool->chunks[number / POOL_CHUNK][number % POOL_CHUNK];
}

static inline unsigned run_lane(const struct lane_run *run, unsigned cell)
{
	return (unsigned)((int)cell + run->bias) >> run->shift;
}

/* Gives each cell of the row a record of its own. Returns false if there is no memory. */
bool row_expand(struct shadow_row *row, struct cell_pool *pool);
/* Returns a row with what happened in the launch, also what its summary says. The first segment of
 * the launch is `first`. */
struct shadow_row *shadow_row_details(struct shadow_rows *of, uint64_t index, uint32_t launch,
				      uint32_t first);
/* Replaces the rows by rows of bytes. Returns false if there is no memory. */
bool shadow_rows_split(struct shadow_rows *of, struct cell_pool *pool, uint32_t launch,
		       uint32_t first);

#endif
