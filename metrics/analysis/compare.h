/*
 * compare: tests whether a case became slower. The test uses the medians of the
 * rounds, and each round runs in its own process. Samples of one process vary
 * less than samples of different processes, so a test that treated all samples as
 * independent would report differences that do not exist (docs/intervals.md).
 */
#ifndef METRICS_ANALYSIS_COMPARE_H
#define METRICS_ANALYSIS_COMPARE_H

#include "metrics/analysis/noise.h"

/* The change from base to head. All NAN if either has no round. */
struct effect {
	double change;    /* head / base - 1, of the geometric means of the medians */
	double low, high; /* its 95 % interval, not adjusted for other cases */
	/* The probability of a difference at least as large if nothing changed, not adjusted. */
	double p;
	/* All rounds of the head are slower than all rounds of the base, or all are faster, or the
	 * ranks of the rounds would differ so much by chance with at most RANK_LEVEL. This test
	 * assumes no distribution. False if either has fewer than two rounds. */
	bool separated;
	double variance; /* of the logarithm of the median of one round, as the test takes it */
	/* One-sided 95 % bounds of the change. A case is unchanged if both are within the
	 * resolution: two one-sided tests of 5 % each (Schuirmann, J. Pharmacokin. Biopharm. 15,
	 * 1987). The interval above is wider. */
	double bound_low, bound_high;
	double weight; /* of the noise in this variance */
	/* What is known of sessions: the standard error of a difference between two of them. No
	 * number of rounds makes it smaller. NAN: nothing is known. */
	double session_error, session_freedom;
	bool by_sessions; /* the sessions scatter more than the rounds, so the interval is theirs */
};
#define EFFECT_LEVEL 0.05 /* of the interval */
#define EFFECT_UNKNOWN                                                         \
	{                                                                      \
		NAN, NAN, NAN, NAN, false, NAN, NAN, NAN, NAN, NAN, NAN, false \
	}
/* The level of the two-sided rank-sum tests. With fewer than RANK_ROUNDS_LEAST rounds in all, only
 * full separation passes. */
#define RANK_LEVEL 0.01
#define RANK_ROUNDS_LEAST 11

/* What an effect takes into account besides the rounds of base and head. */
struct effect_context {
	struct noise noise;              /* of a round */
	struct session_scatter sessions; /* of the case */
	double share; /* that an interim analysis (regress.h) may spend of the errors; 1: all */
};

/*
 * Computes interval and p by Student's t test on the logarithms of the rounds.
 * The variance combines the rounds of base and head with the known noise,
 * weighted by degrees of freedom (a moderated t statistic: Smyth, "Linear models
 * and empirical Bayes methods", Stat. Appl. Genet. Mol. Biol. 3(1), 2004). If sessions of equal
 * code scatter more than that, their scatter decides. With a share below 1 the interval is wider,
 * and p is divided by it. p is NAN if nothing tells how rounds scatter: one round each, no noise.
 */
struct effect effect_of(struct process_medians base, struct process_medians head,
			const struct effect_context *context);
/* The probability of a difference of logarithms at least as large if nothing changed, with so many
 * rounds that scatter like those of the effect, and the half width of an interval that misses with
 * the probability `level`. */
double effect_chance(const struct effect *effect, double difference, size_t base, size_t head);
double effect_reach(const struct effect *effect, double level, size_t base, size_t head);
/* Sets p, the interval and the bounds from the change, the variance and what is known of sessions.
 */
void effect_set_interval(struct effect *effect, size_t base, size_t head, double share);
/*
 * Sets the 95 % interval of each time of a run within its session: the median of a repetition with
 * as many rounds lies in it. It covers samples, placements and rounds, not another session or
 * another card, and always contains the median. Without two rounds there is none: both ends are
 * NAN. The run is loaded with rounds.
 */
void run_set_intervals(struct run *run);
/* Widens that of a trial to what earlier sessions of equal code say. Returns whether it did: false
 * if nothing is known of them, or they scatter less. */
bool summary_widen(struct summary *summary, const struct session_scatter *sessions);

/* What the interval of an effect covers: "rounds", with samples and placements, or "sessions", with
 * these, too, of one card. NULL: there is no interval. Static. */
const char *effect_covers(const struct effect *effect);

/* Adjusts the p of several cases so that the probability of any false alarm among all of them stays
 * below the level of the test: S. Holm, Scand. J. Statist. 6, 1979. Ignores NAN. */
void effects_adjust(double *p, size_t count);

/* What times of equal code can differ by because of the clock, however short they are, once the
 * cost of the events was taken off: docs/results/clocks.md. A case is unchanged, too, if both
 * bounds are within it. */
#define CLOCK_RESOLUTION_NS 100.0

struct change_limits {
	double smallest;     /* a smaller relative change is never reported: 0.005 */
	double resolution;   /* a one-sided bound beyond this does not rule out a change: 0.01 */
	double false_alarms; /* probability of a false alarm among all cases: 0.05 */
};
extern const struct change_limits change_limits_default;

/*
 * Reports a change if the rounds are separated, adjusted_p is below
 * limits->false_alarms, and the change is at least limits->smallest. Returns
 * CHANGE_INCONCLUSIVE if the effect is NAN.
 */
enum change effect_judge(const struct effect *effect, double adjusted_p,
			 const struct change_limits *limits);

/* ---- distributions ---- */

/* P(|T| >= t) of Student's distribution with `freedom` degrees of freedom, which is above 0. */
double student_two_sided(double t, double freedom);
/* The t with student_two_sided(t, freedom) == p, for p in (0, 1). */
double student_quantile(double p, double freedom);

#endif
