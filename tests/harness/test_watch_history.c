/* How the measurements of a watch are compared: with the last, and with the best. */
#include "harness/watch/watch_history.h"
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct fixture {
	struct watch_history history;
	struct watch_report report;
	int64_t run_id;
};

/* One measurement of one case. A zero is the usual value. */
#define TEST_SMS 132

struct measured {
	enum trial_status status;
	double time_ns; /* 0: the backend is emulated */
	const char *code;
	size_t rounds;
	double clock_hz;
	bool issues; /* instructions limit it */
	int64_t flop;
	double instructions;
};
static int watch_set_up(void **state)
{
	*state = xcalloc(1, sizeof(struct fixture));
	return 0;
}

static int watch_tear_down(void **state)
{
	struct fixture *fixture = *state;

	watch_report_release(&fixture->report);
	watch_history_release(&fixture->history);
	free(fixture);
	return 0;
}

static struct measured with_usual(struct measured measured)
{
	if (!measured.status)
		measured.status = TRIAL_OK;
	if (!measured.code)
		measured.code = "1";
	if (!measured.rounds)
		measured.rounds = 1;
	if (measured.clock_hz == 0)
		measured.clock_hz = 1980e6;
	if (!measured.flop)
		measured.flop = 100;
	if (measured.instructions == 0)
		measured.instructions = 7;
	return measured;
}

static void fill_trial(struct trial *trial, const struct measured *given, const char *config)
{
	const struct measured usual = with_usual(*given), *measured = &usual;

	*trial = (struct trial){
		.kernel = xstrdup("k"),
		.variant = xstrdup("v"),
		.config = xstrdup(config),
		.status = measured->status,
		.facts = launch_facts_unknown,
		.has_work = true,
		.flop = measured->flop,
		.summary = {.median_ns = measured->time_ns > 0 ? measured->time_ns : NAN},
	};
	snprintf(trial->facts.code_hash, sizeof(trial->facts.code_hash), "%s", measured->code);
	snprintf(trial->facts.code_kind, sizeof(trial->facts.code_kind), "cubin sm_90");
	snprintf(trial->launch_hash, sizeof(trial->launch_hash), "same");
	if (!trial_status_counted(measured->status))
		return;
	counter_list_set(&trial->counters, "ptx_warp_instructions", "1", "a test",
			 measured->instructions);
	if (measured->issues) {
		const double cycles = measured->time_ns * measured->clock_hz / 1e9;

		counter_list_set(&trial->counters, "sm_cycles", "1", "a test", cycles);
		counter_list_set(&trial->counters, "gpu_time_ns", "ns", "a test",
				 measured->time_ns);
		counter_list_set(&trial->counters, "instructions", "1", "a test",
				 0.8 * cycles * TEST_SMS * 4);
	}
	trial->round_count = measured->time_ns > 0 ? measured->rounds : 0;
	trial->rounds = xcalloc(trial->round_count + 1, sizeof(*trial->rounds));
	for (size_t i = 0; i < trial->round_count; i++)
		trial->rounds[i] = (struct round_summary){
			.round = (int)i,
			.median_ns = measured->time_ns * (1 + 1e-5 * (double)i),
			.state = {measured->clock_hz, 3201e6, 40, 300, 0}};
}

static const struct watch_report *add_run(struct fixture *fixture, const struct measured *measured,
					  size_t count, bool outdated)
{
	static const char *const configs[] = {"block=64", "block=128"};
	struct run run = {
		.id = ++fixture->run_id,
		.seed = 1,
		.device = {.name = "NVIDIA H200", .cc_major = 9, .sm_count = TEST_SMS},
		.traits = {.timed = measured->time_ns > 0, .emulated = measured->time_ns == 0},
		.trial_count = count,
		.trials = xcalloc(count, sizeof(*run.trials))};
	struct error err = {0};

	for (size_t i = 0; i < count; i++)
		fill_trial(&run.trials[i], &measured[i], configs[i]);
	watch_report_release(&fixture->report);
	assert_int_equal(
		watch_history_add(&fixture->history, &run, NULL, outdated, &fixture->report, &err),
		0);
	return &fixture->report;
}

static const struct watch_case *add(struct fixture *fixture, struct measured measured)
{
	return &add_run(fixture, &measured, 1, false)->cases[0];
}

#define ADD(...) add(*state, (struct measured){__VA_ARGS__})

static void assert_against(const struct watch_base *base, int64_t run_id, enum watch_change change)
{
	assert_non_null(base->result.run);
	assert_int_equal(base->result.run->id, run_id);
	assert_string_equal(watch_change_words(base->change), watch_change_words(change));
}

/* ---- tests ---- */

static void first_is_the_best(void **state)
{
	const struct watch_case *item = ADD(.time_ns = 100e3);

	assert_null(item->last.result.run);
	assert_null(item->best.result.run);
	assert_true(item->is_best);
}

static void one_round_is_judged_with_care(void **state)
{
	const struct watch_case *item;

	ADD(.time_ns = 100e3);
	/* two percent may be the place of the buffers */
	item = ADD(.time_ns = 98e3, .code = "2");
	assert_against(&item->last, 1, WATCH_NOISE);
	assert_false(item->is_best);
	item = ADD(.time_ns = 90e3, .code = "3");
	assert_against(&item->last, 2, WATCH_PROBABLY_FASTER);
	assert_against(&item->best, 1, WATCH_PROBABLY_FASTER);
	assert_true(item->is_best);
	item = ADD(.time_ns = 120e3, .code = "4");
	assert_against(&item->last, 3, WATCH_PROBABLY_SLOWER);
	assert_against(&item->best, 3, WATCH_PROBABLY_SLOWER);
	/* the same as the last is not the same as the best */
	item = ADD(.time_ns = 120e3, .code = "5");
	assert_against(&item->last, 4, WATCH_NOISE);
	assert_against(&item->best, 3, WATCH_PROBABLY_SLOWER);
}

/* A few percent of a microsecond are less than the clock of events resolves. */
static void short_kernels_are_noisy(void **state)
{
	ADD(.time_ns = 2000);
	assert_against(&ADD(.time_ns = 2100, .code = "2")->last, 1, WATCH_NOISE);
	assert_against(&ADD(.time_ns = 4000, .code = "3")->last, 2, WATCH_PROBABLY_SLOWER);
}

static void several_rounds_decide(void **state)
{
	const struct watch_case *item;

	ADD(.time_ns = 100e3, .rounds = 3);
	item = ADD(.time_ns = 98e3, .rounds = 3, .code = "2");
	assert_against(&item->last, 1, WATCH_FASTER);
	assert_true(item->is_best);
	assert_against(&ADD(.time_ns = 101e3, .rounds = 3, .code = "3")->last, 2, WATCH_SLOWER);
	assert_against(&ADD(.time_ns = 101.01e3, .rounds = 3, .code = "4")->last, 3,
		       WATCH_SAME_TIME);
}

static void same_code_is_not_blamed(void **state)
{
	const struct watch_case *item;

	ADD(.time_ns = 100e3);
	item = ADD(.time_ns = 50e3);
	assert_against(&item->last, 1, WATCH_SAME_CODE);
	assert_false(item->is_best);
}

static void clocks_are_not_the_kernel(void **state)
{
	const struct watch_case *item;

	ADD(.time_ns = 100e3, .clock_hz = 1980e6, .issues = true);
	item = ADD(.time_ns = 150e3, .clock_hz = 1320e6, .issues = true, .code = "2");
	assert_int_equal(item->now.bound, BOUND_ISSUE);
	assert_against(&item->last, 1, WATCH_CLOCKS);
	/* an unknown clock explains nothing */
	item = ADD(.time_ns = 300e3, .clock_hz = NAN, .code = "3");
	assert_against(&item->last, 2, WATCH_PROBABLY_SLOWER);
	/* nor does the clock of a case that nothing shows to follow it */
	ADD(.time_ns = 100e3, .clock_hz = 1980e6, .code = "4");
	item = ADD(.time_ns = 150e3, .clock_hz = 1320e6, .code = "5");
	assert_against(&item->last, 4, WATCH_PROBABLY_SLOWER);
}

static void wrong_kernels_are_never_the_best(void **state)
{
	const struct watch_case *item;

	ADD(.time_ns = 100e3);
	item = ADD(.time_ns = 10e3, .code = "2", .status = TRIAL_MISMATCH);
	assert_null(item->now.run);
	assert_false(item->is_best);
	item = ADD(.time_ns = 10e3, .code = "3", .status = TRIAL_UNVERIFIED);
	assert_against(&item->last, 1, WATCH_PROBABLY_FASTER);
	assert_false(item->is_best);
	/* the last with a result, and the best */
	item = ADD(.time_ns = 50e3, .code = "4");
	assert_against(&item->last, 3, WATCH_PROBABLY_SLOWER);
	assert_against(&item->best, 1, WATCH_PROBABLY_FASTER);
	assert_true(item->is_best);
}

static void less_work_is_another_problem(void **state)
{
	const struct watch_case *item;

	ADD(.time_ns = 100e3);
	item = ADD(.time_ns = 50e3, .code = "2", .flop = 50);
	assert_true(item->new_problem);
	assert_null(item->best.result.run);
	assert_true(item->is_best);
	item = ADD(.time_ns = 60e3, .code = "3", .flop = 50);
	assert_false(item->new_problem);
	assert_against(&item->best, 2, WATCH_PROBABLY_SLOWER);
}

static void outdated_runs_are_forgotten(void **state)
{
	const struct measured stale = {.time_ns = 10e3, .code = "2"};
	const struct watch_case *item;

	ADD(.time_ns = 100e3);
	item = &add_run(*state, &stale, 1, true)->cases[0];
	assert_against(&item->last, 1, WATCH_PROBABLY_FASTER);
	assert_false(item->is_best);
	item = ADD(.time_ns = 100e3, .code = "3");
	assert_against(&item->last, 1, WATCH_NOISE);
	assert_against(&item->best, 1, WATCH_NOISE);
}

static void counts_are_compared_without_times(void **state)
{
	const struct watch_case *item = ADD(.time_ns = 0);

	assert_false(item->is_best);
	assert_against(&ADD(.code = "2", .instructions = 8)->last, 1, WATCH_WORSE_COUNTS);
	assert_against(&ADD(.code = "3", .instructions = 6)->last, 2, WATCH_BETTER_COUNTS);
	item = ADD(.code = "4", .instructions = 6);
	assert_against(&item->last, 3, WATCH_SAME_COUNTS);
	assert_null(item->best.result.run);
}

/* A case that comes and goes keeps its history, and each case has its own. */
static void cases_are_apart(void **state)
{
	const struct measured both[] = {{.time_ns = 100e3}, {.time_ns = 50e3}};
	const struct measured later[] = {{.time_ns = 80e3, .code = "2"},
					 {.time_ns = 60e3, .code = "2"}};
	const struct watch_report *report;

	add_run(*state, both, 2, false);
	ADD(.time_ns = 90e3, .code = "3");
	report = add_run(*state, later, 2, false);
	assert_against(&report->cases[0].last, 2, WATCH_PROBABLY_FASTER);
	assert_against(&report->cases[1].last, 1, WATCH_PROBABLY_SLOWER);
	assert_true(report->cases[0].is_best);
	assert_false(report->cases[1].is_best);
}

/* A watch of days keeps two runs a case. */
static void history_stays_small(void **state)
{
	struct fixture *fixture = *state;

	ADD(.time_ns = 100e3);
	for (int i = 0; i < 50; i++)
		ADD(.time_ns = 110e3, .code = "2");
	assert_true(fixture->history.run_count <= 4);
}

#define WATCH_TEST(test) cmocka_unit_test_setup_teardown(test, watch_set_up, watch_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WATCH_TEST(first_is_the_best),
		WATCH_TEST(one_round_is_judged_with_care),
		WATCH_TEST(short_kernels_are_noisy),
		WATCH_TEST(several_rounds_decide),
		WATCH_TEST(same_code_is_not_blamed),
		WATCH_TEST(clocks_are_not_the_kernel),
		WATCH_TEST(wrong_kernels_are_never_the_best),
		WATCH_TEST(less_work_is_another_problem),
		WATCH_TEST(outdated_runs_are_forgotten),
		WATCH_TEST(counts_are_compared_without_times),
		WATCH_TEST(cases_are_apart),
		WATCH_TEST(history_stays_small),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
