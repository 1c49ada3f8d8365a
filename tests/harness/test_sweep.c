/* Faults: whatever a worker does, only the case in flight is lost, and nothing is asked twice. */
#include "sweep_fixture.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void test_all_well(void **context)
{
	struct sweep_fixture *f = *context;
	const struct counter_value *counter;

	f->record.plan->cases[0].launch->launches[1].grid[2] = 2;
	sweep_want_counters(f);
	assert_int_equal(sweep_run_scripted(f, NULL), 0);
	assert_all_ok_but(f, CASES);
	assert_int_equal(f->outcome.ok, CASES);
	assert_int_equal(f->outcome.failed, 0);
	assert_int_equal(f->outcome.workers, 2); /* one a round; the last one counts, too */
	assert_int_equal(sweep_logged(f, "open", "-"), 2);
	assert_int_equal(sweep_logged(f, "close", "-"), 2);
	counter = counter_list_find(&f->record.counters[0], "one__sum");
	assert_true(counter && counter->has_value && counter->value >= 1);
	counter = counter_list_find(&f->record.counters[0], "nonsense__sum");
	assert_string_equal(counter->reason, "the fake GPU has no such counter");
	counter = counter_list_find(&f->record.counters[0], "forgotten__sum");
	assert_string_equal(counter->reason, "the worker gave no value");
	counter = counter_list_find(&f->record.counters[0], "theoretical_occupancy_pct");
	assert_true(counter && counter->has_value);
	assert_string_equal(counter->source, "occupancy calculator");
	assert_string_equal(counter->unit, "percent");
	/* known without counting: of all rounds the worst */
	counter = counter_list_find(&f->record.counters[0], "relative_error");
	assert_true(counter && counter->has_value && counter->value == 0x1p-20);
	assert_string_equal(counter->source, "verification");
	counter = counter_list_find(&f->record.counters[0], "launches");
	assert_true(counter && counter->value == 2);
	assert_string_equal(counter->source, "plan");
	/* of the work model, under a name that says so */
	counter = counter_list_find(&f->record.counters[0], "model_flop_tensor_f16");
	assert_true(counter && counter->value == (double)INT64_MAX);
	assert_string_equal(counter->source, "work model");
	counter = counter_list_find(&f->record.counters[0], "blocks");
	assert_true(counter && counter->value == 2 * 65);
}

static void test_order_is_drawn_from_the_seed(void **context)
{
	struct sweep_fixture *f = *context;
	char again[32];

	assert_int_equal(sweep_run_scripted(f, NULL), 0);
	assert_int_equal(strlen(f->record.first_round), CASES);
	assert_string_not_equal(f->record.first_round, "012345");
	assert_string_not_equal(f->record.first_round, f->record.second_round);
	strcpy(again, f->record.first_round);
	memset(&f->record.finished, 0, sizeof(f->record.finished));
	memset(f->record.first_round, 0, sizeof(f->record.first_round));
	f->record.opened = 0;
	assert_int_equal(sweep_run_scripted(f, NULL), 0);
	assert_string_equal(f->record.first_round, again);
}

static void test_no_accuracy_has_a_reason(void **context)
{
	static const struct {
		const char *script, *reason;
	} rows[] = {{"no_floats", "scripted: no_floats"},
		    {"no_accuracy", "the worker that verified it did not say"}};
	struct sweep_fixture *f = *context;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct counter_value *counter;

		if (i) {
			sweep_tear_down((void **)&f);
			sweep_set_up((void **)&f);
			*context = f;
		}
		assert_int_equal(sweep_run_scripted(f, rows[i].script), 0);
		assert_all_ok_but(f, CASES);
		counter = counter_list_find(&f->record.counters[0], "relative_error");
		assert_true(counter && !counter->has_value);
		assert_string_equal(counter->reason, rows[i].reason);
	}
}

static const struct fault faults[] = {
	{"crash", TRIAL_CRASHED, "killed by signal 11 (Segmentation fault)", false},
	{"crash", TRIAL_CRASHED, "phase verify", false},
	{"abort", TRIAL_CRASHED, "killed by signal 6 (Aborted)", false},
	{"kill", TRIAL_CRASHED, "killed by signal 9 (Killed)", false},
	{"exit", TRIAL_CRASHED, "exited with 3", false},
	{"silent_crash", TRIAL_CRASHED, "killed by signal 11", false},
	{"half", TRIAL_CRASHED, "in the middle of a reply", false},
	{"hang", TRIAL_TIMEOUT, "phase verify did not end within", true},
	{"flood", TRIAL_CRASHED, "a line is longer than 16777216 bytes", false},
	{"lie_json", TRIAL_CRASHED, "a line is not JSON", false},
	{"lie_array", TRIAL_CRASHED, "not an object", false},
	{"lie_reply", TRIAL_CRASHED, "'gossip' came as an answer to 'measure'", false},
	{"lie_type", TRIAL_CRASHED, "member 'id' is not a whole number", false},
	{"lie_done", TRIAL_CRASHED, "'reason' is missing", false},
	{"lie_pending", TRIAL_CRASHED, "status 'pending'", false},
	{"lie_id", TRIAL_CRASHED, "about case 3, asked was 2", false},
	{"lie_round", TRIAL_CRASHED, "about round 1, asked was 0", false},
	{"lie_accuracy", TRIAL_CRASHED, "'accuracy' came twice", false},
	{"lie_phases", TRIAL_CRASHED, "phase 'verify' is unknown or out of order", false},
	{"lie_negative_part", TRIAL_CRASHED, "member 'samples'", false},
	{"lie_empty", TRIAL_CRASHED, "gave no samples", false},
	{"oom", TRIAL_OUT_OF_MEMORY, "scripted: oom", false},
	{"device_error", TRIAL_DEVICE_ERROR, "scripted: device_error", false},
	{"late_device_error", TRIAL_DEVICE_ERROR, "scripted: late_device_error", false},
	{"fail", TRIAL_FAILED, "scripted: fail", false},
	{"mismatch", TRIAL_MISMATCH, "scripted: mismatch", false},
	{"inspect_crash", TRIAL_CRASHED, "the worker died in inspection: killed by signal 11",
	 false},
	{"inspect_hang", TRIAL_TIMEOUT, "inspection did not end within", true},
};

/* Once, though every round of every case says so. */
static void test_data_that_was_not_moved_is_reported(void **context)
{
	struct sweep_fixture *f = *context;

	assert_int_equal(sweep_run_scripted(f, "unmoved"), 0);
	assert_all_ok_but(f, CASES);
	assert_int_equal(f->record.notice_count, 1);
	assert_non_null(strstr(f->record.notices.data,
			       "was timed on fewer placements than 4: scripted: unmoved; "));
}

static void test_fault(void **context)
{
	struct sweep_fixture *f = *context;
	const struct fault *fault = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(faults); i++) {
		char script[128];

		if (i) {
			sweep_tear_down((void **)&f);
			sweep_set_up((void **)&f);
			*context = f;
		}
		fault = &faults[i];
		print_message("%s\n", fault->script);
		if (fault->quick)
			f->settings.timeout_ns = SWEEP_SHORT_TIMEOUT_NS;
		snprintf(script, sizeof(script), "%s:%s", fault->script, VICTIM_NAME);
		assert_int_equal(sweep_run_scripted(f, script), 0);
		assert_all_ok_but(f, VICTIM);
		assert_int_equal(f->record.status[VICTIM], fault->status);
		if (!strstr(f->record.reason[VICTIM], fault->reason))
			fail_msg("'%s' does not say '%s'", f->record.reason[VICTIM], fault->reason);
		assert_int_equal(f->record.rounds[VICTIM], 0);
		assert_int_equal(f->outcome.ok, CASES - 1);
		assert_int_equal(f->outcome.failed, 1);
		/* What failed is not tried again. */
		assert_true(sweep_logged(f, "measure-0", VICTIM_NAME) <= 1);
		assert_int_equal(sweep_logged(f, "measure-1", VICTIM_NAME), 0);
		assert_int_equal(sweep_logged(f, "count", VICTIM_NAME), 0);
	}
}

static void test_failure_in_second_round_keeps_the_first(void **context)
{
	struct sweep_fixture *f = *context;

	assert_int_equal(sweep_run_scripted(f, "in_round_1;crash:" VICTIM_NAME), 0);
	assert_all_ok_but(f, VICTIM);
	assert_int_equal(f->record.status[VICTIM], TRIAL_CRASHED);
	assert_int_equal(f->record.rounds[VICTIM], 1);
}

static void test_every_case_crashes(void **context)
{
	struct sweep_fixture *f = *context;

	assert_int_equal(sweep_run_scripted(f, "crash"), 0);
	assert_int_equal(f->outcome.failed, CASES);
	assert_int_equal(f->outcome.workers, CASES);
	for (size_t i = 0; i < CASES; i++)
		assert_int_equal(f->record.status[i], TRIAL_CRASHED);
}

static void test_inspection_may_skip(void **context)
{
	struct sweep_fixture *f = *context;

	assert_int_equal(sweep_run_scripted(f, "inspect_skip:" VICTIM_NAME), 0);
	assert_null(f->record.plan->cases[VICTIM].launch);
	assert_string_equal(f->record.plan->cases[VICTIM].skip_reason,
			    "its registers do not allow this block");
	assert_int_equal(f->record.plan->runnable, CASES - 1);
	assert_int_equal(f->record.finished[VICTIM], 0); /* the plan says it */
	assert_int_equal(f->outcome.skipped, 1);
	assert_int_equal(f->outcome.ok, CASES - 1);
}

static void test_dead_on_arrival(void **context)
{
	struct sweep_fixture *f = *context;

	assert_int_equal(sweep_run_scripted(f, "open_crash"), PL_EWORKER);
	assert_non_null(strstr(f->err.text, "given up after 3 attempts"));
	assert_non_null(strstr(f->err.text, "signal 11"));
	assert_int_equal(sweep_logged(f, "open", "-"), 3);
	assert_int_equal(f->record.opened, 0);

	assert_int_equal(sweep_run_scripted(f, "start_exit"), PL_EWORKER);
	assert_non_null(strstr(f->err.text, "exited with 3"));
}

static void test_one_death_at_open_is_forgiven(void **context)
{
	struct sweep_fixture *f = *context;

	assert_int_equal(sweep_run_scripted(f, "open_crash_once"), 0);
	assert_all_ok_but(f, CASES);
	unlink(f->state);
	memset(f->record.finished, 0, sizeof(f->record.finished));
	f->record.opened = 0;
	assert_int_equal(sweep_run_scripted(f, "open_busy_once"), 0);
}

static void test_no_device(void **context)
{
	struct sweep_fixture *f = *context;

	assert_int_equal(sweep_run_scripted(f, "no_device"), PL_EUNSUPPORTED);
	assert_string_equal(f->err.text, "there is no fake device: plug one in");
	assert_int_equal(sweep_logged(f, "open", "-"), 1);
	assert_int_equal(sweep_run_scripted(f, "open_fail"), PL_EWORKER);
	f->settings.device = 7;
	assert_int_equal(sweep_run_scripted(f, NULL), PL_EUSAGE);
	assert_string_equal(f->err.text, "no device 7: there is 0");
	f->settings.device = 0;
	assert_int_equal(sweep_run_scripted(f, "bad_protocol_version"), PL_EVERSION);
	assert_non_null(strstr(f->err.text, "speaks protocol 99"));
	set_variable("PERFLAB_WORKER_FAKE", "/nonexistent/worker");
	assert_int_equal(sweep_run_scripted(f, NULL), PL_EUNSUPPORTED);
	assert_non_null(strstr(f->err.text, "/nonexistent/worker"));
	assert_int_equal(f->record.opened, 0);
}

/* ---- without verification ---- */

static void test_unverified_is_measured_to_the_end(void **context)
{
	struct sweep_fixture *f = *context;
	const struct counter_value *counter;

	sweep_want_counters(f);
	assert_int_equal(sweep_run_scripted(f, "unverified:" VICTIM_NAME), 0);
	assert_all_ok_but(f, VICTIM);
	assert_int_equal(f->record.status[VICTIM], TRIAL_UNVERIFIED);
	assert_string_equal(f->record.reason[VICTIM], "scripted: unverified");
	assert_int_equal(f->record.rounds[VICTIM], 2);
	assert_int_equal(f->record.counted[VICTIM], 1);
	assert_int_equal(f->outcome.ok, CASES - 1);
	assert_int_equal(f->outcome.unverified, 1);
	assert_int_equal(f->outcome.failed, 0);
	counter = counter_list_find(&f->record.counters[VICTIM], "relative_error");
	assert_false(counter->has_value);
	assert_string_equal(counter->reason, "scripted: unverified");
}

/* One unverified round is enough: nobody knows what that round computed. */
static void test_unverified_in_one_round_only(void **context)
{
	struct sweep_fixture *f = *context;

	assert_int_equal(sweep_run_scripted(f, "in_round_1;unverified:" VICTIM_NAME), 0);
	assert_int_equal(f->record.status[VICTIM], TRIAL_UNVERIFIED);
	assert_int_equal(f->record.rounds[VICTIM], 2);
}

static void test_unverified_without_samples_is_a_lie(void **context)
{
	struct sweep_fixture *f = *context;

	assert_int_equal(sweep_run_scripted(f, "unverified:" VICTIM_NAME ";lie_empty:" VICTIM_NAME),
			 0);
	assert_int_equal(f->record.status[VICTIM], TRIAL_CRASHED);
	assert_non_null(strstr(f->record.reason[VICTIM], "gave no samples"));
}

/* No round is measured again, so only inspection can say it. */
static void test_a_resumed_case_stays_unverified(void **context)
{
	struct sweep_fixture *f = *context;
	struct plan_case *cases = f->record.plan->cases;

	cases[VICTIM].rounds_done = 2;
	cases[3].rounds_done = 2;
	cases[3].counted = true;
	assert_int_equal(sweep_run_scripted(f, "inspect_unverified"), 0);
	for (size_t i = 0; i < CASES; i++) {
		assert_int_equal(f->record.status[i], TRIAL_UNVERIFIED);
		assert_string_equal(f->record.reason[i], "scripted: inspect_unverified");
	}
	assert_int_equal(f->record.facts[VICTIM], 1);
	assert_int_equal(f->record.rounds[VICTIM] + f->record.rounds[3], 0);
	assert_int_equal(f->record.rounds[0], 2);
}

/* ---- resume and interrupt ---- */

static void test_resume_repeats_nothing(void **context)
{
	struct sweep_fixture *f = *context;
	struct plan_case *cases = f->record.plan->cases;

	sweep_want_counters(f);
	cases[0].finished = true;
	cases[0].rounds_done = 2;
	cases[0].counted = true;
	cases[1].rounds_done = 1;
	cases[2].rounds_done = 2;
	cases[3].rounds_done = 2;
	cases[3].counted = true;
	assert_int_equal(sweep_run_scripted(f, NULL), 0);
	assert_int_equal(f->record.finished[0], 0);
	assert_int_equal(sweep_logged(f, "inspect", "alpha/one/block=64"), 0);
	assert_int_equal(sweep_logged(f, "measure-0", "alpha/one/block=128"), 0);
	assert_int_equal(sweep_logged(f, "measure-1", "alpha/one/block=128"), 1);
	assert_int_equal(f->record.rounds[2], 0);
	assert_int_equal(f->record.counted[2], 1);
	assert_int_equal(f->record.rounds[3], 0);
	assert_int_equal(f->record.counted[3], 0);
	for (size_t i = 1; i < CASES; i++) {
		assert_int_equal(f->record.finished[i], 1);
		assert_int_equal(f->record.status[i], TRIAL_OK);
	}
	assert_int_equal(f->record.rounds[4], 2);
	assert_false(f->record.total_exceeded);
	assert_int_equal(f->record.last_done, f->record.last_total);
}

static void test_stop(void **context)
{
	struct sweep_fixture *f = *context;

	f->record.stop_at_round = &f->stop;
	assert_int_equal(sweep_run_scripted(f, NULL), PL_EINTERRUPTED);
	assert_true(f->outcome.interrupted);
	assert_int_equal(f->record.round_calls, 1);
}

static void on_alarm(int signal_number)
{
	(void)signal_number;
}

static struct sweep_fixture *alarmed;
static void stop_on_alarm(int signal_number)
{
	(void)signal_number;
	alarmed->stop = 1;
}

static void test_stop_while_a_worker_hangs(void **context)
{
	struct sweep_fixture *f = *context;
	int64_t began_ns = monotonic_ns();

	alarmed = f;
	signal(SIGALRM, stop_on_alarm);
	ualarm(200000, 0);
	assert_int_equal(sweep_run_scripted(f, "hang"), PL_EINTERRUPTED);
	signal(SIGALRM, on_alarm);
	assert_true(f->outcome.interrupted);
	assert_true(monotonic_ns() - began_ns < f->settings.timeout_ns / 2);
}

static void test_writer_error_ends_the_sweep(void **context)
{
	struct sweep_fixture *f = *context;

	f->record.fail_at_round = 3;
	assert_int_equal(sweep_run_scripted(f, NULL), PL_EIO);
	assert_string_equal(f->err.text, "the disk is full");
	assert_int_equal(f->record.round_calls, 3);
	assert_false(f->outcome.interrupted);
}

static void test_dry_run(void **context)
{
	struct sweep_fixture *f = *context;
	struct sweep sweep = SWEEP_INIT(&f->settings, NULL, NULL);

	set_variable("FAKE_WORKER_SCRIPT",
		     "inspect_skip:alpha/one/block=64;inspect_crash:" VICTIM_NAME);
	assert_int_equal(sweep_open(&sweep, "fake", NULL, &f->err), 0);
	assert_int_equal(sweep_inspect(&sweep, f->record.plan, &f->err), 0);
	sweep_skip_failed(&sweep);
	assert_string_equal(sweep.info.device.chip, "GH100");
	assert_int_equal(f->record.plan->runnable, CASES - 2);
	assert_non_null(f->record.plan->cases[0].skip_reason);
	assert_non_null(strstr(f->record.plan->cases[VICTIM].skip_reason, "crashed: "));
	assert_int_equal(sweep_logged(f, "measure-0", ""), 0);
	sweep_close(&sweep, 0);
}

/* ---- where the time goes ---- */

static void test_parts_are_the_wall_time(void **context)
{
	struct sweep_fixture *f = *context;

	sweep_want_counters(f);
	assert_int_equal(sweep_run_scripted(f, NULL), 0);
	sweep_assert_parts(f);
	assert_true(f->meter.ns[RUN_PART_SAMPLES] > 0);
	assert_true(f->meter.ns[RUN_PART_TIMING] > 0);
	assert_true(f->meter.ns[RUN_PART_COUNTING] > 0);
	assert_int_equal(f->meter.ns[RUN_PART_EMULATING], 0);
}

/* It says that each part of a request took 292 years. */
static void test_a_worker_cannot_make_time(void **context)
{
	struct sweep_fixture *f = *context;

	assert_int_equal(sweep_run_scripted(f, "lie_times"), 0);
	sweep_assert_parts(f);
}

#define SWEEP_TEST(name) cmocka_unit_test_setup_teardown(name, sweep_set_up, sweep_tear_down)
int main(void)
{
	const struct CMUnitTest tests[] = {
		SWEEP_TEST(test_all_well),
		SWEEP_TEST(test_order_is_drawn_from_the_seed),
		SWEEP_TEST(test_fault),
		SWEEP_TEST(test_data_that_was_not_moved_is_reported),
		SWEEP_TEST(test_no_accuracy_has_a_reason),
		SWEEP_TEST(test_failure_in_second_round_keeps_the_first),
		SWEEP_TEST(test_every_case_crashes),
		SWEEP_TEST(test_inspection_may_skip),
		SWEEP_TEST(test_dead_on_arrival),
		SWEEP_TEST(test_one_death_at_open_is_forgiven),
		SWEEP_TEST(test_no_device),
		SWEEP_TEST(test_unverified_is_measured_to_the_end),
		SWEEP_TEST(test_unverified_in_one_round_only),
		SWEEP_TEST(test_unverified_without_samples_is_a_lie),
		SWEEP_TEST(test_a_resumed_case_stays_unverified),
		SWEEP_TEST(test_resume_repeats_nothing),
		SWEEP_TEST(test_stop),
		SWEEP_TEST(test_stop_while_a_worker_hangs),
		SWEEP_TEST(test_writer_error_ends_the_sweep),
		SWEEP_TEST(test_dry_run),
		SWEEP_TEST(test_parts_are_the_wall_time),
		SWEEP_TEST(test_a_worker_cannot_make_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
