#include "metrics/analysis/change_points.h"
#include "metrics/analysis/compare.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/random.h"
#include "metrics/metrics.h"

#define ROUNDS 3
#define PROCESS_SD 0.002 /* of the logarithms of rounds, unless a test sets another value */

/* ---- generated histories ---- */

struct made_up {
	uint64_t state; /* of the random numbers */
	size_t runs;
	double *rounds; /* ROUNDS a run */
	struct process_medians *medians;
	struct change_point *found;
	size_t found_count;
};

static double uniform(struct made_up *history)
{
	return ((double)(random_next(&history->state) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(struct made_up *history)
{
	double radius = sqrt(-2 * log(uniform(history)));

	return radius * cos(2 * M_PI * uniform(history));
}

/* Laplace's distribution, and Student's with three degrees of freedom: both have heavier tails than
 * a normal distribution. */
static double laplace(struct made_up *history)
{
	double side = uniform(history) - 0.5;

	return (side < 0 ? 1 : -1) * log1p(-2 * fabs(side));
}

static double student_3(struct made_up *history)
{
	double top = normal(history), squares = 0;

	for (int i = 0; i < 3; i++) {
		double value = normal(history);

		squares += value * value;
	}
	return top / sqrt(squares / 3);
}

/* One-sided, because disturbances mostly make a measurement slower. */
static double exponential(struct made_up *history)
{
	return -log(uniform(history));
}

static void made_up_init(struct made_up *history, size_t runs, uint64_t seed)
{
	*history = (struct made_up){.state = seed, .runs = runs};
	history->rounds = xcalloc(runs * ROUNDS + 1, sizeof(*history->rounds));
	history->medians = xcalloc(runs + 1, sizeof(*history->medians));
	for (size_t i = 0; i < runs; i++)
		history->medians[i] =
			(struct process_medians){history->rounds + i * ROUNDS, ROUNDS};
}

static void made_up_release(struct made_up *history)
{
	free(history->rounds);
	free(history->medians);
	free(history->found);
}

/* All runs at 100 us, with noise of the rounds and of the runs. */
static void made_up_fill(struct made_up *history, double (*noise)(struct made_up *), double run_sd)
{
	for (size_t i = 0; i < history->runs; i++) {
		double run = run_sd > 0 ? run_sd * noise(history) : 0;

		for (size_t j = 0; j < ROUNDS; j++)
			history->rounds[i * ROUNDS + j] =
				100e3 * exp(run + PROCESS_SD * noise(history));
	}
}

/* Runs begin to end take `factor` times as long. */
static void made_up_scale(struct made_up *history, size_t begin, size_t end, double factor)
{
	for (size_t i = begin * ROUNDS; i < end * ROUNDS; i++)
		history->rounds[i] *= factor;
}

static size_t made_up_find(struct made_up *history)
{
	free(history->found);
	history->found_count = change_points_find(&history->found, history->medians, history->runs,
						  &change_point_limits);
	return history->found_count;
}

static void assert_point(const struct made_up *history, size_t which, size_t at, double change)
{
	const struct change_point *point = &history->found[which];

	assert_true(which < history->found_count);
	assert_int_equal(point->at, at);
	if (!(fabs(point->effect.change - change) < 0.003))
		fail_msg("change %g, expected about %g", point->effect.change, change);
	assert_true(point->effect.low < point->effect.change);
	assert_true(point->effect.high > point->effect.change);
}

/* ---- histories with change points ---- */

static void a_step_is_found_where_it_is(void **state)
{
	static const size_t places[] = {2, 3, 20, 37, 38};
	static const double steps[] = {1.02, 0.98, 1.5};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		for (size_t j = 0; j < ARRAY_SIZE(steps); j++) {
			struct made_up history;

			made_up_init(&history, 40, 1 + i);
			made_up_fill(&history, normal, 0);
			made_up_scale(&history, places[i], 40, steps[j]);
			assert_int_equal(made_up_find(&history), 1);
			assert_point(&history, 0, places[i], steps[j] - 1);
			assert_int_equal(history.found[0].before, places[i]);
			assert_int_equal(history.found[0].after, 40 - places[i]);
			assert_false(history.found[0].provisional);
			assert_true(fabs(history.found[0].before_ns / 100e3 - 1) < 0.003);
			assert_true(fabs(history.found[0].after_ns / (steps[j] * 100e3) - 1) <
				    0.003);
			made_up_release(&history);
		}
	}
}

/* Slower for five runs out of eighty, then as before: the two halves about any one place hardly
 * differ. */
static void a_step_that_is_taken_back_is_two(void **state)
{
	struct made_up history;

	(void)state;
	made_up_init(&history, 80, 5);
	made_up_fill(&history, normal, 0);
	made_up_scale(&history, 40, 45, 1.1);
	assert_int_equal(made_up_find(&history), 2);
	assert_point(&history, 0, 40, 0.1);
	assert_point(&history, 1, 45, 1 / 1.1 - 1);
	made_up_release(&history);
}

static void several_steps_are_told_apart(void **state)
{
	struct made_up history;

	(void)state;
	made_up_init(&history, 100, 6);
	made_up_fill(&history, normal, 0);
	made_up_scale(&history, 20, 100, 1.05);
	made_up_scale(&history, 23, 100, 1.5);
	made_up_scale(&history, 60, 100, 0.98);
	assert_int_equal(made_up_find(&history), 3);
	assert_point(&history, 0, 20, 0.05);
	assert_point(&history, 1, 23, 0.5);
	assert_point(&history, 2, 60, -0.02);
	made_up_release(&history);
}

/* Most histories have few runs. Of four, two are easily slow by chance. */
static void five_runs_are_enough(void **state)
{
	struct made_up history;

	(void)state;
	made_up_init(&history, 5, 7);
	made_up_fill(&history, normal, 0);
	made_up_scale(&history, 2, 5, 1.03);
	assert_int_equal(made_up_find(&history), 1);
	assert_point(&history, 0, 2, 0.03);
	history.runs = 4;
	assert_int_equal(made_up_find(&history), 0);
	made_up_release(&history);
}

static void the_newest_run_alone_is_provisional(void **state)
{
	struct made_up history;

	(void)state;
	made_up_init(&history, 30, 8);
	made_up_fill(&history, normal, 0);
	made_up_scale(&history, 29, 30, 1.05);
	assert_int_equal(made_up_find(&history), 1);
	assert_point(&history, 0, 29, 0.05);
	assert_true(history.found[0].provisional);
	made_up_release(&history);
}

/* The case gets slower by 10 % over 200 runs: reported as steps, each of them slower. */
static void a_drift_is_told_in_its_direction(void **state)
{
	struct made_up history;
	double total = 1;

	(void)state;
	made_up_init(&history, 200, 9);
	made_up_fill(&history, normal, 0);
	for (size_t i = 0; i < 200; i++)
		made_up_scale(&history, i, i + 1, 1 + 0.1 * (double)i / 199);
	assert_in_range(made_up_find(&history), 3, 20);
	for (size_t i = 0; i < history.found_count; i++) {
		assert_true(history.found[i].effect.change > 0);
		total *= history.found[i].after_ns / history.found[i].before_ns;
	}
	/* from the middle of the first level to that of the last */
	assert_true(total > 1.08 && total < 1.1);
	made_up_release(&history);
}

/* ---- histories without change points ---- */

static void an_outlier_is_none(void **state)
{
	static const double factors[] = {1.03, 1.5, 30, 0.5};
	static const size_t places[] = {0, 1, 2, 12, 22, 23};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(factors); i++) {
		for (size_t j = 0; j < ARRAY_SIZE(places); j++) {
			struct made_up history;

			made_up_init(&history, 25, 10 + j);
			made_up_fill(&history, normal, 0);
			made_up_scale(&history, places[j], places[j] + 1, factors[i]);
			assert_int_equal(made_up_find(&history), 0);
			made_up_release(&history);
		}
	}
}

static struct change_mode made_up_mode(const struct made_up *history)
{
	struct change_mode mode = {0};

	change_mode_find(&mode, history->medians, history->runs, &change_point_limits);
	return mode;
}

/* The newest run is as slow as five before it, each of which was an outlier when it was alone. */
static void a_level_that_was_there_before_is_a_mode(void **state)
{
	static const size_t slow[] = {7, 18, 20, 24, 26, 29};
	struct change_mode mode;

	(void)state;
	for (size_t last = 0; last < 2; last++) {
		struct made_up history;

		made_up_init(&history, 30, 50);
		made_up_fill(&history, normal, 0);
		for (size_t i = 0; i < ARRAY_SIZE(slow); i++)
			made_up_scale(&history, slow[i], slow[i] + 1, 1.02);
		/* or the newest two runs are */
		made_up_scale(&history, 28, 29, last ? 1.02 : 1);
		assert_int_equal(made_up_find(&history), 0);
		mode = made_up_mode(&history);
		assert_int_equal(mode.runs, 6 + last);
		assert_int_equal(mode.of, 30);
		assert_int_equal(mode.newest, 29);
		assert_true(fabs(mode.usual_ns / 100e3 - 1) < 0.003);
		assert_true(fabs(mode.other_ns / 102e3 - 1) < 0.003);
		/* a level that was not there before is a change */
		made_up_scale(&history, 28, 30, 1.03);
		made_up_scale(&history, 28, 29, last ? 1 : 1.02);
		assert_int_equal(made_up_find(&history), 1);
		assert_int_equal(history.found[0].at, 28);
		made_up_release(&history);
	}
}

/* It lasts for several runs each time. */
static void a_mode_that_lasts_is_no_change(void **state)
{
	struct made_up history;
	struct change_mode mode;

	(void)state;
	made_up_init(&history, 60, 51);
	made_up_fill(&history, normal, 0);
	made_up_scale(&history, 10, 18, 1.02);
	made_up_scale(&history, 30, 37, 1.02);
	made_up_scale(&history, 50, 60, 1.02);
	assert_int_equal(made_up_find(&history), 0);
	mode = made_up_mode(&history);
	assert_int_equal(mode.runs, 25);
	/* one step is none, nor are outliers of any size */
	made_up_fill(&history, normal, 0);
	made_up_scale(&history, 30, 60, 1.02);
	assert_int_equal(made_up_mode(&history).of, 0);
	made_up_fill(&history, normal, 0);
	made_up_scale(&history, 10, 11, 1.02);
	made_up_scale(&history, 30, 31, 1.1);
	made_up_scale(&history, 50, 51, 30);
	assert_int_equal(made_up_mode(&history).of, 0);
	made_up_release(&history);
}

/* A stay at another level does not hide what changed after it. */
static void a_short_stay_hides_no_step(void **state)
{
	struct made_up history;

	(void)state;
	made_up_init(&history, 40, 52);
	made_up_fill(&history, normal, 0);
	made_up_scale(&history, 20, 23, 1.3);
	assert_int_equal(made_up_find(&history), 0);
	made_up_scale(&history, 23, 40, 1.05);
	assert_int_equal(made_up_find(&history), 1);
	assert_true(history.found[0].at >= 20 && history.found[0].at <= 23);
	assert_true(fabs(history.found[0].effect.change - 0.05) < 0.003);
	made_up_release(&history);
}

/* Imported runs have one set of samples each, and come from machines whose noise nobody knows. */
static void few_imported_runs_show_no_change(void **state)
{
	size_t alarms = 0;

	(void)state;
	for (size_t runs = 3; runs <= 8; runs++) {
		for (uint64_t seed = 0; seed < 200; seed++) {
			struct made_up history;

			made_up_init(&history, runs, 1000 * runs + seed);
			made_up_fill(&history, normal, 0.02);
			for (size_t i = 0; i < runs; i++)
				history.medians[i].count = 1;
			alarms += made_up_find(&history) > 0;
			made_up_release(&history);
		}
	}
	assert_true(alarms <= 24); /* 2 % */
}

/* An outlier does not hide a step, however far away it is. */
static void an_outlier_hides_no_step(void **state)
{
	static const size_t places[] = {3, 10, 14, 17, 25};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		struct made_up history;

		made_up_init(&history, 30, 20 + i);
		made_up_fill(&history, normal, 0);
		made_up_scale(&history, 15, 30, 1.05);
		made_up_scale(&history, places[i], places[i] + 1, 1.2);
		assert_int_equal(made_up_find(&history), 1);
		/* just before the step the outlier may belong to either level */
		assert_in_range(history.found[0].at, places[i] == 14 ? 14 : 15, 15);
		made_up_release(&history);
	}
}

static void a_change_that_does_not_matter_is_none(void **state)
{
	struct made_up history;

	(void)state;
	made_up_init(&history, 1000, 30);
	made_up_fill(&history, normal, 0);
	made_up_scale(&history, 500, 1000, 1.003);
	assert_int_equal(made_up_find(&history), 0);
	made_up_release(&history);
}

/* The search ends early if no levels are that far apart. */
static void the_smallest_change_is_found(void **state)
{
	static const struct {
		double factor;
		size_t found;
	} rows[] = {{1.00501, 1}, {1 / 1.00503, 1}, {1.00499, 0}, {1 / 1.00502, 0}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct made_up history;

		made_up_init(&history, 50, 41);
		for (size_t k = 0; k < 50 * ROUNDS; k++)
			history.rounds[k] = 100e3;
		made_up_scale(&history, 20, 50, rows[i].factor);
		made_up_scale(&history, 10, 11, 3); /* an outlier changes nothing */
		assert_int_equal(made_up_find(&history), rows[i].found);
		if (rows[i].found)
			assert_point(&history, 0, 20, rows[i].factor - 1);
		made_up_release(&history);
	}
}

static void nothing_is_found_in_nothing(void **state)
{
	(void)state;
	for (size_t runs = 0; runs <= 5; runs++) {
		struct made_up history;

		made_up_init(&history, runs, 31);
		made_up_fill(&history, normal, 0);
		assert_int_equal(made_up_find(&history), 0);
		assert_non_null(history.medians);
		made_up_release(&history);
	}
}

/* Emulated or frozen clocks give equal times; a clock that ticks coarsely gives ties. */
static void equal_times_do_no_harm(void **state)
{
	struct made_up history;

	(void)state;
	made_up_init(&history, 50, 32);
	made_up_fill(&history, normal, 0);
	for (size_t i = 0; i < 50 * ROUNDS; i++)
		history.rounds[i] = 100e3;
	assert_int_equal(made_up_find(&history), 0);
	made_up_scale(&history, 25, 50, 1.02);
	assert_int_equal(made_up_find(&history), 1);
	assert_point(&history, 0, 25, 0.02);
	made_up_release(&history);
}

static void rounds_may_be_of_any_number(void **state)
{
	struct made_up history;

	(void)state;
	made_up_init(&history, 60, 33);
	made_up_fill(&history, normal, 0);
	made_up_scale(&history, 41, 60, 1.04);
	for (size_t i = 0; i < 60; i++)
		history.medians[i].count = 1 + i % ROUNDS;
	assert_int_equal(made_up_find(&history), 1);
	assert_point(&history, 0, 41, 0.04);
	made_up_release(&history);
}

/*
 * At most 1 in 100 histories of equal runs has a change point: whatever the
 * distribution of the noise, and with runs that differ by more than their
 * rounds where there are enough of them to see it.
 */
static void false_alarms_are_rare(void **state)
{
	static double (*const noises[])(struct made_up *) = {normal, laplace, student_3,
							     exponential};
	static const struct {
		size_t runs, histories;
		double run_sd;
	} rows[] = {
		{3, 1000, 0},  {5, 1000, 0},          {10, 1000, 0},          {30, 500, 0},
		{100, 300, 0}, {30, 500, PROCESS_SD}, {100, 300, PROCESS_SD}, {1000, 30, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		size_t alarms = 0, all = 0;

		for (size_t j = 0; j < ARRAY_SIZE(noises); j++) {
			struct made_up history;

			made_up_init(&history, rows[i].runs, 1000 * i + j);
			for (size_t k = 0; k < rows[i].histories; k++) {
				made_up_fill(&history, noises[j], rows[i].run_sd);
				alarms += made_up_find(&history) > 0;
				all++;
			}
			made_up_release(&history);
		}
		if (alarms * 100 > all)
			fail_msg("%zu of %zu histories of %zu runs", alarms, all, rows[i].runs);
	}
}

static void a_thousand_runs_take_no_time(void **state)
{
	(void)state;
	for (int kind = 0; kind < 3; kind++) {
		struct made_up history;
		clock_t begin;

		made_up_init(&history, 1000, 40);
		made_up_fill(&history, normal, 0);
		for (size_t i = 0; kind == 1 && i < 1000; i += 5)
			made_up_scale(&history, i, 1000,
				      1.03); /* a level that comes back is a mode */
		for (size_t i = 0; kind == 2 && i < 1000; i++)
			made_up_scale(&history, i, i + 1, 1 + 1e-4 * (double)i);
		begin = clock();
		made_up_find(&history);
		assert_true(clock() - begin < CLOCKS_PER_SEC / 5);
		if (kind == 1)
			assert_int_equal(history.found_count, 199);
		made_up_release(&history);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_step_is_found_where_it_is),
		cmocka_unit_test(a_step_that_is_taken_back_is_two),
		cmocka_unit_test(several_steps_are_told_apart),
		cmocka_unit_test(five_runs_are_enough),
		cmocka_unit_test(the_newest_run_alone_is_provisional),
		cmocka_unit_test(a_drift_is_told_in_its_direction),
		cmocka_unit_test(an_outlier_is_none),
		cmocka_unit_test(a_level_that_was_there_before_is_a_mode),
		cmocka_unit_test(a_mode_that_lasts_is_no_change),
		cmocka_unit_test(a_short_stay_hides_no_step),
		cmocka_unit_test(few_imported_runs_show_no_change),
		cmocka_unit_test(an_outlier_hides_no_step),
		cmocka_unit_test(a_change_that_does_not_matter_is_none),
		cmocka_unit_test(the_smallest_change_is_found),
		cmocka_unit_test(nothing_is_found_in_nothing),
		cmocka_unit_test(equal_times_do_no_harm),
		cmocka_unit_test(rounds_may_be_of_any_number),
		cmocka_unit_test(false_alarms_are_rare),
		cmocka_unit_test(a_thousand_runs_take_no_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
