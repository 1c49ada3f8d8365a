/*
 * comparison_rules: what a user says about a comparison of two runs: which
 * counters count, and how much a case may change. compare_runs.h applies it.
 */
#ifndef HARNESS_SESSION_COMPARISON_RULES_H
#define HARNESS_SESSION_COMPARISON_RULES_H

#include "metrics/analysis/regress.h"
#include "metrics/analysis/thresholds.h"

/* The lists are owned. */
struct comparison_rules {
	struct thresholds thresholds;
	struct string_list counters;
	const char *thresholds_path; /* borrowed; NULL: no file gave limits */
};
/*
 * Sets the counters and the thresholds of *options, which borrows from *out.
 * counters: "exact" or NULL for all that repeat exactly, "none", or names
 * separated by commas. thresholds: a file, which must exist, or "none"; NULL
 * means THRESHOLDS_NAME in the working directory, if it exists. PL_EUSAGE: an
 * unknown counter. PL_EPARSE: the file is malformed or too large. PL_ENOENT,
 * PL_EIO: it cannot be read. Release *out even after an error.
 */
int comparison_rules_load(struct comparison_rules *out, struct regress_options *options,
			  const char *counters, const char *thresholds, struct error *err);
void comparison_rules_release(struct comparison_rules *rules);
/* Whether no case of the comparison matches the pattern of the rule. */
bool comparison_rule_is_idle(const struct threshold_rule *rule, const struct regress *regress);

#endif
