/*
 * Whatever the workers do that make inputs and expected results for all, the sweep ends as it would
 * have without them, and what is in use is not dropped.
 */
#include "preparation_fixture.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "harness/client/client.h"

/* ---- workers that misbehave ---- */

static void test_misbehaving_preparers_change_nothing(void **context)
{
	static const struct {
		const char *script;
		bool quick;  /* needs a short --timeout */
		size_t made; /* at least so many cases had to be made in the first round */
	} rows[] = {
		{"prepare_exit", false, CASES},
		{"prepare_exit:" VICTIM_NAME, false, 1},
		{"prepare_die", false, CASES},
		{"prepare_die:" VICTIM_NAME, false, 1},
		{"prepare_hang:" VICTIM_NAME, true, 1},
		{"prepare_fail", false, CASES},
		{"prepare_nothing", false, CASES},
		{"prepare_lie_key", false, CASES},
		{"prepare_lie_reply:" VICTIM_NAME, false, 1},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct sweep_fixture *f = preparation_start_again(context);
		char script[128];

		if (rows[i].quick)
			f->settings.timeout_ns = SWEEP_SHORT_TIMEOUT_NS;
		snprintf(script, sizeof(script), "data;%s", rows[i].script);
		assert_int_equal(sweep_run_scripted(f, script), 0);
		preparation_assert_as_without(f);
		assert_int_equal(f->record.notice_count, 0);
		if (sweep_logged(f, "made-0", "") != rows[i].made)
			fail_msg("%s: %zu", script, sweep_logged(f, "made-0", ""));
		/* what the first round gave */
		assert_int_equal(preparation_logged(f, "shared"),
				 PREPARATION_ROUNDS * CASES - rows[i].made);
	}
}

/* Long before --timeout: whoever stopped it may never let it go on. */
static void test_a_stopped_preparer_is_ended(void **context)
{
	struct sweep_fixture *f = *context;

	f->settings.timeout_ns = INT64_C(1000000000000);
	assert_int_equal(sweep_run_scripted(f, "data;prepare_stop:" VICTIM_NAME), 0);
	preparation_assert_as_without(f);
	assert_int_equal(sweep_logged(f, "made-0", ""), 1);
}

/* The worker of the case meets the fault again, and only that is reported. */
static void test_faults_are_reported_as_without(void **context)
{
	static const char *const scripts[] = {"mismatch:", "crash:", "fail:", "exit:", "oom:"};

	for (size_t i = 0; i < ARRAY_SIZE(scripts); i++) {
		char reason[512], script[128];
		enum trial_status status;
		struct sweep_fixture *f = preparation_start_again(context);

		set_variable("PERFLAB_SHARED_MEMORY", "0");
		snprintf(script, sizeof(script), "data;%s%s", scripts[i], VICTIM_NAME);
		assert_int_equal(sweep_run_scripted(f, script), 0);
		status = f->record.status[VICTIM];
		snprintf(reason, sizeof(reason), "%s", f->record.reason[VICTIM]);
		assert_int_not_equal(status, TRIAL_OK);

		f = preparation_start_again(context);
		snprintf(script, sizeof(script), "data;prepare_die:%s;%s%s", VICTIM_NAME,
			 scripts[i], VICTIM_NAME);
		assert_int_equal(sweep_run_scripted(f, script), 0);
		assert_int_equal(f->record.status[VICTIM], status);
		assert_string_equal(f->record.reason[VICTIM], reason);
		assert_int_equal(f->outcome.ok, CASES - 1);
		assert_int_equal(preparation_bytes(), 0);
	}
}

static void test_an_emulator_survives_its_preparers(void **context)
{
	struct sweep_fixture *f = *context;

	assert_int_equal(sweep_run_scripted(f, "data;untimed;prepare_die"), 0);
	for (size_t i = 0; i < CASES; i++)
		assert_int_equal(f->record.status[i], TRIAL_OK);
	assert_int_equal(sweep_logged(f, "made-emulate", ""), CASES);
	assert_int_equal(preparation_bytes(), 0);
}

/* Where no worker can be started beside the first, that one makes all. */
static void test_no_preparer_starts(void **context)
{
	struct sweep_fixture *f = *context;

	f->settings.rounds = 1;
	assert_int_equal(sweep_run_scripted(f, "data;start_exit_later"), 0);
	preparation_assert_as_without(f);
	assert_int_equal(sweep_logged(f, "made-0", ""), CASES);
}

static void test_stop_while_preparers_hang(void **context)
{
	struct sweep_fixture *f = *context;
	int64_t began_ns;

	f->record.stop_at_round = &f->stop;
	began_ns = monotonic_ns();
	/* the first case in the order is not to wait for its own */
	assert_int_equal(sweep_run_scripted(f, "data;prepare_hang:alpha/three"), PL_EINTERRUPTED);
	assert_true(monotonic_ns() - began_ns < f->settings.timeout_ns / 2);
	assert_int_equal(preparation_bytes(), 0);
	sweep_assert_no_worker(f);
}

/* Memory that was offered to a worker is free when the worker has ended, not before. */
static void test_a_late_gift_takes_no_memory(void **context)
{
	struct sweep_fixture *f = *context;

	f->settings.timeout_ns = SWEEP_SHORT_TIMEOUT_NS;
	assert_int_equal(sweep_run_scripted(f, "data;prepare_nothing:" VICTIM_NAME
					       ";give_late:" VICTIM_NAME),
			 0);
	assert_int_equal(f->record.status[VICTIM], TRIAL_TIMEOUT);
	assert_int_equal(f->outcome.ok, CASES - 1);
	assert_int_equal(preparation_bytes(), 0);
}

/* ---- what is in use is not dropped ---- */

static void await_logged(const struct sweep_fixture *f, struct preparation *preparation,
			 const char *request, const char *name)
{
	const int64_t end_ns = monotonic_ns() + f->settings.timeout_ns;
	struct channel_side *side = preparation_side(preparation);

	while (!sweep_logged(f, request, name)) {
		if (monotonic_ns() > end_ns)
			fail_msg("no worker wrote '%s %s'", request, name);
		side->serve(side);
	}
	side->serve(side); /* what it replied before it wrote that */
}

/*
 * Case 1 is being prepared: its input is there, its expected result is not. Case 0 then offers
 * memory for what only its own worker can make. That must not be the memory of the input, from
 * which the expected result is computed.
 */
static void test_an_input_stays_until_its_result_is_computed(void **context)
{
	static const size_t order[] = {0, 1};
	static const size_t first = 0;
	struct sweep_fixture *f = *context;
	struct sweep sweep = SWEEP_INIT(&f->settings, NULL, &f->stop);
	struct preparation *preparation = NULL;
	struct text request = TEXT_INIT;
	char path[96];
	FILE *file;

	preparation_set_reference(f->record.plan->cases[0].launch);
	snprintf(path, sizeof(path), "%s.go", f->log);
	set_variable("FAKE_WORKER_SCRIPT_FILE", path);
	set_variable("FAKE_WORKER_SCRIPT", "data;prepare_pause:alpha/one/block=128");
	assert_int_equal(worker_find(&sweep.worker_path, "fake", &f->err), 0);
	sweep_cases_init(&sweep, f->record.plan);
	sweep.rounds = PREPARATION_ROUNDS;
	/* the inputs of case 0, and all of case 1 */
	set_variable("PERFLAB_SHARED_MEMORY", "768Ki");
	assert_int_equal(preparation_begin(&preparation, &sweep, &f->err), 0);
	preparation_set_order(preparation, order, ARRAY_SIZE(order));
	assert_int_equal(preparation_await(preparation, 0, &f->err), 0);
	await_logged(f, preparation, "paused", "alpha/one/block=128");
	preparation_hold(preparation, &first, 1);
	preparation_add_data(&request, preparation, &first, 1);
	assert_non_null(strstr(request.data, "\"fill\":false"));
	assert_null(strstr(request.data, "\"fill\":true")); /* there is no room for more */
	file = fopen(path, "w");
	assert_non_null(file);
	fputs("go", file);
	fclose(file);
	assert_int_equal(preparation_await(preparation, 1, &f->err), 0);
	assert_int_equal(sweep_logged(f, "lost", ""), 0);
	assert_int_equal(sweep_logged(f, "kept", "alpha/one/block=128"), 1);
	preparation_release(preparation, &first, 1);
	preparation_end(preparation);
	assert_int_equal(preparation_bytes(), 0);
	text_release(&request);
	sweep_close(&sweep, 0);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		PREPARATION_TEST(test_misbehaving_preparers_change_nothing),
		PREPARATION_TEST(test_a_stopped_preparer_is_ended),
		PREPARATION_TEST(test_faults_are_reported_as_without),
		PREPARATION_TEST(test_an_emulator_survives_its_preparers),
		PREPARATION_TEST(test_no_preparer_starts),
		PREPARATION_TEST(test_stop_while_preparers_hang),
		PREPARATION_TEST(test_a_late_gift_takes_no_memory),
		PREPARATION_TEST(test_an_input_stays_until_its_result_is_computed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
