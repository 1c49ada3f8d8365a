/* What the files of regress share, and nobody else sees. */
#ifndef METRICS_ANALYSIS_REGRESS_PARTS_H
#define METRICS_ANALYSIS_REGRESS_PARTS_H

#include "metrics/analysis/regress.h"
#include "metrics/metrics.h"

/* Of a case that has ended well on both sides: fills counters. PL_EUSAGE as regress_judge(). */
int regress_compare_counters(struct regress_case *item, const struct regress_pair *pair,
			     const struct regress_options *options, struct error *err);

/* Clocks and throttling of rounds. NAN and 0 of none. */
struct round_clocks {
	double sm_hz, memory_hz; /* means of those known */
	size_t throttled, count;
};
struct round_clocks round_clocks_of(const struct round_summary *rounds, size_t count);

#endif
