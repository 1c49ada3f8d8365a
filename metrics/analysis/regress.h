/*
 * regress: compares two runs, the base and the head, case by case. Time is
 * judged by the medians of rounds (metrics/analysis/compare.h), with one
 * correction for all cases. Counters that repeat exactly are compared exactly;
 * any other counter is compared only if the user gives it a limit.
 * docs/regress.md explains why.
 */
#ifndef METRICS_ANALYSIS_REGRESS_H
#define METRICS_ANALYSIS_REGRESS_H

#include "metrics/analysis/compare.h"
#include "metrics/analysis/sequential_tests.h"
#include "metrics/analysis/thresholds.h"
#include "metrics/catalogue/catalogue.h"

struct run;
struct trial;

/* One case in two runs. Borrowed. */
struct regress_pair {
	const struct trial *base, *head; /* loaded with rounds; one of them may be NULL */
	uint64_t base_seed, head_seed;   /* of the runs: the seeds of the inputs */
	struct sequential_test base_test, head_test; /* of the runs */
	const char *note;                            /* the beginning of `why`; NULL: none */
};

/* The counters to compare in addition to those with a limit in the thresholds. */
enum regress_counters {
	REGRESS_COUNTERS_EXACT, /* all that repeat exactly and are not derived */
	REGRESS_COUNTERS_NONE,  /* none, not even those with a limit */
	REGRESS_COUNTERS_NAMED, /* those in `names` */
};

struct regress_options {
	struct change_limits limits;
	const struct thresholds *thresholds; /* NULL: none */
	enum regress_counters counters;
	const struct string_list *names; /* for REGRESS_COUNTERS_NAMED */
	/* Equal launches of equal machine code may be called regressed or improved too. */
	bool judge_same_code;
};

/* A counter with different values in base and head. */
struct counter_change {
	const char *metric, *unit; /* borrowed from the trial of the head */
	double base, head;
	enum worse worse; /* from the catalogue or a threshold */
	int verdict;      /* 1: worse than its limit allows, -1: better, 0: neither */
};

struct regress_case {
	char *name; /* "reduce/shuffle/block=256,n=16777216" */
	const struct trial *base, *head;
	enum change verdict;
	bool gates;   /* regressed, or failed although the base has a result: `regress` exits 1 */
	bool ignored; /* excluded by a threshold: nothing was compared */
	char *why;    /* the explanation; NULL: none */
	bool unverified; /* of at least one run; `why` says of which */

	bool timed;           /* both have times, and no threshold ignores the time */
	struct effect effect; /* all NAN if not timed */
	double adjusted_p;
	enum change time; /* the verdict by time alone; CHANGE_INCONCLUSIVE if not timed */
	struct change_limits limits;
	struct sequential_test base_test, head_test;
	bool other_base; /* the base is a run of its own, which the report names only here */
	size_t base_rounds, head_rounds; /* that the effect compares */
	/* Inconclusive by time because the rounds are too few or scatter too much, and not because
	 * something else explains the change. */
	bool undecided;
	struct rounds_needed needed; /* of an undecided case */

	size_t counters_compared;
	struct counter_change *counters; /* those that differ, the largest relative change first */
	size_t counter_count;
	bool same_code, same_launch; /* both hashes are known and equal */
};

struct regress {
	struct regress_case *cases; /* in the order of the pairs */
	size_t count;
	size_t tally[CHANGE_COUNT]; /* number of cases per verdict, without ignored cases */
	size_t ignored, gating;
	size_t unverified; /* cases with `unverified` */
	size_t compared;   /* cases compared by time or by at least one counter */
};

/*
 * Judges all pairs. Leaves out cases that were skipped or not run in both runs.
 * The pairs, trials and options must outlive *out. Returns PL_EUSAGE for a
 * requested counter that no case has in both runs, or that does not repeat
 * exactly and has no limit in the thresholds.
 */
int regress_judge(struct regress *out, const struct regress_pair *pairs, size_t count,
		  const struct regress_options *options, struct error *err);
void regress_release(struct regress *regress);

/* Pairs the cases of two runs: in the order of the head, then the cases that only the base has.
 * Returns their number; *out is malloc'd. */
size_t regress_pairs(struct regress_pair **out, const struct run *base, const struct run *head);

/* ---- environments ---- */

/* A difference between the environments of two runs. */
struct regress_difference {
	const char *what; /* "driver" */
	char *base, *head;
	bool refuses; /* the runs are compared only with --allow-different */
	bool never;   /* the runs are never compared */
};
struct regress_differences {
	struct regress_difference *items;
	size_t count, capacity;
};
/*
 * Lists what differs between two runs apart from the code: backend, device, driver,
 * toolkit, build type, cache mode, clocks, persistence mode and so on. A value that only one run
 * knows is listed, but does not refuse the comparison. The clocks come from the
 * rounds of the trials, so load the runs with rounds.
 */
void regress_differ(struct regress_differences *out, const struct run *base,
		    const struct run *head);
void regress_differences_release(struct regress_differences *differences);

#endif
