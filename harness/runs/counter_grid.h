/*
 * counter_grid: the histories of emulated runs, whose counters are compared since they have no
 * times. Internal to runs/.
 */
#ifndef HARNESS_RUNS_COUNTER_GRID_H
#define HARNESS_RUNS_COUNTER_GRID_H

#include "db/db.h"
#include "metrics/analysis/history.h"

/* Loads the trials of the shown runs of a grid of emulated runs, and compares the counters of each
 * case of `run` with those of its newest earlier trial with the same inputs. */
int counter_grid_load(struct history_grid *grid, struct db *db, const struct run *run,
		      struct error *err);

#endif
