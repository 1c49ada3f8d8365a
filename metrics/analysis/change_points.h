/*
 * change_points: when did a case become slower? Places in the history of a
 * case, oldest run first, between which its time keeps a level. Places are
 * proposed by an optimal partitioning of the runs' levels, and each has to pass
 * two tests of the runs before it against those after: the moderated t test of
 * compare.h, in which differences between processes and between runs count,
 * and one by ranks alone, which needs no distribution (docs/methodology.md).
 * The same runs always give the same places.
 */
#ifndef METRICS_ANALYSIS_CHANGE_POINTS_H
#define METRICS_ANALYSIS_CHANGE_POINTS_H

#include "metrics/analysis/compare.h"

struct change_point {
	size_t at; /* the first run of the new level, from 1 */
	/* Runs of the level before it, and of its own: those between it and its neighbours. */
	size_t before, after;
	double before_ns, after_ns; /* those levels: geometric means over all rounds */
	struct effect effect;       /* from the one to the other */
	/* Only the newest run is at the new level: the next one will tell. It has at least two
	 * rounds, all on one side of those before; so much is asked of `regress` too. */
	bool provisional;
};

/* Chance of a false alarm in a whole history of equal runs, and the least change that is one. */
extern const struct change_limits change_point_limits;

/*
 * `runs` oldest first, each the medians of its rounds, at least one and all
 * above 0. Returns how many change points there are, ascending; *out is
 * malloc'd. A single run that lies apart from both its neighbours is an
 * outlier, and none.
 */
size_t change_points_find(struct change_point **out, const struct process_medians *runs,
			  size_t count, const struct change_limits *limits);

#endif
