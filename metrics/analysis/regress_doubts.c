#include "metrics/analysis/regress_doubts.h"

#include <math.h>
#include <stdlib.h>

#include "metrics/analysis/statistics.h"

/* ---- two modes ---- */

/* How much of a change the median round has at least. */
#define MOST_ROUNDS_PART 0.5
/* How much farther apart than the standard deviation within them the groups are. */
#define MODES_APART 6
#define MODE_ROUNDS_LEAST 2
#define MODE_ROUNDS_ALL 5
#define MODE_SCATTER_LEAST 0.001 /* that few rounds are taken to have */

/* Whether the first `low` of sorted logarithms are one mode, and the others another. */
static bool modes_part(const double *sorted, size_t count, size_t low)
{
	const size_t high = count - low;
	const struct spread below = spread_of(sorted, low), above = spread_of(sorted + low, high);
	const double within = sqrt((below.squares + above.squares) / (double)(count - 2));

	/* few rounds may agree by chance */
	return above.lowest - below.highest > MODES_APART * fmax(within, MODE_SCATTER_LEAST);
}

/* Whether a run has rounds on both sides of this limit. */
static bool has_both(struct process_medians medians, double limit)
{
	size_t below = 0;

	for (size_t i = 0; i < medians.count; i++)
		below += log(medians.time_ns[i]) < limit;
	return below > 0 && below < medians.count;
}

/* Whether the rounds of both runs together have two modes, and one of the runs was in both. */
static bool have_modes(struct process_medians base, struct process_medians head)
{
	const size_t count = base.count + head.count;
	double *sorted = xcalloc(count + 1, sizeof(*sorted)), limit;
	bool found = false;

	for (size_t i = 0; i < count; i++)
		sorted[i] = log(i < base.count ? base.time_ns[i] : head.time_ns[i - base.count]);
	sort_numbers(sorted, count);
	for (size_t low = MODE_ROUNDS_LEAST;
	     count >= MODE_ROUNDS_ALL && low + MODE_ROUNDS_LEAST <= count && !found; low++) {
		limit = (sorted[low - 1] + sorted[low]) / 2;
		found = modes_part(sorted, count, low) &&
			(has_both(base, limit) || has_both(head, limit));
	}
	free(sorted);
	return found;
}

bool rounds_have_two_modes(struct process_medians base, struct process_medians head)
{
	const struct process_medians none = {NULL, 0};

	return have_modes(base, head) || have_modes(base, none) || have_modes(head, none);
}

/* ---- a few rounds ---- */

static double median_of_rounds(struct process_medians medians)
{
	return summarise(medians.time_ns, medians.count).median_ns;
}

bool most_rounds_agree(struct process_medians base, struct process_medians head, double change)
{
	const double of_most = log(median_of_rounds(head) / median_of_rounds(base)),
		     of_all = log1p(change);

	return of_most / of_all >= MOST_ROUNDS_PART;
}

/* ---- the correlation of rounds that follow each other ---- */

/* The estimate counts from so many standard errors on. */
#define CORRELATION_ERRORS 2.33
#define CORRELATION_MOST 0.95
#define USUAL_WEIGHT 3 /* of the usual variance against that of one series */
/* So many cases show what all cases share. */
#define COMMON_CASES_LEAST 5

/* The mean correlation of all pairs of `count` rounds. */
static double mean_correlation(double correlation, size_t count)
{
	double sum = 0, power = 1;

	for (size_t apart = 1; apart < count; apart++) {
		power *= correlation;
		sum += power * (double)(count - apart);
	}
	return count > 1 ? 2 * sum / ((double)count * (double)(count - 1)) : 0;
}

double correlation_factor(double correlation, size_t count)
{
	const double mean = mean_correlation(correlation, count);

	return (1 + (double)(count - 1) * mean) / (1 - mean);
}

/* The ratio of von Neumann that a series of this correlation has in the mean. */
static double expected_ratio(double correlation, size_t count)
{
	return 2 * (1 - correlation) / (1 - mean_correlation(correlation, count));
}

/* What all cases share in a round: the median of their changes since their first two rounds. */
static double common_change(const struct round_series *run, size_t round)
{
	double *changes = xcalloc(run->count + 1, sizeof(*changes)), median = 0;
	size_t count = 0;

	for (size_t i = 0; i < run->count; i++) {
		const struct process_medians *its = &run->cases[i];

		if (its->count > round && its->count > 1)
			changes[count++] =
				log(its->time_ns[round] / sqrt(its->time_ns[0] * its->time_ns[1]));
	}
	if (count >= COMMON_CASES_LEAST)
		median = number_of_rank(changes, count, count / 2);
	free(changes);
	return median;
}

struct measured_series {
	size_t count;
	double squares;     /* about the mean */
	double differences; /* squares of those of neighbours; 2 * squares in the mean by chance */
};

static void add_series(struct measured_series *out, const struct process_medians *series,
		       const double *common)
{
	double *values = xcalloc(series->count, sizeof(*values));

	*out = (struct measured_series){.count = series->count};
	for (size_t i = 0; i < series->count; i++)
		values[i] = log(series->time_ns[i]) - common[i];
	out->squares = spread_of(values, series->count).squares;
	for (size_t i = 1; i < series->count; i++)
		out->differences += pow(values[i] - values[i - 1], 2);
	free(values);
}

/* Adds the series of three rounds and more. Returns their new number. */
static size_t add_run(struct measured_series *out, size_t count, const struct round_series *run)
{
	size_t longest = 0;
	double *common;

	for (size_t i = 0; i < run->count; i++)
		longest = run->cases[i].count > longest ? run->cases[i].count : longest;
	common = xcalloc(longest + 1, sizeof(*common));
	for (size_t i = 0; i < longest; i++)
		common[i] = common_change(run, i);
	for (size_t i = 0; i < run->count; i++)
		if (run->cases[i].count > 2)
			add_series(&out[count++], &run->cases[i], common);
	free(common);
	return count;
}

static double series_variance(const struct measured_series *series)
{
	return series->squares / (double)(series->count - 1);
}

/* The median of the variances. */
static double usual_variance(const struct measured_series *series, size_t count)
{
	double *variances = xcalloc(count + 1, sizeof(*variances)), median = 0;

	for (size_t i = 0; i < count; i++)
		variances[i] = series_variance(&series[i]);
	if (count)
		median = number_of_rank(variances, count, count / 2);
	free(variances);
	return median;
}

/*
 * The correlation at which the differences of neighbours are as small as they are. A series that
 * scatters more than usual weighs less; the weights do not depend on the order of the rounds, so
 * they bias nothing. Takes the sum to be one standard error less than it is: too wide an interval
 * is the smaller fault.
 */
static double solve_correlation(const struct measured_series *series, size_t count)
{
	const double usual = usual_variance(series, count);
	double excess = 0, variance = 0, low = 0, high = CORRELATION_MOST;

	for (size_t i = 0; i < count; i++) {
		const double n = (double)series[i].count, squares = series[i].squares;
		const double weight = 1 / (USUAL_WEIGHT * usual + series_variance(&series[i]));

		excess += weight * (series[i].differences - 2 * squares);
		variance += pow(weight * squares, 2) * 4 * (n - 2) / ((n - 1) * (n + 1));
	}
	if (!(excess < -CORRELATION_ERRORS * sqrt(variance)))
		return 0;
	excess -= sqrt(variance);
	for (int halving = 0; halving < 30; halving++) {
		const double middle = (low + high) / 2;
		double expected = 0;

		for (size_t i = 0; i < count; i++)
			expected += series[i].squares *
				    (expected_ratio(middle, series[i].count) - 2) /
				    (USUAL_WEIGHT * usual + series_variance(&series[i]));
		*(expected > excess ? &low : &high) = middle;
	}
	return high;
}

double rounds_correlation(const struct round_series *runs, size_t run_count)
{
	struct measured_series *series;
	size_t count = 0;
	double correlation;

	for (size_t i = 0; i < run_count; i++)
		count += runs[i].count;
	series = xcalloc(count + 1, sizeof(*series));
	count = 0;
	for (size_t i = 0; i < run_count; i++)
		count = add_run(series, count, &runs[i]);
	correlation = solve_correlation(series, count);
	free(series);
	return correlation;
}

void effect_widen(struct effect *effect, size_t base, size_t head, double share, double correlation)
{
	const double n = (double)base, m = (double)head;

	if (!(correlation > 0) || isnan(effect->p))
		return;
	effect->variance *= (correlation_factor(correlation, base) / n +
			     correlation_factor(correlation, head) / m) /
			    (1 / n + 1 / m);
	effect_set_interval(effect, base, head, share);
}
