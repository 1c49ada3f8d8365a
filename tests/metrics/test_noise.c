#include "metrics/analysis/compare.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/random.h"

static void assert_near(double value, double expected, double most)
{
	if (!(fabs(value - expected) <= most))
		fail_msg("%.9g is not within %g of %.9g", value, most, expected);
}

static double uniform(uint64_t *random)
{
	return ((double)(random_next(random) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(uint64_t *random)
{
	return sqrt(-2 * log(uniform(random))) * cos(2 * M_PI * uniform(random));
}

/* ---- rounds ---- */

#define CASES 400
#define ROUNDS 3

static void what_scatters_is_estimated_from_many_cases(void **state)
{
	static const struct noise planted = {.relative = 0.003, .absolute_ns = 400};
	uint64_t random = 7;
	struct scatter_seen seen[CASES];
	struct noise found;

	(void)state;
	for (size_t i = 0; i < CASES; i++) {
		const double time_ns = 5e3 * pow(10, 3 * uniform(&random));
		double squares = 0;

		for (int k = 0; k < ROUNDS - 1; k++) {
			const double drawn = normal(&random);

			squares += drawn * drawn;
		}
		seen[i] = (struct scatter_seen){
			time_ns, noise_variance(&planted, time_ns) * squares / (ROUNDS - 1),
			ROUNDS - 1};
	}
	found = noise_estimate(seen, CASES);
	assert_near(found.relative, planted.relative, 0.0004);
	assert_near(found.absolute_ns, planted.absolute_ns, 100);
	assert_near(found.weight, 10, 0);
	assert_true(noise_estimate(seen, NOISE_CASES_LEAST - 1).weight == 0);
}

/* As many cases scatter ten times as much as the others: a case says less of another. */
static void cases_that_scatter_otherwise_weigh_less(void **state)
{
	struct scatter_seen seen[40];

	(void)state;
	for (size_t i = 0; i < 40; i++)
		seen[i] = (struct scatter_seen){1e6, i % 2 ? 1e-6 : 1e-4, 2};
	assert_near(noise_estimate(seen, 40).weight, 4, 0);
	for (size_t i = 0; i < 40; i++)
		seen[i].variance = 0;
	assert_true(isfinite(noise_estimate(seen, 40).relative));
}

#define ROUNDS_OF(a, b, c)                                                      \
	{                                                                       \
		{.round = 0, .median_ns = (a)}, {.round = 1, .median_ns = (b)}, \
		{                                                               \
			.round = 2, .median_ns = (c)                            \
		}                                                               \
	}

static struct run run_of(struct trial *trials, struct round_summary (*rounds)[ROUNDS], size_t count,
			 const char *device)
{
	struct run run = {.trials = trials, .trial_count = count};

	snprintf(run.device.name, sizeof(run.device.name), "%s", device);
	for (size_t i = 0; i < count; i++)
		trials[i] = (struct trial){.status = TRIAL_OK,
					   .rounds = rounds[i],
					   .round_count = ROUNDS,
					   .summary = {.median_ns = rounds[i][0].median_ns}};
	return run;
}

static void what_was_measured_on_an_h200_is_for_no_other_gpu(void **state)
{
	struct round_summary rounds[1][ROUNDS] = {ROUNDS_OF(1e6, 1e6, 1e6)};
	struct trial trials[1];
	const struct run h200 = run_of(trials, rounds, 1, "NVIDIA H200"),
			 other = run_of(trials, rounds, 1, "NVIDIA A100");

	(void)state;
	assert_true(noise_of_runs((const struct run *const[]){&h200}, 1).weight == 4);
	assert_true(noise_of_runs((const struct run *const[]){&other}, 1).weight == 0);
}

/* By hand: s^2 = (4 (0.001^2 + 0.00015^2) + SS) / 6, t of 6 degrees of freedom is 2.446912. */
static void an_interval_is_that_of_a_repetition_in_the_session(void **state)
{
	struct round_summary rounds[1][ROUNDS] = {ROUNDS_OF(1e6, 1.01e6, 1e6)};
	struct trial trials[1];
	struct run run = run_of(trials, rounds, 1, "NVIDIA H200");
	const double squares = log(1.01) * log(1.01) * 2 / 3;
	const double reach = 2.446912 * sqrt((4 * 1.0225e-6 + squares) / 6 * 2 / 3);

	(void)state;
	run_set_intervals(&run);
	assert_near(trials[0].summary.session_high_ns, 1e6 * exp(log(1.01) / 3 + reach), 1);
	assert_near(trials[0].summary.session_low_ns, 1e6 * exp(log(1.01) / 3 - reach), 1);
}

/* The samples of the slow round are few, so the median of all is that of the others. */
static void an_interval_contains_the_median(void **state)
{
	struct round_summary rounds[1][ROUNDS] = {ROUNDS_OF(1e6, 1e6, 1e6)};
	struct trial trials[1];
	struct run run = run_of(trials, rounds, 1, "NVIDIA H200");

	(void)state;
	trials[0].summary.median_ns = 2e6;
	run_set_intervals(&run);
	assert_true(trials[0].summary.session_high_ns == 2e6);
	assert_true(trials[0].summary.session_low_ns < 1e6);
}

static void one_round_has_no_interval(void **state)
{
	struct round_summary rounds[1][ROUNDS] = {ROUNDS_OF(1e6, NAN, NAN)};
	struct trial trials[1];
	struct run run = run_of(trials, rounds, 1, "NVIDIA H200");

	(void)state;
	trials[0].summary.session_low_ns = 1;
	run_set_intervals(&run);
	assert_true(isnan(trials[0].summary.session_low_ns));
	assert_true(isnan(trials[0].summary.session_high_ns));
}

/* ---- sessions ---- */

/* By hand: the levels 0, 0.01 and 0.02 have the variance 1e-4. */
static void sessions_of_equal_code_tell_how_a_case_scatters(void **state)
{
	struct session sessions[] = {{0, NAN, true}, {0.01, NAN, true}, {0.02, NAN, true}};
	const struct case_sessions of = {1e6, sessions, 3};
	struct session_scatter scatter;

	(void)state;
	session_scatters_find(&scatter, &of, 1);
	assert_near(scatter.variance, 1e-4, 1e-12);
	assert_true(scatter.freedom == 2 && scatter.sessions == 3);
	sessions[1].same_code = false;
	session_scatters_find(&scatter, &of, 1);
	assert_true(scatter.freedom == 0);
}

/* The code of each case changed each time, but 30 cases that move by 0.3 % are not 30 changes. What
 * moves by more than 2 % is one. */
static void sessions_of_other_code_tell_how_cases_scatter(void **state)
{
	enum { COUNT = 30 };
	struct session sessions[COUNT][3];
	struct case_sessions cases[COUNT];
	struct session_scatter scatters[COUNT];
	uint64_t random = 3;

	(void)state;
	for (size_t i = 0; i < COUNT; i++) {
		const double by = i < 5 ? 0.1 : 0.003 * normal(&random);

		sessions[i][0] = (struct session){0.003 * normal(&random), NAN, false};
		sessions[i][1] = (struct session){by, NAN, false};
		sessions[i][2] =
			(struct session){i < 5 ? 0.2 : 0.003 * normal(&random), NAN, false};
		cases[i] = (struct case_sessions){1e6, sessions[i], 3};
	}
	session_scatters_find(scatters, cases, COUNT);
	assert_near(sqrt(scatters[0].variance), 0.003, 0.0015);
	assert_true(scatters[0].freedom >= 4);
	for (size_t i = 0; i < COUNT; i++)
		cases[i].count = 2;
	session_scatters_find(scatters, cases, COUNT);
	assert_true(scatters[0].freedom == 0);
}

static void two_clocks_tell_how_a_case_follows_them(void **state)
{
	struct session sessions[] = {{0, 1.98e9, true}, {log(1.98 / 1.89), 1.89e9, true}};
	const struct case_sessions of = {1e6, sessions, 2};
	struct session_scatter scatter;

	(void)state;
	session_scatters_find(&scatter, &of, 1);
	assert_near(scatter.clock_dependence, 1, 1e-9);
	sessions[1].level = 0;
	session_scatters_find(&scatter, &of, 1);
	assert_near(scatter.clock_dependence, 0, 1e-9);
	sessions[1].sm_clock_hz = 1.98e9;
	session_scatters_find(&scatter, &of, 1);
	assert_true(isnan(scatter.clock_dependence));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_scatters_is_estimated_from_many_cases),
		cmocka_unit_test(cases_that_scatter_otherwise_weigh_less),
		cmocka_unit_test(what_was_measured_on_an_h200_is_for_no_other_gpu),
		cmocka_unit_test(an_interval_is_that_of_a_repetition_in_the_session),
		cmocka_unit_test(an_interval_contains_the_median),
		cmocka_unit_test(one_round_has_no_interval),
		cmocka_unit_test(sessions_of_equal_code_tell_how_a_case_scatters),
		cmocka_unit_test(sessions_of_other_code_tell_how_cases_scatter),
		cmocka_unit_test(two_clocks_tell_how_a_case_follows_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
