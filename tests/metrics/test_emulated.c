/* The catalogue of the backend ptx, and its counters. */
#include "metrics/catalogue/catalogue.h"
#include "metrics/metrics.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

static const char *const base_names[] = {
#define X(field, name, unit, meaning, worse) name,
	EMULATED_COUNT_LIST(X)
#undef X
};

static void every_row_is_complete(void **state)
{
	size_t count;
	const struct metric *metrics = metric_all_emulated(&count);

	(void)state;
	assert_true(count > ARRAY_SIZE(base_names));
	for (size_t i = 0; i < count; i++) {
		const struct metric *metric = &metrics[i];
		bool is_derived = metric->derive;

		assert_ptr_equal(metric_find(metric->name), metric);
		assert_true(metric->unit && *metric->unit);
		assert_null(strchr(metric->unit, ' '));
		assert_true(metric->meaning && *metric->meaning);
		assert_null(strchr(metric->meaning, '\n'));
		assert_true(metric->sets == 1u << METRIC_SET_PTX);
		assert_true((metric->formula != NULL) == (is_derived || metric->from_launch));
		assert_true((metric->undefined != NULL) == is_derived);
		assert_true((metric->inputs[0] != NULL) == is_derived);
		/* No chip has it, and no clock takes part. */
		assert_null(metric->aliases[0].chip_prefix);
		assert_null(metric_counter_on(metric, "GH100"));
		assert_false(metric->from_samples);
	}
}

/* The name shows that no hardware counted it. */
static void names_tell_the_catalogues_apart(void **state)
{
	size_t count;
	const struct metric *metrics = metric_all_emulated(&count);

	(void)state;
	for (size_t i = 0; i < count; i++) {
		assert_true(metrics[i].emulated);
		assert_true(strncmp(metrics[i].name, "ptx_", 4) == 0);
		assert_null(strstr(metrics[i].name, "__"));
	}
	metrics = metric_all(&count);
	for (size_t i = 0; i < count; i++) {
		assert_false(metrics[i].emulated);
		assert_true(strncmp(metrics[i].name, "ptx_", 4) != 0);
		assert_false(metrics[i].sets & 1u << METRIC_SET_PTX);
	}
}

static void nothing_is_derived_from_both(void **state)
{
	const struct metric *catalogues[2];
	size_t counts[2];

	(void)state;
	catalogues[0] = metric_all(&counts[0]);
	catalogues[1] = metric_all_emulated(&counts[1]);
	for (size_t c = 0; c < 2; c++) {
		for (size_t i = 0; i < counts[c]; i++) {
			const struct metric *metric = &catalogues[c][i];

			for (size_t k = 0; k < METRIC_MAX_INPUTS && metric->inputs[k]; k++) {
				const struct metric *input = metric_find(metric->inputs[k]);

				assert_non_null(input);
				if (input->emulated != metric->emulated)
					fail_msg("%s mixes in %s", metric->name, input->name);
				assert_true(input < metric);
				assert_non_null(strstr(metric->formula, input->name));
			}
		}
	}
}

/* Each count its place in the list, from 1, so that no two are alike. */
static size_t number_all(struct emulated_value values[ARRAY_SIZE(base_names) + 4])
{
	size_t count = 0;

	for (; count < ARRAY_SIZE(base_names); count++)
		values[count] =
			(struct emulated_value){.name = base_names[count], .value = count + 1.0};
	values[count++] = (struct emulated_value){.name = "ptx_compulsory_read_bytes", .value = 64};
	values[count++] =
		(struct emulated_value){.name = "ptx_compulsory_written_bytes", .value = 32};
	values[count++] =
		(struct emulated_value){.name = "ptx_theoretical_occupancy_pct", .value = 75};
	values[count++] = (struct emulated_value){.name = "ptx_relative_error", .value = 0.5};
	return count;
}

static void set_value(struct emulated_value *values, size_t count, const char *name, double value)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(values[i].name, name) == 0) {
			values[i].value = value;
			return;
		}
	}
	fail_msg("no value %s", name);
}

static double value_of(const struct counter_list *counters, const char *name)
{
	const struct counter_value *counter = counter_list_find(counters, name);

	if (!counter || !counter->has_value)
		fail_msg("%s: %s", name, counter ? counter->reason : "not there");
	return counter->value;
}

static void all_rows_are_filled(void **state)
{
	struct emulated_value values[ARRAY_SIZE(base_names) + 4];
	struct counter_list counters = {0};
	size_t given = number_all(values), count;
	const struct metric *metrics = metric_all_emulated(&count);

	(void)state;
	metric_emulated_counters(&counters, values, given, 12, 12);
	assert_int_equal(counters.count, count);
	for (size_t i = 0; i < count; i++) {
		const struct counter_value *counter = &counters.items[i];

		assert_string_equal(counter->metric, metrics[i].name);
		assert_string_equal(counter->unit, metrics[i].unit);
		assert_true(counter->has_value);
		assert_null(strstr(counter->source, "sampled"));
	}
	for (size_t i = 0; i < ARRAY_SIZE(base_names); i++) {
		assert_true(value_of(&counters, base_names[i]) == i + 1.0);
		assert_string_equal(counter_list_find(&counters, base_names[i])->source,
				    "emulated PTX");
	}
	assert_true(value_of(&counters, "ptx_blocks_executed") == 12);
	assert_true(value_of(&counters, "ptx_blocks_total") == 12);
	assert_true(value_of(&counters, "ptx_theoretical_occupancy_pct") == 75);
	assert_string_equal(counter_list_find(&counters, "ptx_theoretical_occupancy_pct")->source,
			    "occupancy calculator");
	counter_list_release(&counters);
}

static void ratios_are_right(void **state)
{
	static const struct {
		const char *name;
		double value;
	} set[] =
		{
			{"ptx_warp_instructions", 10},
			{"ptx_lane_instructions", 240},
			{"ptx_branches", 8},
			{"ptx_divergent_branches", 2},
			{"ptx_global_load_requests", 4},
			{"ptx_global_load_sectors", 16},
			{"ptx_global_store_requests", 2},
			{"ptx_global_store_sectors", 64},
			{"ptx_shared_load_requests", 3},
			{"ptx_shared_store_requests", 2},
			{"ptx_shared_atomic_requests", 5},
			{"ptx_shared_bank_conflicts", 30},
			{"ptx_atomic_serialised", 90},
			{"ptx_global_atomic_requests", 6},
			{"ptx_global_reduction_requests", 7},
			{"ptx_f32_flop", 40},
			{"ptx_f64_flop", 8},
			{"ptx_f16_flop", 100},
			{"ptx_tensor_f64_flop", 1000},
			{"ptx_tensor_tf32_flop", 2000},
			{"ptx_tensor_f16_flop", 3000},
			{"ptx_tensor_bf16_flop", 4000},
			{"ptx_tensor_f8_flop", 5000},
			{"ptx_tensor_integer_operations", 70000},
		},
	  expected[] = {
		  {"ptx_warp_execution_efficiency_pct", 75},
		  {"ptx_branch_efficiency_pct", 75},
		  {"ptx_load_sectors_per_request", 4},
		  {"ptx_store_sectors_per_request", 32},
		  {"ptx_shared_conflicts_per_request", 3},
		  {"ptx_atomic_contention", 5},
		  {"ptx_f32_f64_flop", 48},
		  {"ptx_tensor_flop", 15000},
		  {"ptx_flop", 15148},
		  {"ptx_compulsory_bytes", 96},
		  {"ptx_compulsory_intensity", 15148.0 / 96},
	  };
	struct emulated_value values[ARRAY_SIZE(base_names) + 4];
	struct counter_list counters = {0};
	size_t given = number_all(values), count, derived = 0;
	const struct metric *metrics = metric_all_emulated(&count);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(set); i++)
		set_value(values, given, set[i].name, set[i].value);
	metric_emulated_counters(&counters, values, given, 1, 1);
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
		double value = value_of(&counters, expected[i].name);

		if (value != expected[i].value)
			fail_msg("%s is %g, not %g", expected[i].name, value, expected[i].value);
	}
	for (size_t i = 0; i < count; i++)
		derived += metrics[i].derive != FORMULA_NONE;
	assert_int_equal(derived, ARRAY_SIZE(expected));
	assert_string_equal(counter_list_find(&counters, "ptx_branch_efficiency_pct")->source,
			    "derived: 100 * (ptx_branches - ptx_divergent_branches) / "
			    "ptx_branches");
	counter_list_release(&counters);
}

/* Without a branch, an atomic or shared memory there is no ratio; it is neither 0 nor 100. */
static void undefined_ratios_say_why(void **state)
{
	struct emulated_value values[ARRAY_SIZE(base_names) + 4];
	struct counter_list counters = {0};
	size_t given = number_all(values), count;
	const struct metric *metrics = metric_all_emulated(&count);

	(void)state;
	for (size_t i = 0; i < given; i++)
		values[i].value = 0;
	metric_emulated_counters(&counters, values, given, 0, 0);
	for (size_t i = 0; i < count; i++) {
		const struct counter_value *counter = &counters.items[i];
		bool is_sum = metrics[i].derive && !strchr(metrics[i].formula, '/');

		if (!metrics[i].derive || is_sum) {
			assert_true(counter->has_value);
			continue;
		}
		assert_false(counter->has_value);
		assert_string_equal(counter->reason, metrics[i].undefined);
	}
	counter_list_release(&counters);
}

/* Nothing but divisions and the like: PTX does not say how many operations that is. */
static void operations_that_expand_are_not_0(void **state)
{
	struct emulated_value values[ARRAY_SIZE(base_names) + 4];
	struct counter_list counters = {0};
	size_t given = number_all(values);

	(void)state;
	for (size_t i = 0; i < given; i++)
		values[i].value = strcmp(values[i].name, "ptx_special_operations") == 0 ? 7 : 0;
	metric_emulated_counters(&counters, values, given, 1, 1);
	assert_false(counter_list_find(&counters, "ptx_flop")->has_value);
	assert_non_null(strstr(counter_list_find(&counters, "ptx_flop")->reason, "divisions"));
	assert_false(counter_list_find(&counters, "ptx_compulsory_intensity")->has_value);
	counter_list_release(&counters);
}

static void some_blocks_are_said_to_be_some(void **state)
{
	struct emulated_value values[ARRAY_SIZE(base_names) + 4];
	struct counter_list counters = {0};
	size_t given = number_all(values);

	(void)state;
	metric_emulated_counters(&counters, values, given, 5, 65536);
	for (size_t i = 0; i < counters.count; i++) {
		const struct counter_value *counter = &counters.items[i];
		bool says = strstr(counter->source, ", sampled: 5 of 65536 blocks") != NULL;

		/* Neither is counted. */
		if (strcmp(counter->metric, "ptx_theoretical_occupancy_pct") == 0 ||
		    strcmp(counter->metric, "ptx_relative_error") == 0)
			assert_false(says);
		else if (!says)
			fail_msg("%s: %s", counter->metric, counter->source);
	}
	assert_string_equal(counter_list_find(&counters, "ptx_branches")->source,
			    "emulated PTX, sampled: 5 of 65536 blocks");
	assert_string_equal(counter_list_find(&counters, "ptx_compulsory_intensity")->source,
			    "derived: ptx_flop / ptx_compulsory_bytes, sampled: 5 of "
			    "65536 blocks");
	counter_list_release(&counters);
}

static void what_is_missing_stays_missing(void **state)
{
	const struct emulated_value values[] = {
		{.name = "ptx_branches", .value = 4},
		{.name = "ptx_f32_flop", .value = NAN},
		{.name = "ptx_compulsory_read_bytes", .reason = "sampled blocks touch a part"},
		{.name = "dram_read_bytes", .value = 1},
		{.name = "ptx_nonesuch", .value = 1},
	};
	struct counter_list counters = {0};

	(void)state;
	metric_emulated_counters(&counters, values, ARRAY_SIZE(values), 5, 6);
	assert_true(value_of(&counters, "ptx_branches") == 4);
	assert_string_equal(counter_list_find(&counters, "ptx_branch_efficiency_pct")->reason,
			    "needs ptx_divergent_branches: the emulator did not count it");
	assert_string_equal(counter_list_find(&counters, "ptx_f32_flop")->reason,
			    "the value is not finite");
	assert_string_equal(counter_list_find(&counters, "ptx_compulsory_bytes")->reason,
			    "needs ptx_compulsory_read_bytes: sampled blocks touch a part");
	/* Metrics of another catalogue and unknown metrics are not accepted. */
	assert_null(counter_list_find(&counters, "dram_read_bytes"));
	assert_null(counter_list_find(&counters, "ptx_nonesuch"));
	counter_list_release(&counters);
}

/* ---- requests ---- */

static int request(struct string_list *wanted, const char *words, bool emulated, struct error *err)
{
	struct string_list names = {0};
	int rc;

	string_list_split(&names, words, ',');
	rc = emulated ? metric_request_emulated(wanted, &names, err)
		      : metric_request(wanted, &names, err);
	string_list_release(&names);
	return rc;
}

static void no_gpu_is_asked_for_them(void **state)
{
	static const char *const words[] = {"ptx", "ptx_branches",
					    "core,ptx_branch_efficiency_pct"};
	struct string_list wanted = {0};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		struct error err = {0};

		assert_int_equal(request(&wanted, words[i], false, &err), PL_EUSAGE);
		assert_non_null(strstr(err.text, "only the emulator counts"));
		assert_non_null(strstr(err.text, "--backend ptx"));
		assert_int_equal(wanted.count, 0);
	}
	for (int set = 0; set < METRIC_SET_PTX; set++) {
		assert_int_equal(
			request(&wanted, metric_set_name((enum metric_set)set), false, NULL), 0);
	}
	for (size_t i = 0; i < wanted.count; i++)
		assert_false(metric_find(wanted.items[i])->emulated);
	string_list_release(&wanted);
}

static void the_emulator_is_asked_for_nothing_else(void **state)
{
	static const char *const words[] = {"core", "dram_read_bytes", "dram__bytes_read.sum",
					    "ptx,basic"};
	struct string_list wanted = {0};
	struct error err = {0};
	size_t count;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		assert_int_equal(request(&wanted, words[i], true, &err), PL_EUSAGE);
		assert_non_null(strstr(err.text, "only a GPU counts"));
		assert_int_equal(wanted.count, 0);
	}
	assert_int_equal(request(&wanted, "ptx_brances", true, &err), PL_EUSAGE);
	assert_non_null(strstr(err.text, "did you mean ptx_branches"));
	assert_int_equal(request(&wanted, "qqqqqqqqqqqq", true, &err), PL_EUSAGE);
	assert_null(strstr(err.text, "CUPTI"));

	assert_int_equal(request(&wanted, "ptx_branch_efficiency_pct", true, NULL), 0);
	assert_int_equal(wanted.count, 3);
	assert_string_equal(wanted.items[0], "ptx_branches");
	assert_string_equal(wanted.items[2], "ptx_branch_efficiency_pct");
	assert_int_equal(request(&wanted, "ptx", true, NULL), 0);
	metric_all_emulated(&count);
	assert_int_equal(wanted.count, count);
	string_list_release(&wanted);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_row_is_complete),
		cmocka_unit_test(names_tell_the_catalogues_apart),
		cmocka_unit_test(nothing_is_derived_from_both),
		cmocka_unit_test(all_rows_are_filled),
		cmocka_unit_test(ratios_are_right),
		cmocka_unit_test(undefined_ratios_say_why),
		cmocka_unit_test(operations_that_expand_are_not_0),
		cmocka_unit_test(some_blocks_are_said_to_be_some),
		cmocka_unit_test(what_is_missing_stays_missing),
		cmocka_unit_test(no_gpu_is_asked_for_them),
		cmocka_unit_test(the_emulator_is_asked_for_nothing_else),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
