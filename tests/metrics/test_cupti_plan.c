/* Planning and listing through the real CUPTI host library; no GPU is needed. */
#include "metrics/cupti/cupti_session.h"
#include "tests/metrics/cupti_or_skip.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

static struct cupti_plan *plan_of(const char *chip, const char *words)
{
	struct string_list wanted = {0};
	struct cupti_plan *plan = NULL;
	struct error err = {0};

	string_list_split(&wanted, words, ' ');
	if (cupti_plan_create(&plan, chip, &wanted, NULL, &err))
		fail_msg("%s", err.text);
	string_list_release(&wanted);
	return plan;
}

static void the_library_has_a_version(void **state)
{
	char version[16] = "";

	(void)state;
	assert_int_equal(cupti_load(version, NULL), 0);
	assert_true(strlen(version) >= 4);
}

static void chips_are_listed(void **state)
{
	struct string_list chips = {0};

	(void)state;
	assert_int_equal(cupti_chips(&chips, NULL), 0);
	assert_true(string_list_has(&chips, "GH100"));
	string_list_release(&chips);
}

static void an_unknown_chip_names_its_neighbours(void **state)
{
	struct string_list wanted = {0};
	struct cupti_plan *plan = NULL;
	struct error err = {0};

	(void)state;
	string_list_add(&wanted, "gpu_time_ns");
	assert_int_equal(cupti_plan_create(&plan, "GH10O", &wanted, NULL, &err), PL_EUSAGE);
	assert_non_null(strstr(err.text, "GH100"));
	assert_null(plan);
	assert_int_equal(cupti_plan_create(&plan, "", &wanted, NULL, &err), PL_EUSAGE);
	string_list_release(&wanted);
}

static void counters_of_one_pass_share_it(void **state)
{
	struct cupti_plan *plan = plan_of("GH100", "gpu_time_ns dram_read_bytes dram_bytes");

	(void)state;
	assert_int_equal(cupti_plan_pass_count(plan), 1);
	assert_int_equal(cupti_plan_counter_count(plan), 2);
	assert_int_equal(cupti_plan_missing(plan)->count, 0);
	cupti_plan_free(plan);
}

/* A counter asked for by two names is collected once. */
static void synonyms_are_collected_once(void **state)
{
	struct cupti_plan *plan = plan_of("GH100", "dram_read_bytes dram__bytes_read.sum");

	(void)state;
	assert_int_equal(cupti_plan_counter_count(plan), 1);
	cupti_plan_free(plan);
}

/* CUPTI refuses every name after a bad one; the good ones must come through all the same. */
static void bad_names_do_not_spoil_good_ones(void **state)
{
	struct cupti_plan *plan = plan_of("GH100", "gpu_time_ns nope__nothing.sum dram__bytes_read "
						   "dram_read_bytes dram__bytes_read.bogus");
	const struct string_list *missing = cupti_plan_missing(plan);

	(void)state;
	assert_int_equal(cupti_plan_counter_count(plan), 2);
	assert_int_equal(cupti_plan_pass_count(plan), 1);
	assert_int_equal(missing->count, 3);
	assert_string_equal(missing->items[0],
			    "nope__nothing.sum: chip GH100 has no metric of this name");
	assert_string_equal(
		missing->items[1],
		"dram__bytes_read: the name needs a roll-up such as .sum, .avg or .pct");
	assert_non_null(strstr(missing->items[2], "dram__bytes_read.bogus: "));
	cupti_plan_free(plan);
}

/* Without counters to collect, all values are missing, each with its reason. */
static void what_a_chip_lacks_is_missing_with_its_reason(void **state)
{
	struct cupti_plan *plan = plan_of("GB10B", "dram_read_bytes dram_write_bytes dram_bytes");
	struct counter_list counters = {0};

	(void)state;
	assert_int_equal(cupti_plan_counter_count(plan), 0);
	assert_int_equal(cupti_plan_pass_count(plan), 0);
	assert_int_equal(cupti_plan_evaluate(plan, NULL, 0, 0, &counters, NULL), 0);
	assert_int_equal(counters.count, 3);
	assert_string_equal(counter_list_find(&counters, "dram_read_bytes")->reason,
			    "chip GB10B has no such counter");
	assert_string_equal(counter_list_find(&counters, "dram_bytes")->reason,
			    "needs dram_read_bytes: chip GB10B has no such counter");
	counter_list_release(&counters);
	cupti_plan_free(plan);
}

#define TENSOR_WORDS                                                            \
	"gpu_time_ns tensor_cycles tensor_pipe_instructions tensor_pipe_hfma2 " \
	"tensor_instructions flop_tensor_f64 flop_tensor_bf16"

/* Most cases use no tensor cores, and should not pay for the passes of those counters. */
static void counters_of_tensor_cores_come_in_later_steps(void **state)
{
	struct cupti_plan *plan = plan_of("GH100", TENSOR_WORDS);
	const struct cupti_plan *second = cupti_plan_next(plan), *third = cupti_plan_next(second);

	(void)state;
	assert_int_equal(cupti_plan_counter_count(plan), 2);
	assert_int_equal(cupti_plan_pass_count(plan), 1);
	assert_int_equal(cupti_plan_counter_count(second), 2);
	assert_int_equal(cupti_plan_pass_count(second), 1);
	assert_int_equal(cupti_plan_counter_count(third), 2);
	assert_null(cupti_plan_next(third));
	cupti_plan_free(plan);
}

static void count(struct counter_list *counters, const char *metric, double value)
{
	counter_list_set(counters, metric, "", "", value);
}

static void a_step_applies_only_where_its_condition_may_hold(void **state)
{
	struct cupti_plan *plan = plan_of("GH100", TENSOR_WORDS);
	const struct cupti_plan *second = cupti_plan_next(plan), *third = cupti_plan_next(second);
	struct counter_list counters = {0};

	(void)state;
	assert_true(cupti_plan_applies(second, &counters)); /* the condition is not known */
	count(&counters, "tensor_cycles", 12);
	assert_true(cupti_plan_applies(second, &counters));
	count(&counters, "tensor_instructions", 3);
	assert_true(cupti_plan_applies(third, &counters));
	/* constants that were loaded through the pipe */
	count(&counters, "tensor_instructions", 0);
	assert_false(cupti_plan_applies(third, &counters));
	counter_list_release(&counters);
	count(&counters, "tensor_cycles", 0);
	assert_false(cupti_plan_applies(second, &counters));
	counter_list_set_missing(&counters, "tensor_instructions", "", "", "the chip has none");
	assert_false(cupti_plan_applies(third, &counters));
	counter_list_release(&counters);
	cupti_plan_free(plan);
}

static void a_step_that_does_not_apply_counts_zero(void **state)
{
	struct cupti_plan *plan = plan_of("GH100", TENSOR_WORDS);
	struct counter_list counters = {0};

	(void)state;
	count(&counters, "tensor_cycles", 0);
	for (const struct cupti_plan *step = plan; (step = cupti_plan_next(step)) != NULL;)
		cupti_plan_add_zeroes(step, &counters);
	for (size_t i = 0; i < counters.count; i++)
		assert_true(counters.items[i].has_value && counters.items[i].value == 0);
	assert_int_equal(counters.count, 6);
	assert_string_equal(counter_list_find(&counters, "flop_tensor_bf16")->source,
			    "derived: 0 if tensor_instructions is 0");
	counter_list_release(&counters);
	cupti_plan_free(plan);
}

/* A chip without tensor cores has neither the condition nor the counters: no zero is made up. */
static void a_chip_without_tensor_cores_counts_nothing(void **state)
{
	struct cupti_plan *plan = plan_of("TU117", TENSOR_WORDS);
	struct counter_list counters = {0};

	(void)state;
	for (const struct cupti_plan *step = plan; (step = cupti_plan_next(step)) != NULL;) {
		assert_false(cupti_plan_applies(step, &counters));
		cupti_plan_add_zeroes(step, &counters);
	}
	for (size_t i = 0; i < counters.count; i++)
		assert_false(counters.items[i].has_value);
	counter_list_release(&counters);
	cupti_plan_free(plan);
}

/* CUPTI itself crashes on most of these. */
static void bytes_that_are_no_image_are_refused(void **state)
{
	static const size_t sizes[] = {0, 1, 8, 63, 64, 100, 4096};
	struct cupti_plan *plan = plan_of("GH100", "gpu_time_ns");
	struct string_list names = {0};
	struct counter_list counters = {0};
	struct error err = {0};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		uint8_t *bytes = test_calloc(1, sizes[i] + 1);

		for (int byte = 0; byte < 256; byte++) {
			memset(bytes, byte, sizes[i]);
			assert_int_equal(cupti_image_ranges(plan, bytes, sizes[i], &names, &err),
					 PL_ECORRUPT);
			assert_int_equal(
				cupti_plan_evaluate(plan, bytes, sizes[i], 0, &counters, &err),
				PL_ECORRUPT);
		}
		test_free(bytes);
	}
	assert_int_equal(cupti_image_ranges(plan, NULL, 4096, &names, &err), PL_ECORRUPT);
	assert_int_equal(names.count, 0);
	assert_int_equal(counters.count, 0);
	cupti_plan_free(plan);
}

struct seen {
	size_t count, limit;
	bool found;
};

static int see(void *context, const struct cupti_metric_description *metric)
{
	struct seen *seen = context;

	assert_true(*metric->name);
	if (strcmp(metric->name, "dram__bytes_read") == 0) {
		seen->found = true;
		assert_string_equal(metric->unit, "byte");
		assert_string_equal(metric->kind, "counter");
		assert_true(*metric->description);
	}
	seen->count++;
	return seen->count == seen->limit;
}

static void metrics_of_a_chip_are_listed(void **state)
{
	struct seen all = {0}, some = {0}, few = {.limit = 3};
	struct error err = {0};

	(void)state;
	assert_int_equal(cupti_metrics_visit("GH100", NULL, see, &all, NULL), 0);
	assert_true(all.count > 1000 && all.found);
	assert_int_equal(cupti_metrics_visit("GH100", "dram__bytes*", see, &some, NULL), 0);
	assert_true(some.count > 1 && some.count < 20 && some.found);
	assert_int_equal(cupti_metrics_visit("GH100", NULL, see, &few, NULL), 0);
	assert_int_equal(few.count, 3);
	assert_int_equal(cupti_metrics_visit("GH1000", NULL, see, &few, &err), PL_EUSAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_library_has_a_version),
		cmocka_unit_test(chips_are_listed),
		cmocka_unit_test(an_unknown_chip_names_its_neighbours),
		cmocka_unit_test(counters_of_one_pass_share_it),
		cmocka_unit_test(synonyms_are_collected_once),
		cmocka_unit_test(bad_names_do_not_spoil_good_ones),
		cmocka_unit_test(what_a_chip_lacks_is_missing_with_its_reason),
		cmocka_unit_test(counters_of_tensor_cores_come_in_later_steps),
		cmocka_unit_test(a_step_applies_only_where_its_condition_may_hold),
		cmocka_unit_test(a_step_that_does_not_apply_counts_zero),
		cmocka_unit_test(a_chip_without_tensor_cores_counts_nothing),
		cmocka_unit_test(bytes_that_are_no_image_are_refused),
		cmocka_unit_test(metrics_of_a_chip_are_listed),
	};

	cupti_or_skip();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
