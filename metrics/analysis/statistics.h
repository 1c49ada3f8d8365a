/*
 * statistics: what is computed from the samples, rounds and counters of a trial:
 * summaries, means of clocks, numbers that are finite or missing, and the scatter
 * of series.
 */
#ifndef METRICS_ANALYSIS_STATISTICS_H
#define METRICS_ANALYSIS_STATISTICS_H

#include "metrics/metrics.h"

/* ---- samples ---- */

/* The samples must be finite. Without samples all numbers are NAN, and the interval of the session
 * is in any case: it needs the rounds (session_interval() of compare.h). */
struct summary summarise(const double *time_ns, size_t count);
/* The median of samples that are independent, as those of one round are taken to be, and its 95 %
 * interval. All NAN: there are fewer than six. */
struct sample_interval {
	double median_ns, low_ns, high_ns;
};
struct sample_interval sample_interval(const double *time_ns, size_t count);
/* Sorts in ascending order. */
void sort_numbers(double *values, size_t count);
/* values[rank] as if they were sorted. Reorders them, and is faster than sorting. rank < count. */
double number_of_rank(double *values, size_t count, size_t rank);

/* ---- counters; internal to metrics/analysis/, as what follows ---- */

/* The value of a counter. NAN: the trial has no finite value. */
double counted_value(const struct trial *trial, const char *metric);
/* NAN for a value that is not finite: a value that overflows a double counts as not measured. */
double finite_or_nan(double value);
/* NAN if the denominator is not above 0 or the quotient is not finite. */
double finite_quotient(double numerator, double denominator);

/* ---- rounds ---- */

/* Clocks and throttling while rounds were timed. */
struct round_clocks {
	double sm_hz, memory_hz;    /* means over the rounds that measured them; NAN: none did */
	size_t throttled, count;    /* of the rounds that recorded throttling, and their number */
	double event_ns, launch_ns; /* means; NAN: no round measured them */
};
struct round_clocks round_clocks_of(const struct round_summary *rounds, size_t count);

/* ---- the scatter of series ---- */

/* Mean and scatter of numbers, such as the logarithms of times. */
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

/* A series that gives the spread of any range in a time that grows with the logarithm of its
 * length.
 */
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
