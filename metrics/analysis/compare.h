/*
 * compare: has a case become slower? Judged from the medians of its rounds,
 * each of which a process of its own took: samples of one process are more
 * alike than those of two, so that a test which takes them for independent
 * calls such differences real (docs/methodology.md).
 */
#ifndef METRICS_ANALYSIS_COMPARE_H
#define METRICS_ANALYSIS_COMPARE_H

#include "metrics/metrics.h"

/* How far a median moves from process to process, as a standard deviation relative to it: what is
 * known before a case is looked at. Measured: docs/results/regress-noise.md. */
#define PROCESS_NOISE_RELATIVE 0.001
#define PROCESS_NOISE_NS 200.0
/* Its weight against the rounds of the case itself, in degrees of freedom. */
#define PROCESS_NOISE_WEIGHT 6.0

/* Medians of the rounds of a case, in ns, all above 0. Borrowed. */
struct process_medians {
	const double *time_ns;
	size_t count;
};

/* From base to head. All NAN when either has no round. */
struct effect {
	double change;    /* head / base - 1, of the geometric means of the medians */
	double low, high; /* its 95 % interval, taken by itself */
	/* Chance of at least such a difference without a change, taken by itself. */
	double p;
	/* Every round of one lies on one side of every round of the other: by ranks alone, whatever
	 * the distribution. False with less than two rounds on either side. */
	bool separated;
};

/*
 * The variance between processes is that of the rounds' logarithms in base and
 * head, together with the noise known above, weighted by degrees of freedom (a
 * moderated t statistic: Smyth, "Linear models and empirical Bayes methods",
 * Stat. Appl. Genet. Mol. Biol. 3(1), 2004). Interval and p are Student's.
 */
struct effect effect_of(struct process_medians base, struct process_medians head);
/* The same without the interval, which takes longest: low and high are NAN. */
struct effect effect_test(struct process_medians base, struct process_medians head);

/* Makes each p the smallest level at which all cases together raise a false alarm no more often:
 * S. Holm, Scand. J. Statist. 6, 1979. NAN stays, and counts for nothing. */
void effects_adjust(double *p, size_t count);

struct change_limits {
	double smallest;   /* a change below it is never called one: 0.005 */
	double resolution; /* an interval that reaches beyond it does not rule a change out: 0.01 */
	double false_alarms; /* chance of one among all cases compared: 0.05 */
};
extern const struct change_limits change_limits_default;

/*
 * A change is called one when the rounds are separated, adjusted_p is below
 * limits->false_alarms and the change is not below limits->smallest; both tests
 * have to say so. Inconclusive with an effect that is NAN.
 */
enum change effect_judge(const struct effect *effect, double adjusted_p,
			 const struct change_limits *limits);

/* ---- distributions ---- */

/* P(|T| >= t) of Student's distribution with `freedom` degrees of freedom, above 0. */
double student_two_sided(double t, double freedom);
/* The t for which that is p, in (0, 1). */
double student_quantile(double p, double freedom);

#endif
