/* Which memory the recorder finds, and what it keeps of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "tests/record/recorder_support.h"

#define AXPY_X 8 /* offsets of its parameters */
#define AXPY_Y 16

static void pointers_in_memory_are_followed(void **state)
{
	struct recording recording;
	struct capture *capture;
	const struct capture_info *info;
	const struct capture_pointers *pointers;
	size_t lists;

	(void)state;
	record_scene(&recording, "lists", record_request("add_to_lists"), NULL);
	expect_undisturbed(&recording, "lists");
	capture = capture_number(&recording, 1);
	info = capture_info(capture);
	lists = parameter_memory(info, 0);
	pointers = &info->memory[lists].before;
	assert_int_equal(pointers->count, 3);
	for (size_t i = 0; i < 3; i++) {
		const struct capture_pointer *pointer = &pointers->items[i];
		const size_t first = i == 1 ? 10 : 0;

		assert_int_equal(pointer->offset, i * sizeof(uint64_t));
		assert_int_equal(pointer->addend, first * sizeof(float));
		/* array i begins with 100 i, and gets i + 1 */
		expect_float(capture, pointer->memory, CAPTURE_BEFORE, first,
			     (float)(100 * i + first));
		expect_float(capture, pointer->memory, CAPTURE_AFTER, first,
			     (float)(100 * i + first + i + 1));
		assert_true(info->memory[pointer->memory].changed);
	}
	assert_false(info->memory[lists].changed);
	expect_nothing_lost(info);
	capture_close(capture);
	recording_release(&recording);
}

static void the_kinds_of_memory_are_told_apart(void **state)
{
	struct recording recording;
	json_t *request = record_request("axpy");
	struct capture *capture;
	const struct capture_info *info;

	(void)state;
	json_object_set_new(request, "every", json_integer(1));
	record_scene(&recording, "kinds", request, NULL);
	capture = capture_number(&recording, 1);
	info = capture_info(capture);
	assert_int_equal(info->memory[parameter_memory(info, AXPY_X)].kind, CAPTURE_MANAGED);
	assert_int_equal(info->memory[parameter_memory(info, AXPY_Y)].kind, CAPTURE_HOST);
	expect_float(capture, parameter_memory(info, AXPY_Y), CAPTURE_AFTER, 0, 4);
	expect_nothing_lost(info);
	capture_close(capture);
	capture = capture_number(&recording, 2);
	info = capture_info(capture);
	assert_int_equal(info->memory[parameter_memory(info, AXPY_Y)].kind, CAPTURE_DEVICE);
	capture_close(capture);
	recording_release(&recording);
}

static void expect_variable(int launch)
{
	struct recording recording;
	json_t *request = record_request("add_bias");
	struct capture *capture;
	const struct capture_info *info;
	size_t variable = SIZE_MAX;

	json_object_set_new(request, "launch", json_integer(launch));
	record_scene(&recording, "variable", request, NULL);
	expect_undisturbed(&recording, "variable");
	capture = capture_number(&recording, 1);
	info = capture_info(capture);
	for (size_t i = 0; i < info->memory_count; i++)
		if (info->memory[i].kind == CAPTURE_VARIABLE)
			variable = i;
	assert_true(variable != SIZE_MAX);
	assert_string_equal(info->memory[variable].variable, "fake_bias");
	assert_int_equal(info->memory[variable].bytes, sizeof(float));
	/* it is 0.5 in the image, and every launch adds 1 */
	expect_float(capture, variable, CAPTURE_BEFORE, 0, (float)launch - 0.5f);
	expect_float(capture, variable, CAPTURE_AFTER, 0, (float)launch + 0.5f);
	expect_nothing_lost(info);
	capture_close(capture);
	recording_release(&recording);
}

static void variables_that_a_launch_changes_are_recorded(void **state)
{
	(void)state;
	expect_variable(1); /* has the value of the image before the launch */
	expect_variable(2);
}

/* The program has reserved three places, and mapped two of them. */
static void mappings_side_by_side_are_one_memory(void **state)
{
	struct recording recording;
	json_t *request = record_request("axpy");
	const size_t half = (size_t)2 << 20;
	const size_t addends[] = {half - sizeof(float), half + half / 2};

	(void)state;
	json_object_set_new(request, "every", json_integer(1));
	record_scene(&recording, "mapped", request, NULL);
	expect_undisturbed(&recording, "mapped");
	for (int i = 0; i < 2; i++) {
		struct capture *capture = capture_number(&recording, i + 1);
		const struct capture_info *info = capture_info(capture);
		const struct capture_pointer *y = &info->parameter_pointers.items[1];

		assert_int_equal(y->offset, AXPY_Y);
		assert_int_equal(y->addend, addends[i]);
		assert_int_equal(info->memory[y->memory].bytes, 2 * half);
		/* y[3] = 3 + x[3] */
		expect_float(capture, y->memory, CAPTURE_AFTER, addends[i] / sizeof(float) + 3, 7);
		capture_close(capture);
	}
	recording_release(&recording);
}

static void an_address_that_cuda_does_not_know_is_reported(void **state)
{
	struct recording recording;
	struct capture *capture;
	const struct capture_info *info;

	(void)state;
	record_scene(&recording, "unknown", record_request("axpy"), NULL);
	expect_undisturbed(&recording, "unknown");
	capture = capture_number(&recording, 1);
	info = capture_info(capture);
	assert_int_equal(info->parameter_pointers.count, 1);
	assert_int_equal(parameter_memory(info, AXPY_Y), info->parameter_pointers.items[0].memory);
	assert_int_equal(info->lost.count, 2);
	expect_lost(info, "changed no memory");
	expect_lost(info, "offsets of the parameters: 8");
	assert_int_equal(
		json_array_size(json_object_get(event_at(&recording, "captured", 0), "lost")), 2);
	capture_close(capture);
	recording_release(&recording);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pointers_in_memory_are_followed),
		cmocka_unit_test(the_kinds_of_memory_are_told_apart),
		cmocka_unit_test(variables_that_a_launch_changes_are_recorded),
		cmocka_unit_test(mappings_side_by_side_are_one_memory),
		cmocka_unit_test(an_address_that_cuda_does_not_know_is_reported),
	};

	return cmocka_run_group_tests_name("recorder_memory", tests, NULL, NULL);
}
