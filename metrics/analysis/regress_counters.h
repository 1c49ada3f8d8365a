/* regress_counters: compares the counters of one case in two runs. Internal to metrics/analysis/.
 */
#ifndef METRICS_ANALYSIS_REGRESS_COUNTERS_H
#define METRICS_ANALYSIS_REGRESS_COUNTERS_H

#include "metrics/analysis/regress.h"

/* Fills the counters of a case that has results in both runs. Returns 0 or PL_EUSAGE, as
 * regress_judge() does. */
int regress_compare_counters(struct regress_case *item, const struct regress_pair *pair,
			     const struct regress_options *options, struct error *err);

#endif
