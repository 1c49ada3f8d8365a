/*
 * findings: what the counters of a trial show to be wasted, in a few words and worst first, so that
 * the cases of a whole run can be ranked. The notes of a verdict (metrics/analysis/verdict.h) say
 * the same at length; docs/verdicts.md has the rules.
 */
#ifndef METRICS_ANALYSIS_FINDINGS_H
#define METRICS_ANALYSIS_FINDINGS_H

#include "metrics/analysis/verdict.h"

struct trial_finding {
	const char *rule; /* as docs/verdicts.md names it: "bank_conflicts" */
	double lost;      /* as in struct verdict_note */
	/* Waste ranks before local memory, and that before occupancy that the launch does not
	 * allow; in a rank, the larger weight is worse. */
	int rank;
	double weight;
	char *text;         /* "32.0 sectors per load" */
	const char *remedy; /* "coalesce accesses" */
};

/* All zeroes is an empty list. */
struct trial_findings {
	struct trial_finding *items; /* worst first */
	size_t count, capacity;
};
/* Adds nothing for a trial without counters. */
void trial_findings_of(struct trial_findings *out, const struct trial *trial,
		       const struct roofline_point *point, const struct verdict_context *context);
void trial_findings_release(struct trial_findings *list);

/* Negative: `a` is worse; positive: `b` is. */
int trial_finding_compare(const struct trial_finding *a, const struct trial_finding *b);

#endif
