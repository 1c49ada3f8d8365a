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

/* Prefix sums over the runs. The sums of a segment are differences of two of these. */
struct sums {
	size_t runs, rounds; /* number of those that are no outliers */
};

/* A history and its remaining change points. */
struct series {
	size_t runs;
	const struct change_limits *limits;
	double *level;     /* per run: the mean of the logarithms of its rounds */
	double noise;      /* standard deviation of a run about the level of its segment */
	struct sums *sums; /* runs + 1 entries */
	struct scatter_sums *scatter; /* likewise, of the smoothed levels */
	double *round_logs;           /* logarithms of the rounds of all runs */
	/* Set by change_series_take_times(); from then on round_logs has no outliers, either. */
	double *means;     /* geometric mean of each run that is no outlier, in ns */
	double *rounds;    /* rounds of those runs, in ns */
	double *mean_logs; /* logarithms of the means */
	struct spreads of_means, of_rounds; /* of the logarithms */
	size_t *bounds, count; /* 0, the change points, runs; `count` includes both ends */
};

/* Sets the levels, and which runs are outliers. Needs at least three runs. */
void change_series_init(struct series *series, const struct process_medians *runs, size_t count,
			const struct change_limits *limits);
/* false: no proposal could pass the tests. They compare means of runs that are no outliers. If the
 * levels of all of these are closer together than the smallest change, no two means are that far
 * apart. */
bool change_series_may_change(const struct series *series);
/* Sets the times and allocates the bounds, if the series may change. */
void change_series_take_times(struct series *series, const struct process_medians *runs);
void change_series_release(struct series *series);

/* The rounds, and the means, of the runs begin to end that are no outliers. Borrowed. */
struct process_medians change_rounds_between(const struct series *series, size_t begin, size_t end);
struct process_medians change_runs_between(const struct series *series, size_t begin, size_t end);

#endif
