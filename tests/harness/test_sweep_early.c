/* The worker of the next round is started while the present one measures. Without it, or if it is
 * of no use, everything is as if none had been started. */
#include "sweep_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the log says of the requests of one kind: the process of the first, and their positions. */
struct logged {
	int pid;
	size_t first, last; /* lines */
};

static struct logged logged(const struct sweep_fixture *f, const char *wanted, int of_pid)
{
	struct logged found = {0};
	FILE *file = fopen(f->log, "r");
	char line[512], request[64];
	int pid;

	assert_non_null(file);
	for (size_t i = 1; fgets(line, sizeof(line), file); i++) {
		assert_int_equal(sscanf(line, "%d %63s", &pid, request), 2);
		if (strcmp(request, wanted) != 0 || (of_pid && pid != of_pid))
			continue;
		if (!found.first)
			found = (struct logged){.pid = pid, .first = i};
		found.last = i;
	}
	fclose(file);
	return found;
}

static void test_it_gets_ready_while_another_measures(void **context)
{
	struct sweep_fixture *f = *context;
	struct logged ready, first_round, second_round;

	assert_int_equal(sweep_run_scripted(f, "await_ready"), 0);
	assert_all_ok_but(f, CASES);
	assert_int_equal(f->outcome.workers, 2);
	ready = logged(f, "ready", 0);
	first_round = logged(f, "measure-0", 0);
	second_round = logged(f, "measure-1", 0);
	assert_true(ready.first && ready.first == ready.last);
	assert_true(ready.first < first_round.last);
	assert_int_not_equal(ready.pid, first_round.pid);
	assert_int_equal(ready.pid, second_round.pid);
	assert_true(logged(f, "open", ready.pid).first > first_round.last);
	sweep_assert_no_worker(f);
}

/* It needs to know the device, as `open` does, so that it looks for no others. */
static void test_it_is_told_the_device(void **context)
{
	struct sweep_fixture *f = *context;

	assert_int_equal(sweep_run_scripted(f, NULL), 0);
	assert_int_equal(sweep_logged(f, "ready", "GPU-00000000-0000-0000-0000-000000000000"), 1);
}

static void test_one_that_is_of_no_use_is_not_noticed(void **context)
{
	static const char *const scripts[] = {"ready_crash", "ready_fail"};
	struct sweep_fixture *f = *context;

	for (size_t i = 0; i < ARRAY_SIZE(scripts); i++) {
		assert_int_equal(sweep_run_scripted(f, scripts[i]), 0);
		assert_all_ok_but(f, CASES);
		assert_int_equal(f->outcome.workers, 2);
		assert_int_equal(f->record.notice_count, 0);
		sweep_assert_no_worker(f);
		sweep_tear_down(context);
		sweep_set_up(context);
		f = *context;
	}
}

/* An early one takes over from a worker that crashes, and another is started for the next round. */
static void test_it_takes_over_from_one_that_crashes(void **context)
{
	struct sweep_fixture *f = *context;

	assert_int_equal(sweep_run_scripted(f, "crash:" VICTIM_NAME), 0);
	assert_all_ok_but(f, VICTIM);
	assert_int_equal(f->record.status[VICTIM], TRIAL_CRASHED);
	assert_int_equal(f->outcome.workers, 3);
	sweep_assert_no_worker(f);
}

static void test_one_that_is_not_needed_ends(void **context)
{
	struct sweep_fixture *f = *context;

	/* no case is left for the second round, and the worker would not answer for long */
	assert_int_equal(sweep_run_scripted(f, "mismatch;ready_hang"), 0);
	assert_int_equal(f->outcome.failed, CASES);
	assert_int_equal(f->outcome.workers, 1);
	assert_int_equal(f->record.notice_count, 0);
	assert_true(f->wall_ns < INT64_C(4000000000));
	sweep_assert_no_worker(f);
}

static void test_one_ends_with_an_interrupted_sweep(void **context)
{
	struct sweep_fixture *f = *context;

	f->record.stop_at_round = &f->stop;
	assert_int_equal(sweep_run_scripted(f, "ready_hang"), PL_EINTERRUPTED);
	assert_true(f->outcome.interrupted);
	sweep_assert_no_worker(f);
}

static void test_the_last_round_has_none(void **context)
{
	struct sweep_fixture *f = *context;

	f->settings.rounds = 1;
	assert_int_equal(sweep_run_scripted(f, NULL), 0);
	assert_int_equal(sweep_logged(f, "ready", "-"), 0);
	assert_int_equal(logged(f, "ready", 0).first, 0);
}

/* The device is still warm from the round before. What was only inspected has not warmed it. */
static void test_later_workers_know_when_the_device_was_used(void **context)
{
	struct sweep_fixture *f = *context;

	f->settings.rounds = 3;
	assert_int_equal(sweep_run_scripted(f, NULL), 0);
	assert_int_equal(sweep_logged(f, "open", "-"), 3);
	assert_int_equal(sweep_logged(f, "open_warm", "soon"), 2);
	assert_int_equal(sweep_logged(f, "open_warm", "late"), 0);
}

#define SWEEP_TEST(name) cmocka_unit_test_setup_teardown(name, sweep_set_up, sweep_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		SWEEP_TEST(test_it_gets_ready_while_another_measures),
		SWEEP_TEST(test_it_is_told_the_device),
		SWEEP_TEST(test_one_that_is_of_no_use_is_not_noticed),
		SWEEP_TEST(test_it_takes_over_from_one_that_crashes),
		SWEEP_TEST(test_one_that_is_not_needed_ends),
		SWEEP_TEST(test_one_ends_with_an_interrupted_sweep),
		SWEEP_TEST(test_the_last_round_has_none),
		SWEEP_TEST(test_later_workers_know_when_the_device_was_used),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
