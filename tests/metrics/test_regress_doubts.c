/* Differences that are larger than the scatter, and still no change. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "regress_fixture.h"

#define CASE "shuffle"
#define ADD(run, ...)                                               \
	regress_add_trial(run, CASE, (const double[]){__VA_ARGS__}, \
			  sizeof((double[]){__VA_ARGS__}) / sizeof(double))
#define THREE_AT(time_ns) 0.9998 * (time_ns), 1.0002 * (time_ns), 0.9999 * (time_ns)
#define FIVE_AT(time_ns) THREE_AT(time_ns), 1.0001 * (time_ns), 0.9998 * (time_ns)

static void decides(struct regress_fixture *fixture)
{
	key_value_set(&fixture->head.environment, SEQUENTIAL_FIRST_KEY, "3");
}

static const struct regress_case *judged(struct regress_fixture *fixture)
{
	regress_judge_runs(fixture);
	return regress_case_of(fixture, CASE);
}

static void assert_why(const struct regress_case *item, const char *says)
{
	if (!item->why || !strstr(item->why, says))
		fail_msg("'%s' does not say '%s'", item->why ? item->why : "", says);
}

/* The first interim analysis finds 2 %, and no later round has confirmed it. */
static void a_change_waits_for_the_next_rounds(void **state)
{
	struct regress_fixture *fixture = *state;
	const struct regress_case *item;

	decides(fixture);
	ADD(&fixture->base, THREE_AT(1e6));
	ADD(&fixture->head, THREE_AT(1.02e6));
	item = judged(fixture);
	assert_int_equal(item->verdict, CHANGE_INCONCLUSIVE);
	assert_true(item->undecided);
	assert_why(item, "the first 3 rounds differ by +2 %, which has to show in 8 rounds, too");
}

static void a_change_is_confirmed(void **state)
{
	struct regress_fixture *fixture = *state;
	const struct regress_case *item;

	decides(fixture);
	ADD(&fixture->base, THREE_AT(1e6));
	ADD(&fixture->head, THREE_AT(1.02e6), FIVE_AT(1.02e6));
	item = judged(fixture);
	assert_int_equal(item->verdict, CHANGE_REGRESSED);
	assert_int_equal(item->head_rounds, 8);
}

static void a_mode_of_three_rounds_is_no_change(void **state)
{
	struct regress_fixture *fixture = *state;
	const struct regress_case *item;

	decides(fixture);
	ADD(&fixture->base, THREE_AT(1e6));
	ADD(&fixture->head, THREE_AT(1.02e6), FIVE_AT(1e6));
	item = judged(fixture);
	assert_int_equal(item->verdict, CHANGE_INCONCLUSIVE);
	assert_int_equal(item->head_rounds, 8);
}

/* A control case has more rounds than those that decided it; they change nothing about it. */
static void an_unchanged_case_stays_unchanged(void **state)
{
	struct regress_fixture *fixture = *state;
	const struct regress_case *item;

	decides(fixture);
	ADD(&fixture->base, THREE_AT(1e6));
	ADD(&fixture->head, THREE_AT(1e6), 1.03e6, 0.99e6, 1.03e6, 0.99e6, 1.03e6);
	item = judged(fixture);
	assert_int_equal(item->verdict, CHANGE_UNCHANGED);
	assert_int_equal(item->head_rounds, 3);
}

/* The base has two modes, and the head may have been in the slower one. */
static void rounds_of_two_modes_decide_nothing(void **state)
{
	struct regress_fixture *fixture = *state;

	ADD(&fixture->base, 1e6, 1.02e6, 1.0002e6, 0.9999e6, 1.0201e6, 1e6);
	ADD(&fixture->head, FIVE_AT(1.03e6), FIVE_AT(1.03e6));
	regress_judge_runs(fixture);
	regress_expect(fixture, CASE, CHANGE_INCONCLUSIVE, "two modes");
}

/* One round of the head was in the mode of the base. It is the slowest there, so that all rounds of
 * the head are slower than all of the base. */
static void a_round_in_the_mode_of_the_base_decides_nothing(void **state)
{
	struct regress_fixture *fixture = *state;

	decides(fixture);
	ADD(&fixture->base, THREE_AT(1e6));
	ADD(&fixture->head, THREE_AT(1.02e6), THREE_AT(1.02e6), 1.0004e6, 1.0201e6);
	regress_judge_runs(fixture);
	regress_expect(fixture, CASE, CHANGE_INCONCLUSIVE, "two modes");
}

/* One of three rounds of the base was disturbed: the mean moves, and most rounds do not. */
static void outliers_decide_nothing(void **state)
{
	struct regress_fixture *fixture = *state;

	ADD(&fixture->base, 1.001e6, 1.05e6, 1.0012e6);
	ADD(&fixture->head, FIVE_AT(1e6), FIVE_AT(1e6), FIVE_AT(1e6), FIVE_AT(1e6));
	regress_judge_runs(fixture);
	regress_expect(fixture, CASE, CHANGE_INCONCLUSIVE, "a few rounds make the difference");
}

/* Eight cases whose times rise or fall by 0.1 % from round to round. In this order the rounds
 * follow each other, or not. */
static void fill_walks(struct regress_fixture *fixture, const size_t *order)
{
	for (size_t i = 0; i < 8; i++) {
		char *variant = xasprintf("walk-%zu", i);
		double base[8], head[8];

		for (size_t k = 0; k < 8; k++) {
			base[k] = 1e6 * (1 + (i % 2 ? 1e-3 : -1e-3) * (double)order[k]);
			head[k] = 1.012 * base[k];
		}
		regress_add_trial(&fixture->base, variant, base, 8);
		regress_add_trial(&fixture->head, variant, head, 8);
		free(variant);
	}
}

static void rounds_in_any_order_are_as_many(void **state)
{
	struct regress_fixture *fixture = *state;
	const struct regress_case *item;

	fill_walks(fixture, (const size_t[]){3, 7, 0, 5, 1, 6, 2, 4});
	regress_judge_runs(fixture);
	item = regress_case_of(fixture, "walk-0");
	assert_true(item->correlation == 0);
	assert_int_equal(item->verdict, CHANGE_REGRESSED);
}

/* What is left of such rounds are the last digits of their logarithms. */
static void rounds_that_all_cases_share_say_nothing(void **state)
{
	struct regress_fixture *fixture = *state;

	for (size_t i = 0; i < 8; i++) {
		char *variant = xasprintf("walk-%zu", i);
		const double level = 1e5 * (double)(i + 3),
			     rounds[] = {level, 1.01 * level, 1.02 * level};

		regress_add_trial(&fixture->base, variant, rounds, 3);
		regress_add_trial(&fixture->head, variant, rounds, 3);
		free(variant);
	}
	regress_judge_runs(fixture);
	assert_true(regress_case_of(fixture, "walk-0")->correlation == 0);
}

static void rounds_that_are_alike_count_as_fewer(void **state)
{
	struct regress_fixture *fixture = *state;
	const struct regress_case *item;

	fill_walks(fixture, (const size_t[]){0, 1, 2, 3, 4, 5, 6, 7});
	regress_judge_runs(fixture);
	item = regress_case_of(fixture, "walk-0");
	assert_true(item->correlation > 0.5);
	assert_int_equal(item->verdict, CHANGE_INCONCLUSIVE);
	assert_true(item->effect.low < 0);
	assert_why(item, "rounds that follow each other are alike");
}

/* A single round of each run, of equal times: no interval, whatever the known noise is. */
static void one_round_shows_no_interval(void **state)
{
	struct regress_fixture *fixture = *state;
	const struct regress_case *item;

	ADD(&fixture->base, 1e6);
	ADD(&fixture->head, 1e6);
	item = judged(fixture);
	assert_int_equal(item->verdict, CHANGE_INCONCLUSIVE);
	assert_true(item->effect.change == 0);
	assert_true(isnan(item->effect.low) && isnan(item->effect.high) && isnan(item->effect.p) &&
		    isnan(item->adjusted_p));
	assert_why(item, "each run needs at least two rounds");
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, regress_set_up, regress_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_change_waits_for_the_next_rounds),
		TEST(a_change_is_confirmed),
		TEST(a_mode_of_three_rounds_is_no_change),
		TEST(an_unchanged_case_stays_unchanged),
		TEST(rounds_of_two_modes_decide_nothing),
		TEST(a_round_in_the_mode_of_the_base_decides_nothing),
		TEST(outliers_decide_nothing),
		TEST(rounds_in_any_order_are_as_many),
		TEST(rounds_that_all_cases_share_say_nothing),
		TEST(rounds_that_are_alike_count_as_fewer),
		TEST(one_round_shows_no_interval),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
