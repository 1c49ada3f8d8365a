#include "metrics/analysis/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- samples, by order statistics only: no normal distribution is assumed ---- */

static int compare_doubles(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

void sort_numbers(double *values, size_t count)
{
	qsort(values, count, sizeof(*values), compare_doubles);
}

/* Moves the values up to the pivot before those from it on (Hoare). Returns how many come first: at
 * least one, and not all. */
static size_t partition_numbers(double *values, size_t count, double pivot)
{
	size_t low = 0, high = count - 1;

	for (;; low++, high--) {
		double swapped;

		while (values[low] < pivot)
			low++;
		while (values[high] > pivot)
			high--;
		if (low >= high)
			return high + 1;
		swapped = values[low];
		values[low] = values[high];
		values[high] = swapped;
	}
}

double number_of_rank(double *values, size_t count, size_t rank)
{
	/* a series that is made so that pivots are bad is sorted */
	for (int left = 64; count > 16 && left > 0; left--) {
		size_t before = partition_numbers(values, count, values[(count - 1) / 2]);

		if (rank < before) {
			count = before;
		} else {
			values += before;
			count -= before;
			rank -= before;
		}
	}
	sort_numbers(values, count);
	return values[rank];
}

static double sorted_median(const double *sorted, size_t count)
{
	size_t middle = count / 2;

	return count % 2 ? sorted[middle] : sorted[middle - 1] / 2 + sorted[middle] / 2;
}

/* P(B = successes), where B is the number of successes in `count` fair coin tosses. */
static double binomial_half(double count, double successes)
{
	int sign;

	return exp(lgamma_r(count + 1, &sign) - lgamma_r(successes + 1, &sign) -
		   lgamma_r(count - successes + 1, &sign) - count * M_LN2);
}

/*
 * Returns the rank k, from 1, of the narrowest interval that covers the median
 * with at least 95 %, from the k-th smallest to the k-th largest of `count`
 * samples: the largest k with P(B <= k - 1) <= 0.025. Returns 0 if there is none.
 */
static size_t interval_rank(size_t count)
{
	double n = (double)count;
	/* The tail beyond ten standard deviations is below 1e-22. */
	double start = fmax(0, floor(n / 2 - 5 * sqrt(n)));
	double successes = start, term = binomial_half(n, start), tail = term;

	while (tail <= 0.025) {
		term *= (n - successes) / (successes + 1);
		successes += 1;
		tail += term;
	}
	/* `successes` is now the smallest number with a tail above 0.025, so k - 1 is one less. */
	return successes > start ? (size_t)successes : 0;
}

struct summary summarise(const double *time_ns, size_t count)
{
	struct summary summary = {(int64_t)count, NAN, NAN, NAN, NAN, NAN, NAN};
	double *sorted;

	if (count == 0)
		return summary;
	sorted = xmalloc(count * sizeof(*sorted));
	memcpy(sorted, time_ns, count * sizeof(*sorted));
	sort_numbers(sorted, count);
	summary.median_ns = sorted_median(sorted, count);
	summary.min_ns = sorted[0];
	summary.max_ns = sorted[count - 1];
	for (size_t i = 0; i < count; i++)
		sorted[i] = fabs(sorted[i] - summary.median_ns);
	sort_numbers(sorted, count);
	summary.mad_ns = sorted_median(sorted, count);
	free(sorted);
	return summary;
}

struct sample_interval sample_interval(const double *time_ns, size_t count)
{
	struct sample_interval interval = {NAN, NAN, NAN};
	const size_t rank = count ? interval_rank(count) : 0;
	double *sorted;

	if (!rank)
		return interval;
	sorted = xmalloc(count * sizeof(*sorted));
	memcpy(sorted, time_ns, count * sizeof(*sorted));
	sort_numbers(sorted, count);
	interval = (struct sample_interval){sorted_median(sorted, count), sorted[rank - 1],
					    sorted[count - rank]};
	free(sorted);
	return interval;
}

/* ---- counters ---- */

double counted_value(const struct trial *trial, const char *metric)
{
	const struct counter_value *counter = counter_list_find(&trial->counters, metric);

	return counter && counter->has_value ? finite_or_nan(counter->value) : NAN;
}

double finite_or_nan(double value)
{
	return isfinite(value) ? value : NAN;
}

double finite_quotient(double numerator, double denominator)
{
	return denominator > 0 ? finite_or_nan(numerator / denominator) : NAN;
}

/* ---- rounds ---- */

/* NVML's reasons that reduce a clock because of power or heat: software power cap, hardware
 * slow-down, software and hardware thermal slow-down, power brake. An idle device and a clock that
 * the user set do not count as throttled. */
#define THROTTLE_MASK 0xec

struct round_clocks round_clocks_of(const struct round_summary *rounds, size_t count)
{
	struct round_clocks clocks = {0};
	size_t sm = 0, memory = 0, costs = 0;

	for (size_t i = 0; i < count; i++) {
		const struct device_state *state = &rounds[i].state;

		if (state->sm_clock_hz > 0) {
			clocks.sm_hz += state->sm_clock_hz;
			sm++;
		}
		if (state->memory_clock_hz > 0) {
			clocks.memory_hz += state->memory_clock_hz;
			memory++;
		}
		if (state->throttle_reasons >= 0) {
			clocks.throttled += (state->throttle_reasons & THROTTLE_MASK) != 0;
			clocks.count++;
		}
		if (state->event_ns > 0 && state->launch_ns > 0) {
			clocks.event_ns += state->event_ns;
			clocks.launch_ns += state->launch_ns;
			costs++;
		}
	}
	clocks.sm_hz = sm ? clocks.sm_hz / (double)sm : NAN;
	clocks.memory_hz = memory ? clocks.memory_hz / (double)memory : NAN;
	clocks.event_ns = costs ? clocks.event_ns / (double)costs : NAN;
	clocks.launch_ns = costs ? clocks.launch_ns / (double)costs : NAN;
	return clocks;
}

/* ---- the scatter of series: a segment tree over blocks of values ---- */

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
