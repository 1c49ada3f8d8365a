/*
 * sequential_tests: how often the times of a case may be judged while its rounds are still
 * measured.
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
#ifndef METRICS_ANALYSIS_SEQUENTIAL_TESTS_H
#define METRICS_ANALYSIS_SEQUENTIAL_TESTS_H

#include "metrics/analysis/compare.h"

#define INTERIM_COUNT 3
/* The facts of a run that was measured with --decide, in its environment. */
#define SEQUENTIAL_FIRST_KEY "decide.first_rounds"  /* rounds at the first interim analysis: "3" */
#define SEQUENTIAL_USED_KEY "decide.rounds_used"    /* the later rounds are not used: "8" */
#define SEQUENTIAL_MOVED_KEY "decide.control_moved" /* why: "0.0041" */
#define SEQUENTIAL_FIRST_MOST 10000

struct run;
struct trial;

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
/* Whether so many rounds would decide it. */
bool rounds_would_decide(const struct effect *effect, size_t base, size_t head,
			 const struct change_limits *limits, double share, size_t cases);

#endif
