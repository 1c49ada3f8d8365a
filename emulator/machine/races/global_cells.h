/*
 * global_cells: the accesses that the race check remembers of global memory. Internal to machine/,
 * and to global_stream.h.
 *
 * A cell is a 4-byte word of an allocation, or a byte once an instruction has accessed fewer bytes
 * there. What is remembered of a cell: its last plain write, its last strong write, and two reads.
 * A row is 32 cells. It has one of these forms, from the smallest to the largest:
 *
 * - a summary of 8 bytes, if one instruction accessed all of its cells at once. The row itself, of
 *   64 bytes, stays untouched;
 * - a log of what instructions did to several of its cells (global_rows.h). Most rows are accessed
 *   by lanes in order, and by few instructions;
 * - planes: a record of each cell. A plane is an array of the records of one kind, and is there
 *   only if the row has such records.
 *
 * All forms remember the same: what the records of the cells are after the accesses of the log.
 *
 * Rows belong to an allocation and are kept between launches. Those of an earlier launch count as
 * untouched.
 */
#ifndef EMULATOR_MACHINE_RACES_GLOBAL_CELLS_H
#define EMULATOR_MACHINE_RACES_GLOBAL_CELLS_H

#include "emulator/machine/machine.h"
#include "emulator/machine/memory/device_memory.h"

#include <string.h>

#define ROW_SHIFT 5
#define ROW_CELLS (1 << ROW_SHIFT)
#define WORD_SHIFT 2

/* Cells of a row that lanes of one instruction access in order. */
struct lane_run {
	uint32_t cells;
	/* The lane of a cell is (cell + bias) / step. */
	int16_t bias;
	uint8_t step, each; /* cells from lane to lane, and of a lane */
	bool many;          /* several lanes access each cell; the lane is one of them */
};

enum cell_slot { SLOT_WRITE, SLOT_STRONG_WRITE, SLOT_READ, SLOT_READ_BEFORE, SLOT_COUNT };

/* A record of one cell. All zeroes: none. */
struct cell_record {
	uint32_t segment;
	uint32_t place : 23, lane : 5, many : 1, strong : 1, of_block : 1;
	uint32_t saw : 1; /* a strong read: of what the last strong write wrote */
};
#define PLACE_MOST ((UINT32_C(1) << 21) - 1) /* an entry of a log holds no more */

struct row_slots {
	uint32_t held[SLOT_COUNT]; /* cells that may have a record */
	struct cell_record of[SLOT_COUNT][ROW_CELLS];
};

/* Numbers of pieces in the pool. 0: none. */
struct row_plane {
	uint32_t segments; /* by cell; a segment of 0: no record */
	uint32_t infos;    /* by cell: the second word of a record; none: `common` for all */
	uint32_t common;
};

#define LOG_INLINE 5
#define LOG_MORE 12

enum row_form { ROW_LOG, ROW_PLANES };

/* 64 bytes. */
struct shadow_row {
	union {
		struct {
			uint32_t segments[LOG_INLINE], shapes[LOG_INLINE];
			uint16_t places[LOG_INLINE];
			uint8_t count, flags; /* LOG_WRITES and others */
		} log;
		struct row_plane planes[SLOT_COUNT];
	};
	uint32_t more : 31, form : 1; /* more: the piece with the rest of the log; 0: none */
	/* Cells that warps of two blocks read and nobody wrote, if nothing was released since that
	 * time: a later writer races with one of them, so further reads need no record. */
	uint32_t settled, settled_time;
};

/* What the pool consists of. */
union piece {
	uint32_t words[ROW_CELLS];
	struct {
		uint32_t segments[LOG_MORE], shapes[LOG_MORE];
		uint16_t places[LOG_MORE];
	} log;
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
	uint32_t shift : 2, part : 3; /* a struct lane_run with 1 << shift cells of a lane, and a
					 bias of part * ROW_CELLS */
};

/* Whether lanes access all cells of a row in an order that a summary can hold. */
static inline bool run_fits_summary(const struct lane_run *run)
{
	return run->cells == UINT32_MAX && !run->many && run->step == run->each && run->each <= 8 &&
	       !(run->bias & ~(7 * ROW_CELLS));
}

/* The summary of an access to all cells of a row. */
static inline struct row_summary run_summary(const struct lane_run *run, uint32_t segment,
					     uint32_t place, bool writes)
{
	return (struct row_summary){
		.segment = segment,
		.place = place,
		.kind = writes ? SUMMARY_WRITE : SUMMARY_READ,
		.shift = (unsigned)__builtin_ctz(run->each) & 3,
		.part = (unsigned)run->bias / ROW_CELLS & 7,
	};
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

/* The pieces of the rows of a launch. The memory is kept between launches. */
struct cell_pool {
	union piece **chunks;
	size_t chunk_count, chunk_capacity;
	uint32_t used; /* the number 0 is none */
};
#define POOL_CHUNK 512
#define POOL_CHUNK_BYTES ((int64_t)(POOL_CHUNK * sizeof(union piece)))
void cell_pool_free(struct cell_pool *pool); /* NULL is allowed */
/* Drops all pieces, and keeps at most `kept_bytes` of memory for later ones. */
void cell_pool_empty(struct cell_pool *pool, int64_t kept_bytes);
int64_t cell_pool_bytes(const struct cell_pool *pool);
/* Makes sure that `count` pieces can be taken. Returns false if they would need more than
 * `room_bytes`, or there is no memory. */
bool cell_pool_reserve(struct cell_pool *pool, unsigned count, int64_t room_bytes);
/* Returns the number of a new piece, all zeroes. Reserve it first. */
uint32_t cell_pool_take(struct cell_pool *pool);
static inline union piece *cell_pool_at(const struct cell_pool *pool, uint32_t number)
{
	return &pool->chunks[number / POOL_CHUNK][number % POOL_CHUNK];
}

static inline unsigned run_lane(const struct lane_run *run, unsigned cell)
{
	return (unsigned)((int)cell + run->bias) / run->step;
}

static inline uint32_t record_info(const struct cell_record *record)
{
	uint32_t info;

	memcpy(&info, (const unsigned char *)record + sizeof(record->segment), sizeof(info));
	return info;
}

/* The record of a cell in a plane. */
static inline struct cell_record plane_get(const struct row_plane *plane,
					   const struct cell_pool *pool, unsigned cell)
{
	uint32_t words[2] = {0};
	struct cell_record record;

	if (plane->segments)
		words[0] = cell_pool_at(pool, plane->segments)->words[cell];
	if (words[0])
		words[1] = plane->infos ? cell_pool_at(pool, plane->infos)->words[cell]
					: plane->common;
	memcpy(&record, words, sizeof(record));
	return record;
}
/* Sets the record of a cell that has none, without new pieces. Returns false if that needs more. */
static inline bool plane_add(const struct row_plane *plane, const struct cell_pool *pool,
			     unsigned cell, const struct cell_record *record)
{
	const uint32_t info = record_info(record);
	uint32_t *segment;

	if (!plane->segments || (!plane->infos && plane->common != info))
		return false;
	segment = &cell_pool_at(pool, plane->segments)->words[cell];
	if (*segment)
		return false;
	*segment = record->segment;
	if (plane->infos)
		cell_pool_at(pool, plane->infos)->words[cell] = info;
	return true;
}
/* Sets it. Reserve two pieces first. */
void plane_put(struct row_plane *plane, struct cell_pool *pool, unsigned cell,
	       const struct cell_record *record);

/* Turns a row into planes of these records. Returns false if there is no memory within
 * `room_bytes`. */
bool row_spread(struct shadow_row *row, struct cell_pool *pool, const struct row_slots *slots,
		int64_t room_bytes);

#endif
