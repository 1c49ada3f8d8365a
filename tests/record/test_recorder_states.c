/* The state of the program's threads and processes, which the recorder must leave alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "tests/record/recorder_support.h"

/* Every launch of axpy is recorded. */
static json_t *every_launch(void)
{
	json_t *request = record_request("axpy");

	json_object_set_new(request, "every", json_integer(1));
	return request;
}

static void errno_is_kept(void **state)
{
	struct recording recording;

	(void)state;
	record_scene(&recording, "errno", every_launch(), NULL);
	expect_undisturbed(&recording, "errno");
	assert_int_equal(event_count(&recording, "captured"), 3);
	recording_release(&recording);
}

static void a_thread_is_not_cancelled_while_it_records(void **state)
{
	struct recording recording;

	(void)state;
	record_scene(&recording, "cancelled", every_launch(), NULL);
	expect_undisturbed(&recording, "cancelled");
	assert_int_equal(event_count(&recording, "captured"), 6);
	recording_release(&recording);
}

static void announcements_that_nobody_reads_raise_no_signal(void **state)
{
	static const char *const scenes[] = {"broken_pipe", "pending"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(scenes); i++) {
		struct recording recording;
		json_t *request = every_launch();

		json_object_set_new(request, "announce", json_true());
		record_scene(&recording, scenes[i], request, NULL);
		expect_undisturbed(&recording, scenes[i]);
		assert_int_equal(WEXITSTATUS(recording.status), 0);
		assert_int_equal(event_count(&recording, "captured"), 5);
		recording_release(&recording);
	}
}

static void the_limit_of_file_sizes_raises_no_signal(void **state)
{
	struct recording recording;

	(void)state;
	record_scene(&recording, "file_limit", every_launch(), NULL);
	expect_undisturbed(&recording, "file_limit");
	assert_true(WIFEXITED(recording.status));
	/* the events cannot be written either */
	assert_int_equal(json_array_size(recording.events), 1);
	assert_int_equal(file_count(&recording, ".capture"), 0);
	recording_release(&recording);
}

#ifndef RECORD_SANITIZED /* sanitizers need memory themselves */
static void a_program_without_memory_goes_on(void **state)
{
	struct recording recording;

	(void)state;
	record_scene(&recording, "memory_limit", every_launch(), NULL);
	expect_undisturbed(&recording, "memory_limit");
	assert_int_equal(event_count(&recording, "failed"), 5);
	expect_why(&recording, "failed", "leaves the recorder no memory");
	assert_int_equal(file_count(&recording, ".capture"), 0);
	recording_release(&recording);
}
#endif

/* The process keeps its number, and so its file of events. */
static void the_next_program_of_a_process_is_recorded_too(void **state)
{
	struct recording recording;

	(void)state;
	record_scene(&recording, "exec", record_request("axpy"), NULL);
	expect_undisturbed(&recording, "exec");
	assert_int_equal(event_count(&recording, "attached"), 2);
	assert_int_equal(event_count(&recording, "captured"), 2);
	assert_int_equal(file_count(&recording, ".capture"), 2);
	assert_int_equal(event_count(&recording, "exit"), 1);
	recording_release(&recording);
}

static void a_program_may_end_while_it_is_recorded(void **state)
{
	struct recording recording;

	(void)state;
	record_scene(&recording, "exit_beside", record_request("meet"), NULL);
	expect_undisturbed(&recording, "exit_beside");
	assert_int_equal(WEXITSTATUS(recording.status), 4);
	assert_int_equal(event_count(&recording, "begun"), 1);
	assert_int_equal(event_count(&recording, "captured"), 0);
	assert_int_equal(file_count(&recording, ".capture"), 0);
	recording_release(&recording);
}

/* 100 launches of each of 8 threads, and 25 into graphs. */
static void threads_may_do_everything_at_once(void **state)
{
	struct recording recording;
	json_t *request = record_request("axpy");
	const json_t *seen;

	(void)state;
	json_object_set_new(request, "every", json_integer(50));
	json_object_set_new(request, "most", json_integer(1000));
	record_scene(&recording, "storm", request, NULL);
	expect_undisturbed(&recording, "storm");
	assert_int_equal(WEXITSTATUS(recording.status), 0);
	seen = event_at(&recording, "seen", 0);
	assert_int_equal(event_integer(seen, "launches"), 800);
	assert_int_equal(event_integer(seen, "graph_launches"), 200);
	assert_int_equal(event_count(&recording, "captured") + event_count(&recording, "failed"),
			 16);
	assert_int_equal(file_count(&recording, ".capture"), event_count(&recording, "captured"));
	if (event_count(&recording, "failed"))
		expect_why(&recording, "failed", "captures a stream into a graph");
	recording_release(&recording);
}

static void children_of_many_threads_end(void **state)
{
	struct recording recording;
	json_t *request = record_request("axpy");

	(void)state;
	json_object_set_new(request, "every", json_integer(10));
	json_object_set_new(request, "most", json_integer(1000));
	record_scene(&recording, "fork_storm", request, NULL);
	expect_undisturbed(&recording, "fork_storm");
	assert_int_equal(WEXITSTATUS(recording.status), 0);
	assert_int_equal(event_count(&recording, "exit"), 1);
	assert_int_equal(file_count(&recording, ".events"), 1);
	recording_release(&recording);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(errno_is_kept),
		cmocka_unit_test(a_thread_is_not_cancelled_while_it_records),
		cmocka_unit_test(announcements_that_nobody_reads_raise_no_signal),
		cmocka_unit_test(the_limit_of_file_sizes_raises_no_signal),
#ifndef RECORD_SANITIZED
		cmocka_unit_test(a_program_without_memory_goes_on),
#endif
		cmocka_unit_test(the_next_program_of_a_process_is_recorded_too),
		cmocka_unit_test(a_program_may_end_while_it_is_recorded),
		cmocka_unit_test(children_of_many_threads_end),
		cmocka_unit_test(threads_may_do_everything_at_once),
	};

	return cmocka_run_group_tests_name("recorder_states", tests, NULL, NULL);
}
