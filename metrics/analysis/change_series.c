#include "metrics/analysis/change_series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- segments ---- */

/*
 * Optimal partitioning with functional pruning (FPOP). The scatter of a segment that begins at a
 * start s is the least, over all levels m, of q_s(m): the least cost of what comes before s, a
 * penalty, and the squares of the values since s about m. All q grow by the same square with each
 * value, so a start that is not the lowest at any level will never be. What remains is, for
 * each level, the start that is lowest there: few, whether or not the series changes.
 */

/* The levels from low to high, at which the start is the lowest. The ranges are in the order of the
 * levels, and share no more than their ends. */
struct level_range {
	double low, high;
	size_t start;
};

struct partitioning {
	const struct scatter_sums *sums;
	double penalty;
	double *cost; /* per end: of the values before it */
	size_t *from; /* per end: where its last segment begins */
	struct level_range *ranges, *next;
	size_t count, capacity, next_count, next_capacity;
};

double scatter_between(const struct scatter_sums *sums, size_t begin, size_t end)
{
	double values = sums[end].values - sums[begin].values;
	double squares = sums[end].squares - sums[begin].squares;

	double scatter = squares - values * values / (double)(end - begin);

	return scatter > 0 ? scatter : 0; /* not fmax(), which is a call */
}

static void range_add(struct partitioning *parts, double low, double high, size_t start)
{
	struct level_range *last = parts->next_count ? &parts->next[parts->next_count - 1] : NULL;

	if (!(low < high))
		return;
	if (last && last->start == start) {
		last->high = fmax(last->high, high);
		return;
	}
	parts->next = xgrow(parts->next, &parts->next_capacity, parts->next_count + 1,
			    sizeof(*parts->next));
	parts->next[parts->next_count++] = (struct level_range){low, high, start};
}

/* Leaves the start of a range the levels at which it is not above `limit`, as of the values before
 * `at`, and gives the others to the start `at`. */
static void range_divide(struct partitioning *parts, const struct level_range *range, size_t at,
			 double limit)
{
	const struct scatter_sums *begin = &parts->sums[range->start], *end = &parts->sums[at];
	const double values = (double)(at - range->start);
	const double lowest = parts->cost[range->start] +
			      scatter_between(parts->sums, range->start, at) + parts->penalty;
	const double level = (end->values - begin->values) / values;
	double half;

	if (lowest > limit) {
		range_add(parts, range->low, range->high, at);
		return;
	}
	half = sqrt((limit - lowest) / values);
	range_add(parts, range->low, fmin(range->high, level - half), at);
	range_add(parts, fmax(range->low, level - half), fmin(range->high, level + half),
		  range->start);
	range_add(parts, fmax(range->low, level + half), range->high, at);
}

static void start_add(struct partitioning *parts, size_t at)
{
	struct level_range *old = parts->ranges;
	const size_t capacity = parts->capacity;

	parts->next_count = 0;
	for (size_t i = 0; i < parts->count; i++)
		range_divide(parts, &parts->ranges[i], at, parts->cost[at] + parts->penalty);
	parts->ranges = parts->next;
	parts->count = parts->next_count;
	parts->capacity = parts->next_capacity;
	parts->next = old;
	parts->next_capacity = capacity;
}

static void choose_start(struct partitioning *parts, size_t end)
{
	parts->cost[end] = INFINITY;
	for (size_t i = 0; i < parts->count; i++) {
		size_t start = parts->ranges[i].start;
		double total = parts->cost[start] + scatter_between(parts->sums, start, end) +
			       parts->penalty;

		/* of equal ones the first start, whatever the order of the levels */
		if (total < parts->cost[end] ||
		    (total == parts->cost[end] && start < parts->from[end])) {
			parts->cost[end] = total;
			parts->from[end] = start;
		}
	}
}

size_t change_partition(size_t *bounds, const struct scatter_sums *sums, size_t count, size_t least,
			double penalty)
{
	struct partitioning parts = {.sums = sums, .penalty = penalty};
	size_t segments = 0;

	parts.cost = xcalloc(count + 1, sizeof(*parts.cost));
	parts.from = xcalloc(count + 1, sizeof(*parts.from));
	parts.cost[0] = -penalty;
	range_add(&parts, -INFINITY, INFINITY, 0);
	parts.ranges = parts.next;
	parts.count = 1;
	parts.capacity = parts.next_capacity;
	parts.next = NULL;
	parts.next_capacity = 0;
	for (size_t end = least; end <= count; end++) {
		/* the latest start of a segment that ends here; a segment before it must fit, too
		 */
		if (end >= 2 * least)
			start_add(&parts, end - least);
		choose_start(&parts, end);
	}
	for (size_t end = count; end > 0; end = parts.from[end])
		segments++;
	bounds[segments] = count;
	for (size_t end = count, left = segments; end > 0; end = parts.from[end])
		bounds[--left] = parts.from[end];
	free(parts.cost);
	free(parts.from);
	free(parts.ranges);
	free(parts.next);
	return segments + 1;
}

/* ---- levels, noise and outliers ---- */

/* The t tests exclude a run that differs from both its neighbours by this multiple of the noise. */
#define OUTLIER 5.0
#define NORMAL_MAD 0.6744897501960817 /* median absolute deviation of the standard normal */

static double median_of_three(double a, double b, double c)
{
	return fmax(fmin(a, b), fmin(fmax(a, b), c));
}

/* Replaces each level by the median of itself and its neighbours. This removes outliers and keeps
 * steps. The newest run stays as it is, because it has no next neighbour yet. */
static void smooth_levels(double *smooth, const double *level, size_t runs)
{
	smooth[0] = median_of_three(level[0], level[1], level[2]);
	for (size_t i = 1; i + 1 < runs; i++)
		smooth[i] = median_of_three(level[i - 1], level[i], level[i + 1]);
	smooth[runs - 1] = level[runs - 1];
}

/* Estimates the standard deviation of a run about the level of its segment. The median of the
 * differences between neighbours is not affected by a few steps. */
static double noise_of(const double *level, size_t runs)
{
	double *differences = xcalloc(runs - 1, sizeof(*differences));
	double median;

	for (size_t i = 0; i + 1 < runs; i++)
		differences[i] = fabs(level[i + 1] - level[i]);
	median = number_of_rank(differences, runs - 1, (runs - 1) / 2);
	free(differences);
	return median / NORMAL_MAD * M_SQRT1_2;
}

/* The levels of the runs that are no outliers are relative to the first one, to lose little
 * precision. */
static void sum_levels(struct series *series)
{
	size_t kept;

	for (size_t i = 0; i < series->runs; i++) {
		struct scatter_sums *scatter = &series->scatter[i + 1];
		const double value = series->smooth[i] - series->smooth[0];

		*scatter = series->scatter[i];
		scatter->values += value;
		scatter->squares += value * value;
		series->kept[i + 1] = series->kept[i] + !series->outlier[i];
		if (!series->outlier[i])
			series->kept_levels[series->kept[i]] = series->level[i] - series->level[0];
	}
	kept = series->kept[series->runs];
	for (size_t i = 1; i < kept; i++)
		series->products[i] = series->products[i - 1] +
				      series->kept_levels[i - 1] * series->kept_levels[i];
	if (kept)
		spreads_init(&series->of_kept, series->kept_levels, kept);
}

void change_series_init(struct series *series, const struct process_medians *runs, size_t count,
			const struct change_limits *limits)
{
	*series = (struct series){.runs = count, .limits = limits, .times = runs};
	series->level = xcalloc(count, sizeof(*series->level));
	series->smooth = xcalloc(count, sizeof(*series->smooth));
	series->outlier = xcalloc(count, sizeof(*series->outlier));
	series->kept = xcalloc(count + 1, sizeof(*series->kept));
	series->scatter = xcalloc(count + 1, sizeof(*series->scatter));
	series->kept_levels = xcalloc(count, sizeof(*series->kept_levels));
	series->products = xcalloc(count, sizeof(*series->products));
	series->bounds = xcalloc(count + 2, sizeof(*series->bounds));
	for (size_t i = 0; i < count; i++) {
		for (size_t j = 0; j < runs[i].count; j++)
			series->level[i] += log(runs[i].time_ns[j]) / (double)runs[i].count;
	}
	series->noise = noise_of(series->level, count);
	smooth_levels(series->smooth, series->level, count);
	for (size_t i = 0; i < count; i++)
		series->outlier[i] = fabs(series->level[i] - series->smooth[i]) >
				     OUTLIER * fmax(series->noise, noise_of_h200.relative);
	sum_levels(series);
}

void change_series_exclude(struct series *series, size_t begin, size_t end, double level)
{
	for (size_t i = begin; i < end; i++) {
		series->outlier[i] = true;
		series->smooth[i] = level;
	}
	spreads_release(&series->of_kept);
	sum_levels(series);
}

bool change_series_may_change(const struct series *series)
{
	const double rounding = 1e-9;
	const struct spread all = change_spread(series, 0, series->runs);

	return !(all.highest - all.lowest < log1p(series->limits->smallest) * (1 - rounding));
}

void change_series_release(struct series *series)
{
	spreads_release(&series->of_kept);
	free(series->level);
	free(series->smooth);
	free(series->outlier);
	free(series->kept);
	free(series->scatter);
	free(series->kept_levels);
	free(series->products);
	free(series->bounds);
}

struct spread change_spread(const struct series *series, size_t begin, size_t end)
{
	struct spread spread =
		spreads_between(&series->of_kept, series->kept[begin], series->kept[end]);

	spread.mean += series->level[0];
	spread.lowest += series->level[0];
	spread.highest += series->level[0];
	return spread;
}

double change_lag_products(const struct series *series, const struct spread *spread, size_t begin,
			   size_t end)
{
	const size_t first = series->kept[begin], last = series->kept[end];
	const double mean = spread->mean - series->level[0], count = (double)spread->count;

	if (spread->count < 2)
		return 0;
	return series->products[last - 1] - series->products[first] +
	       mean * (series->kept_levels[first] + series->kept_levels[last - 1]) -
	       (count + 1) * mean * mean;
}
