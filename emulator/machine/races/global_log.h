/*
 * global_log: a row of global memory as a log of accesses (global_cells.h). Internal to machine/.
 *
 * An entry is what one instruction of a warp did to some cells of the row, in an order of the lanes
 * that a shape can hold: which cells, and how the lane follows from the cell. Entries are in the
 * order of the accesses. An access that cannot be told from the entries any more is left out, so a
 * log stays short if warps access a row again and again.
 *
 * An access is added if it cannot race with an entry. What the records of the cells are is found
 * only if it may race, or if the log is full: log_replay() in global_rows.h.
 */
#ifndef EMULATOR_MACHINE_RACES_GLOBAL_LOG_H
#define EMULATOR_MACHINE_RACES_GLOBAL_LOG_H

#include "emulator/machine/races/global_report.h"

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

#endif
