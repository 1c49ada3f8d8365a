/*
 * looks: how often the times of a case may be judged while its rounds are still measured.
 *
 * A test that is repeated until it shows a change gives more false alarms than a test that is made
 * once. `perflab sweep --decide` therefore judges a case only at fixed numbers of rounds, its
 * looks, and each look spends a share of the 5 % (alpha spending: Lan and DeMets, "Discrete
 * sequential boundaries for clinical trials", Biometrika 70(3), 1983). The shares add up to 1. By
 * Bonferroni's inequality the probability that any look is wrong is then at most 5 %, whatever the
 * dependence between the looks and whatever decides when to stop. If both runs of a comparison were
 * measured this way, the share of a pair of looks is the product of their shares. Over all pairs
 * the products add up to 1, too.
 */
#ifndef METRICS_ANALYSIS_LOOKS_H
#define METRICS_ANALYSIS_LOOKS_H

#include "metrics/analysis/compare.h"

#define LOOK_COUNT 3
/* The facts of a run that was measured with --decide, in its environment. */
#define LOOKS_FIRST_KEY "decide.first_rounds"  /* rounds at the first look: "3" */
#define LOOKS_USED_KEY "decide.rounds_used"    /* the later rounds are not used: "8" */
#define LOOKS_MOVED_KEY "decide.control_moved" /* why: "0.0041" */
#define LOOKS_FIRST_MOST 10000

struct run;
struct trial;

/* The looks of a run. All 0: it is judged once, with all of its rounds. */
struct looks {
	int first;    /* rounds of a case at its first look, at least 2 */
	int used;     /* rounds from this number (from 0) on are not used; 0: all are */
	double moved; /* the reason: by how much the control cases moved, relative */
};
/* Ignores facts that are no numbers of rounds, as in a damaged database. */
struct looks looks_of_run(const struct run *run);

/* Why not all rounds are used, malloc'd; NULL: all are. */
char *looks_discarded(const struct looks *looks);

/* The rounds that a case has at a look, from 0. With first = 3: 3, 8, 20. */
int look_rounds(int first, int look);
/* The share of a look of the probability of errors. The shares of all looks add up to 1. */
double look_share(int look);
/* The last look for which the trial, loaded with rounds, has enough rounds that are used. */
int look_last(const struct looks *looks, const struct trial *trial);
/* The rounds that a look judges: those with a number below this. */
int look_limit(const struct looks *looks, int look);
/* look_share(), or 1 if the run is judged once. */
double look_share_of(const struct looks *looks, int look);

/* How many rounds would decide a case, if its change and its scatter stay as they are. 0: none up
 * to ROUNDS_NEEDED_MOST. */
struct rounds_needed {
	int each; /* rounds of each run */
	int head; /* rounds of the head, if the base gets no more */
};
#define ROUNDS_NEEDED_MOST 1000
/* `share` is that of the look that decides, and `cases` the number of cases that are judged
 * together. The effect is known; base and head are the numbers of its rounds. */
struct rounds_needed rounds_needed_for(const struct effect *effect, size_t base, size_t head,
				       const struct change_limits *limits, double share,
				       size_t cases);
/* Whether so many rounds would decide it. */
bool rounds_would_decide(const struct effect *effect, size_t base, size_t head,
			 const struct change_limits *limits, double share, size_t cases);

#endif
