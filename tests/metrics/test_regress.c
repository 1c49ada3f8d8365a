/* What perflab regress finds: a verdict for each case, with its counters, rounds and limits. */
#include "regress_fixture.h"

#include <stdio.h>
#include <string.h>

/* They are compared like verified ones, and the row says what was not verified. */
static void unverified_results_are_compared_and_named(void **state)
{
	struct regress_fixture *fixture = *state;
	struct run *base = &fixture->base, *head = &fixture->head;

	regress_add_trial(base, "base", USUAL)->status = TRIAL_UNVERIFIED;
	regress_add_trial(head, "base", SLOW);
	regress_add_trial(base, "head", SLOW);
	regress_add_trial(head, "head", USUAL)->status = TRIAL_UNVERIFIED;
	regress_add_trial(base, "both", USUAL)->status = TRIAL_UNVERIFIED;
	regress_add_trial(head, "both", USUAL)->status = TRIAL_UNVERIFIED;
	regress_add_trial(head, "added", USUAL)->status = TRIAL_UNVERIFIED;
	regress_add_trial(base, "none", USUAL);
	regress_add_trial(head, "none", USUAL);
	regress_judge_runs(fixture);
	regress_expect(fixture, "/base/", CHANGE_REGRESSED, "the base is unverified");
	regress_expect(fixture, "/head/", CHANGE_IMPROVED, "the head is unverified");
	regress_expect(fixture, "/both/", CHANGE_UNCHANGED, "base and head are unverified");
	regress_expect(fixture, "/added/", CHANGE_NEW, "the head is unverified");
	regress_expect(fixture, "/none/", CHANGE_UNCHANGED, NULL);
	assert_int_equal(fixture->regress.unverified, 4);
	assert_false(regress_case_of(fixture, "/none/")->unverified);
}

static void each_case_gets_its_verdict(void **state)
{
	struct regress_fixture *fixture = *state;
	struct run *base = &fixture->base, *head = &fixture->head;

	regress_add_trial(base, "slower", USUAL);
	regress_add_trial(base, "faster", SLOW);
	regress_add_trial(base, "same", USUAL);
	regress_add_trial(base, "gone", USUAL);
	regress_add_trial(base, "breaks", USUAL);
	regress_add_trial(base, "broken", NULL, 0)->status = TRIAL_MISMATCH;
	regress_add_trial(base, "mended", NULL, 0)->status = TRIAL_MISMATCH;
	regress_add_trial(base, "never", NULL, 0)->status = TRIAL_SKIPPED;
	regress_add_trial(base, "cut", USUAL);
	regress_add_trial(base, "once", MEDIANS(1e6));
	regress_add_trial(base, "loose", MEDIANS(1e6, 1.05e6, 0.95e6));
	regress_add_trial(head, "added", USUAL);
	regress_add_trial(head, "mended", USUAL);
	regress_add_trial(head, "never", NULL, 0)->status = TRIAL_SKIPPED;
	regress_add_trial(head, "cut", NULL, 0)->status = TRIAL_PENDING;
	regress_add_trial(head, "broken", NULL, 0)->status = TRIAL_TIMEOUT;
	regress_add_trial(head, "breaks", NULL, 0)->status = TRIAL_CRASHED;
	head->trials[head->trial_count - 1].reason = xstrdup("signal 11");
	regress_add_trial(head, "loose", MEDIANS(1.01e6, 1.06e6, 0.96e6));
	regress_add_trial(head, "once", MEDIANS(1.5e6));
	regress_add_trial(head, "same", USUAL);
	regress_add_trial(head, "faster", USUAL);
	regress_add_trial(head, "slower", SLOW);
	regress_judge_runs(fixture);
	regress_expect(fixture, "slower", CHANGE_REGRESSED, NULL);
	regress_expect(fixture, "faster", CHANGE_IMPROVED, NULL);
	regress_expect(fixture, "same", CHANGE_UNCHANGED, NULL);
	regress_expect(fixture, "gone", CHANGE_MISSING, NULL);
	regress_expect(fixture, "cut", CHANGE_MISSING, "pending");
	regress_expect(fixture, "added", CHANGE_NEW, NULL);
	regress_expect(fixture, "mended", CHANGE_NEW, "in the base it was mismatch");
	regress_expect(fixture, "breaks", CHANGE_FAILED, "crashed: signal 11");
	regress_expect(fixture, "broken", CHANGE_FAILED, "in the base too");
	regress_expect(fixture, "once", CHANGE_INCONCLUSIVE, "at least two rounds");
	regress_expect(fixture, "loose", CHANGE_INCONCLUSIVE, "1 % is not ruled out");
	assert_int_equal(fixture->regress.count, 11);
	assert_int_equal(fixture->regress.gating, 2);
	assert_int_equal(fixture->regress.compared, 5);
	assert_int_equal(fixture->regress.tally[CHANGE_MISSING], 2);
	/* in the order of the head, then what only the base has */
	assert_non_null(strstr(fixture->regress.cases[0].name, "reduce/added/block=256"));
	assert_non_null(strstr(fixture->regress.cases[10].name, "gone"));
}

/* A change of a single case may be chance among a thousand cases. */
static void many_cases_are_corrected_for_at_once(void **state)
{
	struct regress_fixture *fixture = *state;
	const double before[] = {99.85e3, 100e3, 100.15e3};
	const double after[] = {100.45e3, 100.6e3, 100.75e3};

	regress_add_trial(&fixture->base, "suspect", before, 3);
	regress_add_trial(&fixture->head, "suspect", after, 3);
	regress_judge_runs(fixture);
	regress_expect(fixture, "suspect", CHANGE_REGRESSED, NULL);
	for (int i = 0; i < 3999; i++) {
		char name[24];

		snprintf(name, sizeof(name), "case%d", i);
		regress_add_trial(&fixture->base, name, before, 3);
		regress_add_trial(&fixture->head, name, before, 3);
	}
	regress_judge_runs(fixture);
	regress_expect(fixture, "suspect", CHANGE_UNCHANGED, NULL);
	assert_int_equal(fixture->regress.tally[CHANGE_UNCHANGED], 4000);
}

static void counters_are_compared_exactly(void **state)
{
	struct regress_fixture *fixture = *state;
	struct trial *base = regress_add_trial(&fixture->base, "one", NULL, 0);
	struct trial *head = regress_add_trial(&fixture->head, "one", NULL, 0);

	regress_add_counter(base, "ptx_divergent_branches", 1000000);
	regress_add_counter(head, "ptx_divergent_branches", 1000000);
	regress_add_counter(base, "ptx_branches", 2000000);
	regress_add_counter(head, "ptx_branches", 2000000);
	regress_judge_runs(fixture);
	regress_expect(fixture, "one", CHANGE_UNCHANGED, NULL);
	assert_int_equal(regress_case_of(fixture, "one")->counters_compared, 2);
	regress_add_counter(head, "ptx_divergent_branches", 1000001);
	regress_judge_runs(fixture);
	regress_expect(fixture, "one", CHANGE_REGRESSED,
		       "ptx_divergent_branches from 1000000 to 1000001");
	regress_add_counter(head, "ptx_divergent_branches", 0);
	regress_judge_runs(fixture);
	regress_expect(fixture, "one", CHANGE_IMPROVED, "ptx_divergent_branches from 1000000 to 0");
	/* worse in one, better in another: the user must decide */
	regress_add_counter(base, "ptx_global_load_sectors", 0);
	regress_add_counter(head, "ptx_global_load_sectors", 4);
	regress_judge_runs(fixture);
	regress_expect(fixture, "one", CHANGE_REGRESSED, "ptx_global_load_sectors from 0 to 4");
	/* neither direction is worse: only reported */
	regress_add_counter(head, "ptx_global_load_sectors", 0);
	regress_add_counter(head, "ptx_divergent_branches", 1000000);
	regress_add_counter(head, "ptx_branches", 3000000);
	regress_judge_runs(fixture);
	regress_expect(fixture, "one", CHANGE_UNCHANGED, NULL);
	assert_int_equal(regress_case_of(fixture, "one")->counter_count, 1);
	assert_int_equal(regress_case_of(fixture, "one")->counters[0].verdict, 0);
}

static void time_decides_where_it_shows_a_change(void **state)
{
	struct regress_fixture *fixture = *state;

	regress_add_counter(regress_add_trial(&fixture->base, "quick", SLOW),
			    "branch_targets_divergent", 8);
	regress_add_counter(regress_add_trial(&fixture->head, "quick", USUAL),
			    "branch_targets_divergent", 9);
	regress_add_counter(regress_add_trial(&fixture->base, "slow", USUAL),
			    "branch_targets_divergent", 8);
	regress_add_counter(regress_add_trial(&fixture->head, "slow", SLOW),
			    "branch_targets_divergent", 0);
	regress_add_counter(regress_add_trial(&fixture->base, "even", USUAL),
			    "branch_targets_divergent", 8);
	regress_add_counter(regress_add_trial(&fixture->head, "even", USUAL),
			    "branch_targets_divergent", 9);
	regress_judge_runs(fixture);
	regress_expect(fixture, "quick", CHANGE_IMPROVED, "branch_targets_divergent from 8 to 9");
	regress_expect(fixture, "slow", CHANGE_REGRESSED, NULL);
	regress_expect(fixture, "even", CHANGE_REGRESSED, "branch_targets_divergent from 8 to 9");
	assert_int_equal(regress_case_of(fixture, "even")->time, CHANGE_UNCHANGED);
	fixture->options.counters = REGRESS_COUNTERS_NONE;
	regress_judge_runs(fixture);
	regress_expect(fixture, "quick", CHANGE_IMPROVED, NULL);
	regress_expect(fixture, "even", CHANGE_UNCHANGED, NULL);
}

/* A count may depend on the input, and a count that varies is judged only with a limit. */
static void only_what_repeats_is_compared(void **state)
{
	struct regress_fixture *fixture = *state;
	struct trial *base = regress_add_trial(&fixture->base, "one", NULL, 0);
	struct trial *head = regress_add_trial(&fixture->head, "one", NULL, 0);
	char *name = (char[]){"dram_bytes"};
	struct string_list names = {.items = &name, .count = 1};
	struct error err = {0};

	regress_add_counter(base, "dram_bytes", 1000);
	regress_add_counter(head, "dram_bytes", 1100);
	regress_add_counter(base, "branch_efficiency_pct", 90);
	regress_add_counter(head, "branch_efficiency_pct", 80); /* derived: of what is compared */
	regress_judge_runs(fixture);
	regress_expect(fixture, "one", CHANGE_INCONCLUSIVE, "nothing to compare");
	assert_int_equal(fixture->regress.compared, 0);
	regress_limit(fixture, "* dram_bytes=20%\n");
	regress_judge_runs(fixture);
	regress_expect(fixture, "one", CHANGE_UNCHANGED, NULL);
	assert_int_equal(regress_case_of(fixture, "one")->counter_count, 0);
	regress_limit(fixture, "* dram_bytes=5%\n");
	regress_judge_runs(fixture);
	regress_expect(fixture, "one", CHANGE_REGRESSED, "dram_bytes from 1000 to 1100");
	regress_limit(fixture, "");
	fixture->options.counters = REGRESS_COUNTERS_NAMED;
	fixture->options.names = &names;
	assert_int_equal(
		regress_judge(&fixture->regress, fixture->pairs, 1, &fixture->options, &err),
		PL_EUSAGE);
	assert_non_null(strstr(err.text, "dram_bytes does not repeat exactly"));
	name = (char[]){"branch_efficiency_pct"};
	regress_judge_runs(fixture);
	regress_expect(fixture, "one", CHANGE_REGRESSED, "branch_efficiency_pct from 90 to 80");
	fixture->head.seed = 2;
	regress_judge_runs(fixture);
	regress_expect(fixture, "one", CHANGE_INCONCLUSIVE, "nothing to compare");
	name = (char[]){"l1_bytes"};
	assert_int_equal(
		regress_judge(&fixture->regress, fixture->pairs, 1, &fixture->options, &err),
		PL_EUSAGE);
	assert_string_equal(err.text, "no case has l1_bytes in both runs");
}

static void thresholds_move_the_limits(void **state)
{
	struct regress_fixture *fixture = *state;

	regress_add_counter(regress_add_trial(&fixture->base, "slower", USUAL), "l1_bytes", 1000);
	regress_add_counter(regress_add_trial(&fixture->head, "slower", SLOW), "l1_bytes", 1001);
	regress_limit(fixture, "* time=3% l1_bytes=1%\n");
	regress_judge_runs(fixture);
	regress_expect(fixture, "slower", CHANGE_UNCHANGED, NULL);
	regress_limit(fixture, "* time=3%\n");
	regress_judge_runs(fixture);
	regress_expect(fixture, "slower", CHANGE_REGRESSED, "l1_bytes from 1000 to 1001");
	regress_limit(fixture, "* ignore=l1_bytes ignore=time\n");
	regress_judge_runs(fixture);
	regress_expect(fixture, "slower", CHANGE_INCONCLUSIVE, "nothing to compare");
	regress_limit(fixture, "reduce/slower* ignore\n");
	regress_judge_runs(fixture);
	assert_true(regress_case_of(fixture, "slower")->ignored);
	assert_int_equal(fixture->regress.ignored, 1);
	assert_int_equal(fixture->regress.gating, 0);
	assert_int_equal(fixture->regress.compared, 0);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, regress_set_up, regress_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(each_case_gets_its_verdict),
		TEST(unverified_results_are_compared_and_named),
		TEST(many_cases_are_corrected_for_at_once),
		TEST(counters_are_compared_exactly),
		TEST(time_decides_where_it_shows_a_change),
		TEST(only_what_repeats_is_compared),
		TEST(thresholds_move_the_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
