/* Finds change points: optimal partitioning proposes them, then tests confirm them. */
#include "metrics/analysis/change_points.h"
#include "metrics/analysis/change_partition.h"
#include "metrics/analysis/compare.h"
#include "metrics/analysis/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_RUNS 2 /* of a segment: a single run may be an outlier */
/* The penalty of one more segment, in units of the noise's variance times log(runs). It is low
 * because tests confirm each proposal. */
#define PENALTY 2.0
/* The t tests exclude a run that differs from both its neighbours by this multiple of the noise. */
#define OUTLIER 5.0
#define NORMAL_MAD 0.6744897501960817 /* median absolute deviation of the standard normal */

const struct change_limits change_point_limits = {
	.smallest = 0.005, .resolution = 0.01, .false_alarms = 0.01};

/* Prefix sums over the runs. The sums of a segment are differences of two of these. */
struct sums {
	size_t runs, rounds; /* number of those that are no outliers */
};

/* A history and its remaining change points. */
struct series {
	size_t runs;
	double *level;     /* per run: the mean of the logarithms of its rounds */
	double noise;      /* standard deviation of a run about the level of its segment */
	struct sums *sums; /* runs + 1 entries */
	struct scatter_sums *scatter; /* likewise, of the smoothed levels */
	double *means;                /* geometric mean of each run that is no outlier, in ns */
	double *rounds;               /* rounds of those runs, in ns */
	size_t *bounds, count;        /* 0, the change points, runs; `count` includes both ends */
	const struct change_limits *limits;
};

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
	sort_numbers(differences, runs - 1);
	median = differences[(runs - 1) / 2];
	free(differences);
	return median / NORMAL_MAD * M_SQRT1_2;
}

/* Sets all fields except the bounds. Needs at least three runs. */
static void series_init(struct series *series, const struct process_medians *runs, size_t count,
			const struct change_limits *limits)
{
	size_t rounds = 0;
	double *smooth = xcalloc(count, sizeof(*smooth));

	for (size_t i = 0; i < count; i++)
		rounds += runs[i].count;
	*series = (struct series){.runs = count, .limits = limits};
	series->level = xcalloc(count, sizeof(*series->level));
	series->sums = xcalloc(count + 1, sizeof(*series->sums));
	series->scatter = xcalloc(count + 1, sizeof(*series->scatter));
	series->bounds = xcalloc(count + 2, sizeof(*series->bounds));
	series->rounds = xcalloc(rounds, sizeof(*series->rounds));
	series->means = xcalloc(count, sizeof(*series->means));
	for (size_t i = 0; i < count; i++) {
		for (size_t j = 0; j < runs[i].count; j++)
			series->level[i] += log(runs[i].time_ns[j]) / (double)runs[i].count;
	}
	series->noise = noise_of(series->level, count);
	smooth_levels(smooth, series->level, count);
	for (size_t i = 0; i < count; i++) {
		struct sums *sums = &series->sums[i + 1];
		struct scatter_sums *scatter = &series->scatter[i + 1];
		double value = smooth[i] - smooth[0];

		*sums = series->sums[i];
		*scatter = series->scatter[i];
		scatter->values += value;
		scatter->squares += value * value;
		if (fabs(series->level[i] - smooth[i]) >
		    OUTLIER * fmax(series->noise, PROCESS_NOISE_RELATIVE))
			continue;
		series->means[sums->runs++] = exp(series->level[i]);
		for (size_t j = 0; j < runs[i].count; j++)
			series->rounds[sums->rounds++] = runs[i].time_ns[j];
	}
	free(smooth);
}

static void series_release(struct series *series)
{
	free(series->level);
	free(series->means);
	free(series->bounds);
	free(series->rounds);
	free(series->sums);
	free(series->scatter);
}

static struct process_medians rounds_between(const struct series *series, size_t begin, size_t end)
{
	size_t first = series->sums[begin].rounds;

	return (struct process_medians){series->rounds + first, series->sums[end].rounds - first};
}

static struct process_medians runs_between(const struct series *series, size_t begin, size_t end)
{
	size_t first = series->sums[begin].runs;

	return (struct process_medians){series->means + first, series->sums[end].runs - first};
}

/* ---- the rank test ---- */

struct ranked {
	double value;
	size_t at;
};

static int by_value(const void *left, const void *right)
{
	const struct ranked *a = left, *b = right;

	return a->value != b->value ? (a->value > b->value) - (a->value < b->value)
				    : (a->at > b->at) - (a->at < b->at);
}

/* Returns the ranks of runs begin to end, from 1; malloc'd. Equal levels share the mean of their
 * ranks. *ties is the sum of t^3 - t over the groups of t equal levels. */
static double *ranks_of(const struct series *series, size_t begin, size_t end, double *ties)
{
	size_t count = end - begin, next;
	struct ranked *sorted = xcalloc(count, sizeof(*sorted));
	double *ranks = xcalloc(count, sizeof(*ranks));

	*ties = 0;
	for (size_t i = 0; i < count; i++)
		sorted[i] = (struct ranked){series->level[begin + i], i};
	qsort(sorted, count, sizeof(*sorted), by_value);
	for (size_t i = 0; i < count; i = next) {
		double equal;

		for (next = i + 1; next < count && sorted[next].value == sorted[i].value;)
			next++;
		equal = (double)(next - i);
		*ties += equal * equal * equal - equal;
		for (size_t j = i; j < next; j++)
			ranks[sorted[j].at] = (double)(i + 1 + next) / 2;
	}
	free(sorted);
	return ranks;
}

/* Standardises Wilcoxon's rank sum of the first `before` of `count` runs. */
static double standardised_rank_sum(double sum, size_t before, size_t count, double ties)
{
	double n = (double)count, left = (double)before, right = n - left;
	double variance = left * right / 12 * (n + 1 - ties / (n * (n - 1)));
	double distance = fabs(sum - left * (n + 1) / 2);

	/* 1/2 is the continuity correction */
	return variance > 0 ? fmax(0, distance - 0.5) / sqrt(variance) : 0;
}

/* ---- tests ---- */

/* The position between two neighbours at which a change point leaves the least scatter. */
static size_t best_place(const struct series *series, size_t begin, size_t end)
{
	size_t place = begin + LEAST_RUNS;
	double least = INFINITY;

	for (size_t at = begin + LEAST_RUNS; at + LEAST_RUNS <= end; at++) {
		double left = scatter_between(series->scatter, begin, at) +
			      scatter_between(series->scatter, at, end);

		if (left < least) {
			least = left;
			place = at;
		}
	}
	return place;
}

static bool ranks_differ(const struct series *series, size_t begin, size_t at, size_t end)
{
	double ties, sum = 0, score;
	double *ranks = ranks_of(series, begin, end, &ties);

	for (size_t i = begin; i < at; i++)
		sum += ranks[i - begin];
	free(ranks);
	score = standardised_rank_sum(sum, at - begin, end - begin, ties);
	return erfc(score * M_SQRT1_2) * (double)series->runs < series->limits->false_alarms;
}

/* Multiplies each p by the number of runs, because a change could be at each of them. */
static bool passes_both_tests(const struct series *series, size_t begin, size_t at, size_t end,
			      const struct effect *effect)
{
	if (!(fabs(effect->change) >= series->limits->smallest) ||
	    !(effect->p * (double)series->runs < series->limits->false_alarms))
		return false;
	return effect->separated || ranks_differ(series, begin, at, end);
}

/*
 * Compares by rounds and by runs, and takes the result with the larger p. By runs
 * it is larger if runs differ more than their rounds do, for example because they
 * were measured on different days or hosts.
 */
static struct effect effect_at(const struct series *series, size_t begin, size_t at, size_t end,
			       struct effect (*compare)(struct process_medians before,
							struct process_medians after))
{
	struct process_medians before = rounds_between(series, begin, at);
	struct process_medians after = rounds_between(series, at, end);
	struct process_medians runs_before = runs_between(series, begin, at);
	struct process_medians runs_after = runs_between(series, at, end);
	struct effect by_rounds = compare(before, after), by_runs;

	if (before.count == runs_before.count && after.count == runs_after.count)
		return by_rounds; /* each run has one round */
	by_runs = compare(runs_before, runs_after);
	by_runs.separated = by_rounds.separated;
	return by_runs.p > by_rounds.p ? by_runs : by_rounds;
}

/* The proposals while some are removed. Those that remain keep their place in the arrays, so that
 * a removal costs little, however many there are. */
struct proposals {
	struct series *series;
	size_t *before, *after; /* per change point: its neighbours that remain */
	struct effect *effects;
	/* A tree over the places: each node has the least significant change point below it that
	 * failed its tests; 0: none did. Node 1 is the root, the leaves begin at `leaves`. */
	size_t *worst;
	size_t leaves;
};

static void proposals_init(struct proposals *proposals, struct series *series)
{
	*proposals = (struct proposals){.series = series, .leaves = 1};
	while (proposals->leaves < series->count)
		proposals->leaves *= 2;
	proposals->before = xcalloc(series->count, sizeof(*proposals->before));
	proposals->after = xcalloc(series->count, sizeof(*proposals->after));
	proposals->effects = xcalloc(series->count, sizeof(*proposals->effects));
	proposals->worst = xcalloc(2 * proposals->leaves, sizeof(*proposals->worst));
	for (size_t i = 0; i < series->count; i++) {
		proposals->before[i] = i ? i - 1 : 0;
		proposals->after[i] = i + 1;
	}
}

static void proposals_release(struct proposals *proposals)
{
	free(proposals->before);
	free(proposals->after);
	free(proposals->effects);
	free(proposals->worst);
}

/* Equal times have no p, which says less than any other. */
static bool is_worse(const struct proposals *proposals, size_t a, size_t b)
{
	const double p_a = proposals->effects[a].p, p_b = proposals->effects[b].p;

	return isnan(p_b) ? !isnan(p_a) : p_a > p_b;
}

/* `candidate` is 0 if the change point at `place` passed its tests or is removed, else `place`. */
static void set_candidate(struct proposals *proposals, size_t place, size_t candidate)
{
	size_t node = proposals->leaves + place;

	proposals->worst[node] = candidate;
	while (node /= 2) {
		size_t left = proposals->worst[2 * node], right = proposals->worst[2 * node + 1];

		if (!left || (right && is_worse(proposals, right, left)))
			left = right;
		proposals->worst[node] = left;
	}
}

/* Places a change point anew between its neighbours, and tests it. */
static void place_and_test(struct proposals *proposals, size_t place)
{
	struct series *series = proposals->series;
	size_t *bounds = series->bounds;
	size_t begin = bounds[proposals->before[place]], end = bounds[proposals->after[place]];
	struct effect *effect = &proposals->effects[place];

	bounds[place] = best_place(series, begin, end);
	*effect = effect_at(series, begin, bounds[place], end, effect_test);
	set_candidate(proposals, place,
		      passes_both_tests(series, begin, bounds[place], end, effect) ? 0 : place);
}

/* The change point to remove next; 0: all pass. The first one, if it has no p; else the least
 * significant one. */
static size_t next_removed(const struct proposals *proposals)
{
	size_t node = 1;

	while (node < proposals->leaves && proposals->worst[node])
		node = proposals->worst[2 * node] ? 2 * node : 2 * node + 1;
	if (proposals->worst[node] && isnan(proposals->effects[proposals->worst[node]].p))
		return proposals->worst[node];
	return proposals->worst[1];
}

/* Removes the change points that fail their tests, the least significant first, and merges the two
 * segments of each. Then its neighbours are placed and tested again. */
static void remove_insignificant(struct series *series)
{
	const size_t last = series->count - 1;
	struct proposals proposals;
	size_t removed;

	proposals_init(&proposals, series);
	for (size_t i = 1; i < last; i++)
		place_and_test(&proposals, i);
	while ((removed = next_removed(&proposals))) {
		size_t before = proposals.before[removed], after = proposals.after[removed];

		set_candidate(&proposals, removed, 0);
		proposals.after[before] = after;
		proposals.before[after] = before;
		if (before > 0)
			place_and_test(&proposals, before);
		if (after < last)
			place_and_test(&proposals, after);
	}
	series->count = 1;
	for (size_t i = 0; i < last; i = proposals.after[i])
		series->bounds[series->count++] = series->bounds[proposals.after[i]];
	proposals_release(&proposals);
}

/* ---- results ---- */

static double level_ns(const struct series *series, size_t begin, size_t end)
{
	struct process_medians rounds = rounds_between(series, begin, end);
	double sum = 0;

	for (size_t i = 0; i < rounds.count; i++)
		sum += log(rounds.time_ns[i]);
	return exp(sum / (double)rounds.count);
}

static struct change_point point_at(const struct series *series, size_t begin, size_t at,
				    size_t end)
{
	return (struct change_point){
		.at = at,
		.before = at - begin,
		.after = end - at,
		.before_ns = level_ns(series, begin, at),
		.after_ns = level_ns(series, at, end),
		.effect = effect_at(series, begin, at, end, effect_of),
		.provisional = end - at < LEAST_RUNS,
	};
}

/* Adds a provisional change point if the newest run alone differs from its segment. The rank test
 * of a single run is never significant, so its rounds must be separated. */
static void test_newest_run(struct series *series)
{
	size_t begin = series->bounds[series->count - 2], end = series->runs;
	struct effect effect;

	if (end - begin <= LEAST_RUNS || rounds_between(series, end - 1, end).count < 2)
		return;
	effect = effect_at(series, begin, end - 1, end, effect_test);
	if (!passes_both_tests(series, begin, end - 1, end, &effect))
		return;
	series->bounds[series->count - 1] = end - 1;
	series->bounds[series->count++] = end;
}

size_t change_points_find(struct change_point **out, const struct process_medians *runs,
			  size_t count, const struct change_limits *limits)
{
	struct series series;
	size_t found;

	*out = NULL;
	if (count <= LEAST_RUNS)
		return 0;
	series_init(&series, runs, count, limits);
	series.count = change_partition(series.bounds, series.scatter, count, LEAST_RUNS,
					PENALTY * fmax(series.noise * series.noise, 1e-18) *
						log((double)series.runs));
	remove_insignificant(&series);
	test_newest_run(&series);
	found = series.count - 2;
	*out = xcalloc(found + 1, sizeof(**out));
	for (size_t i = 0; i < found; i++)
		(*out)[i] = point_at(&series, series.bounds[i], series.bounds[i + 1],
				     series.bounds[i + 2]);
	series_release(&series);
	return found;
}
