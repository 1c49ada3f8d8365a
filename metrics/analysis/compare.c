/* Compares the times of one case in two runs. */
#include "metrics/analysis/compare.h"
#include "metrics/analysis/statistics.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct change_limits change_limits_default = {
	.smallest = 0.005, .resolution = 0.01, .false_alarms = 0.05};

/* ---- Student's distribution ---- */

/* The continued fraction of the incomplete beta function, by the method of Lentz (NIST Digital
 * Library of Mathematical Functions, 8.17.22). It converges fast for x < (a + 1) / (a + b + 2). */
static double beta_fraction(double a, double b, double x)
{
	const double tiny = 1e-300, enough = 1e-15;
	double c = 1, d = 1 - (a + b) * x / (a + 1), value;

	d = 1 / (fabs(d) < tiny ? tiny : d);
	value = d;
	for (int m = 1; m <= 500; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		double factor = 1;

		for (int part = 0; part < 2; part++) {
			double term = part == 0 ? even : odd;

			d = 1 + term * d;
			d = 1 / (fabs(d) < tiny ? tiny : d);
			c = 1 + term / c;
			c = fabs(c) < tiny ? tiny : c;
			factor = c * d;
			value *= factor;
		}
		if (fabs(factor - 1) < enough)
			break;
	}
	return value;
}

/* The regularised incomplete beta function I_x(a, b). */
static double incomplete_beta(double a, double b, double x)
{
	int sign;
	double front;

	if (x <= 0 || x >= 1)
		return x <= 0 ? 0 : 1;
	front = exp(lgamma_r(a + b, &sign) - lgamma_r(a, &sign) - lgamma_r(b, &sign) + a * log(x) +
		    b * log1p(-x));
	return x < (a + 1) / (a + b + 2) ? front * beta_fraction(a, b, x) / a
					 : 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double student_two_sided(double t, double freedom)
{
	return incomplete_beta(freedom / 2, 0.5, freedom / (freedom + t * t));
}

double student_quantile(double p, double freedom)
{
	double low = 0, high = 1;

	while (student_two_sided(high, freedom) > p && high < 1e300)
		high *= 2;
	for (int halving = 0; halving < 200 && high - low > 1e-12 * high; halving++) {
		double middle = low / 2 + high / 2;

		*(student_two_sided(middle, freedom) > p ? &low : &high) = middle;
	}
	return high;
}

/* ---- effects ---- */

static struct spread spread_of_times(struct process_medians medians)
{
	double *values = xcalloc(medians.count + 1, sizeof(*values));
	struct spread spread;

	for (size_t i = 0; i < medians.count; i++)
		values[i] = log(medians.time_ns[i]);
	spread = spread_of(values, medians.count);
	free(values);
	return spread;
}

/* The number of pairs of rounds in which the head is slower; a tie counts half. */
static double slower_pairs(struct process_medians base, struct process_medians head)
{
	double pairs = 0;

	for (size_t i = 0; i < base.count; i++)
		for (size_t j = 0; j < head.count; j++)
			pairs += head.time_ns[j] > base.time_ns[i]    ? 1
				 : head.time_ns[j] == base.time_ns[i] ? 0.5
								      : 0;
	return pairs;
}

#define RANK_PAIRS_MOST 10000 /* beyond, only full separation counts */

/*
 * Whether the rank-sum test (Mann and Whitney, Ann. Math. Statist. 18, 1947) gives
 * at most RANK_LEVEL. With many rounds some of two different cases overlap. The
 * exact distribution: ways[u] counts the orders of n and m rounds with u inversions,
 * by the Gaussian binomial coefficient.
 */
static bool effect_ranks_differ(struct process_medians base, struct process_medians head)
{
	const size_t n = base.count, m = head.count, most = n * m;
	double slower, fewest, below = 0, all = 0, *ways;

	if (n < 2 || m < 2 || n + m < RANK_ROUNDS_LEAST || n > RANK_PAIRS_MOST / m)
		return false;
	slower = slower_pairs(base, head);
	fewest = ceil(fmin(slower, (double)most - slower));
	ways = xcalloc(most + 1, sizeof(*ways));
	ways[0] = 1;
	for (size_t k = 1; k <= n; k++) { /* times (1 - q^(m+k)) / (1 - q^k) */
		for (size_t u = most; u >= m + k; u--)
			ways[u] -= ways[u - m - k];
		for (size_t u = k; u <= most; u++)
			ways[u] += ways[u - k];
	}
	for (size_t u = 0; u <= most; u++) {
		all += ways[u];
		below += (double)u <= fewest ? ways[u] : 0;
	}
	free(ways);
	return 2 * below <= RANK_LEVEL * all;
}

#define CLOCK_STEP_NS 32.0 /* of CUDA events; the variance of rounding is its square / 12 */

/* The variance of the logarithm of a round, from the scatter of some rounds and the known noise.
 * Rounds may all have one time, and a time is known to a step of its clock. */
static double moderated_variance(const struct noise *noise, double squares, double freedom,
				 double time_ns)
{
	const double known = noise->weight > 0 ? noise->weight * noise_variance(noise, time_ns) : 0;

	return fmax((known + squares) / freedom, pow(CLOCK_STEP_NS / time_ns, 2) / 12);
}

static double error_of_rounds(const struct effect *effect, size_t base, size_t head)
{
	return sqrt(effect->variance * (1 / (double)base + 1 / (double)head));
}

static double freedom_of_rounds(const struct effect *effect, size_t base, size_t head)
{
	return effect->weight + (double)base - 1 + (double)head - 1;
}

double effect_chance(const struct effect *effect, double difference, size_t base, size_t head)
{
	const double by_rounds = student_two_sided(difference / error_of_rounds(effect, base, head),
						   freedom_of_rounds(effect, base, head));

	if (!(effect->session_freedom > 0))
		return by_rounds;
	/* fmax() ignores NAN */
	return fmax(by_rounds,
		    student_two_sided(difference / effect->session_error, effect->session_freedom));
}

double effect_reach(const struct effect *effect, double level, size_t base, size_t head)
{
	const double by_rounds = student_quantile(level, freedom_of_rounds(effect, base, head)) *
				 error_of_rounds(effect, base, head);

	return effect->session_freedom > 0
		       ? fmax(by_rounds, student_quantile(level, effect->session_freedom) *
						 effect->session_error)
		       : by_rounds;
}

void effect_set_interval(struct effect *effect, size_t base, size_t head, double share)
{
	const double difference = log1p(effect->change);
	double reach = effect_reach(effect, EFFECT_LEVEL * share, base, head);

	effect->p = fmin(1, effect_chance(effect, difference, base, head) / share);
	effect->low = expm1(difference - reach);
	effect->high = expm1(difference + reach);
	effect->by_sessions =
		effect->session_freedom > 0 &&
		reach <= student_quantile(EFFECT_LEVEL * share, effect->session_freedom) *
				 effect->session_error;
	reach = effect_reach(effect, 2 * EFFECT_LEVEL * share, base, head);
	effect->bound_low = expm1(difference - reach);
	effect->bound_high = expm1(difference + reach);
}

/* Sets what needs only the spreads: low and high are NAN, and only full separation counts. */
static void take_spreads(struct effect *effect, const struct spread *base,
			 const struct spread *head, const struct effect_context *context)
{
	const double freedom =
		context->noise.weight + (double)(base->count - 1) + (double)(head->count - 1);

	effect->change = expm1(head->mean - base->mean);
	effect->separated = base->count > 1 && head->count > 1 &&
			    (head->lowest > base->highest || head->highest < base->lowest);
	if (context->sessions.freedom > 0) {
		effect->session_error = sqrt(2 * context->sessions.variance);
		effect->session_freedom = context->sessions.freedom;
	}
	if (!(freedom > 0))
		return;
	effect->weight = context->noise.weight;
	effect->variance = moderated_variance(&context->noise, base->squares + head->squares,
					      freedom, exp(base->mean));
	effect->p = effect_chance(effect, head->mean - base->mean, base->count, head->count);
}

struct effect effect_of(struct process_medians base, struct process_medians head,
			const struct effect_context *context)
{
	struct effect effect = EFFECT_UNKNOWN;
	struct spread of_base, of_head;

	if (base.count == 0 || head.count == 0)
		return effect;
	of_base = spread_of_times(base);
	of_head = spread_of_times(head);
	take_spreads(&effect, &of_base, &of_head, context);
	effect.separated = effect.separated || effect_ranks_differ(base, head);
	if (isnan(effect.p))
		return effect;
	effect_set_interval(&effect, base.count, head.count, context->share);
	return effect;
}

static void set_interval(struct summary *summary, struct process_medians rounds,
			 const struct noise *noise, double correlation)
{
	const double count = (double)rounds.count, freedom = noise->weight + count - 1;
	struct spread spread;
	double variance, reach;

	summary->session_low_ns = summary->session_high_ns = NAN;
	if (rounds.count < 2)
		return;
	spread = spread_of_times(rounds);
	variance = moderated_variance(noise, spread.squares, freedom, exp(spread.mean)) *
		   correlation_factor(correlation, rounds.count);
	/* a difference of two medians has twice the variance of one */
	reach = student_quantile(EFFECT_LEVEL, freedom) * sqrt(2 * variance / count);
	summary->session_low_ns = fmin(summary->median_ns, exp(spread.mean - reach));
	summary->session_high_ns = fmax(summary->median_ns, exp(spread.mean + reach));
}

void run_set_intervals(struct run *run)
{
	const struct noise noise = noise_of_runs((const struct run *const[]){run}, 1);
	const size_t count = run->trial_count;
	struct process_medians *cases = xcalloc(count + 1, sizeof(*cases));
	double **held = xcalloc(count + 1, sizeof(*held)), correlation;

	for (size_t i = 0; i < count; i++)
		cases[i] = trial_medians(&run->trials[i], INT_MAX, &held[i]);
	correlation = rounds_correlation(&(struct round_series){cases, count}, 1);
	for (size_t i = 0; i < count; i++) {
		set_interval(&run->trials[i].summary, cases[i], &noise, correlation);
		free(held[i]);
	}
	free(held);
	free(cases);
}

bool summary_widen(struct summary *summary, const struct session_scatter *sessions)
{
	double reach;

	if (!(sessions->freedom > 0) || !(summary->median_ns > 0))
		return false;
	reach = student_quantile(EFFECT_LEVEL, sessions->freedom) * sqrt(2 * sessions->variance);
	if (summary->session_high_ns - summary->session_low_ns >
	    summary->median_ns * (exp(reach) - exp(-reach)))
		return false;
	summary->session_low_ns = summary->median_ns * exp(-reach);
	summary->session_high_ns = summary->median_ns * exp(reach);
	return true;
}

const char *effect_covers(const struct effect *effect)
{
	if (isnan(effect->low))
		return NULL;
	return effect->session_freedom > 0 ? "sessions" : "rounds";
}

struct ranked_p {
	double p;
	size_t at;
};

static int by_p(const void *left, const void *right)
{
	const struct ranked_p *a = left, *b = right;

	return a->p != b->p ? (a->p > b->p) - (a->p < b->p) : (a->at > b->at) - (a->at < b->at);
}

void effects_adjust(double *p, size_t count)
{
	struct ranked_p *ranked = xcalloc(count ? count : 1, sizeof(*ranked));
	size_t known = 0;
	double adjusted = 0;

	for (size_t i = 0; i < count; i++)
		if (!isnan(p[i]))
			ranked[known++] = (struct ranked_p){p[i], i};
	qsort(ranked, known, sizeof(*ranked), by_p);
	for (size_t i = 0; i < known; i++) {
		adjusted = fmax(adjusted, fmin(1, ranked[i].p * (double)(known - i)));
		p[ranked[i].at] = adjusted;
	}
	free(ranked);
}

enum change effect_judge(const struct effect *effect, double adjusted_p,
			 const struct change_limits *limits)
{
	if (isnan(effect->change))
		return CHANGE_INCONCLUSIVE;
	if (effect->separated && adjusted_p < limits->false_alarms &&
	    fabs(effect->change) >= limits->smallest)
		return effect->change > 0 ? CHANGE_REGRESSED : CHANGE_IMPROVED;
	return effect->bound_low >= -limits->resolution && effect->bound_high <= limits->resolution
		       ? CHANGE_UNCHANGED
		       : CHANGE_INCONCLUSIVE;
}
