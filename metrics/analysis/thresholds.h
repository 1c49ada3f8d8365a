/*
 * thresholds: how much a case may change before it is called a regression, by
 * patterns of cases, in a file that stands in its user's repository. A line a
 * rule; what a later line says of a case stands in the place of what an
 * earlier one said:
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

/* Found in the working directory where no file is named. */
#define THRESHOLDS_NAME "perflab.thresholds"
#define THRESHOLDS_TIME "time"
/* A file of more bytes is none. */
#define THRESHOLDS_LIMIT ((size_t)1 << 20)

/* A word of a line: NAME=LIMIT, ignore=NAME, or ignore (name NULL). */
struct threshold {
	char *name; /* "time", or a metric */
	bool ignore;
	double limit;     /* relative; NAN with ignore */
	enum worse worse; /* of a metric; of the catalogue, if the sign does not say */
};

struct threshold_rule {
	char *pattern; /* as pattern_matches() takes it */
	size_t line;   /* of the file, from 1 */
	struct threshold *items;
	size_t count, capacity;
};

struct thresholds {
	struct threshold_rule *rules;
	size_t count, capacity;
};

/* `name` is how messages call the file. PL_EPARSE names file and line, and says what is expected;
 * *out is empty then. */
int thresholds_parse(struct thresholds *out, const char *name, const char *bytes, size_t length,
		     struct error *err);
void thresholds_release(struct thresholds *thresholds);

/* Whether a case is to be left out: an `ignore` that no later line with a limit takes back. */
bool thresholds_ignore(const struct thresholds *thresholds, const char *case_name);
/* What is said last of "time" or of a metric in a case; NULL: nothing. */
const struct threshold *thresholds_find(const struct thresholds *thresholds, const char *case_name,
					const char *name);

#endif
