#include "metrics/analysis/statistics.h"
#include "metrics/metrics.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

static void nothing_is_known_of_no_samples(void **state)
{
	struct summary summary = summarise(NULL, 0);

	(void)state;
	assert_int_equal(summary.count, 0);
	assert_true(isnan(summary.median_ns));
	assert_true(isnan(summary.mad_ns));
	assert_true(isnan(summary.session_low_ns));
	assert_true(isnan(summary.session_high_ns));
	assert_true(isnan(summary.min_ns));
	assert_true(isnan(summary.max_ns));
	assert_true(isnan(sample_interval(NULL, 0).low_ns));
}

static void one_sample_is_its_own_median(void **state)
{
	double sample = 7;
	struct summary summary = summarise(&sample, 1);

	(void)state;
	assert_int_equal(summary.count, 1);
	assert_true(summary.median_ns == 7);
	assert_true(summary.mad_ns == 0);
	assert_true(summary.min_ns == 7 && summary.max_ns == 7);
	assert_true(isnan(sample_interval(&sample, 1).low_ns));
}

static void computed_by_hand(void **state)
{
	/* Sorted 1 2 4 4 10 31; deviations from 4: 3 2 0 0 6 27, sorted 0 0 2 3 6 27. */
	const double samples[] = {10, 2, 4, 31, 1, 4};
	struct summary summary = summarise(samples, 6);

	(void)state;
	assert_int_equal(summary.count, 6);
	assert_true(summary.median_ns == 4);
	assert_true(summary.mad_ns == 2.5);
	assert_true(summary.min_ns == 1);
	assert_true(summary.max_ns == 31);
	assert_true(sample_interval(samples, 6).low_ns == 1);
	assert_true(sample_interval(samples, 6).high_ns == 31);
	assert_true(samples[0] == 10 && samples[5] == 4);

	summary = summarise(samples, 5); /* 1 2 4 10 31 */
	assert_true(summary.median_ns == 4);
	assert_true(summary.mad_ns == 3);
	assert_true(isnan(sample_interval(samples, 5).low_ns));
}

/* Samples 1 … n in a scrambled order, so that the interval's ends are its ranks. */
static struct sample_interval interval_of_ranks(size_t count)
{
	double *samples = malloc(count * sizeof(*samples));
	struct sample_interval interval;

	assert_non_null(samples);
	for (size_t i = 0; i < count; i++)
		samples[i] =
			(double)(i * 7919 % count) + 1; /* 7919 is prime, and divides no count */
	interval = sample_interval(samples, count);
	free(samples);
	return interval;
}

/*
 * Ranks of the 95 % interval of the median, as tables of the binomial
 * distribution give them (Conover, table A3, p = 0.5): the largest k with
 * P(B <= k - 1) <= 0.025.
 */
static void interval_of_the_median_is_the_tabulated_one(void **state)
{
	static const struct {
		size_t count;
		double low, high;
	} table[] = {
		{6, 1, 6},    {7, 1, 7},     {8, 1, 8},     {9, 2, 8},     {10, 2, 9},
		{11, 2, 10},  {12, 3, 10},   {15, 4, 12},   {17, 5, 13},   {20, 6, 15},
		{25, 8, 18},  {30, 10, 21},  {40, 14, 27},  {50, 18, 33},  {60, 22, 39},
		{70, 27, 44}, {100, 40, 61}, {101, 41, 61}, {120, 49, 72},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		struct sample_interval of = interval_of_ranks(table[i].count);

		if (of.low_ns != table[i].low || of.high_ns != table[i].high)
			fail_msg("%zu samples: ranks %g to %g, the table says %g to %g",
				 table[i].count, of.low_ns, of.high_ns, table[i].low,
				 table[i].high);
	}
}

static void five_samples_are_too_few_for_an_interval(void **state)
{
	(void)state;
	for (size_t count = 1; count <= 5; count++) {
		struct sample_interval of = interval_of_ranks(count);

		assert_true(isnan(of.low_ns));
		assert_true(isnan(of.high_ns));
	}
	assert_false(isnan(interval_of_ranks(6).low_ns));
}

/* With many samples the ranks approach n/2 -+ 1.96 sqrt(n)/2; nothing under- or overflows. */
static void many_samples_follow_the_normal_limit(void **state)
{
	static const size_t counts[] = {1000, 2000, 20000, 1000000};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
		double n = (double)counts[i], half = 0.5 * 1.959964 * sqrt(n);
		struct sample_interval of = interval_of_ranks(counts[i]);

		assert_true(fabs(of.low_ns - (n / 2 - half)) < 1.5);
		assert_true(fabs(of.high_ns - (n / 2 + 1 + half)) < 1.5);
		assert_true(of.median_ns == (n + 1) / 2);
	}
}

static void width_of_equal_samples_is_zero(void **state)
{
	const double samples[] = {5, 5, 5, 5, 5, 5, 5};
	struct sample_interval of = sample_interval(samples, ARRAY_SIZE(samples));

	(void)state;
	assert_true(of.low_ns == 5 && of.high_ns == 5);
}

/* Also of series that are bad for the choice of pivots: sorted, falling, equal, with a peak. */
static void a_number_of_a_rank_is_that_of_the_sorted_series(void **state)
{
	enum { MOST = 200 };
	static const size_t counts[] = {1, 2, 3, 16, 17, 18, 33, 100, MOST};

	(void)state;
	for (size_t c = 0; c < ARRAY_SIZE(counts); c++) {
		for (size_t rank = 0; rank < counts[c]; rank++) {
			for (size_t kind = 0; kind < 6; kind++) {
				const size_t count = counts[c];
				double values[MOST], sorted[MOST];

				for (size_t i = 0; i < count; i++) {
					const size_t made[] = {
						i,     count - i,
						7,     i * 7919 % 101,
						i % 3, i < count / 2 ? i : count - i};

					sorted[i] = values[i] = (double)made[kind];
				}
				sort_numbers(sorted, count);
				assert_true(number_of_rank(values, count, rank) == sorted[rank]);
				sort_numbers(values, count);
				assert_memory_equal(values, sorted, count * sizeof(*values));
			}
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_known_of_no_samples),
		cmocka_unit_test(one_sample_is_its_own_median),
		cmocka_unit_test(computed_by_hand),
		cmocka_unit_test(interval_of_the_median_is_the_tabulated_one),
		cmocka_unit_test(five_samples_are_too_few_for_an_interval),
		cmocka_unit_test(many_samples_follow_the_normal_limit),
		cmocka_unit_test(width_of_equal_samples_is_zero),
		cmocka_unit_test(a_number_of_a_rank_is_that_of_the_sorted_series),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
