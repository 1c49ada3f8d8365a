#include "metrics/analysis/compare.h"
#include "metrics/analysis/regress.h"
#include "metrics/analysis/thresholds.h"
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

#define MEDIANS(...) ((const double[]){__VA_ARGS__}), (sizeof((double[]){__VA_ARGS__}) / 8)
#define SLOW MEDIANS(1.02e6, 1.0203e6, 1.0198e6)
#define USUAL MEDIANS(1e6, 1.0002e6, 0.9997e6)

/* ---- runs ---- */

static struct run empty_run(void)
{
	struct run run = {.backend = xstrdup("cuda"), .seed = 1};

	snprintf(run.device.name, sizeof(run.device.name), "NVIDIA H200");
	snprintf(run.device.uuid, sizeof(run.device.uuid), "GPU-1");
	snprintf(run.device.driver, sizeof(run.device.driver), "580.1");
	key_value_set(&run.environment, "build_type", "Release");
	return run;
}

/* Before the next is added, or the pointer is stale. */
static struct trial *add_trial(struct run *run, const char *variant, const double *median_ns,
			       size_t rounds)
{
	struct trial *trial;

	run->trials = xrealloc(run->trials, (run->trial_count + 1) * sizeof(*run->trials));
	trial = &run->trials[run->trial_count++];
	*trial = (struct trial){
		.kernel = xstrdup("reduce"),
		.variant = xstrdup(variant),
		.config = xstrdup("block=256"),
		.status = TRIAL_OK,
		.facts = launch_facts_unknown,
		.rounds = xcalloc(rounds ? rounds : 1, sizeof(*trial->rounds)),
		.round_count = rounds,
	};
	for (size_t i = 0; i < rounds; i++)
		trial->rounds[i] = (struct round_summary){
			.round = (int)i,
			.median_ns = median_ns[i],
			.state = {1980e6, 3201e6, 40, 300, 0},
		};
	return trial;
}

static void add_counter(struct trial *trial, const char *metric, double value)
{
	counter_list_set(&trial->counters, metric, "1", "a test", value);
}

/* ---- judging ---- */

struct fixture {
	struct run base, head;
	struct regress regress;
	struct regress_pair *pairs;
	struct regress_options options;
	struct thresholds thresholds;
};

static int set_up(void **state)
{
	struct fixture *fixture = xcalloc(1, sizeof(*fixture));

	fixture->base = empty_run();
	fixture->head = empty_run();
	fixture->options.limits = change_limits_default;
	*state = fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	regress_release(&fixture->regress);
	free(fixture->pairs);
	run_release(&fixture->base);
	run_release(&fixture->head);
	thresholds_release(&fixture->thresholds);
	free(fixture);
	return 0;
}

static void judge(struct fixture *fixture)
{
	struct error err = {0};
	size_t count;

	regress_release(&fixture->regress);
	free(fixture->pairs);
	count = regress_pairs(&fixture->pairs, &fixture->base, &fixture->head);
	if (regress_judge(&fixture->regress, fixture->pairs, count, &fixture->options, &err))
		fail_msg("%s", err.text);
}

static void limit(struct fixture *fixture, const char *text)
{
	struct error err = {0};

	thresholds_release(&fixture->thresholds);
	if (thresholds_parse(&fixture->thresholds, "limits", text, strlen(text), &err))
		fail_msg("%s", err.text);
	fixture->options.thresholds = &fixture->thresholds;
}

static const struct regress_case *case_of(const struct fixture *fixture, const char *variant)
{
	for (size_t i = 0; i < fixture->regress.count; i++)
		if (strstr(fixture->regress.cases[i].name, variant))
			return &fixture->regress.cases[i];
	fail_msg("no case of %s", variant);
	return NULL;
}

static void expect(const struct fixture *fixture, const char *variant, enum change verdict,
		   const char *why)
{
	const struct regress_case *item = case_of(fixture, variant);

	if (item->verdict != verdict)
		fail_msg("%s is %s (%s), not %s", variant, change_name(item->verdict),
			 item->why ? item->why : "-", change_name(verdict));
	if (why ? !item->why || !strstr(item->why, why) : item->why != NULL)
		fail_msg("%s: %s, not %s", variant, item->why ? item->why : "-", why ? why : "-");
	assert_int_equal(item->gates,
			 verdict == CHANGE_REGRESSED || (verdict == CHANGE_FAILED && item->base &&
							 item->base->status == TRIAL_OK));
}

/* They are compared like verified ones, and the row says what was not verified. */
static void unverified_results_are_compared_and_named(void **state)
{
	struct fixture *fixture = *state;
	struct run *base = &fixture->base, *head = &fixture->head;

	add_trial(base, "base", USUAL)->status = TRIAL_UNVERIFIED;
	add_trial(head, "base", SLOW);
	add_trial(base, "head", SLOW);
	add_trial(head, "head", USUAL)->status = TRIAL_UNVERIFIED;
	add_trial(base, "both", USUAL)->status = TRIAL_UNVERIFIED;
	add_trial(head, "both", USUAL)->status = TRIAL_UNVERIFIED;
	add_trial(head, "added", USUAL)->status = TRIAL_UNVERIFIED;
	add_trial(base, "none", USUAL);
	add_trial(head, "none", USUAL);
	judge(fixture);
	expect(fixture, "/base/", CHANGE_REGRESSED, "the base is unverified");
	expect(fixture, "/head/", CHANGE_IMPROVED, "the head is unverified");
	expect(fixture, "/both/", CHANGE_UNCHANGED, "base and head are unverified");
	expect(fixture, "/added/", CHANGE_NEW, "the head is unverified");
	expect(fixture, "/none/", CHANGE_UNCHANGED, NULL);
	assert_int_equal(fixture->regress.unverified, 4);
	assert_false(case_of(fixture, "/none/")->unverified);
}

static void each_case_gets_its_verdict(void **state)
{
	struct fixture *fixture = *state;
	struct run *base = &fixture->base, *head = &fixture->head;

	add_trial(base, "slower", USUAL);
	add_trial(base, "faster", SLOW);
	add_trial(base, "same", USUAL);
	add_trial(base, "gone", USUAL);
	add_trial(base, "breaks", USUAL);
	add_trial(base, "broken", NULL, 0)->status = TRIAL_MISMATCH;
	add_trial(base, "mended", NULL, 0)->status = TRIAL_MISMATCH;
	add_trial(base, "never", NULL, 0)->status = TRIAL_SKIPPED;
	add_trial(base, "cut", USUAL);
	add_trial(base, "once", MEDIANS(1e6));
	add_trial(base, "loose", MEDIANS(1e6, 1.05e6, 0.95e6));
	add_trial(head, "added", USUAL);
	add_trial(head, "mended", USUAL);
	add_trial(head, "never", NULL, 0)->status = TRIAL_SKIPPED;
	add_trial(head, "cut", NULL, 0)->status = TRIAL_PENDING;
	add_trial(head, "broken", NULL, 0)->status = TRIAL_TIMEOUT;
	add_trial(head, "breaks", NULL, 0)->status = TRIAL_CRASHED;
	head->trials[head->trial_count - 1].reason = xstrdup("signal 11");
	add_trial(head, "loose", MEDIANS(1.01e6, 1.06e6, 0.96e6));
	add_trial(head, "once", MEDIANS(1.5e6));
	add_trial(head, "same", USUAL);
	add_trial(head, "faster", USUAL);
	add_trial(head, "slower", SLOW);
	judge(fixture);
	expect(fixture, "slower", CHANGE_REGRESSED, NULL);
	expect(fixture, "faster", CHANGE_IMPROVED, NULL);
	expect(fixture, "same", CHANGE_UNCHANGED, NULL);
	expect(fixture, "gone", CHANGE_MISSING, NULL);
	expect(fixture, "cut", CHANGE_MISSING, "pending");
	expect(fixture, "added", CHANGE_NEW, NULL);
	expect(fixture, "mended", CHANGE_NEW, "in the base it was mismatch");
	expect(fixture, "breaks", CHANGE_FAILED, "crashed: signal 11");
	expect(fixture, "broken", CHANGE_FAILED, "in the base too");
	expect(fixture, "once", CHANGE_INCONCLUSIVE, "at least two rounds");
	expect(fixture, "loose", CHANGE_INCONCLUSIVE, "1 % is not ruled out");
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
	struct fixture *fixture = *state;
	const double before[] = {100e3, 100e3, 100e3}, after[] = {100.85e3, 100.85e3, 100.85e3};

	add_trial(&fixture->base, "suspect", before, 3);
	add_trial(&fixture->head, "suspect", after, 3);
	judge(fixture);
	expect(fixture, "suspect", CHANGE_REGRESSED, NULL);
	for (int i = 0; i < 3999; i++) {
		char name[24];

		snprintf(name, sizeof(name), "case%d", i);
		add_trial(&fixture->base, name, before, 3);
		add_trial(&fixture->head, name, before, 3);
	}
	judge(fixture);
	expect(fixture, "suspect", CHANGE_INCONCLUSIVE, "not ruled out");
	assert_int_equal(fixture->regress.tally[CHANGE_UNCHANGED], 3999);
}

static void counters_are_compared_exactly(void **state)
{
	struct fixture *fixture = *state;
	struct trial *base = add_trial(&fixture->base, "one", NULL, 0);
	struct trial *head = add_trial(&fixture->head, "one", NULL, 0);

	add_counter(base, "ptx_divergent_branches", 1000000);
	add_counter(head, "ptx_divergent_branches", 1000000);
	add_counter(base, "ptx_branches", 2000000);
	add_counter(head, "ptx_branches", 2000000);
	judge(fixture);
	expect(fixture, "one", CHANGE_UNCHANGED, NULL);
	assert_int_equal(case_of(fixture, "one")->counters_compared, 2);
	add_counter(head, "ptx_divergent_branches", 1000001);
	judge(fixture);
	expect(fixture, "one", CHANGE_REGRESSED, "ptx_divergent_branches from 1000000 to 1000001");
	add_counter(head, "ptx_divergent_branches", 0);
	judge(fixture);
	expect(fixture, "one", CHANGE_IMPROVED, "ptx_divergent_branches from 1000000 to 0");
	/* worse in one, better in another: the user must decide */
	add_counter(base, "ptx_global_load_sectors", 0);
	add_counter(head, "ptx_global_load_sectors", 4);
	judge(fixture);
	expect(fixture, "one", CHANGE_REGRESSED, "ptx_global_load_sectors from 0 to 4");
	/* neither direction is worse: only reported */
	add_counter(head, "ptx_global_load_sectors", 0);
	add_counter(head, "ptx_divergent_branches", 1000000);
	add_counter(head, "ptx_branches", 3000000);
	judge(fixture);
	expect(fixture, "one", CHANGE_UNCHANGED, NULL);
	assert_int_equal(case_of(fixture, "one")->counter_count, 1);
	assert_int_equal(case_of(fixture, "one")->counters[0].verdict, 0);
}

static void time_decides_where_it_shows_a_change(void **state)
{
	struct fixture *fixture = *state;

	add_counter(add_trial(&fixture->base, "quick", SLOW), "branch_targets_divergent", 8);
	add_counter(add_trial(&fixture->head, "quick", USUAL), "branch_targets_divergent", 9);
	add_counter(add_trial(&fixture->base, "slow", USUAL), "branch_targets_divergent", 8);
	add_counter(add_trial(&fixture->head, "slow", SLOW), "branch_targets_divergent", 0);
	add_counter(add_trial(&fixture->base, "even", USUAL), "branch_targets_divergent", 8);
	add_counter(add_trial(&fixture->head, "even", USUAL), "branch_targets_divergent", 9);
	judge(fixture);
	expect(fixture, "quick", CHANGE_IMPROVED, "branch_targets_divergent from 8 to 9");
	expect(fixture, "slow", CHANGE_REGRESSED, NULL);
	expect(fixture, "even", CHANGE_REGRESSED, "branch_targets_divergent from 8 to 9");
	assert_int_equal(case_of(fixture, "even")->time, CHANGE_UNCHANGED);
	fixture->options.counters = REGRESS_COUNTERS_NONE;
	judge(fixture);
	expect(fixture, "quick", CHANGE_IMPROVED, NULL);
	expect(fixture, "even", CHANGE_UNCHANGED, NULL);
}

/* A count may depend on the input, and a count that varies is judged only with a limit. */
static void only_what_repeats_is_compared(void **state)
{
	struct fixture *fixture = *state;
	struct trial *base = add_trial(&fixture->base, "one", NULL, 0);
	struct trial *head = add_trial(&fixture->head, "one", NULL, 0);
	char *name = (char[]){"dram_bytes"};
	struct string_list names = {.items = &name, .count = 1};
	struct error err = {0};

	add_counter(base, "dram_bytes", 1000);
	add_counter(head, "dram_bytes", 1100);
	add_counter(base, "branch_efficiency_pct", 90);
	add_counter(head, "branch_efficiency_pct", 80); /* derived: of what is compared */
	judge(fixture);
	expect(fixture, "one", CHANGE_INCONCLUSIVE, "nothing to compare");
	assert_int_equal(fixture->regress.compared, 0);
	limit(fixture, "* dram_bytes=20%\n");
	judge(fixture);
	expect(fixture, "one", CHANGE_UNCHANGED, NULL);
	assert_int_equal(case_of(fixture, "one")->counter_count, 0);
	limit(fixture, "* dram_bytes=5%\n");
	judge(fixture);
	expect(fixture, "one", CHANGE_REGRESSED, "dram_bytes from 1000 to 1100");
	limit(fixture, "");
	fixture->options.counters = REGRESS_COUNTERS_NAMED;
	fixture->options.names = &names;
	assert_int_equal(
		regress_judge(&fixture->regress, fixture->pairs, 1, &fixture->options, &err),
		PL_EUSAGE);
	assert_non_null(strstr(err.text, "dram_bytes does not repeat exactly"));
	name = (char[]){"branch_efficiency_pct"};
	judge(fixture);
	expect(fixture, "one", CHANGE_REGRESSED, "branch_efficiency_pct from 90 to 80");
	fixture->head.seed = 2;
	judge(fixture);
	expect(fixture, "one", CHANGE_INCONCLUSIVE, "nothing to compare");
	name = (char[]){"l1_bytes"};
	assert_int_equal(
		regress_judge(&fixture->regress, fixture->pairs, 1, &fixture->options, &err),
		PL_EUSAGE);
	assert_string_equal(err.text, "no case has l1_bytes in both runs");
}

static void thresholds_move_the_limits(void **state)
{
	struct fixture *fixture = *state;

	add_counter(add_trial(&fixture->base, "slower", USUAL), "l1_bytes", 1000);
	add_counter(add_trial(&fixture->head, "slower", SLOW), "l1_bytes", 1001);
	limit(fixture, "* time=3% l1_bytes=1%\n");
	judge(fixture);
	expect(fixture, "slower", CHANGE_UNCHANGED, NULL);
	limit(fixture, "* time=3%\n");
	judge(fixture);
	expect(fixture, "slower", CHANGE_REGRESSED, "l1_bytes from 1000 to 1001");
	limit(fixture, "* ignore=l1_bytes ignore=time\n");
	judge(fixture);
	expect(fixture, "slower", CHANGE_INCONCLUSIVE, "nothing to compare");
	limit(fixture, "reduce/slower* ignore\n");
	judge(fixture);
	assert_true(case_of(fixture, "slower")->ignored);
	assert_int_equal(fixture->regress.ignored, 1);
	assert_int_equal(fixture->regress.gating, 0);
	assert_int_equal(fixture->regress.compared, 0);
}

static void same_identity(struct trial *trial)
{
	snprintf(trial->facts.code_hash, sizeof(trial->facts.code_hash), "c0de");
	snprintf(trial->launch_hash, sizeof(trial->launch_hash), "1a0c");
}

/* Equal machine code, equally launched: no finding. Unless the launch is not known to be equal. */
static void equal_code_cannot_get_slower(void **state)
{
	struct fixture *fixture = *state;
	struct trial *base = add_trial(&fixture->base, "slower", USUAL);
	struct trial *head = add_trial(&fixture->head, "slower", SLOW);

	same_identity(base);
	same_identity(head);
	judge(fixture);
	expect(fixture, "slower", CHANGE_INCONCLUSIVE, "noise or environment");
	assert_int_equal(case_of(fixture, "slower")->time, CHANGE_REGRESSED);
	fixture->options.judge_same_code = true;
	judge(fixture);
	expect(fixture, "slower", CHANGE_REGRESSED, NULL);
	fixture->options.judge_same_code = false;
	head->launch_hash[0] = '\0';
	judge(fixture);
	expect(fixture, "slower", CHANGE_REGRESSED, NULL);
	assert_true(case_of(fixture, "slower")->same_code);
	snprintf(head->launch_hash, sizeof(head->launch_hash), "another");
	judge(fixture);
	expect(fixture, "slower", CHANGE_REGRESSED, NULL);
	same_identity(head);
	snprintf(head->facts.code_hash, sizeof(head->facts.code_hash), "another");
	judge(fixture);
	expect(fixture, "slower", CHANGE_REGRESSED, NULL);
	same_identity(head);
	fixture->head.seed = 2;
	judge(fixture);
	expect(fixture, "slower", CHANGE_REGRESSED, NULL);
}

static void a_clock_that_explains_it_is_no_regression(void **state)
{
	struct fixture *fixture = *state;
	struct trial *head;

	add_trial(&fixture->base, "slower", USUAL);
	head = add_trial(&fixture->head, "slower", SLOW);
	for (size_t i = 0; i < head->round_count; i++)
		head->rounds[i].state.sm_clock_hz = 1945e6;
	head->rounds[0].state.throttle_reasons = 4;
	judge(fixture);
	expect(fixture, "slower", CHANGE_INCONCLUSIVE,
	       "the SM clock explains it: 1980 MHz, then 1945; throttled in 0 of 3 rounds, then "
	       "in 1 of 3");
	/* half of it is not all of it */
	for (size_t i = 0; i < head->round_count; i++)
		head->rounds[i].state.sm_clock_hz = 1965e6;
	head->rounds[0].state.throttle_reasons = 1; /* idle */
	judge(fixture);
	expect(fixture, "slower", CHANGE_REGRESSED, NULL);
	/* slower at a higher clock */
	for (size_t i = 0; i < head->round_count; i++)
		head->rounds[i].state.sm_clock_hz = 2020e6;
	judge(fixture);
	expect(fixture, "slower", CHANGE_REGRESSED, NULL);
}

/* Values that a damaged file may contain. */
static void what_has_no_name_or_no_sense_is_passed_over(void **state)
{
	struct fixture *fixture = *state;
	struct trial *trial = add_trial(&fixture->base, "nameless", USUAL);

	free(trial->variant);
	trial->variant = NULL;
	add_trial(&fixture->base, "odd", MEDIANS(0, NAN, -1));
	add_trial(&fixture->base, "far", MEDIANS(1e-300, 1e-300));
	add_trial(&fixture->head, "odd", USUAL);
	add_trial(&fixture->head, "far", MEDIANS(1e300, 1e300));
	judge(fixture);
	assert_int_equal(fixture->regress.count, 2);
	expect(fixture, "odd", CHANGE_INCONCLUSIVE, "nothing to compare");
	assert_false(case_of(fixture, "odd")->timed);
	assert_true(case_of(fixture, "far")->timed);
}

/* ---- environments ---- */

/* Returns 'r' (refuses), 's' (only reported), 'n' (never compared), or ' ' (no such difference). */
static char difference(const struct fixture *fixture, const char *what, const char *base,
		       const char *head)
{
	struct regress_differences differences = {0};
	char found = ' ';

	regress_differ(&differences, &fixture->base, &fixture->head);
	for (size_t i = 0; i < differences.count; i++) {
		const struct regress_difference *item = &differences.items[i];

		if (strcmp(item->what, what) != 0)
			continue;
		assert_string_equal(item->base, base);
		assert_string_equal(item->head, head);
		found = item->never ? 'n' : item->refuses ? 'r' : 's';
	}
	assert_int_equal(differences.count, found != ' ');
	regress_differences_release(&differences);
	return found;
}

static void environments_that_differ_are_named(void **state)
{
	struct fixture *fixture = *state;
	struct run *head = &fixture->head;
	struct trial *trial;

	add_trial(&fixture->base, "one", USUAL);
	trial = add_trial(head, "one", USUAL);
	assert_int_equal(difference(fixture, "", "", ""), ' ');
	snprintf(head->device.driver, sizeof(head->device.driver), "590.2");
	assert_int_equal(difference(fixture, "driver", "580.1", "590.2"), 'r');
	head->device.driver[0] = '\0'; /* not known */
	assert_int_equal(difference(fixture, "driver", "580.1", "not known"), 's');
	snprintf(head->device.driver, sizeof(head->device.driver), "580.1");
	key_value_set(&head->environment, "profiler", "nsys");
	assert_int_equal(difference(fixture, "profiler", "none", "nsys"), 'r');
	key_value_set(&fixture->base.environment, "profiler", "nsys");
	snprintf(head->device.uuid, sizeof(head->device.uuid), "GPU-2");
	assert_int_equal(difference(fixture, "device", "NVIDIA H200 GPU-1", "NVIDIA H200 GPU-2"),
			 'r');
	head->device.uuid[0] = '\0';
	assert_int_equal(difference(fixture, "device", "", ""), ' ');
	snprintf(head->device.name, sizeof(head->device.name), "NVIDIA A100");
	assert_int_equal(difference(fixture, "device", "NVIDIA H200", "NVIDIA A100"), 'r');
	snprintf(head->device.name, sizeof(head->device.name), "NVIDIA H200");
	key_value_set(&head->environment, "build_type", "Debug");
	assert_int_equal(difference(fixture, "build type", "Release", "Debug"), 'r');
	key_value_set(&head->environment, "build_type", "Release");
	for (size_t i = 0; i < trial->round_count; i++)
		trial->rounds[i].state.sm_clock_hz = 1600e6;
	assert_int_equal(difference(fixture, "SM clock", "1980 MHz", "1600 MHz"), 'r');
	for (size_t i = 0; i < trial->round_count; i++) {
		trial->rounds[i].state.sm_clock_hz = 1965e6;
		trial->rounds[i].state.throttle_reasons = 4;
	}
	assert_int_equal(difference(fixture, "throttling", "0 % of rounds", "100 % of rounds"),
			 'r');
	for (size_t i = 0; i < trial->round_count; i++)
		trial->rounds[i].state = (struct device_state){NAN, NAN, NAN, NAN, -1};
	assert_int_equal(difference(fixture, "throttling", "", ""), ' ');
	key_value_set(&fixture->base.environment, "gpu.persistence_mode", "off");
	key_value_set(&head->environment, "gpu.persistence_mode", "on");
	assert_int_equal(difference(fixture, "persistence mode", "off", "on"), 's');
	key_value_set(&fixture->base.environment, "gpu.persistence_mode", "on");
	head->seed = 2;
	assert_int_equal(difference(fixture, "seed of inputs", "1", "2"), 's');
	head->seed = 1;
	fixture->base.has_settings = head->has_settings = true;
	fixture->base.traits.timed = head->traits.timed = true;
	head->settings.cache = CACHE_HOT;
	assert_int_equal(difference(fixture, "cache", "cold", "hot"), 'r');
	head->has_settings = false;
	assert_int_equal(difference(fixture, "cache", "cold", "not known"), 's');
	head->has_settings = true;
	head->settings.cache = CACHE_COLD;
	fixture->base.settings.placements = 1;
	head->settings.placements = 4;
	assert_int_equal(difference(fixture, "placements", "1", "4"), 's');
	head->settings.placements = 1;
	assert_int_equal(difference(fixture, "placements", "", ""), ' ');
	head->settings.cache = CACHE_HOT;
	/* without times there is no cache mode */
	fixture->base.traits.timed = head->traits.timed = false;
	head->has_settings = true;
	assert_int_equal(difference(fixture, "cache", "", ""), ' ');
	free(head->backend);
	head->backend = xstrdup("ptx");
	assert_int_equal(difference(fixture, "backend", "cuda", "ptx"), 'n');
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(each_case_gets_its_verdict),
		TEST(unverified_results_are_compared_and_named),
		TEST(many_cases_are_corrected_for_at_once),
		TEST(counters_are_compared_exactly),
		TEST(time_decides_where_it_shows_a_change),
		TEST(only_what_repeats_is_compared),
		TEST(thresholds_move_the_limits),
		TEST(equal_code_cannot_get_slower),
		TEST(a_clock_that_explains_it_is_no_regression),
		TEST(what_has_no_name_or_no_sense_is_passed_over),
		TEST(environments_that_differ_are_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
