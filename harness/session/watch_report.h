/*
 * watch_report: how a measurement of a watch compares with the last one and with the best so far,
 * case by case.
 */
#ifndef HARNESS_SESSION_WATCH_REPORT_H
#define HARNESS_SESSION_WATCH_REPORT_H

#include "harness/session/session.h"
#include "metrics/analysis/regress.h"
#include "metrics/analysis/verdict.h"

/* A measurement of one case. Borrowed from the watch. */
struct watch_result {
	const struct run *run;     /* NULL: there is none */
	const struct trial *trial; /* with a result: trial_status_counted() */
	enum bound bound;          /* the limiter */
	double roof_pct;           /* see struct verdict */
	bool above_roof;           /* a finding: faster than the device can be */
};

/*
 * How a measurement compares with an earlier one of its case: symbol, words. A time is judged by
 * metrics/analysis/regress.h. That needs two rounds. With one round, a difference of over
 * WATCH_ONE_ROUND_NOISE outside the interval is called probable, and a smaller one noise.
 */
#define WATCH_CHANGE_LIST(X)                                                     \
	X(WATCH_NOT_COMPARED, "not compared")                                    \
	X(WATCH_FASTER, "faster")                                                \
	X(WATCH_SLOWER, "slower")                                                \
	X(WATCH_PROBABLY_FASTER, "probably faster, by one round")                \
	X(WATCH_PROBABLY_SLOWER, "probably slower, by one round")                \
	X(WATCH_SAME_TIME, "unchanged")                                          \
	X(WATCH_NOISE, "within noise")                                           \
	X(WATCH_CLOCKS, "within noise: the SM clock explains it")                \
	X(WATCH_SAME_CODE, "noise or environment: the machine code is the same") \
	X(WATCH_BETTER_COUNTS, "better counts")                                  \
	X(WATCH_WORSE_COUNTS, "worse counts")                                    \
	X(WATCH_OTHER_COUNTS, "other counts")                                    \
	X(WATCH_SAME_COUNTS, "the same counts")

enum watch_change {
#define X(symbol, words) symbol,
	WATCH_CHANGE_LIST(X)
#undef X
		WATCH_CHANGE_COUNT
};
const char *watch_change_words(enum watch_change change);

/* Three standard deviations of the difference of two single rounds. The median of a round differs
 * by 0.6 % (standard deviation) from worker to worker, because buffers lie elsewhere. */
#define WATCH_ONE_ROUND_NOISE 0.025

struct watch_base {
	struct watch_result result;        /* run NULL: there is no earlier one */
	const struct regress_case *judged; /* NULL without an earlier one */
	enum watch_change change;
};

struct watch_case {
	const struct trial *trial;
	struct watch_result now; /* run NULL: the case has no result */
	struct watch_base last, best;
	bool is_best;     /* verified, and faster than every earlier one by more than noise */
	bool new_problem; /* its work differs from that of the best, which is no base then */
};

/* Borrowed from the watch until its next measurement, except for what watch_report_release() frees.
 */
struct watch_report {
	const struct run *run;
	struct watch_case *cases; /* one per trial of the run, in its order */
	size_t count;
	bool outdated;   /* a file was saved meanwhile: what was measured is not its newest state */
	int64_t took_ns; /* since the save was noticed */
	struct sweep_times times;
	struct regress against_last, against_best;
};
void watch_report_release(struct watch_report *report);

#endif
