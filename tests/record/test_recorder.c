/* What the recorder writes: the launch, its memory before and after, its code. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/record/recorder_support.h"

#define COUNT 1000
#define AXPY_X 8 /* offsets of its parameters */
#define AXPY_Y 16

/* ---- the launch ---- */

static void a_launch_is_recorded_with_its_memory(void **state)
{
	struct recording recording;
	json_t *request = record_request("axpy");
	struct capture *capture;
	const struct capture_info *info;
	float a;
	int count;

	(void)state;
	json_object_set_new(request, "launch", json_integer(2));
	record_scene(&recording, "launches", request, NULL);
	expect_undisturbed(&recording, "launches");
	capture = capture_number(&recording, 1);
	info = capture_info(capture);
	assert_string_equal(info->kernel, "axpy");
	assert_int_equal(info->number, 2);
	assert_string_equal(info->api, "cuLaunchKernel");
	assert_non_null(strstr(info->program, "record_program launches"));
	assert_string_equal(info->device, "Fake GPU");
	assert_string_equal(info->uuid, "GPU-a0a1a2a3-a4a5-a6a7-a8a9-aaabacadaeaf");
	assert_int_equal(info->cc_major * 10 + info->cc_minor, 90);
	assert_int_equal(info->driver_version, 13000);
	assert_memory_equal(info->launch.grid, ((int64_t[]){8, 1, 1}), sizeof(info->launch.grid));
	assert_memory_equal(info->launch.block, ((int64_t[]){128, 1, 1}),
			    sizeof(info->launch.block));
	assert_memory_equal(info->launch.cluster, ((int64_t[]){1, 1, 1}),
			    sizeof(info->launch.cluster));
	assert_int_equal(info->launch.shared_bytes, 64);
	assert_int_equal(info->launch.carveout, -1);
	assert_false(info->launch.cooperative);
	assert_int_equal(info->parameter_count, 4);
	assert_int_equal(info->parameter_bytes, 28);
	memcpy(&a, info->parameter_data, sizeof(a));
	memcpy(&count, info->parameter_data + 24, sizeof(count));
	assert_true(a == 2);
	assert_int_equal(count, COUNT);
	expect_nothing_lost(info);
	capture_close(capture);
	recording_release(&recording);
}

static void memory_is_kept_as_it_was_before_and_after(void **state)
{
	struct recording recording;
	json_t *request = record_request("axpy");
	struct capture *capture;
	const struct capture_info *info;
	size_t x, y;

	(void)state;
	json_object_set_new(request, "launch", json_integer(2));
	record_scene(&recording, "launches", request, NULL);
	capture = capture_number(&recording, 1);
	info = capture_info(capture);
	x = parameter_memory(info, AXPY_X);
	y = parameter_memory(info, AXPY_Y);
	assert_int_equal(info->parameter_pointers.count, 2);
	assert_int_equal(info->memory[x].bytes, COUNT * sizeof(float));
	assert_int_equal(info->memory[x].kind, CAPTURE_DEVICE);
	assert_false(info->memory[x].changed);
	assert_true(info->memory[y].changed);
	/* x[i] = i + 1, y[i] = i + 10; launch 1 added x, launch 2 adds 2 x */
	for (size_t i = 0; i < COUNT; i += COUNT - 1) {
		expect_float(capture, x, CAPTURE_BEFORE, i, (float)i + 1);
		expect_float(capture, x, CAPTURE_AFTER, i, (float)i + 1);
		expect_float(capture, y, CAPTURE_BEFORE, i, (float)(2 * i) + 11);
		expect_float(capture, y, CAPTURE_AFTER, i, (float)(4 * i) + 13);
	}
	capture_close(capture);
	recording_release(&recording);
}

static void every_nth_launch_is_recorded_up_to_the_most(void **state)
{
	struct recording recording;
	json_t *request = record_request("axpy");

	(void)state;
	json_object_set_new(request, "every", json_integer(2));
	record_scene(&recording, "launches", request, NULL);
	assert_int_equal(file_count(&recording, ".capture"), 2);
	for (int i = 1; i <= 2; i++) {
		struct capture *capture = capture_number(&recording, i);

		assert_int_equal(capture_info(capture)->number, 2 * i);
		capture_close(capture);
	}
	recording_release(&recording);

	request = record_request("axpy");
	json_object_set_new(request, "every", json_integer(1));
	json_object_set_new(request, "most", json_integer(3));
	record_scene(&recording, "launches", request, NULL);
	expect_undisturbed(&recording, "launches");
	assert_int_equal(file_count(&recording, ".capture"), 3);
	assert_int_equal(event_count(&recording, "captured"), 3);
	recording_release(&recording);
}

static void chosen_launches_take_the_place_of_patterns(void **state)
{
	struct recording recording;
	json_t *request = record_request("nothing");

	(void)state;
	json_object_set_new(request, "chosen",
			    json_pack("[{s:s, s:i}, {s:s, s:i}]", "kernel", "axpy", "launch", 2,
				      "kernel", "add_bias", "launch", 1));
	record_scene(&recording, "two_kernels", request, NULL);
	assert_int_equal(event_count(&recording, "captured"), 2);
	for (size_t i = 0; i < 2; i++) {
		const json_t *event = event_at(&recording, "captured", i);
		const bool axpy = !strcmp(event_text(event, "kernel"), "axpy");

		assert_int_equal(event_integer(event, "launch"), axpy ? 2 : 1);
	}
	recording_release(&recording);
}

static void each_kernel_counts_its_own_launches(void **state)
{
	struct recording recording;
	json_t *request = record_request("a*");
	static const char *const kernels[] = {"axpy", "add_bias"};

	(void)state;
	json_object_set_new(request, "launch", json_integer(2));
	record_scene(&recording, "two_kernels", request, NULL);
	assert_int_equal(file_count(&recording, ".capture"), 2);
	for (int i = 0; i < 2; i++) {
		struct capture *capture = capture_number(&recording, i + 1);

		assert_string_equal(capture_info(capture)->kernel, kernels[i]);
		assert_int_equal(capture_info(capture)->number, 2);
		capture_close(capture);
	}
	recording_release(&recording);
}

static void packed_parameters_are_read(void **state)
{
	struct recording recording;
	struct capture *capture;
	const struct capture_info *info;

	(void)state;
	record_scene(&recording, "extra", record_request("axpy"), NULL);
	expect_undisturbed(&recording, "extra");
	capture = capture_number(&recording, 1);
	info = capture_info(capture);
	assert_int_equal(info->parameter_count, 4);
	expect_float(capture, parameter_memory(info, AXPY_X), CAPTURE_BEFORE, 5, 6);
	expect_float(capture, parameter_memory(info, AXPY_Y), CAPTURE_BEFORE, 5, 5);
	expect_float(capture, parameter_memory(info, AXPY_Y), CAPTURE_AFTER, 5, 17);
	capture_close(capture);
	recording_release(&recording);
}

static void attributes_are_kept_or_named(void **state)
{
	struct recording recording;
	json_t *request = record_request("add_to_struct");
	struct capture *capture;
	const struct capture_info *info;

	(void)state;
	json_object_set_new(request, "every", json_integer(1));
	record_scene(&recording, "attributes", request, NULL);
	capture = capture_number(&recording, 1);
	info = capture_info(capture);
	assert_string_equal(info->api, "cuLaunchKernelEx");
	assert_memory_equal(info->launch.grid, ((int64_t[]){4, 3, 2}), sizeof(info->launch.grid));
	assert_memory_equal(info->launch.block, ((int64_t[]){32, 2, 1}),
			    sizeof(info->launch.block));
	assert_memory_equal(info->launch.cluster, ((int64_t[]){2, 1, 1}),
			    sizeof(info->launch.cluster));
	assert_int_equal(info->launch.carveout, 25);
	assert_int_equal(info->launch.shared_bytes, 512);
	assert_false(info->launch.cooperative);
	assert_int_equal(info->lost.count, 1);
	expect_lost(info, "before the one before it had ended");
	capture_close(capture);

	capture = capture_number(&recording, 2);
	assert_string_equal(capture_info(capture)->api, "cuLaunchCooperativeKernel");
	assert_true(capture_info(capture)->launch.cooperative);
	capture_close(capture);
	recording_release(&recording);
}

static void launches_of_per_thread_streams_are_recorded(void **state)
{
	struct recording recording;
	struct capture *capture;

	(void)state;
	record_scene(&recording, "per_thread", record_request("add_bias"), NULL);
	expect_undisturbed(&recording, "per_thread");
	capture = capture_number(&recording, 1);
	assert_string_equal(capture_info(capture)->api, "cuLaunchKernel");
	capture_close(capture);
	recording_release(&recording);
}

/* ---- code ---- */

static void the_machine_code_is_that_which_cuda_loaded(void **state)
{
	struct recording recording;
	struct capture *capture;
	char *image, *expected;
	size_t bytes, expected_bytes;
	struct error err = {0};

	(void)state;
	record_scene(&recording, "launches", record_request("axpy"), NULL);
	capture = capture_number(&recording, 1);
	assert_int_equal(capture_read_image(capture, CAPTURE_CUBIN, &image, &bytes, &err), 0);
	assert_int_equal(read_file(&expected, &expected_bytes, RECORD_IMAGE, SIZE_MAX, &err), 0);
	assert_int_equal(bytes, expected_bytes);
	assert_memory_equal(image, expected, bytes);
	assert_null(capture_info(capture)->ptx_origin);
	assert_int_equal(capture_read_image(capture, CAPTURE_PTX, &image, &bytes, &err), PL_ENOENT);
	free(image);
	free(expected);
	capture_close(capture);
	recording_release(&recording);
}

static void expect_ptx(const char *scene, const char *part)
{
	struct recording recording;
	struct capture *capture;
	struct error err = {0};
	char *ptx;
	size_t bytes;

	record_scene(&recording, scene, record_request("axpy"), NULL);
	expect_undisturbed(&recording, scene);
	capture = capture_number(&recording, 1);
	if (capture_read_image(capture, CAPTURE_PTX, &ptx, &bytes, &err))
		fail_msg("%s", err.text);
	assert_non_null(strstr(ptx, ".entry axpy("));
	assert_non_null(strstr(ptx, part));
	assert_non_null(capture_info(capture)->ptx_origin);
	free(ptx);
	capture_close(capture);
	recording_release(&recording);
}

static void the_ptx_comes_from_the_fat_binary_of_a_library(void **state)
{
	(void)state;
	/* as every program of nvcc: a wrapper, a fat binary for two targets, and a CUkernel */
	expect_ptx("library", ".target sm_90\n");
}

static void the_program_may_free_what_it_has_loaded(void **state)
{
	(void)state;
	expect_ptx("text", "{ ret; }");
	expect_ptx("fat_binary", ".target sm_90\n");
	expect_ptx("freed", ".target sm_90\n");
}

/* ---- events ---- */

static void events_tell_what_was_recorded(void **state)
{
	struct recording recording;
	const json_t *event;
	char *path;

	(void)state;
	record_scene(&recording, "launches", record_request("ax*"), NULL);
	assert_non_null(strstr(event_text(event_at(&recording, "attached", 0), "program"),
			       "record_program launches"));
	event = event_at(&recording, "begun", 0);
	assert_string_equal(event_text(event, "kernel"), "axpy");
	assert_int_equal(event_integer(event, "launch"), 1);
	/* x and y; the variable of the image has the value that the image gives it */
	assert_int_equal(event_integer(event, "memory"), 2);
	assert_int_equal(event_integer(event, "bytes"), 2 * COUNT * sizeof(float));
	event = event_at(&recording, "captured", 0);
	path = xasprintf("%s/out.capture", recording.folder);
	assert_string_equal(event_text(event, "path"), path);
	free(path);
	assert_true(event_integer(event, "file_bytes") > 0);
	event = event_at(&recording, "seen", 0);
	assert_string_equal(event_text(event, "kernel"), "axpy");
	assert_int_equal(event_integer(event, "launches"), 5);
	assert_int_equal(event_integer(event, "graph_launches"), 0);
	event = event_at(&recording, "exit", 0);
	assert_int_equal(event_integer(event, "launches"), 5);
	assert_int_equal(json_array_size(recording.events), 5);
	recording_release(&recording);
}

static void kernels_are_listed_with_their_times(void **state)
{
	struct recording recording;
	const json_t *event;

	(void)state;
	/* axpy, add_bias with one block, axpy, add_bias with two */
	record_scene(&recording, "two_kernels", list_request(), NULL);
	expect_undisturbed(&recording, "two_kernels");
	assert_int_equal(event_count(&recording, "kernel"), 3);
	for (size_t i = 0; i < 3; i++) {
		event = event_at(&recording, "kernel", i);
		if (!strcmp(event_text(event, "kernel"), "axpy")) {
			assert_int_equal(event_integer(event, "launches"), 2);
			assert_int_equal(event_integer(event, "min_ns"), 8000);
			assert_int_equal(event_integer(event, "max_ns"), 8002);
			assert_int_equal(event_integer(event, "median_ns"), 8001);
			assert_int_equal(event_integer(event, "total_ns"), 16002);
			assert_int_equal(event_integer(event, "shared_bytes"), 64);
			assert_int_equal(event_integer(event, "registers"), 24);
		} else {
			assert_string_equal(event_text(event, "kernel"), "add_bias");
			assert_int_equal(event_integer(event, "launches"), 1);
		}
	}
	assert_int_equal(event_count(&recording, "slowest"), 2);
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(event_integer(event_at(&recording, "slowest", i), "launch"), 2);
	event = event_at(&recording, "device", 0);
	assert_string_equal(event_text(event, "name"), "Fake GPU");
	assert_int_equal(event_count(&recording, "device"), 1);
	event = event_at(&recording, "exit", 0);
	assert_int_equal(event_integer(event, "launches"), 4);
	assert_int_equal(event_integer(event, "dropped"), 3);
	assert_int_equal(file_count(&recording, ".capture"), 0);
	recording_release(&recording);
}

static void the_slowest_launch_is_one_that_can_be_recorded(void **state)
{
	struct recording recording;

	(void)state;
	record_scene(&recording, "both_ways", list_request(), NULL);
	/* the second of the two between the launches of the graph */
	assert_int_equal(event_count(&recording, "slowest"), 1);
	assert_int_equal(event_integer(event_at(&recording, "slowest", 0), "launch"), 2);
	recording_release(&recording);
	record_scene(&recording, "graph", list_request(), NULL);
	assert_string_equal(event_text(event_at(&recording, "slowest", 0), "kernel"), "add_bias");
	assert_int_equal(event_count(&recording, "slowest"), 1);
	recording_release(&recording);
}

static void names_need_not_be_utf8(void **state)
{
	struct recording recording;

	(void)state;
	record_scene(&recording, "latin", list_request(), NULL);
	assert_string_equal(event_text(event_at(&recording, "kernel", 0), "kernel"), "caf?");
	recording_release(&recording);
	record_scene(&recording, "latin", record_request("caf"), NULL);
	assert_string_equal(event_text(event_at(&recording, "failed", 0), "kernel"), "caf?");
	recording_release(&recording);
}

static void medians_are_of_all_launches(void **state)
{
	struct recording recording;
	const json_t *event;

	(void)state;
	record_scene(&recording, "launches", list_request(), NULL);
	event = event_at(&recording, "kernel", 0);
	assert_int_equal(event_integer(event, "launches"), 5);
	assert_int_equal(event_integer(event, "median_ns"), 8002);
	recording_release(&recording);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_launch_is_recorded_with_its_memory),
		cmocka_unit_test(memory_is_kept_as_it_was_before_and_after),
		cmocka_unit_test(every_nth_launch_is_recorded_up_to_the_most),
		cmocka_unit_test(chosen_launches_take_the_place_of_patterns),
		cmocka_unit_test(each_kernel_counts_its_own_launches),
		cmocka_unit_test(packed_parameters_are_read),
		cmocka_unit_test(attributes_are_kept_or_named),
		cmocka_unit_test(launches_of_per_thread_streams_are_recorded),
		cmocka_unit_test(the_machine_code_is_that_which_cuda_loaded),
		cmocka_unit_test(the_ptx_comes_from_the_fat_binary_of_a_library),
		cmocka_unit_test(the_program_may_free_what_it_has_loaded),
		cmocka_unit_test(events_tell_what_was_recorded),
		cmocka_unit_test(kernels_are_listed_with_their_times),
		cmocka_unit_test(the_slowest_launch_is_one_that_can_be_recorded),
		cmocka_unit_test(names_need_not_be_utf8),
		cmocka_unit_test(medians_are_of_all_launches),
	};

	return cmocka_run_group_tests_name("recorder", tests, NULL, NULL);
}
