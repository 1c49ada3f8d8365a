/* regress_time: judges the times of the cases of two runs. Internal to metrics/analysis. */
#ifndef METRICS_ANALYSIS_REGRESS_TIME_H
#define METRICS_ANALYSIS_REGRESS_TIME_H

#include "metrics/analysis/regress.h"

/* Sets item->timed and item->limits. */
void regress_find_times(struct regress_case *item, const struct regress_options *options);
/*
 * Sets the effect, the adjusted p and the verdict by time of all cases that have times. A run that
 * was measured with --decide is judged at its interim analyses in turn, as it was measured: the
 * first interim analysis that decides a case gives its verdict, so later rounds of a control case
 * change nothing.
 */
void regress_judge_times(struct regress *regress);

#endif
