/* counted: counters of a trial as numbers, NAN where there is none. Internal to metrics/analysis/.
 */
#ifndef METRICS_ANALYSIS_COUNTED_H
#define METRICS_ANALYSIS_COUNTED_H

#include "metrics/metrics.h"

/* The value of a counter. NAN: the trial has no finite value. */
double counted_value(const struct trial *trial, const char *metric);
/* NAN for a value that is not finite: a value that overflows a double counts as not measured. */
double finite_or_nan(double value);
/* NAN if the denominator is not above 0 or the quotient is not finite. */
double finite_quotient(double numerator, double denominator);

#endif
