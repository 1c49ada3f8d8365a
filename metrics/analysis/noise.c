#include "metrics/analysis/noise.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "metrics/analysis/statistics.h"

/* Chosen with the tests of compare.h: docs/results/regress-noise.md. */
const struct noise noise_of_h200 = {.relative = 0.001, .absolute_ns = 150, .weight = 4};
#define H200_NAME "NVIDIA H200"

double noise_variance(const struct noise *noise, double time_ns)
{
	const double absolute = noise->absolute_ns / time_ns;

	return noise->relative * noise->relative + absolute * absolute;
}

struct noise noise_of_device(const struct device_info *device)
{
	static const struct noise nothing = {0, 0, 0};

	return strncmp(device->name, H200_NAME, strlen(H200_NAME)) == 0 ? noise_of_h200 : nothing;
}

/* ---- functions of the logarithm of a scaled F distribution ---- */

/* The derivative of the logarithm of the gamma function, for x > 0: NIST Digital Library of
 * Mathematical Functions, 5.5.2 and 5.11.2. */
static double digamma(double x)
{
	double sum = 0, of;

	for (; x < 10; x++)
		sum -= 1 / x;
	of = 1 / (x * x);
	return sum + log(x) - 0.5 / x - of * (1.0 / 12 - of * (1.0 / 120 - of / 252));
}

/* Its derivative: 5.15.5 and 5.15.8. */
static double trigamma(double x)
{
	double sum = 0, of;

	for (; x < 10; x++)
		sum += 1 / (x * x);
	of = 1 / (x * x);
	return sum + 1 / x + of / 2 + of / x * (1.0 / 6 - of * (1.0 / 30 - of / 42));
}

/* The x with trigamma(x) == value, for a value above 0. */
static double trigamma_inverse(double value)
{
	double low = 1e-3, high = 1e6;

	for (int halving = 0; halving < 100; halving++) {
		const double middle = sqrt(low * high);

		*(trigamma(middle) > value ? &low : &high) = middle;
	}
	return low;
}

/* ---- the estimate ---- */

/* The likelihood of the variances gives weights below 2, because few cases scatter much more than
 * the others. The p of equal cases is nearest to what it says with 4:
 * docs/results/regress-noise.md. Cases never say as much of each other as if all had one variance.
 */
#define WEIGHT_LEAST 4.0
#define WEIGHT_MOST 10.0
/* Equal times are no proof of a variance of 0; as in limma, relative to the median. */
#define VARIANCE_LEAST 1e-5
/* The times at which both parts of the variance are equal, in ns: 0, then from 30 ns on. */
#define EQUAL_PARTS 40
#define EQUAL_PARTS_FACTOR 1.35
#define EQUAL_PARTS_FIRST 30.0

static double least_variance(const struct scatter_seen *seen, size_t count)
{
	double *sorted = xcalloc(count, sizeof(*sorted)), median;

	for (size_t i = 0; i < count; i++)
		sorted[i] = seen[i].variance;
	median = number_of_rank(sorted, count, count / 2);
	free(sorted);
	return median > 0 ? VARIANCE_LEAST * median : 1e-16;
}

/* The spread of the logarithms of the variances about what the noise would have, up to a factor. */
static struct spread spread_about(const struct scatter_seen *seen, size_t count, double least,
				  double equal_ns, double *logs)
{
	for (size_t i = 0; i < count; i++) {
		const double part = equal_ns / seen[i].time_ns, half = seen[i].freedom / 2;

		logs[i] = log(fmax(seen[i].variance, least)) - log1p(part * part) - digamma(half) +
			  log(half);
	}
	return spread_of(logs, count);
}

struct noise noise_estimate(const struct scatter_seen *seen, size_t count)
{
	struct noise noise = {0, 0, 0};
	double *logs, least, equal_ns = 0, beyond, half;
	struct spread best;

	if (count < NOISE_CASES_LEAST)
		return noise;
	logs = xcalloc(count, sizeof(*logs));
	least = least_variance(seen, count);
	best = spread_about(seen, count, least, 0, logs);
	for (int i = 0; i < EQUAL_PARTS; i++) {
		const double at = EQUAL_PARTS_FIRST * pow(EQUAL_PARTS_FACTOR, i);
		const struct spread spread = spread_about(seen, count, least, at, logs);

		if (spread.squares < best.squares) {
			best = spread;
			equal_ns = at;
		}
	}
	free(logs);
	beyond = best.squares / (double)(count - 1);
	for (size_t i = 0; i < count; i++)
		beyond -= trigamma(seen[i].freedom / 2) / (double)count;
	half = beyond > 0 ? trigamma_inverse(beyond) : WEIGHT_MOST / 2;
	noise.weight = fmin(WEIGHT_MOST, fmax(WEIGHT_LEAST, 2 * half));
	half = noise.weight / 2;
	noise.relative = sqrt(exp(best.mean + digamma(half) - log(half)));
	noise.absolute_ns = equal_ns * noise.relative;
	return noise;
}

/* ---- rounds ---- */

struct process_medians trial_medians(const struct trial *trial, int limit, double **held)
{
	const double launch_ns = round_clocks_of(trial->rounds, trial->round_count).launch_ns;
	double *medians = xcalloc(trial->round_count + 1, sizeof(*medians));
	size_t count = 0;

	for (size_t i = 0; i < trial->round_count; i++) {
		const struct round_summary *round = &trial->rounds[i];
		const double own_ns = round->state.launch_ns;
		const double slower_ns = own_ns > 0 && isfinite(launch_ns) ? own_ns - launch_ns : 0;

		/* a round whose events could not be taken off does not compare with the others */
		if (isfinite(launch_ns) && !(round->state.event_ns > 0))
			continue;
		if (round->round < limit && isfinite(round->median_ns) &&
		    round->median_ns > slower_ns && round->median_ns > 0)
			medians[count++] = round->median_ns - slower_ns;
	}
	*held = medians;
	return (struct process_medians){medians, count};
}

bool trial_scatter(struct scatter_seen *out, const struct trial *trial)
{
	double *logs;
	const size_t count = trial_medians(trial, INT_MAX, &logs).count;
	struct spread spread;

	for (size_t i = 0; i < count; i++)
		logs[i] = log(logs[i]);
	spread = spread_of(logs, count);
	free(logs);
	if (count < 2)
		return false;
	*out = (struct scatter_seen){exp(spread.mean), spread.squares / (double)(count - 1),
				     (double)(count - 1)};
	return true;
}

/* ---- the correlation of rounds that follow each other ---- */

/* The estimate counts from so many standard errors on. */
#define CORRELATION_ERRORS 2.33
#define CORRELATION_MOST 0.95
#define USUAL_WEIGHT 3      /* of the usual variance against that of one series */
#define EQUAL_SQUARES 1e-18 /* a billionth of the time, squared */
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
	/* equal rounds say nothing of their order, and logarithms of equal rounds scatter by their
	 * last digits */
	for (size_t i = 0; i < run->count; i++)
		if (run->cases[i].count > 2) {
			add_series(&out[count], &run->cases[i], common);
			count += out[count].squares > EQUAL_SQUARES;
		}
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

/* ---- sessions ---- */

/* Differences that are larger are taken for changes of the code, where it is not the same. */
#define SCATTER_MOST 0.02
/* The efficiency of the median absolute deviation. */
#define MAD_EFFICIENCY 0.37
/* A smaller range of clocks does not show how the time follows them. */
#define CLOCK_RANGE_LEAST 0.01
/* With less, an interval says nothing. */
#define FREEDOM_LEAST 2.0

static struct spread spread_of_same_code(const struct case_sessions *of)
{
	double *levels = xcalloc(of->count + 1, sizeof(*levels));
	struct spread spread;
	size_t count = 0;

	for (size_t i = 0; i < of->count; i++)
		if (of->items[i].same_code)
			levels[count++] = of->items[i].level;
	spread = spread_of(levels, count);
	free(levels);
	return spread;
}

/* From the differences of successive sessions, of which a change of the code moves one. */
static bool robust_scatter(struct scatter_seen *out, const struct case_sessions *of)
{
	double *apart = xcalloc(of->count + 1, sizeof(*apart)), middle;
	size_t count = 0;

	for (size_t i = 1; i < of->count; i++) {
		const double difference = fabs(of->items[i].level - of->items[i - 1].level);

		if (difference <= SCATTER_MOST)
			apart[count++] = difference;
	}
	middle = count ? number_of_rank(apart, count, count / 2) / 2 +
				 number_of_rank(apart, count, (count - 1) / 2) / 2
		       : 0;
	out->variance = 1.4826 * 1.4826 * middle * middle / 2;
	out->freedom = 1 + MAD_EFFICIENCY * ((double)count - 1);
	free(apart);
	return count > 1; /* one difference may be a change of all cases together */
}

/* The slope of the logarithm of the time over that of the clock's period. */
static double clock_slope(const struct case_sessions *of)
{
	double *clocks = xcalloc(of->count + 1, sizeof(*clocks)), products = 0;
	struct spread of_clocks;
	size_t count = 0;

	for (size_t i = 0; i < of->count; i++)
		if (of->items[i].same_code && of->items[i].sm_clock_hz > 0)
			clocks[count++] = -log(of->items[i].sm_clock_hz);
	of_clocks = spread_of(clocks, count);
	count = 0;
	for (size_t i = 0; i < of->count; i++)
		if (of->items[i].same_code && of->items[i].sm_clock_hz > 0)
			products += (clocks[count++] - of_clocks.mean) * of->items[i].level;
	free(clocks);
	return count > 1 && of_clocks.highest - of_clocks.lowest >= CLOCK_RANGE_LEAST
		       ? products / of_clocks.squares
		       : NAN;
}

void session_scatters_find(struct session_scatter *out, const struct case_sessions *cases,
			   size_t count)
{
	struct scatter_seen *seen = xcalloc(count + 1, sizeof(*seen));
	struct noise noise;
	size_t found = 0;

	for (size_t i = 0; i < count; i++) {
		const struct spread same = spread_of_same_code(&cases[i]);

		seen[found].time_ns = cases[i].time_ns;
		if (same.count > 1) {
			seen[found].variance = same.squares / (double)(same.count - 1);
			seen[found++].freedom = (double)(same.count - 1);
		} else {
			found += robust_scatter(&seen[found], &cases[i]);
		}
	}
	noise = noise_estimate(seen, found);
	free(seen);
	for (size_t i = 0; i < count; i++) {
		const struct spread same = spread_of_same_code(&cases[i]);
		const double own = same.count > 1 ? (double)(same.count - 1) : 0;
		const double squares = same.count > 1 ? same.squares : 0;

		out[i] = (struct session_scatter){.sessions = same.count,
						  .clock_dependence = clock_slope(&cases[i])};
		if (!(noise.weight + own >= FREEDOM_LEAST))
			continue;
		out[i].freedom = noise.weight + own;
		out[i].variance =
			(noise.weight ? noise.weight * noise_variance(&noise, cases[i].time_ns)
				      : 0) +
			squares;
		out[i].variance /= out[i].freedom;
	}
}

/* ---- runs ---- */

struct noise noise_of_runs(const struct run *const *runs, size_t count)
{
	struct scatter_seen *seen = NULL;
	size_t found = 0, capacity = 0;
	struct noise noise;

	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < runs[i]->trial_count; k++) {
			seen = xgrow(seen, &capacity, found + 1, sizeof(*seen));
			found += trial_scatter(&seen[found], &runs[i]->trials[k]);
		}
	}
	noise = noise_estimate(seen, found);
	free(seen);
	return noise.weight ? noise : noise_of_device(&runs[count - 1]->device);
}
