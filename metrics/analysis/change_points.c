/* Finds change points: optimal partitioning proposes them, then tests confirm them. */
#include "metrics/analysis/change_points.h"
#include "metrics/analysis/change_series.h"
#include "metrics/analysis/change_tests.h"

#include <math.h>
#include <stdlib.h>

#define LEAST_RUNS 2 /* of a segment: a single run may be an outlier */
/* The least runs of one of the two segments beside a change point: of four runs, two are easily
 * slow by chance. */
#define SURE_RUNS 3
#define LEAST_STAY 5         /* of a level between two equal ones */
#define RUNS_BEFORE_NEWEST 9 /* without the like of it, before the newest run alone is a change */
/* The penalty of one more segment, in units of the noise's variance times log(runs). It is low
 * because tests confirm each proposal. */
#define PENALTY 2.0

const struct change_limits change_point_limits = {
	.smallest = 0.005, .resolution = 0.01, .false_alarms = 0.01};

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

static bool passes(const struct series *series, size_t begin, size_t at, size_t end,
		   const struct effect *effect)
{
	return (at - begin >= SURE_RUNS || end - at >= SURE_RUNS) &&
	       change_passes(series, begin, at, end, effect);
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
	*effect = change_test(series, begin, bounds[place], end);
	set_candidate(proposals, place,
		      passes(series, begin, bounds[place], end, effect) ? 0 : place);
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

static struct change_point point_at(const struct series *series, size_t begin, size_t at,
				    size_t end)
{
	return (struct change_point){
		.at = at,
		.before = at - begin,
		.after = end - at,
		.before_ns = exp(change_spread(series, begin, at).mean),
		.after_ns = exp(change_spread(series, at, end).mean),
		.effect = change_effect(series, begin, at, end),
		.provisional = end - at < LEAST_RUNS,
	};
}

/* Adds a provisional change point if the newest run alone differs from its segment. */
static void test_newest_run(struct series *series)
{
	const size_t begin = series->bounds[series->count - 2], end = series->runs;
	struct effect effect;

	if (end - begin <= RUNS_BEFORE_NEWEST || series->times[end - 1].count < 2)
		return;
	effect = change_test(series, begin, end - 1, end);
	if (!effect.separated || !change_passes(series, begin, end - 1, end, &effect))
		return;
	series->bounds[series->count - 1] = end - 1;
	series->bounds[series->count++] = end;
}

/* ---- levels that are left and returned to ---- */

static double level_of(const struct series *series, size_t segment)
{
	return change_spread(series, series->bounds[segment], series->bounds[segment + 1]).mean;
}

/* Whether the level after a segment is that before it. */
static bool returns(const struct series *series, size_t segment)
{
	double before;

	if (segment == 0 || segment + 2 >= series->count)
		return false;
	before = level_of(series, segment - 1);
	return fabs(level_of(series, segment + 1) - before) <
	       0.5 * fabs(level_of(series, segment) - before);
}

/*
 * Two levels that alternate are two modes and no changes: removes the change points between them.
 * Returns whether there were any.
 */
static bool remove_alternations(struct series *series)
{
	const size_t count = series->count;
	bool *removed = xcalloc(count, sizeof(*removed));
	size_t kept = 0;

	for (size_t i = 1; i + 2 < count; i++) {
		if (!returns(series, i) || !returns(series, i + 1))
			continue;
		removed[i] = removed[i + 1] = removed[i + 2] = true;
	}
	for (size_t i = 0; i < count; i++) {
		if (!removed[i])
			series->bounds[kept++] = series->bounds[i];
	}
	free(removed);
	series->count = kept;
	return kept < count;
}

/* A level that is left for a few runs and returned to has not changed. Takes those runs for
 * outliers. Returns whether there were any. */
static bool exclude_short_stays(struct series *series)
{
	bool any = false;

	for (size_t i = 1; i + 1 < series->count; i++) {
		const size_t begin = series->bounds[i], end = series->bounds[i + 1];

		if (end - begin >= LEAST_STAY || !returns(series, i))
			continue;
		change_series_exclude(series, begin, end, level_of(series, i - 1));
		any = true;
		i++; /* the next segment has no other level */
	}
	return any;
}

/* ---- the search ---- */

static void find_points(struct series *series)
{
	do {
		series->count =
			change_partition(series->bounds, series->scatter, series->runs, LEAST_RUNS,
					 PENALTY * fmax(series->noise * series->noise, 1e-18) *
						 log((double)series->runs));
		remove_insignificant(series);
		while (remove_alternations(series))
			remove_insignificant(series);
	} while (exclude_short_stays(series));
	test_newest_run(series);
}

size_t change_points_find(struct change_point **out, const struct process_medians *runs,
			  size_t count, const struct change_limits *limits)
{
	struct series series;
	size_t found;

	*out = NULL;
	if (count < CHANGE_RUNS_LEAST)
		return 0;
	change_series_init(&series, runs, count, limits);
	if (!change_series_may_change(&series)) {
		change_series_release(&series);
		return 0;
	}
	find_points(&series);
	found = series.count - 2;
	*out = xcalloc(found + 1, sizeof(**out));
	for (size_t i = 0; i < found; i++)
		(*out)[i] = point_at(&series, series.bounds[i], series.bounds[i + 1],
				     series.bounds[i + 2]);
	change_series_release(&series);
	return found;
}
