/* Mean and scatter of ranges of a series: a segment tree over blocks of values. */
#include "metrics/analysis/spread.h"

#include <math.h>
#include <stdlib.h>

#include "base/base.h"

/* To add the values of a block is faster than to keep nodes for them. */
#define BLOCK_VALUES 16

static const struct spread spread_empty = {0, 0, 0, INFINITY, -INFINITY};

struct spread spread_of(const double *values, size_t count)
{
	struct spread spread = spread_empty;

	spread.count = count;
	for (size_t i = 0; i < count; i++) {
		spread.mean += values[i] / (double)count;
		/* not fmin() and fmax(), which are calls */
		spread.lowest = values[i] < spread.lowest ? values[i] : spread.lowest;
		spread.highest = values[i] > spread.highest ? values[i] : spread.highest;
	}
	for (size_t i = 0; i < count; i++) {
		double distance = values[i] - spread.mean;

		spread.squares += distance * distance;
	}
	return spread;
}

struct spread spread_join(const struct spread *a, const struct spread *b)
{
	const double count = (double)(a->count + b->count), distance = b->mean - a->mean;

	if (a->count == 0 || b->count == 0)
		return a->count ? *a : *b;
	return (struct spread){
		.count = a->count + b->count,
		.mean = a->mean + distance * ((double)b->count / count),
		.squares = a->squares + b->squares +
			   distance * distance * ((double)a->count * (double)b->count / count),
		.lowest = a->lowest < b->lowest ? a->lowest : b->lowest,
		.highest = a->highest > b->highest ? a->highest : b->highest,
	};
}

void spreads_init(struct spreads *spreads, const double *values, size_t count)
{
	const size_t blocks = (count + BLOCK_VALUES - 1) / BLOCK_VALUES;
	struct spread *nodes = xcalloc(2 * blocks, sizeof(*nodes));

	for (size_t i = 0; i < blocks; i++) {
		size_t begin = i * BLOCK_VALUES, left = count - begin;

		nodes[blocks + i] =
			spread_of(values + begin, left < BLOCK_VALUES ? left : BLOCK_VALUES);
	}
	for (size_t i = blocks; i-- > 1;)
		nodes[i] = spread_join(&nodes[2 * i], &nodes[2 * i + 1]);
	*spreads = (struct spreads){values, blocks, nodes};
}

void spreads_release(struct spreads *spreads)
{
	free(spreads->nodes);
	spreads->nodes = NULL;
}

static void add_values(struct spread *sum, const struct spreads *spreads, size_t begin, size_t end)
{
	struct spread part = spread_of(spreads->values + begin, end - begin);

	*sum = spread_join(sum, &part);
}

struct spread spreads_between(const struct spreads *spreads, size_t begin, size_t end)
{
	size_t left = (begin + BLOCK_VALUES - 1) / BLOCK_VALUES, right = end / BLOCK_VALUES;
	struct spread sum = spread_empty;

	/* equal short ranges have the same spread to the last bit, wherever the blocks begin */
	if (end - begin < 2 * BLOCK_VALUES)
		return spread_of(spreads->values + begin, end - begin);
	add_values(&sum, spreads, begin, left * BLOCK_VALUES);
	add_values(&sum, spreads, right * BLOCK_VALUES, end);
	for (left += spreads->blocks, right += spreads->blocks; left < right;
	     left /= 2, right /= 2) {
		if (left % 2)
			sum = spread_join(&sum, &spreads->nodes[left++]);
		if (right % 2)
			sum = spread_join(&sum, &spreads->nodes[--right]);
	}
	return sum;
}
