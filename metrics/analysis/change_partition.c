/*
 * Optimal partitioning with functional pruning (FPOP). The scatter of a segment that begins at a
 * start s is the least, over all levels m, of q_s(m): the least cost of what comes before s, a
 * penalty, and the squares of the values since s about m. All q grow by the same square with each
 * value, so a start that is not the lowest at any level will never be. What remains is, for
 * each level, the start that is lowest there: few, whether or not the series changes.
 */
#include "metrics/analysis/change_partition.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

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
