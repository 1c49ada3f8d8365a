/* Programs that the recorder must not disturb, whatever they or their surroundings do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "tests/record/recorder_support.h"

static void a_program_that_launches_nothing_is_reported(void **state)
{
	struct recording recording;

	(void)state;
	record_scene(&recording, "idle", record_request("axpy"), NULL);
	assert_int_equal(WEXITSTATUS(recording.status), 7);
	assert_int_equal(event_count(&recording, "seen"), 0);
	assert_int_equal(event_integer(event_at(&recording, "exit", 0), "launches"), 0);
	assert_int_equal(file_count(&recording, ".capture"), 0);
	recording_release(&recording);
}

static void a_program_without_cuda_is_not_seen(void **state)
{
	struct recording recording;

	(void)state;
	record_scene(&recording, "no_cuda", record_request("axpy"), NULL);
	assert_int_equal(WEXITSTATUS(recording.status), 6);
	assert_int_equal(json_array_size(recording.events), 0);
	recording_release(&recording);
}

static void kernels_that_are_not_wanted_are_only_counted(void **state)
{
	struct recording recording;

	(void)state;
	record_scene(&recording, "launches", record_request("softmax"), NULL);
	expect_undisturbed(&recording, "launches");
	assert_int_equal(file_count(&recording, ".capture"), 0);
	assert_int_equal(event_integer(event_at(&recording, "seen", 0), "launches"), 5);
	recording_release(&recording);
}

static void a_crash_keeps_what_was_recorded_before(void **state)
{
	struct recording recording;

	(void)state;
	record_scene(&recording, "abort", record_request("axpy"), NULL);
	expect_undisturbed(&recording, "abort");
	assert_int_equal(WTERMSIG(recording.status), SIGABRT);
	assert_int_equal(event_count(&recording, "captured"), 1);
	assert_int_equal(event_count(&recording, "exit"), 0);
	capture_close(capture_number(&recording, 1));
	recording_release(&recording);
}

static void a_program_may_leave_without_handlers(void **state)
{
	struct recording recording;

	(void)state;
	record_scene(&recording, "quick", record_request("axpy"), NULL);
	expect_undisturbed(&recording, "quick");
	assert_int_equal(WEXITSTATUS(recording.status), 5);
	assert_int_equal(event_count(&recording, "captured"), 1);
	capture_close(capture_number(&recording, 1));
	recording_release(&recording);
}

static void a_process_killed_while_it_records_leaves_no_capture(void **state)
{
	struct recording recording;

	(void)state;
	record_scene(&recording, "killed", record_request("end_process"), NULL);
	assert_int_equal(WTERMSIG(recording.status), SIGKILL);
	assert_int_equal(event_count(&recording, "begun"), 1);
	assert_int_equal(event_count(&recording, "captured"), 0);
	assert_int_equal(file_count(&recording, ".capture"), 0);
	recording_release(&recording);
}

static void a_forked_child_records_nothing(void **state)
{
	struct recording recording;
	json_t *request = record_request("axpy");

	(void)state;
	/* the parent launches five times, and the child five times more */
	json_object_set_new(request, "launch", json_integer(6));
	record_scene(&recording, "fork", request, NULL);
	expect_undisturbed(&recording, "fork");
	assert_int_equal(file_count(&recording, ".capture"), 0);
	assert_int_equal(event_count(&recording, "begun"), 0);
	assert_int_equal(file_count(&recording, ".events"), 1);
	assert_int_equal(event_count(&recording, "exit"), 1);
	recording_release(&recording);
}

static void processes_that_record_at_once_take_different_names(void **state)
{
	struct recording recording;

	(void)state;
	record_scene(&recording, "processes", record_request("meet"), NULL);
	expect_undisturbed(&recording, "processes");
	assert_int_equal(file_count(&recording, ".events"), 2);
	assert_int_equal(event_count(&recording, "captured"), 2);
	assert_int_equal(file_count(&recording, ".capture"), 2);
	/* nothing else is left but the request, with . and .. */
	assert_int_equal(file_count(&recording, ""), 2 + 2 + 1 + 2);
	for (int number = 1; number <= 2; number++)
		capture_close(capture_number(&recording, number));
	recording_release(&recording);
}

/* Each thread has its own arrays: a launch of another one in between would not fit. */
static void threads_that_launch_at_once_are_recorded_one_by_one(void **state)
{
	struct recording recording;
	json_t *request = record_request("axpy");

	(void)state;
	json_object_set_new(request, "every", json_integer(20));
	record_scene(&recording, "threads", request, NULL);
	expect_undisturbed(&recording, "threads");
	assert_int_equal(file_count(&recording, ".capture"), 10);
	assert_int_equal(event_integer(event_at(&recording, "exit", 0), "launches"), 200);
	for (int number = 1; number <= 10; number++) {
		struct capture *capture = capture_number(&recording, number);
		const size_t y = parameter_memory(capture_info(capture), 16);
		float *before = capture_floats(capture, y, CAPTURE_BEFORE);
		float *after = capture_floats(capture, y, CAPTURE_AFTER);

		/* y[i] += i + 1 */
		for (size_t i = 0; i < 1000; i++)
			assert_true(after[i] == before[i] + (float)(i + 1));
		free(before);
		free(after);
		capture_close(capture);
	}
	recording_release(&recording);
}

/* Threads that wait for their turn go on when another one has recorded the last launch. */
static void the_last_launch_lets_the_other_threads_go(void **state)
{
	(void)state;
	for (int i = 0; i < 10; i++) {
		struct recording recording;
		json_t *request = record_request("axpy");

		json_object_set_new(request, "every", json_integer(1));
		json_object_set_new(request, "most", json_integer(1 + i % 3));
		record_scene(&recording, "threads", request, NULL);
		expect_undisturbed(&recording, "threads");
		assert_int_equal(event_count(&recording, "captured"), 1 + i % 3);
		assert_int_equal(event_count(&recording, "failed"), 0);
		recording_release(&recording);
	}
}

static void only_threads_of_the_program_take_its_signals(void **state)
{
	struct recording recording;

	(void)state;
	record_scene(&recording, "signals", record_request("count_waits"), NULL);
	expect_undisturbed(&recording, "signals");
	capture_close(capture_number(&recording, 1));
	recording_release(&recording);
}

static void a_launch_that_has_begun_ends_before_another_is_recorded(void **state)
{
	struct recording recording;
	struct capture *capture;
	size_t y;

	(void)state;
	record_scene(&recording, "beside", record_request("add_beside"), NULL);
	expect_undisturbed(&recording, "beside");
	capture = capture_number(&recording, 1);
	y = parameter_memory(capture_info(capture), 0);
	expect_float(capture, y, CAPTURE_BEFORE, 0, 100);
	expect_float(capture, y, CAPTURE_AFTER, 0, 101);
	capture_close(capture);
	recording_release(&recording);
}

/* The recorder may be loading the code of any module once more. */
static void no_module_is_unloaded_while_a_launch_is_recorded(void **state)
{
	struct recording recording;

	(void)state;
	if (!record_by_hooks())
		return;
	record_scene(&recording, "unload", record_request("add_late"), NULL);
	assert_string_equal(recording.output.data, "after\n100 999\n");
	capture_close(capture_number(&recording, 1));
	recording_release(&recording);
}

static void a_handle_that_comes_again_is_another_kernel(void **state)
{
	struct recording recording;
	struct capture *capture;

	(void)state;
	record_scene(&recording, "reload", record_request("add_bias"), NULL);
	expect_undisturbed(&recording, "reload");
	assert_int_equal(file_count(&recording, ".capture"), 1);
	capture = capture_number(&recording, 1);
	assert_string_equal(capture_info(capture)->kernel, "add_bias");
	capture_close(capture);
	recording_release(&recording);
}

static void launches_into_a_graph_are_counted_apart(void **state)
{
	struct recording recording;
	const json_t *event;

	(void)state;
	record_scene(&recording, "graph", record_request("axpy"), NULL);
	expect_undisturbed(&recording, "graph");
	assert_int_equal(file_count(&recording, ".capture"), 0);
	event = event_at(&recording, "seen", 0);
	assert_string_equal(event_text(event, "kernel"), "axpy");
	assert_int_equal(event_integer(event, "launches"), 0);
	assert_int_equal(event_integer(event, "graph_launches"), 2);
	recording_release(&recording);
}

static void a_launch_beside_a_capture_into_a_graph_is_refused(void **state)
{
	struct recording recording;

	(void)state;
	record_scene(&recording, "graph", record_request("add_bias"), NULL);
	expect_undisturbed(&recording, "graph");
	expect_why(&recording, "failed", "captures a stream into a graph");
	assert_int_equal(file_count(&recording, ".capture"), 0);
	recording_release(&recording);
}

static void a_launch_after_a_capture_into_a_graph_is_recorded(void **state)
{
	struct recording recording;
	json_t *request = record_request("add_bias");

	(void)state;
	json_object_set_new(request, "launch", json_integer(2));
	record_scene(&recording, "graph", request, NULL);
	/* the output has the mode of the thread, which the recorder must give back */
	expect_undisturbed(&recording, "graph");
	capture_close(capture_number(&recording, 1));
	recording_release(&recording);
}

static void a_launch_that_the_driver_refuses_is_no_capture(void **state)
{
	struct recording recording;

	(void)state;
	record_scene(&recording, "refused", record_request("add_bias"), NULL);
	expect_undisturbed(&recording, "refused");
	assert_int_equal(file_count(&recording, ".capture"), 0);
	expect_why(&recording, "failed", "the driver refused the launch");
	recording_release(&recording);
}

static void memory_over_the_limit_is_not_recorded(void **state)
{
	struct recording recording;
	json_t *request = record_request("axpy");

	(void)state;
	json_object_set_new(request, "limit_bytes", json_integer(1 << 20));
	record_scene(&recording, "large", request, NULL);
	expect_undisturbed(&recording, "large");
	assert_int_equal(file_count(&recording, ".capture"), 0);
	assert_int_equal(event_count(&recording, "begun"), 0);
	expect_why(&recording, "failed", "over the limit of 1.0 MiB");
	recording_release(&recording);
}

static void too_many_addresses_are_refused_before_anything_is_written(void **state)
{
	struct recording recording;

	(void)state;
	record_scene(&recording, "addresses", record_request("axpy"), NULL);
	expect_undisturbed(&recording, "addresses");
	expect_why(&recording, "failed", "more than 4194304 addresses");
	assert_int_equal(event_count(&recording, "begun"), 0);
	recording_release(&recording);
}

/* A limit of the file size stands for the full disk: writing fails in the middle. */
static void a_full_disk_leaves_no_capture(void **state)
{
	struct recording recording;
	json_t *request = record_request("axpy");
	struct rlimit old;

	(void)state;
	json_object_set_new(request, "every", json_integer(1));
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &(struct rlimit){4096, old.rlim_max}), 0);
	record_scene(&recording, "launches", request, NULL);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	signal(SIGXFSZ, SIG_DFL);
	expect_undisturbed(&recording, "launches");
	assert_int_equal(event_count(&recording, "failed"), 5);
	expect_why(&recording, "failed", "out");
	assert_int_equal(event_count(&recording, "captured"), 0);
	/* the request and the events are all that is there */
	assert_int_equal(file_count(&recording, ".json") + file_count(&recording, ".events"), 2);
	assert_int_equal(file_count(&recording, ""), 4); /* with . and .. */
	recording_release(&recording);
}

static void another_user_of_cupti_is_named(void **state)
{
	struct recording recording;

	(void)state;
	/* By hooks, the recorder needs CUPTI only for this launch. */
	record_scene(&recording, "library", record_request("axpy"), "FAKE_CUPTI_TAKEN=1");
	expect_undisturbed(&recording, "library");
	expect_why(&recording, record_by_hooks() ? "failed" : "refused", "another tool uses CUPTI");
	assert_int_equal(file_count(&recording, ".capture"), 0);
	recording_release(&recording);

	record_scene(&recording, "launches", list_request(), "FAKE_CUPTI_TAKEN=1");
	expect_undisturbed(&recording, "launches");
	expect_why(&recording, "refused", "another tool uses CUPTI");
	recording_release(&recording);
}

static void a_cupti_that_is_too_old_is_named(void **state)
{
	struct recording recording;
	json_t *request = record_request("axpy");

	(void)state;
	/* a library without the functions of CUPTI */
	json_object_set_new(request, "cupti", json_string(RECORD_LIBRARY));
	record_scene(&recording, "library", request, NULL);
	expect_undisturbed(&recording, "library");
	expect_why(&recording, record_by_hooks() ? "failed" : "refused", "libcupti lacks cupti");
	recording_release(&recording);
}

static void machine_code_that_the_program_hands_over_needs_no_cupti(void **state)
{
	struct recording recording;

	(void)state;
	if (!record_by_hooks())
		return;
	record_scene(&recording, "launches", record_request("axpy"), "FAKE_CUPTI_TAKEN=1");
	expect_undisturbed(&recording, "launches");
	assert_int_equal(event_count(&recording, "captured"), 1);
	recording_release(&recording);
}

static void launches_are_seen_however_their_function_is_found(void **state)
{
	struct recording recording;
	json_t *request = record_request("axpy");

	(void)state;
	json_object_set_new(request, "every", json_integer(1));
	record_scene(&recording, "searched", request, NULL);
	expect_undisturbed(&recording, "searched");
	assert_int_equal(event_count(&recording, "captured"), 3);
	assert_int_equal(event_integer(event_at(&recording, "exit", 0), "launches"), 3);
	recording_release(&recording);
}

static void a_driver_may_have_several_libraries(void **state)
{
	struct recording recording;
	json_t *request = record_request("axpy");

	(void)state;
	json_object_set_new(request, "every", json_integer(1));
	record_scene(&recording, "searched", request, "FAKE_CUDA_FAR=" RECORD_LOCAL);
	expect_undisturbed(&recording, "searched");
	assert_int_equal(event_count(&recording, "captured"), 3);
	recording_release(&recording);
}

static void a_broken_request_changes_nothing(void **state)
{
	struct recording recording;
	json_t *request = record_request("axpy");

	(void)state;
	json_object_set_new(request, "mode", json_string("erase"));
	record_scene(&recording, "launches", request, NULL);
	expect_undisturbed(&recording, "launches");
	assert_int_equal(file_count(&recording, ".capture"), 0);
	recording_release(&recording);
}

static void progress_is_told_on_stderr_if_wanted(void **state)
{
	struct recording recording;
	json_t *request = record_request("axpy");
	char *line;

	(void)state;
	json_object_set_new(request, "announce", json_true());
	record_scene(&recording, "launches", request, NULL);
	assert_non_null(strstr(recording.output.data, "perflab: recording launch 1 of axpy: "));
	line = xasprintf("perflab: wrote %s/out.capture\n", recording.folder);
	assert_non_null(strstr(recording.output.data, line));
	free(line);
	recording_release(&recording);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_program_that_launches_nothing_is_reported),
		cmocka_unit_test(a_program_without_cuda_is_not_seen),
		cmocka_unit_test(kernels_that_are_not_wanted_are_only_counted),
		cmocka_unit_test(a_crash_keeps_what_was_recorded_before),
		cmocka_unit_test(a_program_may_leave_without_handlers),
		cmocka_unit_test(a_process_killed_while_it_records_leaves_no_capture),
		cmocka_unit_test(a_forked_child_records_nothing),
		cmocka_unit_test(processes_that_record_at_once_take_different_names),
		cmocka_unit_test(threads_that_launch_at_once_are_recorded_one_by_one),
		cmocka_unit_test(the_last_launch_lets_the_other_threads_go),
		cmocka_unit_test(only_threads_of_the_program_take_its_signals),
		cmocka_unit_test(a_launch_that_has_begun_ends_before_another_is_recorded),
		cmocka_unit_test(no_module_is_unloaded_while_a_launch_is_recorded),
		cmocka_unit_test(a_handle_that_comes_again_is_another_kernel),
		cmocka_unit_test(launches_into_a_graph_are_counted_apart),
		cmocka_unit_test(a_launch_beside_a_capture_into_a_graph_is_refused),
		cmocka_unit_test(a_launch_after_a_capture_into_a_graph_is_recorded),
		cmocka_unit_test(a_launch_that_the_driver_refuses_is_no_capture),
		cmocka_unit_test(memory_over_the_limit_is_not_recorded),
		cmocka_unit_test(too_many_addresses_are_refused_before_anything_is_written),
		cmocka_unit_test(a_full_disk_leaves_no_capture),
		cmocka_unit_test(another_user_of_cupti_is_named),
		cmocka_unit_test(a_cupti_that_is_too_old_is_named),
		cmocka_unit_test(machine_code_that_the_program_hands_over_needs_no_cupti),
		cmocka_unit_test(launches_are_seen_however_their_function_is_found),
		cmocka_unit_test(a_driver_may_have_several_libraries),
		cmocka_unit_test(a_broken_request_changes_nothing),
		cmocka_unit_test(progress_is_told_on_stderr_if_wanted),
	};

	return cmocka_run_group_tests_name("recorder_programs", tests, NULL, NULL);
}
