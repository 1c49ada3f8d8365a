/* history_grid: the parts of db_history_grid_load(). Private to db/. */
#ifndef DB_HISTORY_GRID_H
#define DB_HISTORY_GRID_H

#include "db/statement.h"
#include "metrics/analysis/history.h"

/* history_cells.c: sets trial_id, median_ns, low_ns, high_ns, unverified and rounds of all cells,
 * which are empty, and round_ns. `run` has the cases of the grid. */
int history_cells_load(struct db *db, struct history_grid *grid, const struct run *run,
		       struct error *err);

#endif
