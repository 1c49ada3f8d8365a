/*
 * change_points: finds the runs at which a case became slower or faster. The
 * change points divide the history of a case into segments of constant time. An
 * optimal partitioning proposes them. Each proposal must pass two tests that
 * compare the runs before it with the runs after it: the moderated t test of
 * compare.h, which accounts for differences between processes and between runs,
 * and a rank test, which assumes no distribution (docs/change-points.md). The same
 * runs always give the same change points.
 */
#ifndef METRICS_ANALYSIS_CHANGE_POINTS_H
#define METRICS_ANALYSIS_CHANGE_POINTS_H

#include "metrics/analysis/compare.h"

struct change_point {
	size_t at;                  /* index of the first run of the new segment; at least 1 */
	size_t before, after;       /* number of runs in the segments before and after it */
	double before_ns, after_ns; /* their levels: geometric means of all rounds */
	struct effect effect;       /* from the level before to the level after */
	/* Only the newest run is in the new segment, so the next run will confirm or refute it.
	 * This run has at least two rounds, and they are separated from the rounds before, which
	 * `perflab regress` also requires. */
	bool provisional;
};

/* Histories of fewer runs have no change points. */
#define CHANGE_RUNS_LEAST 5

/* The probability of a false alarm in a whole history of equal runs, and the smallest change. */
extern const struct change_limits change_point_limits;

/*
 * `runs` has the oldest run first, each with the medians of at least one round,
 * all above 0. Returns the number of change points, in ascending order. *out is
 * malloc'd; it may be NULL if that number is 0. A single run that differs from both
 * its neighbours is an outlier and no change point.
 */
size_t change_points_find(struct change_point **out, const struct process_medians *runs,
			  size_t count, const struct change_limits *limits);

/* A second level to which a case comes and goes: a mode of its time, and no change. */
struct change_mode {
	size_t runs, of;           /* runs in the rarer mode, of all that were looked at */
	size_t newest;             /* index of the newest of them */
	double usual_ns, other_ns; /* medians of both modes */
};
/*
 * Looks for two modes in runs of one level. Returns false if there are none: both have at least
 * three runs, each scatters by little compared with their distance, and the rarer one was entered
 * at least twice.
 */
bool change_mode_find(struct change_mode *out, const struct process_medians *runs, size_t count,
		      const struct change_limits *limits);

#endif
