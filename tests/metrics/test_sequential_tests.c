#include "metrics/analysis/regress.h"
#include "metrics/metrics.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"

/* ---- the schedule ---- */

static void the_shares_add_up_to_one(void **state)
{
	double sum = 0;

	(void)state;
	for (int interim = 0; interim < INTERIM_COUNT; interim++)
		sum += interim_share(interim);
	assert_true(fabs(sum - 1) < 1e-12);
	assert_int_equal(interim_rounds(3, 0), 3);
	assert_int_equal(interim_rounds(3, 1), 8);
	assert_int_equal(interim_rounds(3, 2), 20);
	for (int first = 2; first < 100; first++)
		for (int interim = 1; interim < INTERIM_COUNT; interim++)
			assert_true(interim_rounds(first, interim) >
				    interim_rounds(first, interim - 1));
}

static void facts_that_are_no_rounds_are_ignored(void **state)
{
	static const char *const wrong[] = {"", "1", "0", "-3", "3x", "nan", "99999999999"};
	struct run run = {0};

	(void)state;
	assert_int_equal(sequential_test_of_run(&run).first, 0);
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		key_value_set(&run.environment, SEQUENTIAL_FIRST_KEY, wrong[i]);
		assert_int_equal(sequential_test_of_run(&run).first, 0);
	}
	key_value_set(&run.environment, SEQUENTIAL_FIRST_KEY, "4");
	key_value_set(&run.environment, SEQUENTIAL_USED_KEY,
		      "3"); /* fewer than the first interim analysis has */
	assert_int_equal(sequential_test_of_run(&run).first, 4);
	assert_int_equal(sequential_test_of_run(&run).used, 0);
	key_value_set(&run.environment, SEQUENTIAL_USED_KEY, "11");
	key_value_set(&run.environment, SEQUENTIAL_MOVED_KEY, "0.004");
	assert_int_equal(sequential_test_of_run(&run).used, 11);
	assert_true(sequential_test_of_run(&run).moved == 0.004);
	run_release(&run);
}

/* ---- runs ---- */

#define ROUNDS_MOST 20

static struct run run_of(size_t cases)
{
	struct run run = {.backend = xstrdup("cuda"), .seed = 1, .trial_count = cases};

	run.trials = xcalloc(cases, sizeof(*run.trials));
	for (size_t i = 0; i < cases; i++) {
		struct trial *trial = &run.trials[i];

		*trial = (struct trial){
			.kernel = xstrdup("reduce"),
			.variant = xstrdup("shuffle"),
			.config = xasprintf("block=%zu", i),
			.status = TRIAL_OK,
			.facts = launch_facts_unknown,
			.rounds = xcalloc(ROUNDS_MOST, sizeof(*trial->rounds)),
		};
		for (int round = 0; round < ROUNDS_MOST; round++)
			trial->rounds[round] = (struct round_summary){
				.round = round, .state = {1980e6, 3201e6, 40, 300, 0}};
	}
	return run;
}

static void decide_run(struct run *run)
{
	key_value_set(&run->environment, SEQUENTIAL_FIRST_KEY, "3");
}

static struct change_limits judged_limits = {
	.smallest = 0.005, .resolution = 0.01, .false_alarms = 0.05};

static void judge(struct regress *regress, struct regress_pair **pairs, const struct run *base,
		  const struct run *head)
{
	const struct regress_options options = {.limits = judged_limits,
						.counters = REGRESS_COUNTERS_NONE,
						.judge_same_code = true};
	struct error err = {0};
	size_t count = regress_pairs(pairs, base, head);

	if (regress_judge(regress, *pairs, count, &options, &err))
		fail_msg("%s", err.text);
}

static void times_set(struct trial *trial, size_t begin, size_t end, double time_ns)
{
	for (size_t i = begin; i < end; i++)
		trial->rounds[i].median_ns = time_ns * (i % 2 ? 1.0002 : 0.9998);
	trial->round_count = end;
}

/* Rounds in which the control moved are not compared, and the reason says so. */
static void rounds_beside_a_moved_control_are_not_used(void **state)
{
	struct run base = run_of(1), head = run_of(1);
	struct trial *trial = &head.trials[0];
	struct regress_pair *pairs;
	struct regress regress;

	(void)state;
	decide_run(&head);
	times_set(&base.trials[0], 0, 3, 30e3);
	times_set(trial, 0, 8, 30e3);
	trial->rounds[0].median_ns = 30.6e3;
	judge(&regress, &pairs, &base, &head);
	assert_int_equal(regress.cases[0].head_rounds, 8);
	regress_release(&regress);
	free(pairs);

	key_value_set(&head.environment, SEQUENTIAL_USED_KEY, "3");
	key_value_set(&head.environment, SEQUENTIAL_MOVED_KEY, "0.0041");
	judge(&regress, &pairs, &base, &head);
	assert_int_equal(regress.cases[0].head_rounds, 3);
	assert_true(regress.cases[0].undecided);
	assert_null(strstr(regress.cases[0].why, "not used")); /* the report says it once */
	regress_release(&regress);
	free(pairs);
	run_release(&base);
	run_release(&head);
}

/* The report names the two runs that are compared; other bases are named by their cases. */
static void discarded_rounds_of_another_base_are_named(void **state)
{
	const struct regress_options options = {.limits = judged_limits,
						.counters = REGRESS_COUNTERS_NONE,
						.judge_same_code = true};
	struct run base = run_of(1), head = run_of(1);
	struct regress_pair *pairs;
	struct regress regress;
	struct error err = {0};

	(void)state;
	decide_run(&base);
	key_value_set(&base.environment, SEQUENTIAL_USED_KEY, "3");
	key_value_set(&base.environment, SEQUENTIAL_MOVED_KEY, "0.0041");
	times_set(&base.trials[0], 0, 8, 30e3);
	times_set(&head.trials[0], 0, 3, 30e3);
	head.trials[0].rounds[0].median_ns = 30.6e3;
	assert_int_equal(regress_pairs(&pairs, &base, &head), 1);
	pairs[0].note = "compared with run 7";
	if (regress_judge(&regress, pairs, 1, &options, &err))
		fail_msg("%s", err.text);
	assert_true(regress.cases[0].undecided);
	assert_non_null(strstr(regress.cases[0].why,
			       "of the base, the rounds from number 4 on are not used: the control "
			       "cases moved by 0.41 %"));
	regress_release(&regress);
	free(pairs);
	run_release(&base);
	run_release(&head);
}

/* A plain run of as many rounds has the narrower interval: it is judged once. */
static void an_interim_analysis_costs_width(void **state)
{
	struct run base = run_of(1), head = run_of(1);
	struct regress_pair *pairs;
	struct regress once, looked;

	(void)state;
	times_set(&base.trials[0], 0, 3, 30e3);
	times_set(&head.trials[0], 0, 3, 30e3);
	judge(&once, &pairs, &base, &head);
	free(pairs);
	decide_run(&head);
	judge(&looked, &pairs, &base, &head);
	assert_true(looked.cases[0].effect.high > 1.2 * once.cases[0].effect.high);
	free(pairs);
	regress_release(&once);
	regress_release(&looked);
	run_release(&base);
	run_release(&head);
}

/* So many rounds, at the same difference and scatter, decide the case, and one fewer does not. */
static void the_rounds_needed_decide(void **state)
{
	struct process_medians three = {(const double[]){30e3, 30.2e3, 30.4e3}, 3};
	struct effect effect = effect_of(
		three, three, &(struct effect_context){.noise = noise_of_h200, .share = 0.4});
	const struct change_limits *limits = &change_limits_default;
	struct rounds_needed needed = rounds_needed_for(&effect, 3, 3, limits, 0.4, 1);

	(void)state;
	assert_in_range(needed.each, 4, 20);
	assert_true(needed.head > needed.each);
	assert_true(rounds_would_decide(&effect, (size_t)needed.each, (size_t)needed.each, limits,
					0.4, 1));
	assert_false(rounds_would_decide(&effect, (size_t)needed.each - 1, (size_t)needed.each - 1,
					 limits, 0.4, 1));
	effect.change = 0.0099; /* too near to the limit, and too uncertain to be a change */
	effect.variance = 0.05 * 0.05;
	assert_int_equal(rounds_needed_for(&effect, 3, 3, limits, 0.4, 1).head, 0);
}

/* ---- simulated sweeps ---- */

static uint64_t random_state;

/* in (0, 1) */
static double uniform(void)
{
	return ((double)(random_next(&random_state) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void)
{
	return sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform());
}

struct simulated_case {
	double time_ns, scatter; /* of the logarithm of a round's median */
};

/*
 * As measured on an H200 over twelve processes: the standard deviation of the cases
 * from 20 us on is 0.59 % in the median, 0.88 % at 75 % and 1.6 % at 90 %; of those
 * from 50 us on, two fifths of them, 0.21 % in the median.
 */
static struct simulated_case draw_case(void)
{
	if (uniform() < 0.4)
		return (struct simulated_case){50e3 * pow(10, uniform()),
					       0.0021 * exp(0.8 * normal())};
	return (struct simulated_case){20e3 * pow(2.5, uniform()), 0.0075 * exp(0.6 * normal())};
}

static void measure(struct trial *trial, const struct simulated_case *simulated, double change,
		    size_t rounds)
{
	while (trial->round_count < rounds)
		trial->rounds[trial->round_count++].median_ns =
			simulated->time_ns * exp(log1p(change) + simulated->scatter * normal());
}

struct outcome {
	size_t cases, changed, unchanged, undecided, rounds;
	size_t below_5_pct; /* cases whose p, alone, is below 5 % */
};

/* As `sweep --decide` does: judges at each interim analysis, and measures what is undecided up to
 * the next. */
static void decide(struct outcome *outcome, const struct run *base, struct run *head,
		   const struct simulated_case *simulated, double change)
{
	struct regress_pair *pairs;
	struct regress regress;

	for (int interim = 0; interim < INTERIM_COUNT; interim++) {
		if (interim)
			judge(&regress, &pairs, base, head);
		for (size_t i = 0; i < head->trial_count; i++)
			if (!interim || regress.cases[i].undecided)
				measure(&head->trials[i], &simulated[i], change,
					(size_t)interim_rounds(3, interim));
		if (interim) {
			regress_release(&regress);
			free(pairs);
		}
	}
	judge(&regress, &pairs, base, head);
	for (size_t i = 0; i < regress.count; i++) {
		const struct regress_case *item = &regress.cases[i];

		outcome->cases++;
		outcome->changed += item->time == CHANGE_REGRESSED || item->time == CHANGE_IMPROVED;
		outcome->unchanged += item->time == CHANGE_UNCHANGED;
		outcome->undecided += item->undecided;
		outcome->rounds += item->head->round_count;
		outcome->below_5_pct += item->effect.p < 0.05;
	}
	regress_release(&regress);
	free(pairs);
}

#define CASES 146 /* of the suite from 20 us on */
#define SWEEPS 25

/* Measures a base with three rounds, a run that is decided against it, and one that is decided
 * against that. `plain`: what three rounds of both come to. */
static void simulate(struct outcome *plain, struct outcome *first, struct outcome *second,
		     double change, bool (*drawn)(struct simulated_case *))
{
	struct simulated_case simulated[CASES];

	for (int sweep = 0; sweep < SWEEPS; sweep++) {
		struct run base = run_of(CASES), head = run_of(CASES), next = run_of(CASES);
		struct regress_pair *pairs;
		struct regress regress;

		for (size_t i = 0; i < CASES; i++) {
			do
				simulated[i] = draw_case();
			while (drawn && !drawn(&simulated[i]));
			measure(&base.trials[i], &simulated[i], 0, 3);
			measure(&head.trials[i], &simulated[i], change, 3);
		}
		judge(&regress, &pairs, &base, &head);
		plain->cases += regress.count;
		for (size_t i = 0; i < regress.count; i++) {
			plain->undecided += regress.cases[i].undecided;
			head.trials[i].round_count = 0;
		}
		regress_release(&regress);
		free(pairs);
		decide_run(&head);
		decide(first, &base, &head, simulated, change);
		decide_run(&next);
		decide(second, &head, &next, simulated, 2 * change);
		run_release(&base);
		run_release(&head);
		run_release(&next);
	}
}

static double share_pct(size_t part, const struct outcome *outcome)
{
	return 100 * (double)part / (double)outcome->cases;
}

/* Cases whose scatter is the known noise, so that p of one interim analysis is exact. */
static bool as_known(struct simulated_case *simulated)
{
	const double absolute = noise_of_h200.absolute_ns / 100e3;

	*simulated = (struct simulated_case){
		100e3, sqrt(noise_of_h200.relative * noise_of_h200.relative + absolute * absolute)};
	return true;
}

/* Three interim analyses at 5 % each give 12 %, and 13 % with both runs. No interim analysis
 * decides, so all are taken. */
static void interim_analyses_raise_no_false_alarms(void **state)
{
	struct outcome plain = {0}, first = {0}, second = {0};

	(void)state;
	random_state = 17;
	judged_limits.smallest = 1;
	judged_limits.resolution = 1e-9;
	simulate(&plain, &first, &second, 0, as_known);
	judged_limits = change_limits_default;
	print_message(
		"p below 5 %%: %.2f %% after interim analyses of the head, %.2f %% at both runs\n",
		share_pct(first.below_5_pct, &first), share_pct(second.below_5_pct, &second));
	assert_true(share_pct(first.below_5_pct, &first) < 5);
	assert_true(share_pct(second.below_5_pct, &second) < 5);
}

/* With the measured scatter: fewer cases stay undecided, and almost no equal one is called changed.
 */
static void equal_runs_are_decided(void **state)
{
	struct outcome plain = {0}, first = {0}, second = {0};

	(void)state;
	random_state = 18;
	simulate(&plain, &first, &second, 0, NULL);
	print_message("undecided: %.1f %% plainly, %.1f %% by --decide, %.1f %% if the base was "
		      "decided, too; changed: %.2f %%, %.2f %%; rounds: %.1f, %.1f\n",
		      share_pct(plain.undecided, &plain), share_pct(first.undecided, &first),
		      share_pct(second.undecided, &second), share_pct(first.changed, &first),
		      share_pct(second.changed, &second),
		      (double)first.rounds / (double)first.cases,
		      (double)second.rounds / (double)second.cases);
	assert_true(first.undecided < plain.undecided);
	assert_true(second.undecided * 2 < plain.undecided);
	assert_true(share_pct(first.changed, &first) < 0.5);
	assert_true(share_pct(second.changed, &second) < 0.5);
}

/* Each interim analysis at 5 % to a side calls 5.7 % of these changes unchanged, and 7.7 % with
 * both runs. */
static void interim_analyses_hide_no_change(void **state)
{
	struct outcome plain = {0}, first = {0}, second = {0};

	(void)state;
	random_state = 19;
	simulate(&plain, &first, &second, 0.01, NULL);
	print_message("a change of 1 %%: %.2f %% and %.2f %% called unchanged\n",
		      share_pct(first.unchanged, &first), share_pct(second.unchanged, &second));
	assert_true(share_pct(first.unchanged, &first) < 5);
	assert_true(share_pct(second.unchanged, &second) < 5);
}

static bool is_long_and_quiet(struct simulated_case *simulated)
{
	return simulated->time_ns > 50e3 && simulated->scatter < 0.004;
}

static void changes_are_found(void **state)
{
	struct outcome one = {0}, two = {0}, plain = {0}, later = {0};

	(void)state;
	random_state = 20;
	simulate(&plain, &one, &later, 0.01, is_long_and_quiet);
	simulate(&plain, &two, &later, 0.02, is_long_and_quiet);
	print_message("found: 1 %% in %.1f %%, 2 %% in %.1f %%\n", share_pct(one.changed, &one),
		      share_pct(two.changed, &two));
	assert_true(share_pct(one.changed, &one) >= 95);
	assert_true(share_pct(two.changed, &two) >= 99);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_shares_add_up_to_one),
		cmocka_unit_test(facts_that_are_no_rounds_are_ignored),
		cmocka_unit_test(rounds_beside_a_moved_control_are_not_used),
		cmocka_unit_test(discarded_rounds_of_another_base_are_named),
		cmocka_unit_test(an_interim_analysis_costs_width),
		cmocka_unit_test(the_rounds_needed_decide),
		cmocka_unit_test(interim_analyses_raise_no_false_alarms),
		cmocka_unit_test(equal_runs_are_decided),
		cmocka_unit_test(interim_analyses_hide_no_change),
		cmocka_unit_test(changes_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
