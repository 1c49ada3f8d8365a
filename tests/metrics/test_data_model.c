#include "metrics/metrics.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

static void statuses_have_names_and_come_back(void **state)
{
	enum trial_status status;

	(void)state;
	for (int i = TRIAL_PENDING; i <= TRIAL_FAILED; i++) {
		assert_true(trial_status_parse(&status, trial_status_name((enum trial_status)i)));
		assert_int_equal(status, i);
	}
	assert_string_equal(trial_status_name(TRIAL_OUT_OF_MEMORY), "out_of_memory");
	status = TRIAL_CRASHED;
	assert_false(trial_status_parse(&status, "OK"));
	assert_false(trial_status_parse(&status, ""));
	assert_int_equal(status, TRIAL_CRASHED);
}

static void skipped_and_pending_are_no_failures(void **state)
{
	(void)state;
	assert_false(trial_status_is_failure(TRIAL_OK));
	assert_false(trial_status_is_failure(TRIAL_PENDING));
	assert_false(trial_status_is_failure(TRIAL_SKIPPED));
	assert_true(trial_status_is_failure(TRIAL_MISMATCH));
	assert_true(trial_status_is_failure(TRIAL_TIMEOUT));
	assert_true(trial_status_is_failure(TRIAL_FAILED));
}

static void an_unverified_trial_is_measured_but_not_ok(void **state)
{
	(void)state;
	assert_false(trial_status_is_failure(TRIAL_UNVERIFIED));
	for (int i = 0; i < TRIAL_STATUS_COUNT; i++) {
		assert_int_equal(trial_status_measured((enum trial_status)i),
				 i == TRIAL_OK || i == TRIAL_UNVERIFIED);
		assert_int_equal(trial_status_counted((enum trial_status)i),
				 i == TRIAL_OK || i == TRIAL_UNVERIFIED || i == TRIAL_SAMPLED);
	}
}

static void a_counter_has_a_value_or_a_reason(void **state)
{
	struct counter_list list = {0};
	const struct counter_value *counter;

	(void)state;
	counter_list_set(&list, "a", "byte", "dram__bytes.sum", 12.5);
	counter_list_set_missing(&list, "b", "percent", "x__y.pct", "no such counter");
	counter_list_set(&list, "c", "byte", "s", NAN);
	counter_list_set(&list, "d", "byte", "s", INFINITY);
	assert_int_equal(list.count, 4);

	counter = counter_list_find(&list, "a");
	assert_true(counter->has_value);
	assert_true(counter->value == 12.5);
	assert_string_equal(counter->unit, "byte");
	assert_string_equal(counter->source, "dram__bytes.sum");
	assert_null(counter->reason);

	counter = counter_list_find(&list, "b");
	assert_false(counter->has_value);
	assert_true(isnan(counter->value));
	assert_string_equal(counter->reason, "no such counter");

	assert_false(counter_list_find(&list, "c")->has_value);
	assert_non_null(counter_list_find(&list, "c")->reason);
	assert_false(counter_list_find(&list, "d")->has_value);
	assert_null(counter_list_find(&list, "e"));
	counter_list_release(&list);
	assert_int_equal(list.count, 0);
	counter_list_release(&list);
}

static void setting_again_replaces(void **state)
{
	struct counter_list list = {0};

	(void)state;
	counter_list_set_missing(&list, "a", "byte", "s", "not yet");
	counter_list_set(&list, "b", "byte", "s", 1);
	counter_list_set(&list, "a", "byte", "s", 2);
	counter_list_set_missing(&list, "b", "byte", "s", "gone");
	assert_int_equal(list.count, 2);
	assert_true(counter_list_find(&list, "a")->has_value);
	assert_null(counter_list_find(&list, "a")->reason);
	assert_false(counter_list_find(&list, "b")->has_value);
	assert_string_equal(counter_list_find(&list, "b")->reason, "gone");
	counter_list_release(&list);
}

static void unknown_launch_facts_are_not_zero(void **state)
{
	(void)state;
	assert_int_equal(launch_facts_unknown.registers_per_thread, -1);
	assert_int_equal(launch_facts_unknown.shared_static_bytes, -1);
	assert_int_equal(launch_facts_unknown.shared_dynamic_bytes, -1);
	assert_int_equal(launch_facts_unknown.local_bytes_per_thread, -1);
	assert_true(isnan(launch_facts_unknown.theoretical_occupancy_pct));
	assert_string_equal(launch_facts_unknown.occupancy_limiter, "");
}

static const struct field *field_of(const struct field_list *list, const char *name)
{
	for (size_t i = 0; i < list->count; i++)
		if (!strcmp(list->items[i].name, name))
			return &list->items[i];
	fail_msg("no field '%s'", name);
	return NULL;
}

/* A database may hold any number, also one that no worker sends. */
static void a_field_below_its_range_is_not_known(void **state)
{
	struct launch_facts facts = launch_facts_unknown;
	struct device_info device = {.cc_major = 9};
	const struct field *registers = field_of(&launch_fields, "registers_per_thread");

	(void)state;
	assert_false(field_read(registers, &facts).known);
	facts.registers_per_thread = -7;
	assert_false(field_read(registers, &facts).known);
	facts.registers_per_thread = 0;
	assert_true(field_read(registers, &facts).known);
	assert_false(field_read(field_of(&launch_fields, "code_kind"), &facts).known);
	assert_false(
		field_read(field_of(&launch_fields, "theoretical_occupancy_pct"), &facts).known);
	assert_false(field_read(field_of(&device_fields, "sm_count"), &device).known);
	assert_true(field_read(field_of(&device_fields, "cc_minor"), &device).known);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(statuses_have_names_and_come_back),
		cmocka_unit_test(skipped_and_pending_are_no_failures),
		cmocka_unit_test(an_unverified_trial_is_measured_but_not_ok),
		cmocka_unit_test(a_counter_has_a_value_or_a_reason),
		cmocka_unit_test(setting_again_replaces),
		cmocka_unit_test(unknown_launch_facts_are_not_zero),
		cmocka_unit_test(a_field_below_its_range_is_not_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
