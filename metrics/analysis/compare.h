/*
 * compare: tests whether a case became slower. The test uses the medians of the
 * rounds, and each round runs in its own process. Samples of one process vary
 * less than samples of different processes, so a test that treated all samples as
 * independent would report differences that do not exist (docs/intervals.md).
 */
#ifndef METRICS_ANALYSIS_COMPARE_H
#define METRICS_ANALYSIS_COMPARE_H

#include "metrics/metrics.h"

/* The known noise: the standard deviation of a median between processes, relative to the median and
 * in ns. Its weight, in degrees of freedom. Measured: docs/results/regress-noise.md. */
#define PROCESS_NOISE_RELATIVE 0.001
#define PROCESS_NOISE_NS 150.0
#define PROCESS_NOISE_WEIGHT 4.0

/* Medians of the rounds of a case, in ns, all above 0. Borrowed. */
struct process_medians {
	const double *time_ns;
	size_t count;
};

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
};
#define EFFECT_LEVEL 0.05 /* of the interval */
#define EFFECT_UNKNOWN                                   \
	{                                                \
		NAN, NAN, NAN, NAN, false, NAN, NAN, NAN \
	}
/* The level of the two-sided rank-sum tests. With fewer than RANK_ROUNDS_LEAST rounds in all, only
 * full separation passes. */
#define RANK_LEVEL 0.01
#define RANK_ROUNDS_LEAST 11

/*
 * Computes interval and p by Student's t test on the logarithms of the rounds.
 * The variance combines the rounds of base and head with the known noise above,
 * weighted by degrees of freedom (a moderated t statistic: Smyth, "Linear models
 * and empirical Bayes methods", Stat. Appl. Genet. Mol. Biol. 3(1), 2004).
 */
struct effect effect_of(struct process_medians base, struct process_medians head);
/* The effect at one of several interim analyses of a case (regress.h), which may spend
 * `share` of the probability of errors: the interval is wider, and p is divided by the share. */
struct effect effect_with_share(struct process_medians base, struct process_medians head,
				double share);
/* As effect_of() without the interval and the ranks, which take most of the time, from the spreads
 * of the logarithms of the medians: low and high are NAN, and only full separation counts. */
struct spread;
struct effect effect_test(const struct spread *base, const struct spread *head);

/* Adjusts the p of several cases so that the probability of any false alarm among all of them stays
 * below the level of the test: S. Holm, Scand. J. Statist. 6, 1979. Ignores NAN. */
void effects_adjust(double *p, size_t count);

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
