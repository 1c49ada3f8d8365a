/*
 * regress: two runs held against each other, case by case. Time is judged by
 * the medians of rounds (metrics/analysis/compare.h), with one correction for all
 * cases; counters that repeat exactly are compared exactly, and any other
 * counter only within a limit that a user gives. docs/methodology.md says why.
 */
#ifndef METRICS_ANALYSIS_REGRESS_H
#define METRICS_ANALYSIS_REGRESS_H

#include "metrics/analysis/compare.h"
#include "metrics/analysis/thresholds.h"
#include "metrics/catalogue/catalogue.h"

struct run;
struct trial;

/* One case in two runs. Borrowed. */
struct regress_pair {
	const struct trial *base, *head; /* with their rounds; one of them may be NULL */
	uint64_t base_seed, head_seed;   /* of their runs: of the inputs */
	const char *note;                /* what `why` begins with; NULL: nothing */
};

/* Which counters are compared, beside those to which a threshold gives a limit. */
enum regress_counters {
	REGRESS_COUNTERS_EXACT, /* all that repeat exactly and are not derived of others */
	REGRESS_COUNTERS_NONE,  /* not even those with a limit */
	REGRESS_COUNTERS_NAMED,
};

struct regress_options {
	struct change_limits limits;
	const struct thresholds *thresholds; /* NULL: none */
	enum regress_counters counters;
	const struct string_list *names; /* REGRESS_COUNTERS_NAMED */
	/* Differences between equal launches of equal machine code are judged as any other. */
	bool judge_same_code;
};

/* A counter whose value differs. */
struct counter_change {
	const char *metric, *unit; /* of the head's trial */
	double base, head;
	enum worse worse; /* of the catalogue, or by threshold */
	int verdict;      /* 1: worse than its limit allows, -1: better, 0: neither */
};

struct regress_case {
	char *name; /* "reduce/shuffle/block=256,n=16777216" */
	const struct trial *base, *head;
	enum change verdict;
	bool gates;   /* a regression, or a failure where the base was fine: reason to stop */
	bool ignored; /* a threshold leaves it out: nothing of it was compared */
	char *why;    /* in words; NULL: nothing to add */

	bool timed;           /* both have times, and no threshold ignores them */
	struct effect effect; /* all NAN when not timed */
	double adjusted_p;
	enum change time; /* of time alone; CHANGE_INCONCLUSIVE when not timed */
	struct change_limits limits;

	size_t counters_compared;
	struct counter_change *counters; /* those that differ */
	size_t counter_count;
	bool same_code, same_launch; /* known to be */
};

struct regress {
	struct regress_case *cases; /* in the order of the pairs */
	size_t count;
	size_t tally[CHANGE_COUNT]; /* without the ignored */
	size_t ignored, gating;
	size_t compared; /* in time, or by a counter at least */
};

/*
 * Cases that came to nothing on both sides (skipped, not run) are left out.
 * What it is given must live as long as *out. PL_EUSAGE: a named counter that
 * does not repeat exactly and has no limit by any threshold.
 */
int regress_judge(struct regress *out, const struct regress_pair *pairs, size_t count,
		  const struct regress_options *options, struct error *err);
void regress_release(struct regress *regress);

/* The cases of two runs: in the order of the head, then what only the base has. *out is malloc'd.
 */
size_t regress_pairs(struct regress_pair **out, const struct run *base, const struct run *head);

/* ---- surroundings ---- */

struct regress_difference {
	const char *what; /* "driver" */
	char *base, *head;
	bool refuses; /* numbers are not to be compared unasked */
	bool never;   /* they are not to be compared at all */
};
struct regress_differences {
	struct regress_difference *items;
	size_t count, capacity;
};
/*
 * What differs between two runs beside the code: device, driver, toolkit,
 * build, clocks, cache. What one of them does not know is no difference. The
 * clocks are those of the rounds of the trials.
 */
void regress_differ(struct regress_differences *out, const struct run *base,
		    const struct run *head);
void regress_differences_release(struct regress_differences *differences);

#endif
