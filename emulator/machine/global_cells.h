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
 * Rows belong to an allocation and are kept between launches. Those of an earlier launch count as
 * untouched.
 */
#ifndef EMULATOR_MACHINE_GLOBAL_CELLS_H
#define EMULATOR_MACHINE_GLOBAL_CELLS_H

#include "emulator/machine/device_memory.h"
#include "emulator/machine/machine.h"

#define ROW_CELLS 32
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

struct shadow_rows {
	size_t count;
	unsigned cell_shift; /* WORD_SHIFT, or 0: bytes */
	bool unchecked;      /* there is no memory for them; rows is NULL */
	struct shadow_row *rows;
	void *memory; /* that holds the rows */
};
/* Makes `count` rows, untouched, each in a cache line of its own. Returns false if there is no
 * memory. The host gives the memory when a row is touched. */
bool shadow_rows_allocate(struct shadow_rows *of, size_t count);
void shadow_rows_free(struct shadow_rows *of); /* NULL is allowed */
int64_t shadow_rows_bytes(const struct shadow_rows *of);

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
/* Replaces the rows by rows of bytes. Returns false if there is no memory. */
bool shadow_rows_split(struct shadow_rows *of, struct cell_pool *pool, uint32_t launch);

#endif
