/* statistics: the summary of a trial's samples. */
#ifndef METRICS_ANALYSIS_STATISTICS_H
#define METRICS_ANALYSIS_STATISTICS_H

#include "metrics/metrics.h"

/* count 0 gives all NAN. Samples must be finite; they are not modified. */
struct summary summarise(const double *time_ns, size_t count);
/* Half width of the interval over the median; INFINITY when there is none. */
double summary_relative_width(const struct summary *summary);

#endif
