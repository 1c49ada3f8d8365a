/* statistics: the summary of a trial's samples (struct summary of metrics/metrics.h). */
#ifndef METRICS_ANALYSIS_STATISTICS_H
#define METRICS_ANALYSIS_STATISTICS_H

#include "metrics/metrics.h"

/* The samples must be finite. Without samples all numbers are NAN. */
struct summary summarise(const double *time_ns, size_t count);
/* Half width of the interval, divided by the median. INFINITY if there is no interval. */
double summary_relative_width(const struct summary *summary);
/* Sorts in ascending order. */
void sort_numbers(double *values, size_t count);
/* values[rank] as if they were sorted. Reorders them, and is faster than sorting. rank < count. */
double number_of_rank(double *values, size_t count, size_t rank);

#endif
