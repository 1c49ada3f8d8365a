/*
 * Loading, checking a device and collecting with a stand-in for libcupti (fake_cupti.c): the order
 * of the calls, and the messages for errors of CUPTI. Tests on a GPU cover the real library.
 */
#include "metrics/cupti/cupti_session.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

static void assert_says(const struct error *err, const char *part)
{
	if (!strstr(err->text, part))
		fail_msg("'%s' does not say '%s'", err->text, part);
}

static int forget_settings(void **state)
{
	(void)state;
	unsetenv("FAKE_CUPTI_FAIL");
	unsetenv("FAKE_CUPTI_PASSES");
	unsetenv("FAKE_CUPTI_DROPPED");
	unsetenv("FAKE_CUPTI_VGPU");
	return 0;
}

static struct cupti_plan *make_plan(void)
{
	struct string_list wanted = {0};
	struct cupti_plan *plan = NULL;
	struct error err = {0};

	string_list_add(&wanted, "dram_write_bytes");
	string_list_add(&wanted, "dram_read_bytes");
	string_list_add(&wanted, "gpu_time_ns");
	if (cupti_plan_create(&plan, "GH100", &wanted, NULL, &err))
		fail_msg("%s", err.text);
	string_list_release(&wanted);
	return plan;
}

/* Must run first: a loaded library stays loaded. */
static void what_cannot_be_loaded_says_so_and_may_be_tried_again(void **state)
{
	struct error err = {0};
	char version[16] = "";

	(void)state;
	setenv("PERFLAB_CUPTI", "/nonexistent/libcupti.so", 1);
	assert_int_equal(cupti_load(NULL, &err), PL_EUNSUPPORTED);
	assert_says(&err, "/nonexistent/libcupti.so");
	assert_says(&err, "PERFLAB_CUPTI");
	/* Another library, or an old CUPTI, lacks functions. */
	setenv("PERFLAB_CUPTI", "libc.so.6", 1);
	assert_int_equal(cupti_load(NULL, &err), PL_EUNSUPPORTED);
	assert_says(&err, "libc.so.6 (too old: it lacks cuptiGetVersion)");

	setenv("PERFLAB_CUPTI", FAKE_CUPTI, 1);
	if (cupti_load(version, &err))
		fail_msg("%s", err.text);
	assert_string_equal(version, "13.0");
}

/* One pass with these ranges, the names comma-separated. The first error ends it. */
static int run_pass(struct cupti_session *session, const char *names, struct error *err)
{
	struct string_list ranges = {0};
	int rc = 0;

	string_list_split(&ranges, names, ',');
	for (size_t i = 0; i < ranges.count && !rc; i++) {
		rc = cupti_session_range_push(session, ranges.items[i], err);
		if (!rc)
			rc = cupti_session_range_pop(session, err);
	}
	string_list_release(&ranges);
	return rc ? rc : cupti_session_pass_end(session, err);
}

/* Collects ranges a and b to the end, with the first error of any step. */
static int collect(struct cupti_plan *plan, size_t *passes, struct error *err)
{
	struct cupti_session *session = NULL;
	const uint8_t *image;
	size_t image_bytes;
	bool more = true;
	int rc;

	*passes = 0;
	rc = cupti_session_open(&session, plan, NULL, 2, err);
	while (!rc) {
		rc = cupti_session_pass_begin(session, &more, err);
		if (rc || !more)
			break;
		rc = run_pass(session, "a,b", err);
		++*passes;
	}
	if (!rc)
		rc = cupti_session_image(session, &image, &image_bytes, err);
	cupti_session_close(session);
	return rc;
}

static void cases_are_counted_in_the_passes_cupti_wants(void **state)
{
	struct cupti_plan *plan = make_plan();
	struct cupti_session *session;
	struct string_list names = {0};
	struct counter_list counters = {0};
	struct error err = {0};
	const uint8_t *image;
	size_t image_bytes, passes = 0;
	bool more;

	(void)state;
	assert_int_equal(cupti_session_open(&session, plan, NULL, 2, &err), 0);
	while (cupti_session_pass_begin(session, &more, &err) == 0 && more) {
		assert_int_equal(run_pass(session, "first,second", &err), 0);
		passes++;
	}
	assert_int_equal(err.code, 0);
	assert_int_equal(passes, 2);
	assert_int_equal(cupti_session_image(session, &image, &image_bytes, &err), 0);
	assert_int_equal(cupti_image_ranges(plan, image, image_bytes, &names, &err), 0);
	assert_int_equal(names.count, 2);
	assert_string_equal(names.items[1], "second");

	/* Counters are sorted by CUPTI's name: read, write, time; the last is not collected. */
	assert_int_equal(cupti_plan_evaluate(plan, image, image_bytes, 1, &counters, &err), 0);
	assert_int_equal(counters.count, 3);
	assert_true(counter_list_find(&counters, "dram_read_bytes")->value == 200);
	assert_true(counter_list_find(&counters, "dram_write_bytes")->value == 201);
	assert_string_equal(counter_list_find(&counters, "dram_write_bytes")->source,
			    "dram__bytes_write.sum");
	assert_string_equal(counter_list_find(&counters, "gpu_time_ns")->reason,
			    "the counter was not collected");
	assert_int_equal(cupti_plan_evaluate(plan, image, image_bytes, 2, &counters, &err),
			 PL_ENOENT);
	counter_list_release(&counters);
	string_list_release(&names);
	cupti_session_close(session);
	cupti_plan_free(plan);
}

static void a_session_begins_again_with_other_ranges(void **state)
{
	static const char *const ranges[] = {"first,second", "third"};
	const uint8_t *first_image = NULL;
	struct counter_list counters = {0};
	struct cupti_plan *plan = make_plan();
	struct cupti_session *session;
	struct error err = {0};
	const uint8_t *image;
	size_t image_bytes;
	bool more;

	(void)state;
	assert_int_equal(cupti_session_open(&session, plan, NULL, 2, &err), 0);
	assert_int_equal(cupti_session_begin_again(session, &err), PL_EPROTOCOL);
	assert_says(&err, "before the counters of 0 are read");
	err = (struct error){0};
	for (size_t i = 0; i < ARRAY_SIZE(ranges); i++) {
		struct string_list names = {0};
		size_t passes = 0;

		if (i)
			assert_int_equal(cupti_session_begin_again(session, &err), 0);
		while (cupti_session_pass_begin(session, &more, &err) == 0 && more) {
			assert_int_equal(run_pass(session, ranges[i], &err), 0);
			passes++;
		}
		assert_int_equal(passes, 2);
		assert_int_equal(cupti_session_image(session, &image, &image_bytes, &err), 0);
		assert_int_equal(cupti_image_ranges(plan, image, image_bytes, &names, &err), 0);
		assert_int_equal(names.count, 2 - i);
		assert_string_equal(names.items[0], i ? "third" : "first");
		string_list_release(&names);
		if (i == 0)
			first_image = image;
	}
	/* another thread may have evaluated it meanwhile */
	assert_int_equal(cupti_plan_evaluate(plan, first_image, image_bytes, 1, &counters, &err),
			 0);
	assert_true(counter_list_find(&counters, "dram_read_bytes")->value == 200);
	counter_list_release(&counters);
	cupti_session_close(session);
	cupti_plan_free(plan);
}

/* The values of a pass go to the range with the same number: a missing case would shift the rest.
 */
static void passes_must_repeat_the_ranges(void **state)
{
	static const struct {
		const char *second_pass, *says;
	} wrong[] = {
		{"a,c", "'c', but was 'b' in the first pass"},
		{"a", "pass 2 had 1 ranges, but the first had 2"},
		{"a,b,b", "one more than the 2 expected"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		struct cupti_plan *plan = make_plan();
		struct cupti_session *session;
		struct error err = {0};
		bool more;

		assert_int_equal(cupti_session_open(&session, plan, NULL, 9, &err), 0);
		assert_int_equal(cupti_session_pass_begin(session, &more, &err), 0);
		assert_int_equal(run_pass(session, "a,b", &err), 0);
		assert_int_equal(cupti_session_pass_begin(session, &more, &err), 0);
		assert_int_equal(run_pass(session, wrong[i].second_pass, &err), PL_EPROTOCOL);
		assert_says(&err, wrong[i].says);
		cupti_session_close(session);
		cupti_plan_free(plan);
	}
}

static void steps_out_of_order_are_refused(void **state)
{
	struct cupti_plan *plan = make_plan();
	struct cupti_session *session;
	struct error err = {0};
	const uint8_t *image;
	size_t image_bytes;
	bool more;

	(void)state;
	assert_int_equal(cupti_session_open(&session, plan, NULL, 0, &err), PL_EUSAGE);
	assert_int_equal(cupti_session_open(&session, plan, NULL, 1, &err), 0);
	assert_int_equal(cupti_session_range_push(session, "a", &err), PL_EPROTOCOL);
	assert_int_equal(cupti_session_range_pop(session, &err), PL_EPROTOCOL);
	assert_int_equal(cupti_session_pass_end(session, &err), PL_EPROTOCOL);
	assert_int_equal(cupti_session_image(session, &image, &image_bytes, &err), PL_EPROTOCOL);
	assert_int_equal(cupti_session_pass_begin(session, &more, &err), 0);
	assert_int_equal(cupti_session_pass_begin(session, &more, &err), PL_EPROTOCOL);
	assert_int_equal(cupti_session_range_push(session, "a", &err), 0);
	assert_int_equal(cupti_session_range_push(session, "b", &err), PL_EPROTOCOL);
	assert_int_equal(cupti_session_pass_end(session, &err), PL_EPROTOCOL);
	assert_int_equal(cupti_session_range_pop(session, &err), 0);
	assert_int_equal(cupti_session_range_push(session, "b", &err), PL_EPROTOCOL);
	assert_says(&err, "one more than the 1 expected");
	cupti_session_close(session);
	cupti_plan_free(plan);
}

static void every_refusal_names_function_and_result(void **state)
{
	static const char *const functions[] = {
		"cuptiProfilerInitialize",
		"cuptiRangeProfilerEnable",
		"cuptiRangeProfilerGetCounterDataSize",
		"cuptiRangeProfilerCounterDataImageInitialize",
		"cuptiRangeProfilerSetConfig",
		"cuptiRangeProfilerStart",
		"cuptiRangeProfilerPushRange",
		"cuptiRangeProfilerPopRange",
		"cuptiRangeProfilerStop",
		"cuptiRangeProfilerDecodeData",
	};
	struct cupti_plan *plan = make_plan();

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(functions); i++) {
		char *fail = xasprintf("%s=9", functions[i]);
		char *says = xasprintf("%s: CUPTI_ERROR_FAKE (9)", functions[i]);
		struct error err = {0};
		size_t passes;

		setenv("FAKE_CUPTI_FAIL", fail, 1);
		assert_int_equal(collect(plan, &passes, &err), PL_EDEVICE);
		assert_says(&err, says);
		free(says);
		free(fail);
	}
	cupti_plan_free(plan);
}

static void dropped_ranges_are_an_error(void **state)
{
	struct cupti_plan *plan = make_plan();
	struct error err = {0};
	size_t passes;

	(void)state;
	setenv("FAKE_CUPTI_DROPPED", "1", 1);
	assert_int_equal(collect(plan, &passes, &err), PL_EDEVICE);
	assert_says(&err, "dropped 1 of 2 ranges");
	cupti_plan_free(plan);
}

static void passes_come_to_an_end_even_if_cupti_does_not(void **state)
{
	struct cupti_plan *plan = make_plan();
	struct error err = {0};
	size_t passes;

	(void)state;
	setenv("FAKE_CUPTI_PASSES", "1000000", 1);
	assert_int_equal(collect(plan, &passes, &err), PL_EDEVICE);
	assert_says(&err, "still wants passes");
	assert_true(passes < 50);
	cupti_plan_free(plan);
}

static void a_good_device_gives_its_chip(void **state)
{
	char chip[16] = "";
	uint8_t *availability = NULL;

	(void)state;
	assert_int_equal(cupti_device_check(NULL, 0, chip, NULL, NULL), 0);
	assert_string_equal(chip, "GH100");
	assert_int_equal(cupti_device_check(NULL, 0, chip, &availability, NULL), 0);
	assert_int_equal(availability[15], 2);
	free(availability);
}

/* In advance, while another process measures: a failure is reported here and again later. */
static void cupti_can_be_hooked_before_a_device_is_checked(void **state)
{
	struct error err = {0};
	char chip[16] = "";

	(void)state;
	setenv("FAKE_CUPTI_FAIL", "cuptiProfilerInitialize=39", 1);
	assert_int_equal(cupti_hook(&err), PL_EUNSUPPORTED);
	assert_says(&err, "another profiler holds the");
	unsetenv("FAKE_CUPTI_FAIL");
	assert_int_equal(cupti_hook(NULL), 0);
	assert_int_equal(cupti_device_check(NULL, 0, chip, NULL, NULL), 0);
	assert_string_equal(chip, "GH100");
}

static void a_refused_device_says_why_and_what_to_do(void **state)
{
	static const struct {
		const char *fail;
		int code;
		const char *says;
	} refusals[] = {
		{"cuptiProfilerInitialize=39", PL_EUNSUPPORTED, "another profiler holds the"},
		{"cuptiProfilerInitialize=999", PL_EUNSUPPORTED, "no usable NVIDIA driver"},
		{"cuptiProfilerGetCounterAvailability=35", PL_EUNSUPPORTED,
		 "cuptiProfilerGetCounterAvailability: CUPTI_ERROR_INSUFFICIENT_PRIVILEGES (35)"},
		{"cuptiProfilerGetCounterAvailability=35", PL_EUNSUPPORTED,
		 "NVreg_RestrictProfilingToAdminUsers=0"},
		{"cuptiProfilerGetCounterAvailability=26", PL_EBUSY, "dcgmi profile --pause"},
		{"cuptiProfilerGetCounterAvailability=43", PL_EUNSUPPORTED, "MIG"},
		{"cuptiProfilerDeviceSupported=2", PL_EDEVICE, "cuptiProfilerDeviceSupported"},
	};
	struct error err = {0};
	char chip[16] = "";

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(refusals); i++) {
		setenv("FAKE_CUPTI_FAIL", refusals[i].fail, 1);
		assert_int_equal(cupti_device_check(NULL, 0, chip, NULL, &err), refusals[i].code);
		assert_says(&err, refusals[i].says);
	}
	unsetenv("FAKE_CUPTI_FAIL");
	setenv("FAKE_CUPTI_VGPU", "1", 1);
	assert_int_equal(cupti_device_check(NULL, 0, chip, NULL, &err), PL_EUNSUPPORTED);
	assert_says(&err, "virtual GPU");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_cannot_be_loaded_says_so_and_may_be_tried_again),
		cmocka_unit_test_setup(cases_are_counted_in_the_passes_cupti_wants,
				       forget_settings),
		cmocka_unit_test_setup(a_session_begins_again_with_other_ranges, forget_settings),
		cmocka_unit_test_setup(passes_must_repeat_the_ranges, forget_settings),
		cmocka_unit_test_setup(steps_out_of_order_are_refused, forget_settings),
		cmocka_unit_test_setup(every_refusal_names_function_and_result, forget_settings),
		cmocka_unit_test_setup(dropped_ranges_are_an_error, forget_settings),
		cmocka_unit_test_setup(passes_come_to_an_end_even_if_cupti_does_not,
				       forget_settings),
		cmocka_unit_test_setup(a_good_device_gives_its_chip, forget_settings),
		cmocka_unit_test_setup(cupti_can_be_hooked_before_a_device_is_checked,
				       forget_settings),
		cmocka_unit_test_setup(a_refused_device_says_why_and_what_to_do, forget_settings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
