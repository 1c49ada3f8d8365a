/* The comparison that decides whether a result is right. */
#include "harness/workers/tolerance.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_near_enough(void **context)
{
	(void)context;
	assert_true(within_tolerance(1.0, 1.0, 0, 0));
	assert_true(within_tolerance(101.0, 100.0, 0, 0.01));
	assert_true(within_tolerance(99.0, 100.0, 1, 0));
	assert_false(within_tolerance(101.5, 100.0, 0, 0.01));
	assert_false(within_tolerance(-100.0, 100.0, 0.5, 0.5));
	assert_false(within_tolerance(1e-30, 0.0, 0, 0.5));
}

static void test_nan_is_never_right(void **context)
{
	const double bad[] = {NAN, INFINITY, -INFINITY};

	(void)context;
	for (int i = 0; i < 3; i++) {
		assert_false(within_tolerance(bad[i], 1.0, 1e300, 1e300));
		assert_false(within_tolerance(1.0, bad[i], 1, 1));
	}
	assert_false(within_tolerance(NAN, NAN, 1, 1));
	assert_false(within_tolerance(NAN, INFINITY, 1, 1));
}

/* Such as the score of a masked token. */
static void test_infinity_is_right_only_where_it_is_expected(void **context)
{
	(void)context;
	assert_true(within_tolerance(INFINITY, INFINITY, 0, 0));
	assert_true(within_tolerance(-INFINITY, -INFINITY, 0, 0.1));
	assert_false(within_tolerance(-INFINITY, INFINITY, 1, 1));
	assert_false(within_tolerance(1e308, INFINITY, 1, 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_near_enough),
		cmocka_unit_test(test_nan_is_never_right),
		cmocka_unit_test(test_infinity_is_right_only_where_it_is_expected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
