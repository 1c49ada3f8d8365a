#include "metrics/analysis/statistics.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "base/base.h"

#define VALUES 333

/* Levels far apart, whose values differ by little: prefix sums would lose most of the digits. */
static void fill(double *values)
{
	uint64_t state = 7;

	for (size_t i = 0; i < VALUES; i++) {
		state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		values[i] = (double)(1 + i / 70) + 1e-6 * (double)(state >> 40) * 0x1p-24;
	}
}

static void every_range_has_its_own_spread(void **state)
{
	double values[VALUES];
	struct spreads spreads;

	(void)state;
	fill(values);
	spreads_init(&spreads, values, VALUES);
	for (size_t begin = 0; begin <= VALUES; begin++) {
		for (size_t end = begin; end <= VALUES; end++) {
			struct spread wanted = spread_of(values + begin, end - begin);
			struct spread found = spreads_between(&spreads, begin, end);

			assert_int_equal(found.count, wanted.count);
			assert_true(fabs(found.mean - wanted.mean) < 1e-14);
			assert_true(fabs(found.squares - wanted.squares) <=
				    1e-7 * wanted.squares + 1e-24);
			assert_true(found.lowest == wanted.lowest);
			assert_true(found.highest == wanted.highest);
		}
	}
	spreads_release(&spreads);
}

static void equal_values_have_no_scatter(void **state)
{
	double values[VALUES];
	struct spreads spreads;

	(void)state;
	for (size_t i = 0; i < VALUES; i++)
		values[i] = 0.25;
	for (size_t count = 1; count <= VALUES; count++) {
		struct spread found;

		spreads_init(&spreads, values, count);
		found = spreads_between(&spreads, 0, count);
		assert_true(fabs(found.mean - 0.25) < 1e-15);
		assert_true(found.squares < 1e-28);
		assert_true(found.lowest == 0.25 && found.highest == 0.25);
		spreads_release(&spreads);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_range_has_its_own_spread),
		cmocka_unit_test(equal_values_have_no_scatter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
