/* Verdicts of constructed trials, for the tests of verdicts. */
#ifndef TESTS_METRICS_VERDICT_SUPPORT_H
#define TESTS_METRICS_VERDICT_SUPPORT_H

#include "metrics/analysis/ceilings.h"
#include "metrics/analysis/roofline.h"
#include "metrics/analysis/verdict.h"
#include "tests/metrics/roofline_support.h"

#define MICROSECOND 1e3

/* A counter that a row of a table sets. */
struct number {
	const char *metric;
	double value;
};

/* A case of 100 us with no roof near: 10 % of DRAM, L2, L1, little arithmetic, enough blocks.
 * Release with trial_release(). */
void waiting_trial(struct trial *out);
/* The verdict, with what holds of any asserted: a summary, two pieces of advice at most, and no NAN
 * in what it says. Release with verdict_release(). */
void judge(struct verdict *out, const struct trial *trial, const struct ceiling_list *ceilings,
	   const struct device_info *device);
/* Returns the text of the rule in a verdict; NULL if it does not apply. */
const char *note_of(const struct verdict *verdict, const char *rule);
const char *advice_of(const struct verdict *verdict, const char *rule);

#endif
