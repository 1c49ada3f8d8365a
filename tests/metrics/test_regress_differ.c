/* What makes two runs comparable: the code of a kernel, its clock, and the environment. */
#include "regress_fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void same_identity(struct trial *trial)
{
	snprintf(trial->facts.code_hash, sizeof(trial->facts.code_hash), "c0de");
	snprintf(trial->launch_hash, sizeof(trial->launch_hash), "1a0c");
}

/* Equal machine code, equally launched: no finding, unless launch, data or driver may differ. */
static void equal_code_cannot_get_slower(void **state)
{
	struct regress_fixture *fixture = *state;
	struct trial *base = regress_add_trial(&fixture->base, "slower", USUAL);
	struct trial *head = regress_add_trial(&fixture->head, "slower", SLOW);

	same_identity(base);
	same_identity(head);
	regress_judge_runs(fixture);
	regress_expect(fixture, "slower", CHANGE_SAME_CODE, "by the environment");
	assert_int_equal(fixture->regress.gating, 0);
	snprintf(fixture->head.device.driver, sizeof(fixture->head.device.driver), "590.1");
	regress_judge_runs(fixture);
	regress_expect(fixture, "slower", CHANGE_REGRESSED, NULL);
	snprintf(fixture->head.device.driver, sizeof(fixture->head.device.driver), "580.1");
	regress_judge_runs(fixture);
	assert_int_equal(regress_case_of(fixture, "slower")->time, CHANGE_REGRESSED);
	fixture->options.judge_same_code = true;
	regress_judge_runs(fixture);
	regress_expect(fixture, "slower", CHANGE_REGRESSED, NULL);
	fixture->options.judge_same_code = false;
	head->launch_hash[0] = '\0';
	regress_judge_runs(fixture);
	regress_expect(fixture, "slower", CHANGE_REGRESSED, NULL);
	assert_true(regress_case_of(fixture, "slower")->same_code);
	snprintf(head->launch_hash, sizeof(head->launch_hash), "another");
	regress_judge_runs(fixture);
	regress_expect(fixture, "slower", CHANGE_REGRESSED, NULL);
	same_identity(head);
	snprintf(head->facts.code_hash, sizeof(head->facts.code_hash), "another");
	regress_judge_runs(fixture);
	regress_expect(fixture, "slower", CHANGE_REGRESSED, NULL);
	same_identity(head);
	fixture->head.seed = 2;
	regress_judge_runs(fixture);
	regress_expect(fixture, "slower", CHANGE_REGRESSED, NULL);
}

/* A case that DRAM limits does not follow the SM clock, and of others nobody knows. */
static void a_clock_that_a_case_does_not_follow_explains_nothing(void **state)
{
	static const enum bound limiters[] = {BOUND_DRAM, BOUND_LATENCY, BOUND_UNKNOWN};
	struct regress_fixture *fixture = *state;
	struct trial *head;

	regress_add_trial(&fixture->base, "slower", USUAL);
	head = regress_add_trial(&fixture->head, "slower", SLOW);
	for (size_t i = 0; i < head->round_count; i++)
		head->rounds[i].state.sm_clock_hz = 1945e6;
	for (size_t i = 0; i < ARRAY_SIZE(limiters); i++) {
		fixture->limiter = limiters[i];
		regress_judge_runs(fixture);
		regress_expect(fixture, "slower", CHANGE_REGRESSED,
			       "nothing shows that the case follows it");
	}
	fixture->sessions = (struct session_scatter){.sessions = 4, .clock_dependence = 1};
	regress_judge_runs(fixture);
	regress_expect(fixture, "slower", CHANGE_INCONCLUSIVE, "sessions of equal code showed it");
	fixture->sessions.clock_dependence = 0.5;
	regress_judge_runs(fixture);
	regress_expect(fixture, "slower", CHANGE_REGRESSED, "nothing shows");
	fixture->sessions.clock_dependence = 0;
	fixture->limiter = BOUND_COMPUTE;
	regress_judge_runs(fixture);
	regress_expect(fixture, "slower", CHANGE_REGRESSED, "nothing shows");
}

/* More rounds do not help if sessions of equal code differ by more than the change. */
static void sessions_that_scatter_more_hide_a_change(void **state)
{
	struct regress_fixture *fixture = *state;

	regress_add_trial(&fixture->base, "slower", USUAL);
	regress_add_trial(&fixture->head, "slower", SLOW);
	fixture->sessions =
		(struct session_scatter){.variance = 0.01 * 0.01, .freedom = 10, .sessions = 6};
	regress_judge_runs(fixture);
	regress_expect(fixture, "slower", CHANGE_INCONCLUSIVE, "no number of rounds");
	assert_true(regress_case_of(fixture, "slower")->effect.by_sessions);
	fixture->sessions.variance = 0.001 * 0.001;
	regress_judge_runs(fixture);
	regress_expect(fixture, "slower", CHANGE_REGRESSED, NULL);
}

static void a_clock_that_explains_it_is_no_regression(void **state)
{
	struct regress_fixture *fixture = *state;
	struct trial *head;

	fixture->limiter = BOUND_ISSUE;

	regress_add_trial(&fixture->base, "slower", USUAL);
	head = regress_add_trial(&fixture->head, "slower", SLOW);
	for (size_t i = 0; i < head->round_count; i++)
		head->rounds[i].state.sm_clock_hz = 1945e6;
	head->rounds[0].state.throttle_reasons = 4;
	regress_judge_runs(fixture);
	regress_expect(
		fixture, "slower", CHANGE_INCONCLUSIVE,
		"the SM clock explains it (what limits the case runs at that clock): 1980 MHz, "
		"then 1945; throttled in 0 of 3 rounds, then "
		"in 1 of 3");
	/* half of it is not all of it */
	for (size_t i = 0; i < head->round_count; i++)
		head->rounds[i].state.sm_clock_hz = 1965e6;
	head->rounds[0].state.throttle_reasons = 1; /* idle */
	regress_judge_runs(fixture);
	regress_expect(fixture, "slower", CHANGE_REGRESSED, NULL);
	/* slower at a higher clock */
	for (size_t i = 0; i < head->round_count; i++)
		head->rounds[i].state.sm_clock_hz = 2020e6;
	regress_judge_runs(fixture);
	regress_expect(fixture, "slower", CHANGE_REGRESSED, NULL);
}

/* Values that a damaged file may contain. */
static void what_has_no_name_or_no_sense_is_passed_over(void **state)
{
	struct regress_fixture *fixture = *state;
	struct trial *trial = regress_add_trial(&fixture->base, "nameless", USUAL);

	free(trial->variant);
	trial->variant = NULL;
	regress_add_trial(&fixture->base, "odd", MEDIANS(0, NAN, -1));
	regress_add_trial(&fixture->base, "far", MEDIANS(1e-300, 1e-300));
	regress_add_trial(&fixture->head, "odd", USUAL);
	regress_add_trial(&fixture->head, "far", MEDIANS(1e300, 1e300));
	regress_judge_runs(fixture);
	assert_int_equal(fixture->regress.count, 2);
	regress_expect(fixture, "odd", CHANGE_INCONCLUSIVE, "nothing to compare");
	assert_false(regress_case_of(fixture, "odd")->timed);
	assert_true(regress_case_of(fixture, "far")->timed);
}

/* ---- environments ---- */

/* Returns 'r' (refuses), 's' (only reported), 'n' (never compared), or ' ' (no such difference). */
static char difference(const struct regress_fixture *fixture, const char *what, const char *base,
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

static void set_launch(struct trial *trial, size_t round, double launch_ns)
{
	trial->rounds[round].state.event_ns = 2000;
	trial->rounds[round].state.launch_ns = launch_ns;
}

/* In some processes every launch takes longer, an empty one, too. */
static void slower_launches_are_no_change(void **state)
{
	struct regress_fixture *fixture = *state;
	struct trial *base = regress_add_trial(&fixture->base, "slower", USUAL);
	struct trial *head = regress_add_trial(&fixture->head, "slower", SLOW);
	struct trial *mixed;

	for (size_t i = 0; i < 3; i++) {
		set_launch(base, i, 1800);
		set_launch(head, i, 1800);
	}
	regress_judge_runs(fixture);
	regress_expect(fixture, "slower", CHANGE_REGRESSED, NULL);
	for (size_t i = 0; i < 3; i++)
		set_launch(head, i, 21800);
	regress_judge_runs(fixture);
	regress_expect(fixture, "slower", CHANGE_UNCHANGED, NULL);
	/* within a run, too: the rounds scatter by nothing else */
	mixed = regress_add_trial(&fixture->base, "mixed", MEDIANS(1e6, 1.02e6, 1e6));
	for (size_t i = 0; i < 3; i++)
		set_launch(mixed, i, i == 1 ? 21800 : 1800);
	mixed = regress_add_trial(&fixture->head, "mixed", MEDIANS(1.02e6, 1e6, 1e6));
	for (size_t i = 0; i < 3; i++)
		set_launch(mixed, i, i == 0 ? 21800 : 1800);
	regress_judge_runs(fixture);
	regress_expect(fixture, "mixed", CHANGE_UNCHANGED, NULL);
}

/* Times from which the cost of the events was taken off do not compare with others. */
static void the_cost_of_events_is_compared(void **state)
{
	struct regress_fixture *fixture = *state;
	struct trial *trial;

	regress_add_trial(&fixture->base, "one", USUAL);
	trial = regress_add_trial(&fixture->head, "one", USUAL);
	fixture->base.has_settings = fixture->head.has_settings = true;
	fixture->base.traits.timed = fixture->head.traits.timed = true;
	fixture->head.settings = fixture->base.settings;
	assert_int_equal(difference(fixture, "", "", ""), ' ');
	trial->rounds[0].state.event_ns = 2100;
	assert_int_equal(difference(fixture, "cost of events", "included", "taken off"), 'r');
}

static void environments_that_differ_are_named(void **state)
{
	struct regress_fixture *fixture = *state;
	struct run *head = &fixture->head;
	struct trial *trial;

	regress_add_trial(&fixture->base, "one", USUAL);
	trial = regress_add_trial(head, "one", USUAL);
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
		trial->rounds[i].state = device_state_unknown;
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

#define TEST(function) cmocka_unit_test_setup_teardown(function, regress_set_up, regress_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(equal_code_cannot_get_slower),
		TEST(a_clock_that_explains_it_is_no_regression),
		TEST(a_clock_that_a_case_does_not_follow_explains_nothing),
		TEST(sessions_that_scatter_more_hide_a_change),
		TEST(what_has_no_name_or_no_sense_is_passed_over),
		TEST(environments_that_differ_are_named),
		TEST(slower_launches_are_no_change),
		TEST(the_cost_of_events_is_compared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
