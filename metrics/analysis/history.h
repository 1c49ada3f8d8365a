/*
 * history: one case on one device and backend over all its runs, oldest first,
 * and where it changed. Emulated runs have none, for they have no time.
 */
#ifndef METRICS_ANALYSIS_HISTORY_H
#define METRICS_ANALYSIS_HISTORY_H

#include "base/base.h"
#include "metrics/analysis/change_points.h"

struct trial;
struct run;

/* A change point by the places of its runs in the history. */
struct history_change {
	struct change_point change;
	size_t last, first; /* runs between which it happened: of the old level, of the new one */
	bool same_code;     /* both known and equal: then it is noise or the environment */
};

struct history {
	char *kernel, *variant, *config; /* owned, as all of it */
	/* What a history needs of each run (no trials), and its trial of the case, with rounds. */
	struct run *runs;
	struct trial *trials;
	size_t count;
	size_t left_out; /* runs that timed the case with the other --cache */
	struct history_change *changes;
	size_t change_count;
};
/* Whether a run has a time to stand in the series with. */
bool history_is_timed(const struct history *history, size_t run);
/* Fills `changes` from the rounds of the runs, replacing what was there. */
void history_find_changes(struct history *history);
/* By how much a run is slower than the timed one before it, as a ratio less 1; NAN: not known. */
double history_step(const struct history *history, size_t run);
/* The change point that a run begins, or NULL. */
const struct history_change *history_change_at(const struct history *history, size_t run);
void history_release(struct history *history);

/*
 * All cases of a run over the runs of its device and backend. A page has room
 * for some of these runs; change points are of all of them and of their rounds,
 * so that they are those of each case's history.
 */
struct history_grid {
	struct run *runs; /* oldest first; what a history needs of each, no trials */
	bool *shown;      /* of each run, whether there is room for it */
	size_t run_count, case_count;
	/* Of each case, in the order of the run's trials, run_count; NAN: none. */
	double *median_ns;
	/* The same of its rounds: where their medians, all above 0, begin in round_ns; 0 of them:
	 * none is stored. */
	struct history_rounds {
		size_t begin, count;
	} * rounds;
	double *round_ns;
	/* The same of what was executed, machine code and launch: equal numbers for equal ones, 0
	 * not known. */
	uint64_t *code;
	/* Of all cases one after the other; those of a case begin at change_begin[case], and end
	 * before change_begin[case + 1]. */
	struct history_change *changes;
	size_t *change_begin;
};
/* Fills `changes`, replacing what was there. */
void history_grid_find_changes(struct history_grid *grid);
void history_grid_release(struct history_grid *grid);

#endif
