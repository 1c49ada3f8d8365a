#include "metrics/catalogue/catalogue.h"
#include "metrics/metrics.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

/* Requests comma-separated words; the list of what is wanted is the caller's. */
static int request(struct string_list *wanted, const char *words, struct error *err)
{
	struct string_list names = {0};
	int rc;

	string_list_split(&names, words, ',');
	rc = metric_request(wanted, &names, err);
	string_list_release(&names);
	return rc;
}

static size_t position(const struct string_list *list, const char *name)
{
	for (size_t i = 0; i < list->count; i++) {
		if (strcmp(list->items[i], name) == 0)
			return i;
	}
	fail_msg("%s is not wanted", name);
	return 0;
}

static void a_set_is_its_members_and_their_inputs(void **state)
{
	struct string_list wanted = {0};
	const struct metric *metrics;
	size_t count;

	(void)state;
	assert_int_equal(request(&wanted, "divergence", NULL), 0);
	metrics = metric_all(&count);
	for (size_t i = 0; i < count; i++) {
		if (metrics[i].sets & 1u << METRIC_SET_DIVERGENCE)
			position(&wanted, metrics[i].name);
	}
	assert_false(string_list_has(&wanted, "dram_read_bytes"));
	string_list_release(&wanted);
}

static void inputs_come_before_what_needs_them(void **state)
{
	struct string_list wanted = {0};

	(void)state;
	assert_int_equal(request(&wanted, "intensity_dram", NULL), 0);
	assert_true(position(&wanted, "f32_fma") < position(&wanted, "flop_f32"));
	assert_true(position(&wanted, "flop_f32") < position(&wanted, "flop_f32_f64"));
	assert_true(position(&wanted, "dram_read_bytes") < position(&wanted, "dram_bytes"));
	assert_int_equal(position(&wanted, "intensity_dram"), wanted.count - 1);
	string_list_release(&wanted);
}

static void nothing_is_wanted_twice(void **state)
{
	struct string_list wanted = {0};

	(void)state;
	assert_int_equal(request(&wanted, "core,basic,dram_bytes,a__b.sum,a__b.sum", NULL), 0);
	assert_int_equal(request(&wanted, "memory,a__b.sum", NULL), 0);
	for (size_t i = 0; i < wanted.count; i++)
		assert_int_equal(position(&wanted, wanted.items[i]), i);
	position(&wanted, "a__b.sum");
	string_list_release(&wanted);
}

static void an_unknown_word_names_its_neighbours(void **state)
{
	struct string_list wanted = {0};
	struct error err = {0};

	(void)state;
	assert_int_equal(request(&wanted, "basic,dram_raed_bytes", &err), PL_EUSAGE);
	assert_non_null(strstr(err.text, "'dram_raed_bytes'"));
	assert_non_null(strstr(err.text, "dram_read_bytes"));
	assert_int_equal(wanted.count, 0);

	assert_int_equal(request(&wanted, "cor", &err), PL_EUSAGE);
	assert_non_null(strstr(err.text, "core"));
	assert_int_equal(request(&wanted, "", &err), PL_EUSAGE);
	assert_int_equal(request(&wanted, "qqqqqqqq", &err), PL_EUSAGE);
	assert_non_null(strstr(err.text, "perflab list metrics"));
	static const char *const malformed[] = {
		"nonsense__metric",    "dram__bytes", "dram__bytes.", "dram__bytes.total",
		"dram__bytes.summer",  "__bytes.sum", "dram__.sum",   "a.b__c",
		"dram__bytes.sums.avg"};

	/* What would reach CUPTI is letters, digits, dots and underscores only. */
	assert_int_equal(request(&wanted, "dram__bytes; rm", &err), PL_EUSAGE);
	assert_int_equal(wanted.count, 0);
	for (size_t i = 0; i < ARRAY_SIZE(malformed); i++) {
		assert_int_equal(request(&wanted, malformed[i], &err), PL_EUSAGE);
		assert_non_null(strstr(err.text, "UNIT__COUNTER.ROLLUP"));
	}
	assert_int_equal(wanted.count, 0);
	/* without a GPU that could be asked */
	assert_int_equal(metric_unit_check("nonsense__metric.sum", &err), PL_EUSAGE);
	assert_non_null(strstr(err.text, "'nonsense'"));
	assert_int_equal(metric_unit_check("l1__t.sum", &err), PL_EUSAGE);
	assert_int_equal(metric_unit_check("l1tex__t_sectors.sum", &err), 0);
	string_list_release(&wanted);
}

static void derived_metrics_are_computed(void **state)
{
	struct string_list wanted = {0};
	struct counter_list counters = {0};
	const struct counter_value *value;

	(void)state;
	assert_int_equal(
		request(&wanted, "branch_efficiency_pct,intensity_dram,dram_bytes_per_s", NULL), 0);
	counter_list_set(&counters, "branch_targets", "branch_target", "s", 400);
	counter_list_set(&counters, "branch_targets_uniform", "branch_target", "s", 300);
	counter_list_set(&counters, "dram_read_bytes", "byte", "s", 3000);
	counter_list_set(&counters, "dram_write_bytes", "byte", "s", 1000);
	counter_list_set(&counters, "f16_add", "instruction", "s", 1);
	counter_list_set(&counters, "f16_mul", "instruction", "s", 2);
	counter_list_set(&counters, "f16_fma", "instruction", "s", 4);
	counter_list_set(&counters, "f32_add", "instruction", "s", 10);
	counter_list_set(&counters, "f32_mul", "instruction", "s", 20);
	counter_list_set(&counters, "f32_fma", "instruction", "s", 40);
	counter_list_set(&counters, "f64_add", "instruction", "s", 100);
	counter_list_set(&counters, "f64_mul", "instruction", "s", 200);
	counter_list_set(&counters, "f64_fma", "instruction", "s", 400);
	metric_derive(&counters, &wanted);
	assert_null(counter_list_find(&counters, "dram_bytes_per_s"));
	metric_derive_rates(&counters, &wanted, 2000);

	value = counter_list_find(&counters, "branch_efficiency_pct");
	assert_true(value->has_value);
	assert_true(value->value == 75);
	assert_string_equal(value->unit, "percent");
	assert_string_equal(value->source,
			    "derived: 100 * branch_targets_uniform / branch_targets");
	assert_true(counter_list_find(&counters, "dram_bytes")->value == 4000);
	/* 4000 bytes in 2 us are 2 GB/s. */
	assert_true(counter_list_find(&counters, "dram_bytes_per_s")->value == 2e9);
	assert_true(counter_list_find(&counters, "flop_f32")->value == 110);
	assert_true(counter_list_find(&counters, "flop_f64")->value == 1100);
	/* Half precision is left out: the compiler loads constants with HFMA2. */
	assert_true(counter_list_find(&counters, "flop_f32_f64")->value == 1210);
	assert_true(counter_list_find(&counters, "intensity_dram")->value == 1210.0 / 4000);
	counter_list_release(&counters);
	string_list_release(&wanted);
}

static void without_a_branch_efficiency_is_undefined_not_zero(void **state)
{
	struct string_list wanted = {0};
	struct counter_list counters = {0};
	const struct counter_value *value;

	(void)state;
	assert_int_equal(request(&wanted, "branch_efficiency_pct", NULL), 0);
	counter_list_set(&counters, "branch_targets", "branch_target", "s", 0);
	counter_list_set(&counters, "branch_targets_uniform", "branch_target", "s", 0);
	metric_derive(&counters, &wanted);
	value = counter_list_find(&counters, "branch_efficiency_pct");
	assert_false(value->has_value);
	assert_string_equal(value->reason, "the kernel executed no branch");
	counter_list_release(&counters);
	string_list_release(&wanted);
}

/* Asynchronous copies add to the sectors, not to the requests; a request has at most 32 sectors. */
static void more_sectors_than_lanes_are_no_ratio(void **state)
{
	struct string_list wanted = {0};

	(void)state;
	assert_int_equal(request(&wanted, "global_load_sectors_per_request", NULL), 0);
	for (int sectors = 64; sectors <= 65; sectors++) {
		struct counter_list counters = {0};
		const struct counter_value *value;

		counter_list_set(&counters, "global_load_sectors", "sector", "s", sectors);
		counter_list_set(&counters, "global_load_requests", "request", "s", 2);
		metric_derive(&counters, &wanted);
		value = counter_list_find(&counters, "global_load_sectors_per_request");
		assert_int_equal(value->has_value, sectors == 64);
		if (sectors > 64)
			assert_string_equal(value->reason,
					    "the kernel loaded nothing from global memory, "
					    "or only asynchronously");
		counter_list_release(&counters);
	}
	string_list_release(&wanted);
}

/* Through two levels: intensity needs flop_f32_f64, which needs flop_f64, which needs f64_mul. */
static void a_missing_input_is_named(void **state)
{
	struct string_list wanted = {0};
	struct counter_list counters = {0};
	const struct counter_value *value;

	(void)state;
	assert_int_equal(request(&wanted, "flop_f32_f64,dram_bytes", NULL), 0);
	counter_list_set_missing(&counters, "dram_read_bytes", "byte", "s",
				 "chip GB10B has no such counter");
	counter_list_set(&counters, "dram_write_bytes", "byte", "s", 1);
	for (size_t i = 0; i < wanted.count; i++) {
		if (metric_counter_on(metric_find(wanted.items[i]), "GH100") &&
		    strcmp(wanted.items[i], "f64_mul") != 0 &&
		    !counter_list_find(&counters, wanted.items[i]))
			counter_list_set(&counters, wanted.items[i], "u", "s", 1);
	}
	metric_derive(&counters, &wanted);
	value = counter_list_find(&counters, "dram_bytes");
	assert_false(value->has_value);
	assert_string_equal(value->reason, "needs dram_read_bytes: chip GB10B has no such counter");
	value = counter_list_find(&counters, "flop_f32_f64");
	assert_false(value->has_value);
	assert_string_equal(value->reason,
			    "needs flop_f64: needs f64_mul, which was not collected");
	assert_true(counter_list_find(&counters, "flop_f32")->has_value);
	counter_list_release(&counters);
	string_list_release(&wanted);
}

/* Deriving needs the inputs, not their order among what is wanted. */
static void derived_inputs_are_derived_first(void **state)
{
	struct string_list wanted = {0};
	struct counter_list counters = {0};

	(void)state;
	string_list_add(&wanted, "dram_bytes_per_s");
	string_list_add(&wanted, "some__cupti_name.sum");
	string_list_add(&wanted, "theoretical_occupancy_pct");
	counter_list_set(&counters, "dram_read_bytes", "byte", "s", 1);
	counter_list_set(&counters, "dram_write_bytes", "byte", "s", 1);
	metric_derive_rates(&counters, &wanted, 1);
	assert_true(counter_list_find(&counters, "dram_bytes_per_s")->value == 2e9);
	metric_derive_rates(&counters, &wanted, NAN);
	assert_false(counter_list_find(&counters, "dram_bytes_per_s")->has_value);
	assert_string_equal(counter_list_find(&counters, "dram_bytes_per_s")->reason,
			    "needs timed samples, and there are none");
	assert_null(counter_list_find(&counters, "theoretical_occupancy_pct"));
	counter_list_release(&counters);
	string_list_release(&wanted);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_set_is_its_members_and_their_inputs),
		cmocka_unit_test(inputs_come_before_what_needs_them),
		cmocka_unit_test(nothing_is_wanted_twice),
		cmocka_unit_test(an_unknown_word_names_its_neighbours),
		cmocka_unit_test(derived_metrics_are_computed),
		cmocka_unit_test(without_a_branch_efficiency_is_undefined_not_zero),
		cmocka_unit_test(more_sectors_than_lanes_are_no_ratio),
		cmocka_unit_test(a_missing_input_is_named),
		cmocka_unit_test(derived_inputs_are_derived_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
