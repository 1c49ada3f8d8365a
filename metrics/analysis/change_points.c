/* Finds change points: optimal partitioning proposes them, then tests confirm them. */
#include "metrics/analysis/change_points.h"
#include "metrics/analysis/change_series.h"

#include <math.h>
#include <stdlib.h>

#define LEAST_RUNS 2 /* of a segment: a single run may be an outlier */
/* The penalty of one more segment, in units of the noise's variance times log(runs). It is low
 * because tests confirm each proposal. */
#define PENALTY 2.0

const struct change_limits change_point_limits = {
	.smallest = 0.005, .resolution = 0.01, .false_alarms = 0.01};

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
	const double n = (double)(end - begin), left = (double)(at - begin), right = n - left;
	double ties, variance, distance, sum = 0, score;
	double *ranks = ranks_of(series, begin, end, &ties);

	for (size_t i = begin; i < at; i++)
		sum += ranks[i - begin];
	free(ranks);
	/* Wilcoxon's rank sum, standardised; 1/2 is the continuity correction */
	variance = left * right / 12 * (n + 1 - ties / (n * (n - 1)));
	distance = fabs(sum - left * (n + 1) / 2);
	score = variance > 0 ? fmax(0, distance - 0.5) / sqrt(variance) : 0;
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

static bool each_run_has_one_round(const struct series *series, size_t begin, size_t end)
{
	const struct sums *first = &series->sums[begin], *last = &series->sums[end];

	return last->rounds - first->rounds == last->runs - first->runs;
}

/*
 * Returns the comparison with the larger p: by rounds or by runs. By runs it is larger if runs
 * differ more than their rounds do, for example because they were measured on different days or
 * hosts.
 */
static struct effect weaker_effect(const struct effect *by_rounds, struct effect by_runs)
{
	by_runs.separated = by_rounds->separated;
	return by_runs.p > by_rounds->p ? by_runs : *by_rounds;
}

static struct effect effect_at(const struct series *series, size_t begin, size_t at, size_t end)
{
	const struct effect_context context = {.noise = noise_of_h200, .share = 1};
	struct effect by_rounds = effect_of(change_rounds_between(series, begin, at),
					    change_rounds_between(series, at, end), &context);

	if (each_run_has_one_round(series, begin, end))
		return by_rounds;
	return weaker_effect(&by_rounds, effect_of(change_runs_between(series, begin, at),
						   change_runs_between(series, at, end), &context));
}

/* As effect_at(), with what effect_test() leaves out. It takes hardly longer for long segments than
 * for short ones. */
static struct effect test_at(const struct series *series, size_t begin, size_t at, size_t end)
{
	const struct sums *sums = series->sums;
	struct spread before =
		spreads_between(&series->of_rounds, sums[begin].rounds, sums[at].rounds);
	struct spread after =
		spreads_between(&series->of_rounds, sums[at].rounds, sums[end].rounds);
	struct effect by_rounds = effect_test(&before, &after, &noise_of_h200);

	if (each_run_has_one_round(series, begin, end))
		return by_rounds;
	before = spreads_between(&series->of_means, sums[begin].runs, sums[at].runs);
	after = spreads_between(&series->of_means, sums[at].runs, sums[end].runs);
	return weaker_effect(&by_rounds, effect_test(&before, &after, &noise_of_h200));
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
		if (proposals->worst[node] == left && left != place)
			return; /* nor does a node above it change */
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
	*effect = test_at(series, begin, bounds[place], end);
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
	free(proposals.before);
	free(proposals.after);
	free(proposals.effects);
	free(proposals.worst);
}

/* ---- results ---- */

static double level_ns(const struct series *series, size_t begin, size_t end)
{
	struct process_medians rounds = change_rounds_between(series, begin, end);
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
		.effect = effect_at(series, begin, at, end),
		.provisional = end - at < LEAST_RUNS,
	};
}

/* Adds a provisional change point if the newest run alone differs from its segment. The rank test
 * of a single run is never significant, so its rounds must be separated. */
static void test_newest_run(struct series *series)
{
	size_t begin = series->bounds[series->count - 2], end = series->runs;
	struct effect effect;

	if (end - begin <= LEAST_RUNS || change_rounds_between(series, end - 1, end).count < 2)
		return;
	effect = test_at(series, begin, end - 1, end);
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
	change_series_init(&series, runs, count, limits);
	if (!change_series_may_change(&series)) {
		change_series_release(&series);
		return 0;
	}
	change_series_take_times(&series, runs);
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
	change_series_release(&series);
	return found;
}
