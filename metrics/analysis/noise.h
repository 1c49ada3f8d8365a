/*
 * noise: how much the times of equal code scatter between rounds, and between sessions, which are
 * runs at different times. It is estimated from the cases of runs (docs/intervals.md).
 */
#ifndef METRICS_ANALYSIS_NOISE_H
#define METRICS_ANALYSIS_NOISE_H

#include "metrics/metrics.h"

/* About what an empty kernel takes on an H200. Rounds of different runs are compared as if it took
 * so long in all of them; which time that is matters little, because only differences count. */
#define EMPTY_KERNEL_NS 1800

/* Medians of the rounds of a case, in ns, all above 0. Borrowed. */
struct process_medians {
	const double *time_ns;
	size_t count;
};
/* Those of the rounds of a trial with a number below `limit`. *held is malloc'd and holds them. In
 * some processes every launch takes 0.15 us longer, an empty one, too (docs/results/clocks.md):
 * they are as if an empty kernel took the same in all rounds of the trial, where the rounds
 * measured it. */
struct process_medians trial_medians(const struct trial *trial, int limit, double **held);

/*
 * What is known of the scatter of a case before its own numbers: that of the cases around it. The
 * variance of a logarithm is relative^2 + (absolute_ns / time)^2.
 */
struct noise {
	double relative, absolute_ns;
	double weight; /* in degrees of freedom; 0: nothing is known */
};
/* How the medians of rounds scatter on an H200. Measured: docs/results/regress-noise.md. */
extern const struct noise noise_of_h200;
/* The variance of the logarithm of a time. */
double noise_variance(const struct noise *noise, double time_ns);

/* As far as the device tells: that of an H200, or nothing. */
struct noise noise_of_device(const struct device_info *device);

/* The scatter of one case. */
struct scatter_seen {
	double time_ns;
	double variance; /* of the logarithms */
	double freedom;  /* above 0 */
};
/* That of the rounds of a trial. False: it has no two rounds. */
bool trial_scatter(struct scatter_seen *out, const struct trial *trial);

/* With fewer cases nothing is estimated from them. */
#define NOISE_CASES_LEAST 20
/*
 * Estimates the noise from the scatter of many cases, as limma does: by the mean and the variance
 * of the logarithms of the variances (Smyth 2004, section 6.2). The weight is 0 if there are too
 * few cases.
 */
struct noise noise_estimate(const struct scatter_seen *seen, size_t count);
/*
 * The noise of the rounds of runs: estimated from their cases. With too few cases, that of
 * the device of the last run. Runs are loaded with rounds; there is at least one.
 */
struct noise noise_of_runs(const struct run *const *runs, size_t count);

/* ---- rounds that are like those before them ---- */

/* The rounds of the cases of one run, in the order of measurement. */
struct round_series {
	struct process_medians *cases;
	size_t count;
};
/*
 * The correlation of rounds that follow each other, estimated from all series together; 0: no more
 * than chance explains. What all cases of a run share from round to round does not count; the
 * control cases of --decide show it, and an interval of a session does not cover it.
 *
 * For one series, (sum of squared differences of neighbours) / (sum of squares about the mean) is 2
 * in the mean if every order of the rounds is equally likely, whatever their distribution (von
 * Neumann, Ann. Math. Statist. 12, 1941). So few rounds per case bias nothing.
 */
double rounds_correlation(const struct round_series *runs, size_t run_count);
/* By how much a mean of `count` such rounds varies more than their own scatter says: a factor of
 * the variance. */
double correlation_factor(double correlation, size_t count);

/* How the mean logarithm of a case scatters between sessions of equal code. freedom 0: unknown. */
struct session_scatter {
	double variance, freedom;
	size_t sessions; /* of this case */
	/* By how much the time follows the SM clock: 1 if it is as many cycles at any clock, 0 if
	 * the clock does not matter. NAN: the sessions have one clock, or too few are known. */
	double clock_dependence;
};

/* A case in a run. */
struct session {
	double level;       /* the mean of the logarithms of the medians of its rounds, in ns */
	double sm_clock_hz; /* NAN: not measured */
	bool same_code;     /* as in the newest session: code, launch and toolchain are equal */
};
/* The sessions of a case, oldest first. */
struct case_sessions {
	double time_ns;
	struct session *items;
	size_t count;
};
/*
 * Estimates the scatter of each case from its sessions of equal code and from those of all cases,
 * as limma does. Sessions whose code is not known to be equal tell only how cases scatter in
 * general, by differences of at most 2 %: a commit changes few of many kernels.
 */
void session_scatters_find(struct session_scatter *out, const struct case_sessions *cases,
			   size_t count);

#endif
