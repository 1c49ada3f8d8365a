/*
 * change_partition: divides a series into segments of constant level, the proposals of
 * change_points_find(). Private to metrics/analysis/.
 */
#ifndef METRICS_ANALYSIS_CHANGE_PARTITION_H
#define METRICS_ANALYSIS_CHANGE_PARTITION_H

#include <stddef.h>

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

#endif
