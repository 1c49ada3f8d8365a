/*
 * history: one case over all its runs on one device and backend, oldest first,
 * with its change points. The history of emulated runs, which have no times, has
 * the runs at which a counter changed instead.
 */
#ifndef METRICS_ANALYSIS_HISTORY_H
#define METRICS_ANALYSIS_HISTORY_H

#include "base/base.h"
#include "metrics/analysis/change_points.h"
#include "metrics/analysis/regress.h"

struct trial;
struct run;

/* A change point with the positions of its runs in the history. */
struct history_change {
	struct change_point change;
	size_t last, first; /* the last run of the old level and the first run of the new one */
	bool same_code;     /* code and launch are known and equal: noise, or the environment */
};

/* Two modes of the runs since the newest change point. The positions are of the history. */
struct history_mode {
	struct change_mode mode; /* `of` is 0 without modes */
	size_t first;            /* the first of these runs */
	size_t newest;           /* the newest one in the rarer mode */
};

/* A run with other counters than the newest run before it with the same inputs. Counters that
 * repeat exactly are compared, as by `perflab regress`: without noise, every difference is a
 * change. */
struct counter_step {
	size_t last, first;  /* the positions of both runs in the history */
	enum change verdict; /* of regress_judge(); unchanged: no difference is worse or better */
	bool same_code;      /* code and launch are known and equal, so not the kernel changed */
	struct counter_change *counters; /* the largest relative change first */
	size_t counter_count;
};

struct history {
	char *kernel, *variant, *config;
	char *origin;         /* as in struct run */
	struct run *runs;     /* without their trials */
	struct trial *trials; /* the trial of the case in each run, with rounds, or with counters */
	bool emulated;        /* the runs have counters and no times */
	size_t count;
	/* runs with the other --cache, or with the cost of events beside runs without */
	size_t left_out;
	struct history_change *changes;
	size_t change_count;
	struct history_mode mode;
	struct counter_step *steps; /* of emulated runs; empty: no counter changed */
	size_t step_count;
};
/* Whether a run timed the case. Other runs are ignored. */
bool history_is_timed(const struct history *history, size_t run);
/* Whether a run has counters of the case. */
bool history_is_counted(const struct history *history, size_t run);
/* Replaces `changes` and `mode` by what the rounds of the runs show; `steps`, if they are emulated.
 */
void history_find_changes(struct history *history);
/* The time of a run divided by that of the timed run before it, minus 1. NAN: not known. */
double history_step(const struct history *history, size_t run);
/* The change point at which a run begins a new level. NULL: none. */
const struct history_change *history_change_at(const struct history *history, size_t run);
/* "worse" if a counter is, else "better" if one is, else "different". */
const char *counter_step_word(const struct counter_step *step);
/* Whether a counter of the step gives it its word. */
bool counter_step_has(const struct counter_step *step, const struct counter_change *change);
/* The step at which a run has other counters. NULL: none. */
const struct counter_step *history_step_at(const struct history *history, size_t run);
/* The index of the first of the newest `count` runs; 0: of all. */
size_t history_newest_from(const struct history *history, size_t count);
void history_release(struct history *history);

/* A counter step of a case of a grid. It owns its texts, because the grid has no trials. */
struct grid_step {
	size_t at;          /* the case */
	size_t last, first; /* runs of the grid */
	const char *word;   /* counter_step_word() */
	bool same_code;
	struct grid_counter {
		char *metric;
		double before, after;
	} * counters; /* those that give the step its word, the largest relative change first */
	size_t counter_count;
	size_t more; /* other counters that changed */
};

/*
 * The histories of all cases of a run, over the runs of its device and backend. A
 * page shows only some of these runs. The change points use all runs and their
 * rounds, so they equal those of each case's own history.
 *
 * The arrays trial_id, median_ns, session_low_ns, session_high_ns, unverified and rounds have
 * case_count rows of run_count values, with the cases in the order of the run's trials.
 */
struct history_grid {
	struct run *
		runs; /* oldest first, without their trials; only shown ones have words and marks */
	bool *shown;  /* per run: the page shows it */
	size_t run_count, case_count;
	int64_t *trial_id;                        /* 0: none */
	double *median_ns;                        /* NAN: none */
	double *session_low_ns, *session_high_ns; /* the 95 % interval of the median; NAN: none */
	bool *unverified; /* like median_ns: no check shows that the result is right */
	/* The medians of the rounds, all above 0: round_ns[begin] and the following. count 0: no
	 * rounds are stored. */
	struct history_rounds {
		size_t begin, count;
	} * rounds;
	double *round_ns;
	/* The changes of all cases. Those of a case begin at change_begin[case] and end before
	 * change_begin[case + 1]. */
	struct history_change *changes;
	size_t *change_begin;
	struct history_mode *modes; /* per case */
	/* The runs are emulated: they have counters and no times, and the arrays above are NULL. */
	bool emulated;
	struct grid_step *steps; /* by case, then by run */
	size_t step_count;
};

/* Compares the counters of a case in two runs of the grid with the same inputs, and adds a step if
 * they differ. */
void history_grid_compare(struct history_grid *grid, size_t at, size_t last, size_t first,
			  const struct trial *before, const struct trial *after);
/* Replaces `changes` and `modes` by those of all cases. Their same_code is false: the grid has no
 * code (db_history_grid_codes()). */
void history_grid_find_changes(struct history_grid *grid);
void history_grid_release(struct history_grid *grid);

#endif
