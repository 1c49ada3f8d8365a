#include "metrics/catalogue/catalogue.h"
#include "metrics/metrics.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

static void every_row_is_complete(void **state)
{
	const struct metric *metrics;
	size_t count;

	(void)state;
	metrics = metric_all(&count);
	assert_true(count > 30);
	for (size_t i = 0; i < count; i++) {
		const struct metric *metric = &metrics[i];
		bool is_counter = metric->aliases[0].chip_prefix != NULL;
		bool is_derived = metric->derive;

		assert_true(metric->unit && *metric->unit);
		assert_null(strchr(metric->unit, ' '));
		assert_true(metric->meaning && *metric->meaning);
		assert_null(strchr(metric->meaning, '\n'));
		/* These characters distinguish sets and CUPTI names from catalogue names. */
		assert_null(strstr(metric->name, "__"));
		assert_int_equal(
			is_counter + is_derived + metric->from_launch + metric->from_samples, 1);
		assert_true((metric->formula != NULL) == !is_counter);
		assert_true((metric->undefined != NULL) == is_derived);
		assert_true((metric->inputs[0] != NULL) == is_derived);
		assert_true(metric->sets < 1u << METRIC_SET_COUNT);
	}
}

static void names_are_unique_and_no_set_names(void **state)
{
	const struct metric *metrics;
	enum metric_set set;
	size_t count;

	(void)state;
	metrics = metric_all(&count);
	for (size_t i = 0; i < count; i++) {
		assert_ptr_equal(metric_find(metrics[i].name), &metrics[i]);
		assert_false(metric_set_parse(&set, metrics[i].name));
	}
	assert_null(metric_find("nonesuch"));
	assert_null(metric_find(""));
}

/* Inputs precede derived metrics in the table, so there is no cycle. */
static void inputs_exist_and_come_first(void **state)
{
	const struct metric *metrics;
	size_t count;

	(void)state;
	metrics = metric_all(&count);
	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < METRIC_MAX_INPUTS && metrics[i].inputs[k]; k++) {
			const struct metric *input = metric_find(metrics[i].inputs[k]);

			if (!input || input >= &metrics[i])
				fail_msg("%s needs %s, which does not stand before it",
					 metrics[i].name, metrics[i].inputs[k]);
			/* The formula names every input. */
			assert_non_null(strstr(metrics[i].formula, input->name));
		}
	}
}

/* From the same sweep, counted twice on an H200; docs/methodology.md. */
static void what_repeats_is_exact(void **state)
{
	static const char *const exact[] = {
		"instructions",
		"branch_targets_divergent",
		"branch_efficiency_pct",
		"threads_per_instruction",
		"flop_f32_f64",
		"global_load_sectors",
		"shared_load_wavefronts_per_request",
		"launches",
		"theoretical_occupancy_pct",
		"ptx_warp_instructions",
		"ptx_branch_efficiency_pct",
		"ptx_blocks_total",
		"ptx_compulsory_intensity",
	};
	static const char *const varies[] = {
		"gpu_time_ns",
		"sm_cycles",
		"achieved_occupancy_pct",
		"dram_bytes",
		"l2_bytes",
		"l2_from_l1_bytes",
		"global_load_requests",
		"global_load_sectors_per_request",
		"shared_load_bank_conflicts",
		"shared_load_wavefronts",
		"shared_bytes",
		"intensity_dram",
		"flop_per_s",
		"median_time_ns",
		"ptx_blocks_executed",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(exact); i++)
		if (!metric_is_exact(metric_find(exact[i])))
			fail_msg("%s does not repeat", exact[i]);
	for (size_t i = 0; i < ARRAY_SIZE(varies); i++)
		if (metric_is_exact(metric_find(varies[i])))
			fail_msg("%s repeats", varies[i]);
}

static void some_changes_are_for_the_worse(void **state)
{
	(void)state;
	assert_int_equal(metric_find("branch_targets_divergent")->worse, WORSE_MORE);
	assert_int_equal(metric_find("branch_efficiency_pct")->worse, WORSE_LESS);
	assert_int_equal(metric_find("ptx_shared_bank_conflicts")->worse, WORSE_MORE);
	assert_int_equal(metric_find("ptx_warp_execution_efficiency_pct")->worse, WORSE_LESS);
	/* a device's cases are judged by time; an emulator has only counts */
	assert_int_equal(metric_find("instructions")->worse, WORSE_NEITHER);
	assert_int_equal(metric_find("ptx_warp_instructions")->worse, WORSE_MORE);
	/* more occupancy is not always faster */
	assert_int_equal(metric_find("achieved_occupancy_pct")->worse, WORSE_NEITHER);
}

/* The last alias applies to every other chip; NULL means "not on this chip". */
static void aliases_end_with_every_chip(void **state)
{
	const struct metric *metrics;
	size_t count;

	(void)state;
	metrics = metric_all(&count);
	for (size_t i = 0; i < count; i++) {
		const struct metric_alias *last = NULL;

		for (size_t a = 0; a < METRIC_MAX_ALIASES; a++) {
			if (!metrics[i].aliases[a].chip_prefix)
				break;
			last = &metrics[i].aliases[a];
			if (last->counter)
				assert_non_null(strstr(last->counter, "__"));
		}
		if (last) {
			assert_string_equal(last->chip_prefix, "");
			assert_non_null(last->counter);
		}
	}
}

static void no_set_is_empty(void **state)
{
	const struct metric *metrics;
	size_t count;

	(void)state;
	for (int s = 0; s < METRIC_SET_COUNT; s++) {
		enum metric_set set;
		size_t members = 0;

		assert_true(metric_set_parse(&set, metric_set_name((enum metric_set)s)));
		assert_int_equal(set, s);
		assert_true(*metric_set_meaning(set));
		metrics = set == METRIC_SET_PTX ? metric_all_emulated(&count) : metric_all(&count);
		for (size_t i = 0; i < count; i++)
			members += (metrics[i].sets & 1u << s) != 0;
		assert_true(members > 0);
	}
}

static void core_holds_all_of_basic(void **state)
{
	const struct metric *metrics;
	size_t count;

	(void)state;
	metrics = metric_all(&count);
	for (size_t i = 0; i < count; i++) {
		if (metrics[i].sets & 1u << METRIC_SET_BASIC)
			assert_true(metrics[i].sets & 1u << METRIC_SET_CORE);
	}
}

static void a_chip_may_name_a_counter_otherwise(void **state)
{
	const struct metric *read = metric_find("dram_read_bytes");

	(void)state;
	assert_string_equal(metric_counter_on(read, "GH100"), "dram__bytes_read.sum");
	assert_string_equal(metric_counter_on(read, "GB100"), "dram__bytes_read.sum");
	assert_string_equal(metric_counter_on(read, "GB202"), "dram__bytes_op_read.sum");
	assert_null(metric_counter_on(read, "GB20B"));
	assert_null(metric_counter_on(metric_find("branch_efficiency_pct"), "GH100"));
	assert_null(metric_counter_on(metric_find("theoretical_occupancy_pct"), "GH100"));
}

static void passes_are_recorded_by_chip(void **state)
{
	(void)state;
	assert_int_equal(metric_set_recorded_passes(METRIC_SET_BASIC, "GH100"), 2);
	assert_int_equal(metric_set_recorded_passes(METRIC_SET_CORE, "GH100"), 4);
	assert_int_equal(metric_set_recorded_passes(METRIC_SET_BASIC, "GH"), 0);
	assert_int_equal(metric_set_recorded_passes(METRIC_SET_BASIC, ""), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_row_is_complete),
		cmocka_unit_test(what_repeats_is_exact),
		cmocka_unit_test(some_changes_are_for_the_worse),
		cmocka_unit_test(names_are_unique_and_no_set_names),
		cmocka_unit_test(inputs_exist_and_come_first),
		cmocka_unit_test(aliases_end_with_every_chip),
		cmocka_unit_test(no_set_is_empty),
		cmocka_unit_test(core_holds_all_of_basic),
		cmocka_unit_test(a_chip_may_name_a_counter_otherwise),
		cmocka_unit_test(passes_are_recorded_by_chip),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
