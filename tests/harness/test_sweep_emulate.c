/* Sweeps of a backend without a clock: each case once, several at a time, each fault its own. */
#include "sweep_fixture.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct counter_value *counter_of(const struct sweep_fixture *f, size_t index,
					      const char *metric)
{
	return counter_list_find(&f->record.counters[index], metric);
}

/* All but the victim were emulated once, stored whole, and never timed or counted. */
static void assert_all_emulated_but(const struct sweep_fixture *f, size_t victim)
{
	for (size_t i = 0; i < CASES; i++) {
		const struct counter_value *counter = counter_of(f, i, "ptx_warp_instructions");

		assert_int_equal(f->record.finished[i], 1);
		assert_int_equal(f->record.rounds[i], 0);
		if (i == victim)
			continue;
		assert_int_equal(f->record.status[i], TRIAL_OK);
		assert_int_equal(f->record.facts[i], 1);
		assert_int_equal(f->record.counted[i], 1);
		assert_true(counter && counter->has_value);
		assert_int_equal(f->record.lines[i], 2);
	}
	assert_int_equal(sweep_logged(f, "measure-0", ""), 0);
	assert_int_equal(sweep_logged(f, "count", ""), 0);
	assert_false(f->record.total_exceeded);
	assert_int_equal(f->record.last_done, f->record.last_total);
}

static void test_all_well(void **context)
{
	struct sweep_fixture *f = *context;

	f->settings.jobs = 3;
	assert_int_equal(sweep_run_scripted(f, "untimed;meet_three"), 0);
	assert_all_emulated_but(f, CASES);
	assert_int_equal(f->outcome.ok, CASES);
	assert_int_equal(f->outcome.workers, 3); /* the one that inspected among them */
	assert_int_equal(sweep_logged(f, "emulate", ""), CASES);
	assert_int_equal(sweep_logged(f, "close", "-"), 3);
	assert_int_equal(f->record.last_total, CASES);
	assert_int_equal(f->record.notice_count, 0);
}

static void test_jobs(void **context)
{
	struct sweep_fixture *f = *context;

	f->settings.jobs = 1;
	assert_int_equal(sweep_run_scripted(f, "untimed"), 0);
	assert_int_equal(f->outcome.workers, 1);
	sweep_tear_down((void **)&f);
	sweep_set_up((void **)&f);
	*context = f;
	/* No more workers than cases, however many were asked for. */
	f->settings.jobs = 1000000;
	assert_int_equal(sweep_run_scripted(f, "untimed"), 0);
	assert_all_emulated_but(f, CASES);
	assert_true(f->outcome.workers <= CASES);
	sweep_tear_down((void **)&f);
	sweep_set_up((void **)&f);
	*context = f;
	f->settings.jobs = 0;
	assert_int_equal(sweep_run_scripted(f, "untimed"), 0);
	assert_all_emulated_but(f, CASES);
}

static const struct fault faults[] = {
	{"crash", TRIAL_CRASHED, "the worker died in phase emulate: killed by signal 11", false},
	{"kill", TRIAL_CRASHED, "killed by signal 9 (Killed)", false},
	{"exit", TRIAL_CRASHED, "exited with 3", false},
	{"silent_crash", TRIAL_CRASHED, "died in its beginning: killed by signal 11", false},
	{"half", TRIAL_CRASHED, "in the middle of a reply", false},
	{"flood", TRIAL_CRASHED, "a line is longer than 16777216 bytes", false},
	{"hang", TRIAL_TIMEOUT, "phase emulate did not end within", true},
	{"lie_json", TRIAL_CRASHED, "a line is not JSON", false},
	{"lie_reply", TRIAL_CRASHED, "'gossip' came as an answer to 'emulate'", false},
	{"lie_type", TRIAL_CRASHED, "member 'id' is not a whole number", false},
	{"lie_done", TRIAL_CRASHED, "'reason' is missing", false},
	{"lie_id", TRIAL_CRASHED, "about case 3, asked was 2", false},
	{"lie_phases", TRIAL_CRASHED, "phase 'verify' is none of 'emulate', or came twice", false},
	{"lie_time", TRIAL_CRASHED, "phase 'time' is none of 'emulate'", false},
	{"lie_twice", TRIAL_CRASHED, "'counters' came as an answer to 'emulate'", false},
	{"lie_lines", TRIAL_CRASHED, "line 0: it does not follow the previous line", false},
	{"uncounted", TRIAL_CRASHED, "gave no counters", false},
	{"oom", TRIAL_OUT_OF_MEMORY, "scripted: oom", false},
	{"fail", TRIAL_FAILED, "scripted: fail", false},
	{"mismatch", TRIAL_MISMATCH, "scripted: mismatch", false},
	{"race", TRIAL_FAULT, "scripted: race", false},
	{"sample", TRIAL_SAMPLED, "scripted: sample", false},
	{"unverified", TRIAL_UNVERIFIED, "scripted: unverified", false},
	{"missing_opcode", TRIAL_SKIPPED, "scripted: missing_opcode", false},
	{"inspect_crash", TRIAL_CRASHED, "the worker died in inspection", false},
};

static void test_fault(void **context)
{
	struct sweep_fixture *f = *context;

	for (size_t i = 0; i < ARRAY_SIZE(faults); i++) {
		const struct fault *fault = &faults[i];
		char script[128];

		if (i) {
			sweep_tear_down((void **)&f);
			sweep_set_up((void **)&f);
			*context = f;
		}
		print_message("%s\n", fault->script);
		if (fault->quick)
			f->settings.timeout_ns = SWEEP_SHORT_TIMEOUT_NS;
		f->settings.jobs = 2;
		snprintf(script, sizeof(script), "untimed;%s:%s", fault->script, VICTIM_NAME);
		assert_int_equal(sweep_run_scripted(f, script), 0);
		assert_all_emulated_but(f, VICTIM);
		assert_int_equal(f->record.status[VICTIM], fault->status);
		if (!strstr(f->record.reason[VICTIM], fault->reason))
			fail_msg("'%s' does not say '%s'", f->record.reason[VICTIM], fault->reason);
		/* Counts of a worker that was not trusted to the end are not kept. */
		if (fault->status == TRIAL_CRASHED)
			assert_int_equal(f->record.counted[VICTIM] + f->record.lines[VICTIM], 0);
		assert_int_equal(f->outcome.ok, CASES - (fault->status != TRIAL_SAMPLED));
		assert_int_equal(f->outcome.skipped, fault->status == TRIAL_SKIPPED);
		assert_int_equal(f->outcome.unverified, fault->status == TRIAL_UNVERIFIED);
		if (fault->status == TRIAL_UNVERIFIED)
			assert_int_equal(f->record.counted[VICTIM], 1);
		assert_true(sweep_logged(f, "emulate", VICTIM_NAME) <= 1);
	}
}

/* Each worker dies and hangs at its own time; none takes another's case with it. */
static void test_faults_side_by_side(void **context)
{
	struct sweep_fixture *f = *context;
	static const enum trial_status expected[CASES] = {TRIAL_CRASHED, TRIAL_TIMEOUT,
							  TRIAL_CRASHED, TRIAL_TIMEOUT,
							  TRIAL_OK,      TRIAL_MISMATCH};

	f->settings.jobs = 3;
	f->settings.timeout_ns = SWEEP_SHORT_TIMEOUT_NS;
	assert_int_equal(
		sweep_run_scripted(f, "untimed;crash:alpha/one/block=64;hang:alpha/one/block=128;"
				      "lie_json:alpha/two/block=64;hang:alpha/two/block=128;"
				      "mismatch:alpha/three/block=128"),
		0);
	for (size_t i = 0; i < CASES; i++)
		assert_int_equal(f->record.status[i], expected[i]);
	assert_int_equal(f->outcome.ok, 1);
	assert_int_equal(f->outcome.failed, CASES - 1);
	assert_false(f->record.total_exceeded);
	assert_int_equal(f->record.last_done, f->record.last_total);
}

static void test_every_case_crashes(void **context)
{
	struct sweep_fixture *f = *context;

	f->settings.jobs = 2;
	assert_int_equal(sweep_run_scripted(f, "untimed;crash"), 0);
	assert_int_equal(f->outcome.failed, CASES);
	assert_int_equal(f->outcome.workers, CASES);
}

static void test_a_lane_that_cannot_be_had(void **context)
{
	struct sweep_fixture *f = *context;

	f->settings.jobs = 2;
	assert_int_equal(sweep_run_scripted(f, "untimed;only_one"), 0);
	assert_all_emulated_but(f, CASES);
	assert_non_null(strstr(f->record.notices.data, "one worker fewer: "));
	assert_non_null(strstr(f->record.notices.data, "the fake device will not open"));
	assert_int_equal(f->record.notice_count, 1);
}

/* The last worker dies and no other can be had: the sweep ends, and says why. */
static void test_no_lane_left(void **context)
{
	struct sweep_fixture *f = *context;

	f->settings.jobs = 1;
	assert_int_equal(sweep_run_scripted(f, "untimed;only_one;crash:" VICTIM_NAME), PL_EWORKER);
	assert_non_null(strstr(f->err.text, "the fake device will not open"));
	assert_int_equal(f->record.finished[VICTIM], 1);
	assert_int_equal(f->record.finished[VICTIM + 1], 0);
}

static void test_metrics_of_a_device_are_missing(void **context)
{
	struct sweep_fixture *f = *context;
	const struct counter_value *counter;

	sweep_want_counters(f);
	assert_int_equal(sweep_run_scripted(f, "untimed"), 0);
	assert_all_emulated_but(f, CASES);
	counter = counter_of(f, 0, "one__sum");
	assert_true(counter && !counter->has_value);
	assert_non_null(strstr(counter->reason, "no hardware counters"));
	/* Occupancy is a fact of the launch, and no counter of a device. */
	assert_null(counter_of(f, 0, "theoretical_occupancy_pct"));
	assert_int_equal(f->record.notice_count, 1);
	assert_non_null(strstr(f->record.notices.data,
			       "the hardware counters of --metrics are stored as missing: "));
}

static void test_resume_repeats_nothing(void **context)
{
	struct sweep_fixture *f = *context;
	struct plan_case *cases = f->record.plan->cases;

	cases[0].finished = true;
	cases[0].counted = true;
	cases[1].counted = true; /* killed between its counts and its verdict */
	assert_int_equal(sweep_run_scripted(f, "untimed"), 0);
	assert_int_equal(f->record.finished[0], 0);
	assert_int_equal(sweep_logged(f, "emulate", "alpha/one/block=64"), 0);
	assert_int_equal(sweep_logged(f, "inspect", "alpha/one/block=64"), 0);
	for (size_t i = 1; i < CASES; i++) {
		assert_int_equal(f->record.finished[i], 1);
		assert_int_equal(f->record.counted[i], 1);
	}
	assert_int_equal(f->record.last_done, CASES - 1);
	assert_int_equal(f->record.last_done, f->record.last_total);
}

static struct sweep_fixture *alarmed;
static void stop_on_alarm(int signal_number)
{
	(void)signal_number;
	alarmed->stop = 1;
}

static void test_stop_ends_all_workers(void **context)
{
	struct sweep_fixture *f = *context;
	int64_t began_ns = monotonic_ns();

	alarmed = f;
	f->settings.jobs = 3;
	signal(SIGALRM, stop_on_alarm);
	ualarm(300000, 0);
	assert_int_equal(sweep_run_scripted(f, "untimed;hang"), PL_EINTERRUPTED);
	signal(SIGALRM, SIG_DFL);
	assert_true(f->outcome.interrupted);
	assert_true(monotonic_ns() - began_ns < f->settings.timeout_ns / 2);
	sweep_assert_no_worker(f);
}

static void test_writer_error_ends_the_sweep(void **context)
{
	struct sweep_fixture *f = *context;

	f->settings.jobs = 3;
	f->record.fail_at_counters = 2;
	assert_int_equal(sweep_run_scripted(f, "untimed"), PL_EIO);
	assert_string_equal(f->err.text, "the disk is full");
	assert_int_equal(f->record.counter_calls, 2);
	sweep_assert_no_worker(f);
}

/* Several workers share one wall clock. */
static void test_parts_are_the_wall_time(void **context)
{
	struct sweep_fixture *f = *context;

	f->settings.jobs = 3;
	assert_int_equal(sweep_run_scripted(f, "untimed;meet_three"), 0);
	sweep_assert_parts(f);
	assert_true(f->meter.ns[RUN_PART_EMULATING] > 0);
	assert_int_equal(f->meter.ns[RUN_PART_SAMPLES], 0);
	assert_int_equal(f->meter.ns[RUN_PART_COUNTING], 0);
}

#define SWEEP_TEST(name) cmocka_unit_test_setup_teardown(name, sweep_set_up, sweep_tear_down)
int main(void)
{
	const struct CMUnitTest tests[] = {
		SWEEP_TEST(test_all_well),
		SWEEP_TEST(test_jobs),
		SWEEP_TEST(test_fault),
		SWEEP_TEST(test_faults_side_by_side),
		SWEEP_TEST(test_every_case_crashes),
		SWEEP_TEST(test_a_lane_that_cannot_be_had),
		SWEEP_TEST(test_no_lane_left),
		SWEEP_TEST(test_metrics_of_a_device_are_missing),
		SWEEP_TEST(test_resume_repeats_nothing),
		SWEEP_TEST(test_stop_ends_all_workers),
		SWEEP_TEST(test_writer_error_ends_the_sweep),
		SWEEP_TEST(test_parts_are_the_wall_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
