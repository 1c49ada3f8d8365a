/* Compares the times of one case in two runs. */
#include "metrics/analysis/compare.h"
#include "metrics/analysis/statistics.h"

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

/* Where the interval comes from: the standard error of the difference of the logarithms. */
struct effect_error {
	double difference, error, freedom;
};

/* Sets what needs only the spreads: low and high are NAN, and only full separation counts. */
static struct effect_error take_spreads(struct effect *effect, const struct spread *base,
					const struct spread *head)
{
	struct effect_error out = {.difference = head->mean - base->mean};
	const double absolute = PROCESS_NOISE_NS / exp(base->mean);
	const double known = PROCESS_NOISE_RELATIVE * PROCESS_NOISE_RELATIVE + absolute * absolute;

	out.freedom = PROCESS_NOISE_WEIGHT + (double)(base->count - 1) + (double)(head->count - 1);
	effect->variance =
		(PROCESS_NOISE_WEIGHT * known + base->squares + head->squares) / out.freedom;
	out.error = sqrt(effect->variance * (1 / (double)base->count + 1 / (double)head->count));
	effect->change = expm1(out.difference);
	effect->p = student_two_sided(out.difference / out.error, out.freedom);
	effect->separated = base->count > 1 && head->count > 1 &&
			    (head->lowest > base->highest || head->highest < base->lowest);
	return out;
}

struct effect effect_with_share(struct process_medians base, struct process_medians head,
				double share)
{
	struct effect effect = EFFECT_UNKNOWN;
	struct spread of_base, of_head;
	struct effect_error of;
	double reach;

	if (base.count == 0 || head.count == 0)
		return effect;
	of_base = spread_of_times(base);
	of_head = spread_of_times(head);
	of = take_spreads(&effect, &of_base, &of_head);
	reach = student_quantile(EFFECT_LEVEL * share, of.freedom) * of.error;
	effect.p = fmin(1, effect.p / share);
	effect.low = expm1(of.difference - reach);
	effect.high = expm1(of.difference + reach);
	reach = student_quantile(2 * EFFECT_LEVEL * share, of.freedom) * of.error;
	effect.bound_low = expm1(of.difference - reach);
	effect.bound_high = expm1(of.difference + reach);
	effect.separated = effect.separated || effect_ranks_differ(base, head);
	return effect;
}

struct effect effect_of(struct process_medians base, struct process_medians head)
{
	return effect_with_share(base, head, 1);
}

struct effect effect_test(const struct spread *base, const struct spread *head)
{
	struct effect effect = EFFECT_UNKNOWN;

	if (base->count && head->count)
		take_spreads(&effect, base, head);
	return effect;
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
	if (effect->bound_low < -limits->resolution || effect->bound_high > limits->resolution)
		return CHANGE_INCONCLUSIVE;
	return CHANGE_UNCHANGED;
}
