/*
 * global_rows: the state of the check of global memory, and its rows in the forms that
 * global_cells.h describes. Internal to machine/.
 */
#ifndef EMULATOR_MACHINE_RACES_GLOBAL_ROWS_H
#define EMULATOR_MACHINE_RACES_GLOBAL_ROWS_H

#include "emulator/machine/races/global_cells.h"
#include "emulator/machine/races/global_order.h"
#include "emulator/machine/races/races_global.h"

struct global_races {
	const struct ptx_program *program;
	struct device_memory *memory;
	uint32_t *first_place; /* by function: number of its first instruction */
	struct order order;
	struct cell_pool *pool; /* the memory's */
	int64_t limit_bytes;
	uint64_t unchecked; /* requests */
};

/* The place of an instruction of the function that a warp executes, as all records hold it. */
static inline uint32_t warp_place(const struct global_races *shadow, const struct warp *warp,
				  uint32_t number)
{
	return (shadow->first_place[warp->frame->function_index] + number) & PLACE_MOST;
}

/* How many more bytes the check may take; negative: less than it has. */
int64_t global_races_room(const struct global_races *shadow);
/* The row with what happened in the launch, also what its summary says. */
struct shadow_row *global_row(struct global_races *shadow, struct shadow_rows *of, uint64_t index);
/* The records of the cells after the accesses of the log. */
void log_replay(const struct global_races *shadow, const struct shadow_row *row,
		struct row_slots *out);
/* Gives each cell of a row a record of its own. Returns false if there is no memory. */
bool global_row_spread(struct global_races *shadow, struct shadow_row *row);
/* Calls global_row_spread() if the log has one access of this kind to one cell. Returns whether it
 * did. */
bool log_spread_single(struct global_races *shadow, struct shadow_row *row, bool writes);
/* Replaces the rows by rows of bytes. Returns false if there is no memory. */
bool global_rows_split(struct global_races *shadow, struct shadow_rows *of);

/*
 * Finds the slot of a cell's reads where the read `me` belongs: 0 or 1, or -1 if it needs none.
 * *fresh: the slot gets `me`; else it has a read of the same segment, which now stands for both.
 */
int cell_read_slot(const struct order *order, struct cell_record reads[2],
		   const struct cell_record *me, bool *fresh);

/* ---- the log of a row ---- */

/* Flags of struct shadow_row's log. */
#define LOG_WRITES 1  /* an entry is a write */
#define LOG_MIXED 2   /* entries may be of several blocks */
#define LOG_UNIFORM 4 /* at most two reads of the same cells in the same order of lanes */

/* A shape in bits: the lowest and the highest cell 5 each, bias 9, step 4, the logarithm of the
 * cells of a lane 2, many 1, write 1. Then 5 bits of the place, whose other bits lie in places[].
 */
#define SHAPE_LAST 5
#define SHAPE_BIAS 10
#define SHAPE_STEP 19
#define SHAPE_EACH 23
#define SHAPE_MANY (UINT32_C(1) << 25)
#define SHAPE_WRITE (UINT32_C(1) << 26)
#define SHAPE_PLACE 27
#define SHAPE_BITS ((UINT32_C(1) << SHAPE_PLACE) - 1)
#define SHAPE_MAPPING (UINT32_C(0x1fff) << SHAPE_BIAS)
#define BIAS_LEAST (-ROW_CELLS)
#define BIAS_MOST (511 - ROW_CELLS)
#define STEP_MOST 15

/* The cells 0, step, 2 * step and so on. */
static const uint32_t stripes[STEP_MOST + 1] = {
	0x00000001, 0xffffffff, 0x55555555, 0x49249249, 0x11111111, 0x42108421,
	0x41041041, 0x10204081, 0x01010101, 0x08040201, 0x40100401, 0x00400801,
	0x01001001, 0x04002001, 0x10004001, 0x40008001,
};

static inline uint32_t shape_cells(uint32_t shape)
{
	const unsigned low = shape % ROW_CELLS, last = (shape >> SHAPE_LAST) % ROW_CELLS;
	const unsigned step = (shape >> SHAPE_STEP) & 15, each = 1U << ((shape >> SHAPE_EACH) & 3);
	const uint32_t range = (UINT32_MAX >> (ROW_CELLS - 1 - last)) & (UINT32_MAX << low);
	uint32_t stripe = stripes[step];

	if (step == each)
		return range;
	for (unsigned wide = 1; wide < each; wide *= 2)
		stripe |= stripe << wide;
	return range & stripe << low;
}

/* Returns false if the run has no shape. */
static inline bool shape_make(uint32_t *out, const struct lane_run *run, bool writes)
{
	if (run->bias < BIAS_LEAST || run->bias > BIAS_MOST || run->step > STEP_MOST ||
	    run->each > 8)
		return false;
	*out = (uint32_t)__builtin_ctz(run->cells) |
	       (ROW_CELLS - 1 - (uint32_t)__builtin_clz(run->cells)) << SHAPE_LAST |
	       (uint32_t)(run->bias - BIAS_LEAST) << SHAPE_BIAS |
	       (uint32_t)run->step << SHAPE_STEP |
	       (uint32_t)__builtin_ctz(run->each) << SHAPE_EACH | (run->many ? SHAPE_MANY : 0) |
	       (writes ? SHAPE_WRITE : 0);
	return shape_cells(*out) == run->cells;
}

static inline struct lane_run shape_run(uint32_t shape)
{
	return (struct lane_run){
		.cells = shape_cells(shape),
		.bias = (int16_t)((int)(shape >> SHAPE_BIAS & 511) + BIAS_LEAST),
		.step = (uint8_t)(shape >> SHAPE_STEP & 15),
		.each = (uint8_t)(1U << (shape >> SHAPE_EACH & 3)),
		.many = (shape & SHAPE_MANY) != 0,
	};
}

/*
 * An entry is what one instruction of a warp did to some cells of the row, in an order of the lanes
 * that a shape can hold: which cells, and how the lane follows from the cell. Entries are in the
 * order of the accesses. An access that cannot be told from the entries any more is left out, so a
 * log stays short if warps access a row again and again.
 *
 * An access is added if it cannot race with an entry. What the records of the cells are is found
 * only if it may race, or if the log is full: log_replay().
 */
struct log_entry {
	uint32_t *segment, *shape;
	uint16_t *place;
};

static inline struct log_entry log_at(const struct cell_pool *pool, struct shadow_row *row,
				      unsigned i)
{
	union piece *more;

	if (i < LOG_INLINE)
		return (struct log_entry){&row->log.segments[i], &row->log.shapes[i],
					  &row->log.places[i]};
	more = cell_pool_at(pool, row->more);
	i -= LOG_INLINE;
	return (struct log_entry){&more->log.segments[i], &more->log.shapes[i],
				  &more->log.places[i]};
}

static inline void entry_set(const struct log_entry *entry, uint32_t segment, uint32_t shape,
			     uint32_t place)
{
	*entry->segment = segment;
	*entry->shape = shape | place >> 16 << SHAPE_PLACE;
	*entry->place = (uint16_t)place;
}

/* What an instruction does to cells of a row, without strong accesses. */
struct row_access {
	struct global_races *shadow;
	const struct warp *warp;
	uint32_t segment, place;
	struct lane_run run;
	bool writes;
	bool raced; /* add it although it may race: races are reported already */
};

enum log_outcome {
	LOG_DONE,
	LOG_RACE, /* the access may race with an entry; it was not added */
	LOG_FULL, /* the log cannot hold it */
};
enum log_outcome log_add(struct shadow_row *row, const struct row_access *access);

/* Whether the log has only accesses of one lane each. */
bool log_is_scattered(const struct shadow_row *row);

/* ---- the check of an access against a row: global_check.c ---- */

struct checked_access {
	struct global_races *shadow;
	const struct global_request *request;
	struct shadow_rows *rows;
	uint32_t segment, place;
	bool strong, of_block;
	bool reported; /* one race of a request is enough */
	bool full;     /* there was no memory for a record */
};

/* Whether a row needs no record of a read, because it is settled. */
ALWAYS_INLINE bool row_is_settled(const struct row_summary *summary, const struct order *order)
{
	return summary->kind == SUMMARY_SETTLED && summary->segment == order->time;
}

/* Whether a request can only read what is settled in the row, and so needs no record. */
static inline bool reads_settled_row(const struct checked_access *by, uint64_t index)
{
	return !by->request->writes &&
	       row_is_settled(&by->rows->summaries[index], &by->shadow->order);
}

/* Has the summary of a row say that the row has the details, or that it is settled. */
static inline void conclude_row(struct row_summary *summary, const struct shadow_row *row,
				uint32_t segment, uint32_t time)
{
	if (row->settled == UINT32_MAX && row->settled_time == time)
		*summary = (struct row_summary){.segment = time, .kind = SUMMARY_SETTLED};
	else
		*summary = (struct row_summary){.segment = segment, .kind = SUMMARY_DETAILS};
}

/* Checks and records what lanes of the request do to cells of a row. */
void check_global_run(struct checked_access *by, uint64_t index, const struct lane_run *run);

#endif
