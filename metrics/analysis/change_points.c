/* Finding change points: proposals by optimal partitioning, then tests. */
#include "metrics/analysis/change_points.h"
#include "metrics/analysis/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEVEL_LEAST 2 /* runs; a single one may be an outlier */
/* Of a new level over the noise's variance times log(runs): low, for a proposal has to pass tests.
 */
#define PENALTY 2.0
/* A run that is so many times the noise away from both its neighbours counts in no t test. */
#define OUTLIER 5.0
#define NORMAL_MAD 0.6744897501960817 /* median absolute deviation of a standard normal */

const struct change_limits change_point_limits = {
	.smallest = 0.005, .resolution = 0.01, .false_alarms = 0.01};

/* Of the runs before some place; those of a piece are differences. */
struct sums {
	double values, squares; /* of the levels without outliers, about the first */
	size_t runs, rounds;    /* that are no outliers */
};

/* A history, and the change points that are left of the proposals. */
struct series {
	size_t runs;
	double *level;         /* of each run: mean of its rounds' logarithms */
	double noise;          /* of a run about its level, standard deviation */
	struct sums *sums;     /* one more than runs */
	double *means;         /* geometric, of the rounds of each run that is no outlier, in ns */
	double *rounds;        /* those rounds, in ns */
	size_t *bounds, count; /* 0, the change points, runs: count of all of them */
	const struct change_limits *limits;
};

static double median_of_three(double a, double b, double c)
{
	return fmax(fmin(a, b), fmin(fmax(a, b), c));
}

/* Runs that lie apart from both neighbours are brought to the nearer one; steps stay as they are.
 * The newest is left alone: its next neighbour is yet to come. */
static void smooth_levels(double *smooth, const double *level, size_t runs)
{
	smooth[0] = median_of_three(level[0], level[1], level[2]);
	for (size_t i = 1; i + 1 < runs; i++)
		smooth[i] = median_of_three(level[i - 1], level[i], level[i + 1]);
	smooth[runs - 1] = level[runs - 1];
}

static int compare_doubles(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

/* Standard deviation of a run about its level, by the median of the differences between
 * neighbours, so that a few steps do not count. */
static double noise_of(const double *level, size_t runs)
{
	double *differences = xcalloc(runs - 1, sizeof(*differences));
	double median;

	for (size_t i = 0; i + 1 < runs; i++)
		differences[i] = fabs(level[i + 1] - level[i]);
	qsort(differences, runs - 1, sizeof(*differences), compare_doubles);
	median = differences[(runs - 1) / 2];
	free(differences);
	return median / NORMAL_MAD * M_SQRT1_2;
}

/* Everything but the bounds; at least three runs. */
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
		/* about the first, so that little is lost in the differences */
		double value = smooth[i] - smooth[0];

		*sums = series->sums[i];
		sums->values += value;
		sums->squares += value * value;
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

/* ---- proposals ---- */

/* Sum of squares about the mean, of runs begin to end. */
static double scatter(const struct sums *sums, size_t begin, size_t end)
{
	double values = sums[end].values - sums[begin].values;
	double squares = sums[end].squares - sums[begin].squares;

	return fmax(0, squares - values * values / (double)(end - begin));
}

/*
 * The pieces that leave the least scatter, with a penalty for each. A start
 * that cannot be that of the last piece any more is dropped for good (PELT), so
 * that a long history with many changes takes no longer than one with none.
 */
static void partition(struct series *series, double penalty)
{
	size_t runs = series->runs, candidates = 1, piece = 0;
	double *cost = xcalloc(runs + 1, sizeof(*cost));
	size_t *from = xcalloc(runs + 1, sizeof(*from));
	size_t *starts = xcalloc(runs + 1, sizeof(*starts));

	cost[0] = -penalty;
	for (size_t end = LEVEL_LEAST; end <= runs; end++) {
		size_t kept = 0;

		cost[end] = INFINITY;
		for (size_t i = 0; i < candidates; i++) {
			double total =
				cost[starts[i]] + scatter(series->sums, starts[i], end) + penalty;

			if (total < cost[end]) {
				cost[end] = total;
				from[end] = starts[i];
			}
		}
		for (size_t i = 0; i < candidates; i++) {
			if (cost[starts[i]] + scatter(series->sums, starts[i], end) <= cost[end])
				starts[kept++] = starts[i];
		}
		candidates = kept;
		/* what may begin a piece that ends with the next run */
		if (end + 1 >= 2 * LEVEL_LEAST)
			starts[candidates++] = end + 1 - LEVEL_LEAST;
	}
	for (size_t end = runs; end > 0; end = from[end])
		piece++;
	series->count = piece + 1;
	series->bounds[piece] = runs;
	for (size_t end = runs; end > 0; end = from[end])
		series->bounds[--piece] = from[end];
	free(cost);
	free(from);
	free(starts);
}

/* ---- the test by ranks ---- */

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

/* The ranks of runs begin to end, from 1, equal ones sharing the middle; malloc'd. *ties is the
 * sum of t^3 - t over groups of t equal ones. */
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

/* Wilcoxon's rank sum of the first `before` of `count` runs, standardised. */
static double standardised(double sum, size_t before, size_t count, double ties)
{
	double n = (double)count, left = (double)before, right = n - left;
	double variance = left * right / 12 * (n + 1 - ties / (n * (n - 1)));
	double distance = fabs(sum - left * (n + 1) / 2);

	/* 1/2 for going from whole ranks to a continuous distribution */
	return variance > 0 ? fmax(0, distance - 0.5) / sqrt(variance) : 0;
}

/* ---- tests ---- */

/* Where between its neighbours a change point leaves the least scatter. */
static size_t best_place(const struct series *series, size_t begin, size_t end)
{
	size_t place = begin + LEVEL_LEAST;
	double least = INFINITY;

	for (size_t at = begin + LEVEL_LEAST; at + LEVEL_LEAST <= end; at++) {
		double left = scatter(series->sums, begin, at) + scatter(series->sums, at, end);

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
	score = standardised(sum, at - begin, end - begin, ties);
	return erfc(score * M_SQRT1_2) * (double)series->runs < series->limits->false_alarms;
}

/* Each p counts for every place at which there could have been a change. */
static bool passes(const struct series *series, size_t begin, size_t at, size_t end,
		   const struct effect *effect)
{
	if (!(fabs(effect->change) >= series->limits->smallest) ||
	    !(effect->p * (double)series->runs < series->limits->false_alarms))
		return false;
	return effect->separated || ranks_differ(series, begin, at, end);
}

/*
 * By rounds, or by runs where these leave more to chance: then runs differ by
 * more than their rounds do, as on another day or another host.
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
		return by_rounds; /* a round a run */
	by_runs = compare(runs_before, runs_after);
	by_runs.separated = by_rounds.separated;
	return by_runs.p > by_rounds.p ? by_runs : by_rounds;
}

/* The proposals that pass, from the least likely on: what falls joins its two levels to one. */
static void prune(struct series *series)
{
	size_t *bounds = series->bounds;
	struct effect *effects = xcalloc(series->count, sizeof(*effects));
	bool *pass = xcalloc(series->count, sizeof(*pass));
	bool *stale = xcalloc(series->count, sizeof(*stale));

	for (size_t i = 1; i + 1 < series->count; i++)
		stale[i] = true;
	for (;;) {
		size_t worst = 0;

		for (size_t i = 1; i + 1 < series->count; i++) {
			if (stale[i]) {
				bounds[i] = best_place(series, bounds[i - 1], bounds[i + 1]);
				effects[i] = effect_at(series, bounds[i - 1], bounds[i],
						       bounds[i + 1], effect_test);
				pass[i] = passes(series, bounds[i - 1], bounds[i], bounds[i + 1],
						 &effects[i]);
				stale[i] = false;
			}
			if (!pass[i] && (!worst || effects[i].p > effects[worst].p))
				worst = i;
		}
		if (!worst)
			break;
		series->count--;
		for (size_t i = worst; i < series->count; i++) {
			bounds[i] = bounds[i + 1];
			effects[i] = effects[i + 1];
			pass[i] = pass[i + 1];
			stale[i] = stale[i + 1];
		}
		if (worst > 1)
			stale[worst - 1] = true;
		if (worst + 1 < series->count)
			stale[worst] = true;
	}
	free(effects);
	free(pass);
	free(stale);
}

/* ---- what is told ---- */

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
		.provisional = end - at < LEVEL_LEAST,
	};
}

/* Whether the newest run alone is away from the level that it ends: then that ends before it. No
 * rank sum of one run is unlikely enough, so that its rounds have to be separated. */
static void look_at_newest(struct series *series)
{
	size_t begin = series->bounds[series->count - 2], end = series->runs;
	struct effect effect;

	if (end - begin <= LEVEL_LEAST || rounds_between(series, end - 1, end).count < 2)
		return;
	effect = effect_at(series, begin, end - 1, end, effect_test);
	if (!passes(series, begin, end - 1, end, &effect))
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
	if (count <= LEVEL_LEAST)
		return 0;
	series_init(&series, runs, count, limits);
	partition(&series,
		  PENALTY * fmax(series.noise * series.noise, 1e-18) * log((double)series.runs));
	prune(&series);
	look_at_newest(&series);
	found = series.count - 2;
	*out = xcalloc(found + 1, sizeof(**out));
	for (size_t i = 0; i < found; i++)
		(*out)[i] = point_at(&series, series.bounds[i], series.bounds[i + 1],
				     series.bounds[i + 2]);
	series_release(&series);
	return found;
}
