/*
 * global_rows: a row of global memory in the form that an access needs (global_cells.h). Internal
 * to machine/.
 */
#ifndef EMULATOR_MACHINE_RACES_GLOBAL_ROWS_H
#define EMULATOR_MACHINE_RACES_GLOBAL_ROWS_H

#include "emulator/machine/races/global_report.h"

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

#endif
