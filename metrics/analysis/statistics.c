/* Summaries of samples. They use order statistics only and assume no normal distribution. */
#include "metrics/analysis/statistics.h"
#include "metrics/metrics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
	size_t rank;

	if (count == 0)
		return summary;
	sorted = xmalloc(count * sizeof(*sorted));
	memcpy(sorted, time_ns, count * sizeof(*sorted));
	sort_numbers(sorted, count);
	summary.median_ns = sorted_median(sorted, count);
	summary.min_ns = sorted[0];
	summary.max_ns = sorted[count - 1];
	rank = interval_rank(count);
	if (rank > 0) {
		summary.low_ns = sorted[rank - 1];
		summary.high_ns = sorted[count - rank];
	}

	for (size_t i = 0; i < count; i++)
		sorted[i] = fabs(sorted[i] - summary.median_ns);
	sort_numbers(sorted, count);
	summary.mad_ns = sorted_median(sorted, count);
	free(sorted);
	return summary;
}

double summary_relative_width(const struct summary *summary)
{
	if (isnan(summary->low_ns) || isnan(summary->high_ns) || !(summary->median_ns > 0))
		return INFINITY;
	return (summary->high_ns - summary->low_ns) / 2 / summary->median_ns;
}
