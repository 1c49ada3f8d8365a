/*
 * speedup: how much faster a case is than the base case that was timed beside it. The two
 * operations take turns, so each sample of the case has one of the base case next to it in time,
 * and drift of the device cancels in their ratio. Within a round the estimate is the mean of the
 * middle half of the logarithms of these ratios: like a median it ignores outliers, but it uses
 * more of the samples, and it does not stick to the steps of the event clock. A round is one
 * observation, because it runs in its own process (compare.h says why).
 */
#ifndef METRICS_ANALYSIS_SPEEDUP_H
#define METRICS_ANALYSIS_SPEEDUP_H

#include "metrics/analysis/compare.h"

/* The known noise of a round's speed-up on the same buffers, as a standard deviation, and the steps
 * of the event clock, 33 ns, of both times. Measured: docs/results/pairs.md. */
#define PAIR_NOISE_RELATIVE 0.001
#define PAIR_NOISE_STEP_NS 33.0
/* The weight of the known noise, in degrees of freedom, compared with the rounds of a pair. */
#define PAIR_NOISE_WEIGHT 6.0
/* What the place of other buffers adds to the time of each operation. Fresh processes often get
 * the same memory, so that rounds do not average it out. */
#define PLACE_NOISE_RELATIVE 0.006

/* ---- one round ---- */

/* The estimate of one round. NAN: there is no pair of times above 0. */
struct round_speedup {
	double log_speedup; /* logarithm of: time of the base case / time of the case */
	/* Half width of its 95 % interval: Student's t for a trimmed mean, from the winsorised
	 * variance (Tukey & McLaughlin, Sankhya A 25, 1963). INFINITY with fewer than 6 pairs. */
	double reach;
};
struct round_speedup round_speedup_of(const double *time_ns, const double *base_ns, size_t count);
/* The speed-up alone: exp(log_speedup). */
double speedup_of_round(const double *time_ns, const double *base_ns, size_t count);

/* ---- all rounds of a case ---- */

/* The speed-up over all rounds. All NAN if no round has one. */
struct speedup_effect {
	double speedup, low, high; /* with its 95 % interval, not adjusted for other cases */
	/* The probability of a speed-up at least as far from 1 if there were none, not adjusted. */
	double p;
	/* At least two rounds, and all of them are above 1 or all below it; of RANK_ROUNDS_LEAST
	 * rounds or more, as many as the sign test asks for. */
	bool agreed;
	size_t rounds;
	bool same_buffers; /* in all rounds */
};
/*
 * Computes interval and p by Student's t test on the logarithms of the rounds, whose variance is
 * combined with the known noise as in compare.h. Other buffers add their noise once, however many
 * rounds there are.
 */
struct speedup_effect speedup_effect_of(const struct round_summary *rounds, size_t count);

/* A smaller difference than 0.002 is never reported. */
extern const struct change_limits speedup_limits_default;

/* Reports a difference if the rounds agree, adjusted_p is below limits->false_alarms, and the
 * difference is at least limits->smallest. SPEEDUP_NOT_MEASURED if the effect is NAN. */
enum speedup_verdict speedup_effect_judge(const struct speedup_effect *effect, double adjusted_p,
					  const struct change_limits *limits);

/*
 * Judges all pairs of a run that was loaded with its rounds: sets verdict, numbers and reason of
 * each trial that has a base case, except base_median_ns. The p of all of them are adjusted
 * together. Rounds that --decide added because of speed-ups are judged at its interim analyses
 * (regress.h): the first that decides a case gives its verdict. A trial has no speed-up if it or
 * the base case's own trial was not measured, or if it already has a reason.
 */
void speedups_judge(struct run *run);

/* ---- in words, as reports and messages show them ---- */

/* Adds the speed-up with as many decimals as its interval justifies: "1.042". It must be measured.
 */
void speedup_number_text(struct text *out, const struct trial_speedup *speedup);
/* Why a trial has no speed-up, of a run that has ended. Borrowed. */
const char *speedup_refusal_text(const struct trial_speedup *speedup);
/* Adds "new is 1.042 times as fast as old (1.040 to 1.044): faster", or "new: not measured: "
 * and the reason. The trial must have a base case. */
void speedup_text(struct text *out, const struct trial *trial);
/* Adds the sentence of the only speed-up, or how many there are of each verdict: "3 faster, 1
 * inconclusive, 2 not measured". Adds nothing if no trial has a base case, or if the backend
 * measures no times. */
void speedups_text(struct text *out, const struct run *run);

#endif
