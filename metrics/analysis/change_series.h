/*
 * change_series: the times of a case in its runs as change_points_find() needs them, and the
 * division of such a series into segments of constant level, which it proposes. Private to
 * metrics/analysis/.
 */
#ifndef METRICS_ANALYSIS_CHANGE_SERIES_H
#define METRICS_ANALYSIS_CHANGE_SERIES_H

#include "metrics/analysis/compare.h"
#include "metrics/analysis/statistics.h"

/* Sums over the first values of a series; the sums of a segment are differences of two of these.
 * The values are relative to the first one, to lose little precision in differences. */
struct scatter_sums {
	double values, squares;
};
/* The sum of squares about the mean of the values begin to end. */
double scatter_between(const struct scatter_sums *sums, size_t begin, size_t end);

/*
 * Finds the segments of at least `least` values with the least scatter plus a penalty per segment.
 * `sums` has count + 1 entries, and count >= least. Writes 0, the first value of each further
 * segment, and `count` to bounds, which has room for count + 2, and returns how many those are.
 * Takes about the same time per value however many there are, with and without changes.
 */
size_t change_partition(size_t *bounds, const struct scatter_sums *sums, size_t count, size_t least,
			double penalty);

/* A history and its remaining change points. The level of a run is the mean of the logarithms of
 * its rounds. Runs are what is compared: those of other days and hosts differ by more than their
 * rounds do. */
struct series {
	size_t runs;
	const struct change_limits *limits;
	const struct process_medians *times; /* borrowed */
	double *level;                       /* per run */
	double noise;   /* standard deviation of a run about the level of its segment */
	double *smooth; /* the levels without outliers */
	bool *outlier;  /* per run */
	size_t *kept;   /* runs + 1 entries: how many of the runs before are no outliers */
	struct scatter_sums *scatter; /* likewise, of the smoothed levels */
	double *kept_levels;          /* of the runs that are no outliers */
	struct spreads of_kept;       /* their spread */
	double *products;      /* per kept run, of the products of levels of neighbours before it */
	size_t *bounds, count; /* 0, the change points, runs; `count` includes both ends */
};

/* Sets the levels, and which runs are outliers. Needs at least three runs. */
void change_series_init(struct series *series, const struct process_medians *runs, size_t count,
			const struct change_limits *limits);
/* Takes runs that are not outliers for outliers, too; `level` is that of the runs around them. */
void change_series_exclude(struct series *series, size_t begin, size_t end, double level);
/* false: no proposal could pass the tests. They compare means of runs that are no outliers. If the
 * levels of all of these are closer together than the smallest change, no two means are that far
 * apart. */
bool change_series_may_change(const struct series *series);
void change_series_release(struct series *series);

/* The levels of the runs begin to end that are no outliers. */
struct spread change_spread(const struct series *series, size_t begin, size_t end);
/* The sum of the products of the deviations of neighbours from their mean; `spread` is of these
 * runs. */
double change_lag_products(const struct series *series, const struct spread *spread, size_t begin,
			   size_t end);

#endif
