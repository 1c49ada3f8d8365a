/* Statistics of samples: order statistics only, no assumption of normality. */
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

static double sorted_median(const double *sorted, size_t count)
{
	size_t middle = count / 2;

	return count % 2 ? sorted[middle] : sorted[middle - 1] / 2 + sorted[middle] / 2;
}

/* P(B = successes) for B binomial of `count` fair trials. */
static double binomial_half(double count, double successes)
{
	int sign;

	return exp(lgamma_r(count + 1, &sign) - lgamma_r(successes + 1, &sign) -
		   lgamma_r(count - successes + 1, &sign) - count * M_LN2);
}

/*
 * The rank k, from 1, such that the k-th smallest and k-th largest of `count`
 * samples enclose the median with at least 95 %, as narrow as can be:
 * the largest k with P(B <= k - 1) <= 0.025. 0 if there is none.
 */
static size_t interval_rank(size_t count)
{
	double n = (double)count;
	/* Ten standard deviations below the mean and further, the tail is below 1e-22. */
	double start = fmax(0, floor(n / 2 - 5 * sqrt(n)));
	double successes = start, term = binomial_half(n, start), tail = term;

	while (tail <= 0.025) {
		term *= (n - successes) / (successes + 1);
		successes += 1;
		tail += term;
	}
	/* `successes` is now the smallest number with a tail over 0.025, so k - 1 is one less. */
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
	qsort(sorted, count, sizeof(*sorted), compare_doubles);
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
	qsort(sorted, count, sizeof(*sorted), compare_doubles);
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
