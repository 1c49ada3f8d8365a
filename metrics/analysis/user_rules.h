/*
 * user_rules: metrics and rules that users add to those of perflab, in a file (docs/rules.md). A
 * metric is derived from counters of a device. A rule adds a note and an advice to the verdicts in
 * which its condition holds; it never changes the limiter. An emulated run has neither.
 * Verdicts borrow the names and remedies of rules, and run->rules the whole: release it after both.
 */
#ifndef METRICS_ANALYSIS_USER_RULES_H
#define METRICS_ANALYSIS_USER_RULES_H

#include "metrics/analysis/postfix.h"
#include "metrics/metrics.h"

#define USER_RULES_MAX_BYTES 65536

struct user_metric {
	char *name, *unit, *meaning;
	char *source; /* "derived: FORMULA (FILE)" */
	struct postfix formula;
};

struct user_rule {
	char *name;
	char *says;            /* with "{FORMULA}", which stands for its value */
	char *advice, *remedy; /* both or none; the remedy is the advice in a few words */
	char *source;          /* where the rule comes from; NULL: not stated */
	struct postfix when;
	struct postfix saves; /* part of the time that the advice saves; no steps: not known */
	unsigned limiters;    /* bits 1u << enum bound: for which the advice is given; 0: for all */
};

/* All zeroes has no metrics and no rules. A text is NULL only if its comment says so. */
struct user_rules {
	struct user_metric *metrics;
	struct user_rule *rules;
	size_t metric_count, rule_count;
	struct string_list counters; /* of CUPTI, that the formulas name */
};

/* Returns 0, or PL_EPARSE with file, line and cause: an unknown or missing key, a bad formula, an
 * unknown quantity, a name that is taken. */
int user_rules_parse(struct user_rules *out, const char *path, const char *text, size_t length,
		     struct error *err);
/* Reads a file. Also the errors of read_file(), with its path. */
int user_rules_load(struct user_rules *out, const char *path, struct error *err);
void user_rules_release(struct user_rules *rules);
/* Adds the names of the metrics and counters that a device has to count, each once. */
void user_rules_needs(struct string_list *out, const struct user_rules *rules);
/* Adds the metrics to the counters of each counted trial; missing ones with the reason. Does
 * nothing to an emulated run. */
void user_rules_derive(const struct user_rules *rules, struct run *run);

/* ---- for verdicts ---- */

struct evidence;
/* False, too, if a quantity that decides is not known. */
bool user_rule_holds(const struct user_rule *rule, const struct evidence *evidence);
/* Appends what the rule says, with values; "?" for one that is not known. */
void user_rule_say(struct text *out, const struct user_rule *rule, const struct evidence *evidence);
/* The part of the time, from 0 to 1, that its advice saves; NAN: not known. */
double user_rule_saves(const struct user_rule *rule, const struct evidence *evidence);

#endif
