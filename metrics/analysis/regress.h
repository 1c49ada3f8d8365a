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
#include "metrics/analysis/verdict.h"
#include "metrics/catalogue/catalogue.h"

/* ---- thresholds ---- */

/*
 * Thresholds: how much a case may change before `perflab regress` reports a
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

/* ---- interim analyses ---- */

/*
 * How often the times of a case may be judged while its rounds are still measured.
 *
 * A test that is repeated until it shows a change gives more false alarms than a test that is made
 * once. `perflab sweep --decide` therefore judges a case only at fixed numbers of rounds, its
 * interim analyses. Each of them spends a share of the 5 % (alpha spending: Lan and DeMets,
 * "Discrete sequential boundaries for clinical trials", Biometrika 70(3), 1983). The shares add up
 * to 1. By Bonferroni's inequality the probability that any interim analysis is wrong is then at
 * most 5 %, whatever the dependence between them and whatever decides when to stop. If both runs of
 * a comparison were measured this way, a pair of interim analyses has the product of their shares.
 * Over all pairs the products add up to 1, too.
 */

#define INTERIM_COUNT 3
/* The facts of a run that was measured with --decide, in its environment. */
#define SEQUENTIAL_FIRST_KEY "decide.first_rounds"  /* rounds at the first interim analysis: "3" */
#define SEQUENTIAL_USED_KEY "decide.rounds_used"    /* the later rounds are not used: "8" */
#define SEQUENTIAL_MOVED_KEY "decide.control_moved" /* why: "0.0041" */
#define SEQUENTIAL_FIRST_MOST 10000

/* The interim analyses of a run. All 0: it is judged once, with all of its rounds. */
struct sequential_test {
	int first;    /* rounds of a case at its first interim analysis, at least 2 */
	int used;     /* rounds from this number (from 0) on are not used; 0: all are */
	double moved; /* the reason: by how much the control cases moved, relative */
};
/* Ignores facts that are no numbers of rounds, as in a damaged database. */
struct sequential_test sequential_test_of_run(const struct run *run);

/* Why not all rounds are used, malloc'd; NULL: all are. */
char *sequential_test_discarded(const struct sequential_test *test);

/* The rounds that a case has at an interim analysis, whose number counts from 0. With first = 3: 3,
 * 8, 20. */
int interim_rounds(int first, int interim);
/* The share of the probability of errors that an interim analysis spends. All shares add up to 1.
 */
double interim_share(int interim);
/* The last interim analysis for which the trial, loaded with rounds, has enough rounds that are
 * used. */
int interim_last(const struct sequential_test *test, const struct trial *trial);
/* The rounds that an interim analysis judges: those with a number below this. */
int interim_limit(const struct sequential_test *test, int interim);
/* interim_share(), or 1 if the run is judged once. */
double interim_share_of(const struct sequential_test *test, int interim);

/* How many rounds would decide a case, if its change and its scatter stay as they are. 0: none up
 * to ROUNDS_NEEDED_MOST. */
struct rounds_needed {
	int each; /* rounds of each run */
	int head; /* rounds of the head, if the base gets no more */
};
#define ROUNDS_NEEDED_MOST 1000
/* `share` is that of the interim analysis that decides, and `cases` the number of cases that are
 * judged together. The effect is known; base and head are the numbers of its rounds. */
struct rounds_needed rounds_needed_for(const struct effect *effect, size_t base, size_t head,
				       const struct change_limits *limits, double share,
				       size_t cases);
/* Whether `base` and `head` rounds would decide the case. */
bool rounds_would_decide(const struct effect *effect, size_t base, size_t head,
			 const struct change_limits *limits, double share, size_t cases);

/* ---- the cases of two runs ---- */

/* One case in two runs. Borrowed. */
struct regress_pair {
	const struct trial *base, *head; /* loaded with rounds; one of them may be NULL */
	uint64_t base_seed, head_seed;   /* of the runs: the seeds of the inputs */
	struct sequential_test base_test, head_test; /* of the runs */
	struct noise noise;                          /* of the rounds of both runs */
	struct session_scatter sessions;             /* of the case; unknown: all 0 */
	bool same_toolchain; /* driver and toolkit: nothing is known to differ */
	/* What limits the case, as judged when the base was measured. Only the clock of what limits
	 * a case can explain its change. */
	enum bound limiter;
	const char *note; /* the beginning of `why`; NULL: none */
	/* The head was measured beside the base: its speed-up, which is judged, decides. */
	bool beside;
	/* Neither was measured, because code, launch and data are the same. */
	bool not_measured;
};

/* Sets what a pair has from its runs. `noise` is that of both. */
void regress_pair_set_runs(struct regress_pair *pair, const struct run *base,
			   const struct run *head, const struct noise *noise);

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
	/* Judge equal code by its times and counters, too: no case is CHANGE_SAME_CODE. */
	bool judge_same_code;
};

/* A counter with different values in base and head. */
struct counter_change {
	const char *metric, *unit; /* borrowed from the trial of the head */
	double base, head;
	enum worse worse; /* from the catalogue or a threshold */
	int verdict;      /* 1: worse than its limit allows, -1: better, 0: neither */
};

/* Why a difference that is larger than the scatter is no change yet. */
enum time_doubt {
	DOUBT_NONE,
	DOUBT_UNCONFIRMED, /* an interim analysis found it, and the next one has no rounds yet */
	DOUBT_TWO_MODES,   /* the rounds of a run have two modes */
	DOUBT_OUTLIERS,    /* a few rounds make the difference */
};

struct regress_case {
	char *name; /* "reduce/shuffle/block=256,n=16777216" */
	const struct trial *base, *head;
	enum change verdict;
	bool gates;    /* regressed, or failed although the base has a result: `regress` exits 1 */
	bool by_lines; /* it gates only because its lines do more work; see line_changes.h */
	bool ignored;  /* excluded by a threshold: nothing was compared */
	char *why;     /* the explanation; NULL: none */
	bool unverified; /* of at least one run; `why` says of which */

	bool timed; /* both have times, and no threshold ignores the time */
	/* All NAN if not timed. Only change and variance are known without two rounds in each run.
	 */
	struct effect effect;
	double adjusted_p;
	enum change time; /* the verdict by time alone; CHANGE_INCONCLUSIVE if not timed */
	struct change_limits limits;
	struct sequential_test base_test, head_test;
	struct effect_context context; /* the share is that of the last comparison */
	enum bound limiter;            /* of the pair */
	bool beside;                   /* as in struct regress_pair */
	bool other_base; /* the base is a run of its own, which the report names only here */
	size_t base_rounds, head_rounds; /* that the effect compares */
	/* Inconclusive by time because the rounds are too few or scatter too much, and not because
	 * something else explains the change, or the code is the same. */
	bool undecided;
	struct rounds_needed needed; /* of an undecided case */
	enum time_doubt doubt;       /* of an undecided case */
	/* How alike rounds are that follow each other in these runs (regress_doubts.h). Intervals
	 * are wider for it. */
	double correlation;
	int found; /* private: the sign of the change that the interim analysis before found */

	size_t counters_compared;
	struct counter_change *counters; /* those that differ, the largest relative change first */
	size_t counter_count;
	bool same_code, same_launch; /* both hashes are known and equal */
	bool by_code; /* equal code, launch, data and toolchain decide: CHANGE_SAME_CODE */
};

struct regress {
	struct regress_case *cases; /* in the order of the pairs */
	size_t count;
	size_t tally[CHANGE_COUNT]; /* number of cases per verdict, without ignored cases */
	size_t ignored, gating;
	size_t unverified; /* cases with `unverified` */
	size_t by_lines;   /* cases with `by_lines` */
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

/* The part of a change of the SM clock that the time of a case follows: 1 if what limits it runs at
 * that clock; as far as sessions of equal code showed it; 0: it does not, or nobody knows. *why
 * says which, static. */
double regress_clock_dependence(const struct regress_case *item, const char **why);

void regress_release(struct regress *regress);

/* Pairs the cases of two runs: in the order of the head, then the cases that only the base has.
 * Returns their number; *out is malloc'd. */
size_t regress_pairs(struct regress_pair **out, const struct run *base, const struct run *head);

/* ---- regress_time.c, for regress.c ---- */

/* Sets item->timed and item->limits. */
void regress_find_times(struct regress_case *item, const struct regress_options *options);
/*
 * Sets the effect, the adjusted p and the verdict by time of all cases that have times. A run that
 * was measured with --decide is judged at its interim analyses in turn, as it was measured: the
 * first interim analysis that decides a case gives its verdict, so later rounds of a control case
 * change nothing.
 */
void regress_judge_times(struct regress *regress);

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

/* ---- devices ---- */

/* Cases on two devices. A ratio of times says how the devices differ; it is never a regression or
 * an improvement, so nothing here judges. */

/* A case that both runs measured, with the same work model. Borrowed. */
struct card_pair {
	const struct trial *here, *there;
	/* Time there / time here: above 1, `here` is faster. Of the geometric means of the rounds,
	 * with the 95 % interval of effect_of(); if that gives none, of the medians of all samples,
	 * with NAN for the interval. NAN also without two rounds in each run. */
	double ratio, low, high;
};
struct card_pairs {
	struct card_pair *items; /* in the order of `there` */
	size_t count;
	size_t only_here, only_there; /* measured in one of the runs only */
	size_t other_work;            /* of the same name, but the work depends on the device */
};

/* Whether the runs are of different kinds of device: name, chip, multiprocessors or memory. */
bool cards_differ(const struct run *a, const struct run *b);
/* Both runs have the rounds of their trials. */
void card_pairs_of(struct card_pairs *out, const struct run *here, const struct run *there);
void card_pairs_release(struct card_pairs *pairs);

#endif
