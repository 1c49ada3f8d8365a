/*
 * spread: mean and scatter of the logarithms of times, and a series of them that gives the spread
 * of any range in a time that grows with the logarithm of the length of the range. Private to
 * metrics/analysis/.
 */
#ifndef METRICS_ANALYSIS_SPREAD_H
#define METRICS_ANALYSIS_SPREAD_H

#include <stddef.h>

struct spread {
	size_t count;
	double mean, squares;   /* `squares`: the sum of squares about the mean */
	double lowest, highest; /* INFINITY and -INFINITY if count is 0 */
};

struct spread spread_of(const double *values, size_t count);
/* The spread of the values of both. Loses no precision if the means are almost equal (Chan, Golub
 * and LeVeque, "Algorithms for computing the sample variance", Am. Stat. 37, 1983), as a difference
 * of prefix sums would. */
struct spread spread_join(const struct spread *a, const struct spread *b);

struct spreads {
	const double *values; /* borrowed */
	size_t blocks;
	struct spread
		*nodes; /* a tree: node 1 is the root, those of the blocks begin at `blocks` */
};
/* `values` must live as long as the series, and count must be at least 1. */
void spreads_init(struct spreads *spreads, const double *values, size_t count);
void spreads_release(struct spreads *spreads);
/* The spread of the values begin to end; begin <= end. */
struct spread spreads_between(const struct spreads *spreads, size_t begin, size_t end);

#endif
