/* The proposals of change points are the best partition: no other has less scatter and penalty. */
#include "metrics/analysis/change_series.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#define VALUES 200
#define LEAST 2

static struct scatter_sums sums[VALUES + 1];

static void fill(unsigned seed, double noise, int segment)
{
	double level = 0;

	srand(seed);
	for (size_t i = 0; i < VALUES; i++) {
		double value;

		if (segment && i % (size_t)segment == 0)
			level = rand() % 7;
		value = level + noise * (rand() / (double)RAND_MAX - 0.5);
		sums[i + 1] = sums[i];
		sums[i + 1].values += value;
		sums[i + 1].squares += value * value;
	}
}

/* The least cost, by trying every start of every last segment. */
static double least_cost(double penalty)
{
	static double cost[VALUES + 1];

	cost[0] = -penalty;
	for (size_t end = 1; end <= VALUES; end++) {
		cost[end] = INFINITY;
		for (size_t start = 0; start + LEAST <= end; start++)
			cost[end] = fmin(cost[end],
					 cost[start] + penalty + scatter_between(sums, start, end));
	}
	return cost[VALUES];
}

static void test_no_partition_costs_less(void **state)
{
	static const struct {
		double noise, penalty;
		int segment;
	} series[] = {{1, 1, 0},      {1, 0.1, 20}, {0.1, 0.5, 7},
		      {0, 1e-18, 10}, {3, 2, 50},   {0, 1, 0}};
	size_t bounds[VALUES + 2];

	(void)state;
	for (size_t i = 0; i < sizeof(series) / sizeof(*series); i++) {
		double cost = -series[i].penalty;
		size_t count;

		fill((unsigned)i, series[i].noise, series[i].segment);
		count = change_partition(bounds, sums, VALUES, LEAST, series[i].penalty);
		assert_int_equal(bounds[0], 0);
		assert_int_equal(bounds[count - 1], VALUES);
		for (size_t j = 1; j < count; j++) {
			assert_true(bounds[j] >= bounds[j - 1] + LEAST);
			cost += series[i].penalty + scatter_between(sums, bounds[j - 1], bounds[j]);
		}
		assert_true(fabs(cost - least_cost(series[i].penalty)) <= 1e-9);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_partition_costs_less),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
