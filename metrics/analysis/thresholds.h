/*
 * thresholds: how much a case may change before `perflab regress` reports a
 * regression. The user keeps the limits in a file, one rule per line, each for a
 * pattern of cases. A later line overrides earlier lines:
 *
 *	# pattern             limits
 *	*                     time=1%
 *	stream*               time=2% branch_targets_divergent=0%
 *	reduce*atomic*        ignore=time
 *	fault                 ignore
 *	matmul*               dram_bytes=+5% achieved_occupancy_pct=-10%
 */
#ifndef METRICS_ANALYSIS_THRESHOLDS_H
#define METRICS_ANALYSIS_THRESHOLDS_H

#include "base/base.h"
#include "metrics/catalogue/catalogue.h"

/* The default file, in the working directory. */
#define THRESHOLDS_NAME "perflab.thresholds"
#define THRESHOLDS_TIME "time"
/* The largest size of a file, in bytes. */
#define THRESHOLDS_LIMIT ((size_t)1 << 20)

/* A word of a line: NAME=LIMIT, ignore=NAME, or ignore (then name is NULL). */
struct threshold {
	char *name; /* "time", or a metric */
	bool ignore;
	double limit;     /* relative; NAN for ignore */
	enum worse worse; /* for a metric: by the sign of the limit, else from the catalogue */
};

struct threshold_rule {
	char *pattern; /* for pattern_matches() */
	size_t line;   /* in the file, from 1 */
	struct threshold *items;
	size_t count, capacity;
};

struct thresholds {
	struct threshold_rule *rules;
	size_t count, capacity;
};

/* Parses a file; messages call it `name`. Returns 0, or PL_EPARSE with file, line and cause; *out
 * is unchanged then. */
int thresholds_parse(struct thresholds *out, const char *name, const char *bytes, size_t length,
		     struct error *err);
void thresholds_release(struct thresholds *thresholds);

/* Whether to leave out a case: a line says `ignore`, and no later line sets a limit. */
bool thresholds_ignore(const struct thresholds *thresholds, const char *case_name);
/* The last threshold for "time" or a metric in a case. NULL: none. */
const struct threshold *thresholds_find(const struct thresholds *thresholds, const char *case_name,
					const char *name);

#endif
