#include "metrics/analysis/compare.h"
#include "metrics/metrics.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

static const struct effect_context on_h200 = {.noise = {0.001, 150, 4}, .share = 1};

#define MEDIANS(...)                                             \
	((struct process_medians){(const double[]){__VA_ARGS__}, \
				  sizeof((double[]){__VA_ARGS__}) / 8})

static void assert_near(double value, double expected, double relative)
{
	if (!(fabs(value - expected) <= relative * fabs(expected)))
		fail_msg("%.12g is not %.12g", value, expected);
}

static enum change alone(const struct effect *effect)
{
	return effect_judge(effect, effect->p, &change_limits_default);
}

/* Two-sided critical values as printed tables of Student's t have them; and for one degree of
 * freedom, Cauchy's distribution, and for two, there are closed forms. */
static void student_is_as_in_tables(void **state)
{
	static const struct {
		double p, freedom, t;
	} rows[] = {
		{0.05, 1, 12.706}, {0.05, 2, 4.303},   {0.05, 4, 2.776},    {0.05, 10, 2.228},
		{0.05, 30, 2.042}, {0.05, 120, 1.980}, {0.01, 10, 3.169},   {0.001, 10, 4.587},
		{0.001, 4, 8.610}, {0.2, 20, 1.325},   {0.01, 1e7, 2.5758},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_near(student_quantile(rows[i].p, rows[i].freedom), rows[i].t, 4e-4);
		assert_near(student_two_sided(rows[i].t, rows[i].freedom), rows[i].p, 3e-3);
	}
	assert_near(student_two_sided(3, 1), 1 - 2 * atan(3) / M_PI, 1e-13);
	assert_near(student_two_sided(40, 2), 1 - 40 / sqrt(2 + 1600), 1e-9);
	assert_near(student_two_sided(0, 7), 1, 1e-13);
	assert_true(student_two_sided(INFINITY, 7) == 0);
	assert_true(student_two_sided(1e5, 10) > 0);
}

/* Without spread of its own the error is that of the known noise: 0.1 % and 150 ns of 1 ms, over
 * sqrt(2/3), with 4 of 8 degrees of freedom. */
static void an_effect_has_its_interval(void **state)
{
	struct effect effect =
		effect_of(MEDIANS(1e6, 1e6, 1e6), MEDIANS(1.02e6, 1.02e6, 1.02e6), &on_h200);
	double error = sqrt(0.5 * (1e-6 + 2.25e-8) * 2 / 3);

	(void)state;
	assert_near(effect.change, 0.02, 1e-9);
	assert_near(log1p(effect.high), log(1.02) + 2.3060041 * error, 1e-6);
	assert_near(log1p(effect.low), log(1.02) - 2.3060041 * error, 1e-6);
	assert_near(log1p(effect.bound_high), log(1.02) + 1.8595480 * error, 1e-6);
	assert_near(log1p(effect.bound_low), log(1.02) - 1.8595480 * error, 1e-6);
	assert_true(effect.separated);
	assert_true(effect.p < 1e-6);
	assert_int_equal(alone(&effect), CHANGE_REGRESSED);
}

static void there_and_back_are_the_same(void **state)
{
	struct process_medians a = MEDIANS(100e3, 101e3, 100.5e3), b = MEDIANS(103e3, 104e3);
	struct effect there = effect_of(a, b, &on_h200), back = effect_of(b, a, &on_h200);

	(void)state;
	assert_near((1 + there.change) * (1 + back.change), 1, 1e-12);
	assert_int_equal(alone(&there), CHANGE_REGRESSED);
	assert_int_equal(alone(&back), CHANGE_IMPROVED);
}

/* Means that differ by 3 % are a change between steady processes. They are none between processes
 * that differ by more than that among themselves. */
static void processes_that_differ_are_no_change(void **state)
{
	struct effect steady = effect_of(MEDIANS(100e3, 100.1e3, 99.9e3),
					 MEDIANS(103e3, 103.1e3, 102.9e3), &on_h200);
	struct effect loose =
		effect_of(MEDIANS(100e3, 106e3, 94e3), MEDIANS(103e3, 109e3, 97e3), &on_h200);

	(void)state;
	assert_int_equal(alone(&steady), CHANGE_REGRESSED);
	assert_false(loose.separated);
	assert_true(loose.low < 0 && loose.high > 0.03);
	assert_int_equal(alone(&loose), CHANGE_INCONCLUSIVE);
}

/* 2 % of 5 ms is a clear change; 2 % of 5 us is within the known noise. */
static void short_kernels_are_noisy(void **state)
{
	struct effect brief =
		effect_of(MEDIANS(5e3, 5e3, 5e3), MEDIANS(5.1e3, 5.1e3, 5.1e3), &on_h200);
	struct effect lasting =
		effect_of(MEDIANS(5e6, 5e6, 5e6), MEDIANS(5.1e6, 5.1e6, 5.1e6), &on_h200);

	(void)state;
	assert_int_equal(alone(&brief), CHANGE_INCONCLUSIVE);
	assert_int_equal(alone(&lasting), CHANGE_REGRESSED);
}

static void what_is_too_little_is_no_change(void **state)
{
	struct effect effect = effect_of(MEDIANS(1e9, 1e9, 1e9, 1e9),
					 MEDIANS(1.004e9, 1.004e9, 1.004e9, 1.004e9), &on_h200);

	(void)state;
	assert_true(effect.separated && effect.p < 0.05);
	assert_int_equal(alone(&effect), CHANGE_UNCHANGED);
}

/* Each limit has a one-sided test of 5 %, so the 95 % interval may be wider than the limits. */
static void two_one_sided_tests_rule_a_change_out(void **state)
{
	struct effect effect = {.low = -0.011, .high = 0.011};

	(void)state;
	effect.bound_low = -0.0099;
	effect.bound_high = 0.0099;
	assert_int_equal(alone(&effect), CHANGE_UNCHANGED);
	effect.bound_high = 0.0101;
	assert_int_equal(alone(&effect), CHANGE_INCONCLUSIVE);
	effect.bound_high = 0.0099;
	effect.bound_low = -0.0101;
	assert_int_equal(alone(&effect), CHANGE_INCONCLUSIVE);
}

/* Times of a clock with steps, and nothing else known of the noise. */
static void equal_rounds_are_unchanged(void **state)
{
	const struct effect_context context = {.share = 1};
	struct effect same = effect_of(MEDIANS(1e6, 1e6, 1e6), MEDIANS(1e6, 1e6, 1e6), &context);
	struct effect slower =
		effect_of(MEDIANS(1e6, 1e6, 1e6), MEDIANS(1.02e6, 1.02e6, 1.02e6), &context);

	(void)state;
	assert_true(same.p == 1);
	assert_true(same.low < 0 && same.high > 0);
	assert_int_equal(alone(&same), CHANGE_UNCHANGED);
	assert_int_equal(alone(&slower), CHANGE_REGRESSED);
}

static void one_process_shows_nothing(void **state)
{
	struct effect one = effect_of(MEDIANS(1e6), MEDIANS(2e6), &on_h200);
	struct effect none = effect_of(MEDIANS(1e6), (struct process_medians){NULL, 0}, &on_h200);

	(void)state;
	assert_near(one.change, 1, 1e-12);
	assert_false(one.separated);
	assert_int_equal(alone(&one), CHANGE_INCONCLUSIVE);
	assert_true(isnan(none.change) && isnan(none.p) && !none.separated);
	assert_int_equal(alone(&none), CHANGE_INCONCLUSIVE);
}

/* By hand: sorted 0.01, 0.02, 0.03, 0.04 are multiplied by 4, 3, 2, 1 and never fall. */
static void many_cases_are_corrected_for(void **state)
{
	double p[] = {0.04, 0.01, NAN, 0.03, 0.02}, high[] = {0.6, 0.9};

	(void)state;
	effects_adjust(p, ARRAY_SIZE(p));
	assert_near(p[1], 0.04, 1e-12);
	assert_near(p[4], 0.06, 1e-12);
	assert_near(p[3], 0.06, 1e-12);
	assert_near(p[0], 0.06, 1e-12);
	assert_true(isnan(p[2]));
	effects_adjust(high, ARRAY_SIZE(high));
	assert_true(high[0] == 1 && high[1] == 1);
	effects_adjust(NULL, 0);
}

static void every_change_has_a_name(void **state)
{
	(void)state;
	for (int i = 0; i < CHANGE_COUNT; i++) {
		assert_non_null(change_name((enum change)i));
		assert_non_null(change_meaning((enum change)i));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(student_is_as_in_tables),
		cmocka_unit_test(an_effect_has_its_interval),
		cmocka_unit_test(there_and_back_are_the_same),
		cmocka_unit_test(processes_that_differ_are_no_change),
		cmocka_unit_test(short_kernels_are_noisy),
		cmocka_unit_test(what_is_too_little_is_no_change),
		cmocka_unit_test(two_one_sided_tests_rule_a_change_out),
		cmocka_unit_test(equal_rounds_are_unchanged),
		cmocka_unit_test(one_process_shows_nothing),
		cmocka_unit_test(many_cases_are_corrected_for),
		cmocka_unit_test(every_change_has_a_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
