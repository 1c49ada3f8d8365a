/* Faults while counting: a trial that was verified and timed stays ok, its counters say why. */
#include "sweep_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct fault count_faults[] = {
	{"die_in_count", TRIAL_OK, "the worker died in counting: killed by signal 9", false},
	{"hang_in_count", TRIAL_OK, "counting did not end within", true},
	{"lie_in_count", TRIAL_OK, "which is not in the batch", false},
	{"lie_busy", TRIAL_OK, "the worker broke the protocol in counting", false},
	{"oom_in_count", TRIAL_OK, "scripted: oom_in_count", false},
	{"device_error_in_count", TRIAL_OK, "scripted: device_error_in_count", false},
	{"uncounted", TRIAL_OK, "the worker gave no counters for this case", false},
};

static void test_count_fault_leaves_the_trial_ok(void **context)
{
	struct sweep_fixture *f = *context;

	for (size_t i = 0; i < ARRAY_SIZE(count_faults); i++) {
		const struct counter_value *counter;
		char script[128];

		if (i) {
			sweep_tear_down((void **)&f);
			sweep_set_up((void **)&f);
			*context = f;
		}
		print_message("%s\n", count_faults[i].script);
		sweep_want_counters(f);
		if (count_faults[i].quick)
			f->settings.timeout_ns = SWEEP_SHORT_TIMEOUT_NS;
		snprintf(script, sizeof(script), "%s:%s", count_faults[i].script, VICTIM_NAME);
		assert_int_equal(sweep_run_scripted(f, script), 0);
		assert_all_ok_but(f, CASES);
		counter = counter_list_find(&f->record.counters[VICTIM], "one__sum");
		assert_non_null(counter);
		assert_false(counter->has_value);
		if (!strstr(counter->reason, count_faults[i].reason))
			fail_msg("'%s' does not say '%s'", counter->reason, count_faults[i].reason);
		for (size_t c = 0; c < CASES; c++) {
			counter = counter_list_find(&f->record.counters[c], "one__sum");
			assert_int_equal(counter->has_value, c != VICTIM);
			/* The calculator needs no counters. */
			counter = counter_list_find(&f->record.counters[c],
						    "theoretical_occupancy_pct");
			assert_true(counter->has_value);
		}
	}
}

static void test_count_fault_leaves_the_trial_unverified(void **context)
{
	struct sweep_fixture *f = *context;

	sweep_want_counters(f);
	assert_int_equal(sweep_run_scripted(f, "unverified;die_in_count:" VICTIM_NAME), 0);
	assert_int_equal(f->outcome.unverified, CASES);
	for (size_t i = 0; i < CASES; i++)
		assert_int_equal(f->record.status[i], TRIAL_UNVERIFIED);
}

static void test_count_that_fails_for_all(void **context)
{
	struct sweep_fixture *f = *context;

	sweep_want_counters(f);
	assert_int_equal(sweep_run_scripted(f, "fail_in_count:" VICTIM_NAME), 0);
	assert_all_ok_but(f, CASES);
	for (size_t c = 0; c < CASES; c++)
		assert_string_equal(counter_list_find(&f->record.counters[c], "one__sum")->reason,
				    "scripted: fail_in_count");
}

static void test_count_deaths_that_blame_nobody_end(void **context)
{
	struct sweep_fixture *f = *context;

	sweep_want_counters(f);
	assert_int_equal(sweep_run_scripted(f, "count_silent_crash"), 0);
	assert_all_ok_but(f, CASES);
	assert_int_equal(sweep_logged(f, "count", ""), 3);
	assert_non_null(
		strstr(counter_list_find(&f->record.counters[0], "one__sum")->reason, "signal 9"));
}

static void test_counters_off(void **context)
{
	struct sweep_fixture *f = *context;

	sweep_want_counters(f);
	assert_int_equal(sweep_run_scripted(f, "no_counters;no_occupancy:" VICTIM_NAME), 0);
	assert_all_ok_but(f, CASES);
	assert_int_equal(sweep_logged(f, "count", ""), 0);
	assert_int_equal(f->record.notice_count, 1);
	assert_string_equal(f->record.notices.data,
			    "counters are off: the driver refuses counters to this user\n");
	assert_string_equal(counter_list_find(&f->record.counters[0], "one__sum")->reason,
			    "the driver refuses counters to this user");
	assert_false(counter_list_find(&f->record.counters[VICTIM], "theoretical_occupancy_pct")
			     ->has_value);
}

static void test_workers_that_only_time_leave_the_counters(void **context)
{
	struct sweep_fixture *f = *context;

	sweep_want_counters(f);
	f->settings.rounds = 5;
	assert_int_equal(sweep_run_scripted(f, NULL), 0);
	assert_all_ok_but(f, CASES);
	assert_int_equal(sweep_logged(f, "open", "-"), 5);
	/* the first one reports them, the last one counts */
	assert_int_equal(sweep_logged(f, "check_counters", "-"), 2);
	assert_true(counter_list_find(&f->record.counters[0], "one__sum")->has_value);
}

static const char uuid_of_fake[] = "GPU-00000000-0000-0000-0000-000000000000";

static void test_later_workers_open_one_device(void **context)
{
	struct sweep_fixture *f = *context;

	f->settings.rounds = 5;
	assert_int_equal(sweep_run_scripted(f, NULL), 0);
	assert_all_ok_but(f, CASES);
	assert_int_equal(sweep_logged(f, "open", "-"), 5);
	/* the first one says which it is */
	assert_int_equal(sweep_logged(f, "open_only", uuid_of_fake), 4);
}

static void test_a_driver_without_uuids_is_asked_once(void **context)
{
	struct sweep_fixture *f = *context;

	f->settings.rounds = 5;
	assert_int_equal(sweep_run_scripted(f, "hides_all"), 0);
	assert_all_ok_but(f, CASES);
	assert_int_equal(sweep_logged(f, "open", "-"), 6);
	assert_int_equal(sweep_logged(f, "open_only", uuid_of_fake), 1);
}

/* The worker takes as long to end as perflab to store. */
static void test_worker_ends_while_counters_are_stored(void **context)
{
	struct sweep_fixture *f = *context;

	f->settings.rounds = 1;
	f->record.await_close = f;
	assert_int_equal(sweep_run_scripted(f, NULL), 0);
	assert_all_ok_but(f, CASES);

	sweep_tear_down((void **)&f);
	sweep_set_up((void **)&f);
	*context = f;
	sweep_want_counters(f);
	f->settings.rounds = 1;
	f->record.await_close = f;
	assert_int_equal(sweep_run_scripted(f, NULL), 0);
	assert_all_ok_but(f, CASES);
	assert_true(counter_list_find(&f->record.counters[0], "one__sum")->has_value);
}

/* The worker hangs, and is ended long before its time because its first answer could not be stored.
 */
static void test_counters_are_stored_while_others_are_counted(void **context)
{
	struct sweep_fixture *f = *context;

	sweep_want_counters(f);
	assert_int_equal(sweep_run_scripted(f, "count_apart"), 0);
	assert_all_ok_but(f, CASES);
	for (size_t c = 0; c < CASES; c++) {
		assert_int_equal(f->record.counted[c], 1);
		assert_true(counter_list_find(&f->record.counters[c], "one__sum")->has_value);
	}

	sweep_tear_down((void **)&f);
	sweep_set_up((void **)&f);
	*context = f;
	sweep_want_counters(f);
	f->settings.rounds = 1;
	f->settings.timeout_ns = INT64_C(3600000000000);
	f->record.fail_at_counters = 1;
	assert_int_equal(sweep_run_scripted(f, "count_apart;hang_in_last_pass:" VICTIM_NAME),
			 PL_EIO);
	assert_int_equal(f->record.counter_calls, 1);
}

static void test_counters_lost_after_open(void **context)
{
	struct sweep_fixture *f = *context;

	sweep_want_counters(f);
	assert_int_equal(sweep_run_scripted(f, "counters_lost"), 0);
	assert_all_ok_but(f, CASES);
	assert_string_equal(f->record.notices.data,
			    "counters are off: another process holds the counters\n");
	for (size_t c = 0; c < CASES; c++)
		assert_string_equal(counter_list_find(&f->record.counters[c], "one__sum")->reason,
				    "another process holds the counters");
}

/* Without counters, all cases end in one step. */
static void test_cases_without_counters_end_together(void **context)
{
	struct sweep_fixture *f = *context;

	assert_int_equal(sweep_run_scripted(f, NULL), 0);
	assert_int_equal(f->record.together_calls, 1);
	assert_int_equal(f->record.finished_together, CASES);
	assert_int_equal(f->record.together_rc, 0);
}

/* What was stored together before the disk was full must not take effect. */
static void test_a_writer_error_ends_what_is_stored_together(void **context)
{
	struct sweep_fixture *f = *context;

	f->record.fail_at_counters = 3;
	assert_int_equal(sweep_run_scripted(f, NULL), PL_EIO);
	assert_string_equal(f->err.text, "the disk is full");
	assert_int_equal(f->record.finished_together, 2);
	assert_int_equal(f->record.together_rc, PL_EIO);
}

static void test_under_ncu(void **context)
{
	struct sweep_fixture *f = *context;

	sweep_want_counters(f);
	assert_int_equal(sweep_run_scripted(f, "ncu"), 0);
	assert_int_equal(f->outcome.ok, CASES);
	assert_int_equal(f->outcome.workers, 1);
	assert_int_equal(f->record.round_calls, 0);
	assert_int_equal(sweep_logged(f, "measure-0", ""), CASES);
	assert_int_equal(sweep_logged(f, "measure-1", ""), 0);
	assert_int_equal(f->record.notice_count, 1);
}

#define SWEEP_TEST(name) cmocka_unit_test_setup_teardown(name, sweep_set_up, sweep_tear_down)
int main(void)
{
	const struct CMUnitTest tests[] = {
		SWEEP_TEST(test_count_fault_leaves_the_trial_ok),
		SWEEP_TEST(test_count_fault_leaves_the_trial_unverified),
		SWEEP_TEST(test_count_that_fails_for_all),
		SWEEP_TEST(test_count_deaths_that_blame_nobody_end),
		SWEEP_TEST(test_counters_off),
		SWEEP_TEST(test_workers_that_only_time_leave_the_counters),
		SWEEP_TEST(test_later_workers_open_one_device),
		SWEEP_TEST(test_a_driver_without_uuids_is_asked_once),
		SWEEP_TEST(test_worker_ends_while_counters_are_stored),
		SWEEP_TEST(test_counters_are_stored_while_others_are_counted),
		SWEEP_TEST(test_counters_lost_after_open),
		SWEEP_TEST(test_cases_without_counters_end_together),
		SWEEP_TEST(test_a_writer_error_ends_what_is_stored_together),
		SWEEP_TEST(test_under_ncu),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
