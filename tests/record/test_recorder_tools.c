/* Programs that share the driver with other tools, or find it in ways that the recorder must not
 * touch. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/process.h"
#include "tests/record/recorder_support.h"

static int64_t seen_launches(const struct recording *recording)
{
	return event_integer(event_at(recording, "exit", 0), "launches");
}

/* Records every launch of the scene beside the tool, which must see as much as without the
 * recorder. */
static void expect_tool_undisturbed(const char *scene, const struct preloads *others,
				    const char *finds, int64_t launches)
{
	struct recording recording;
	json_t *request = record_request("axpy");

	setenv("TOOL_FINDS", finds, 1);
	json_object_set_new(request, "every", json_integer(1));
	record_scene_among(&recording, scene, request, NULL, others);
	expect_undisturbed_among(&recording, scene, others);
	assert_int_equal(event_count(&recording, "captured"), launches);
	assert_int_equal(seen_launches(&recording), launches);
	assert_int_equal(event_count(&recording, "note"), 0);
	recording_release(&recording);
	unsetenv("TOOL_FINDS");
}

static const char *const ways[] = {"next", "driver", "first"};

static void another_tool_sees_the_launches_before_or_after(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		expect_tool_undisturbed("launches", &(struct preloads){.before = RECORD_TOOL},
					ways[i], 5);
		expect_tool_undisturbed("launches", &(struct preloads){.after = RECORD_TOOL},
					ways[i], 5);
	}
}

/* What a program finds in the driver itself does not pass the tool, with or without the recorder.
 */
static void another_tool_does_not_see_more_than_it_would(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		expect_tool_undisturbed("searched", &(struct preloads){.before = RECORD_TOOL},
					ways[i], 3);
		expect_tool_undisturbed("searched", &(struct preloads){.after = RECORD_TOOL},
					ways[i], 3);
	}
}

static void what_the_loader_finds_first_stays_first(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		expect_tool_undisturbed("found_first", &(struct preloads){0}, ways[i], 2);
		expect_tool_undisturbed("found_first", &(struct preloads){.before = RECORD_TOOL},
					ways[i], 2);
		expect_tool_undisturbed("found_first", &(struct preloads){.after = RECORD_TOOL},
					ways[i], 2);
	}
}

static void a_function_of_another_tool_is_not_that_of_the_driver(void **state)
{
	(void)state;
	setenv("RECORD_TOOL", RECORD_TOOL, 1);
	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		const bool passes_recorder = record_by_hooks() && !strcmp(ways[i], "next");

		expect_tool_undisturbed("through_tool", &(struct preloads){0}, ways[i], 2);
		/* what comes next after the tool is the driver: --no-preload sees it */
		expect_tool_undisturbed("through_tool", &(struct preloads){.after = RECORD_TOOL},
					ways[i], passes_recorder ? 0 : 2);
		expect_tool_undisturbed("through_tool", &(struct preloads){.before = RECORD_TOOL},
					ways[i], 2);
	}
	unsetenv("RECORD_TOOL");
}

static void a_newer_cuda_with_the_same_functions_is_recorded(void **state)
{
	struct recording recording;

	(void)state;
	record_scene(&recording, "newer", record_request("axpy"), NULL);
	expect_undisturbed(&recording, "newer");
	assert_int_equal(event_count(&recording, "captured"), 1);
	assert_int_equal(event_count(&recording, "note"), 0);
	recording_release(&recording);
}

/* By CUPTI, the driver shows the function that it calls itself. */
static void expect_untouched(const char *scene, const char *part)
{
	struct recording recording;
	json_t *request = record_request("axpy");

	json_object_set_new(request, "every", json_integer(1));
	record_scene(&recording, scene, request, NULL);
	expect_undisturbed(&recording, scene);
	assert_int_equal(event_count(&recording, "captured"), record_by_hooks() ? 0 : 2);
	assert_int_equal(event_count(&recording, "note"), record_by_hooks());
	if (record_by_hooks())
		expect_why(&recording, "note", part);
	recording_release(&recording);
}

static void functions_of_a_future_cuda_are_left_alone_and_named(void **state)
{
	(void)state;
	expect_untouched("future", "the program uses cuLaunchKernel of CUDA 99.0, which is newer");
	expect_untouched("future_symbol", "the program uses cuLaunchKernel_v9, which is newer");
}

static void a_note_is_told_on_stderr_if_wanted(void **state)
{
	struct recording recording;
	json_t *request;

	(void)state;
	if (!record_by_hooks())
		return;
	request = record_request("axpy");
	json_object_set_new(request, "announce", json_true());
	record_scene(&recording, "future", request, NULL);
	assert_non_null(strstr(recording.output.data, "perflab: the program uses cuLaunchKernel "));
	recording_release(&recording);
}

static void a_library_finds_its_own_functions(void **state)
{
	struct recording recording;

	(void)state;
	setenv("RECORD_LOCAL", RECORD_LOCAL, 1);
	record_scene(&recording, "local", record_request("axpy"), NULL);
	expect_undisturbed(&recording, "local");
	assert_int_equal(strncmp(recording.output.data, "1\n43\n44\n", 8), 0);
	assert_int_equal(event_count(&recording, "note"), 0);
	assert_int_equal(seen_launches(&recording), 5);
	recording_release(&recording);
	unsetenv("RECORD_LOCAL");
}

static void a_program_may_close_the_recorder(void **state)
{
	struct recording recording;

	(void)state;
	record_scene(&recording, "closed", record_request("axpy"), NULL);
	expect_undisturbed(&recording, "closed");
	assert_int_equal(event_count(&recording, "captured"), 1);
	assert_int_equal(event_count(&recording, "exit"), 1);
	recording_release(&recording);
}

/* Three launches of add_bias: the second one is beside a capture. */
static void captures_that_begin_in_the_first_form_are_counted(void **state)
{
	struct recording recording;
	json_t *request = record_request("add_bias");

	(void)state;
	json_object_set_new(request, "every", json_integer(1));
	record_scene(&recording, "first_form", request, NULL);
	expect_undisturbed(&recording, "first_form");
	assert_int_equal(event_count(&recording, "captured"), 2);
	assert_int_equal(event_integer(event_at(&recording, "captured", 0), "launch"), 1);
	assert_int_equal(event_integer(event_at(&recording, "captured", 1), "launch"), 3);
	expect_why(&recording, "failed", "captures a stream into a graph");
	assert_int_equal(event_count(&recording, "failed"), 1);
	recording_release(&recording);
}

static void a_capture_ends_with_its_stream(void **state)
{
	struct recording recording;

	(void)state;
	record_scene(&recording, "destroyed", record_request("axpy"), NULL);
	expect_undisturbed(&recording, "destroyed");
	assert_int_equal(event_count(&recording, "captured"), 1);
	recording_release(&recording);
}

static void kernels_that_cannot_be_told_apart_are_named(void **state)
{
	struct recording recording;

	(void)state;
	record_scene(&recording, "handles", record_request("axpy"), NULL);
	expect_undisturbed(&recording, "handles");
	assert_int_equal(event_count(&recording, "captured"), 0);
	assert_int_equal(seen_launches(&recording), 66001);
	expect_why(&recording, "note", "465 launches are of kernels that could not be told apart");
	recording_release(&recording);
}

static void expect_ptx_of(const char *scene)
{
	struct recording recording;
	struct capture *capture;

	record_scene(&recording, scene, record_request("axpy"), NULL);
	expect_undisturbed(&recording, scene);
	capture = capture_number(&recording, 1);
	assert_non_null(capture_info(capture)->ptx_origin);
	capture_close(capture);
	recording_release(&recording);
}

static void a_context_that_ends_takes_only_its_own_modules(void **state)
{
	(void)state;
	expect_ptx_of("contexts");
}

static void a_library_outlives_contexts(void **state)
{
	(void)state;
	expect_ptx_of("library_stays");
}

/* ---- programs without CUDA ---- */

static void expect_plain(const char *path)
{
	char *argv[] = {(char *)(uintptr_t)path, (char *)"one", (char *)"two words", NULL};
	struct string_list variables = {0};
	struct limited_program program = {.argv = argv,
					  .variables = &variables,
					  .end_ns = monotonic_ns() + INT64_C(60000000000),
					  .output_limit = 4096};
	struct text output = TEXT_INIT;
	struct error err = {0};
	char *folder, *variable;
	int status;

	assert_int_equal(temporary_folder_make(&folder, "perflab-recorder", &err), 0);
	variable = xasprintf("PERFLAB_RECORD=%s", folder);
	string_list_add(&variables, variable);
	string_list_add(&variables, "CUDA_INJECTION64_PATH=" RECORD_LIBRARY);
	string_list_add(&variables, "ASAN_OPTIONS=verify_asan_link_order=0");
	if (record_by_hooks())
		string_list_add(&variables, "LD_PRELOAD=" RECORD_LIBRARY);
	assert_int_equal(process_limited(&output, &status, &program), PROGRAM_EXITED);
	assert_string_equal(output.data, "3 0 1\none\ntwo words\n");
	assert_int_equal(WEXITSTATUS(status), 9);
	/* the folder is empty */
	assert_int_equal(rmdir(folder), 0);
	string_list_release(&variables);
	text_release(&output);
	free(variable);
	free(folder);
}

static void programs_without_cuda_run_as_ever(void **state)
{
	(void)state;
	expect_plain(RECORD_PLAIN);
#ifdef RECORD_PLAIN_STATIC
	expect_plain(RECORD_PLAIN_STATIC);
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(another_tool_sees_the_launches_before_or_after),
		cmocka_unit_test(another_tool_does_not_see_more_than_it_would),
		cmocka_unit_test(what_the_loader_finds_first_stays_first),
		cmocka_unit_test(a_function_of_another_tool_is_not_that_of_the_driver),
		cmocka_unit_test(a_newer_cuda_with_the_same_functions_is_recorded),
		cmocka_unit_test(functions_of_a_future_cuda_are_left_alone_and_named),
		cmocka_unit_test(a_note_is_told_on_stderr_if_wanted),
		cmocka_unit_test(a_library_finds_its_own_functions),
		cmocka_unit_test(a_program_may_close_the_recorder),
		cmocka_unit_test(captures_that_begin_in_the_first_form_are_counted),
		cmocka_unit_test(a_capture_ends_with_its_stream),
		cmocka_unit_test(kernels_that_cannot_be_told_apart_are_named),
		cmocka_unit_test(a_context_that_ends_takes_only_its_own_modules),
		cmocka_unit_test(a_library_outlives_contexts),
		cmocka_unit_test(programs_without_cuda_run_as_ever),
	};

	return cmocka_run_group_tests_name("recorder_tools", tests, NULL, NULL);
}
