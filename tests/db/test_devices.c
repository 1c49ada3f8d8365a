/*
 * Which runs belong to the same device.
 */
#include "context.h"

#include <stdio.h>
#include <stdlib.h>

static int64_t device_of(struct context *context, const struct device_info *device)
{
	struct run run = fixture_run(NULL);
	char *sql;
	int64_t id;

	run.device = *device;
	assert_ok(context, db_run_begin(context->db, &run, &context->err));
	sql = xasprintf("SELECT device_id FROM run WHERE id = %lld", (long long)run.id);
	id = context_query(context, sql);
	free(sql);
	run_release(&run);
	return id;
}

static struct device_info known(void)
{
	struct run run = fixture_run(NULL);
	struct device_info device = run.device;

	run_release(&run);
	return device;
}

/* Runs that know different facts of a device do not make a second device. */
static void test_knowledge_is_put_together(void **state)
{
	struct context *context = *state;
	struct device_info all = known(), some = all, fewer = all;
	struct run run = {0};
	int64_t id;

	some.chip[0] = '\0';
	fewer.sm_clock_max_hz = fewer.memory_bus_bits = 0;
	id = device_of(context, &some);
	assert_int_equal(context_query(context, "SELECT chip IS NULL FROM device"), 1);
	assert_int_equal(device_of(context, &fewer), id);
	assert_int_equal(device_of(context, &some), id);
	assert_ok(context, db_run_load(context->db, 1, false, &run, &context->err));
	assert_string_equal(run.device.chip, all.chip);
	assert_int_equal(run.device.memory_bus_bits, all.memory_bus_bits);
	assert_int_equal(run.device.sm_clock_max_hz, all.sm_clock_max_hz);
	run_release(&run);
}

/* Another driver may report other facts for the same device: the newest facts are stored. */
static void test_the_latest_word_holds(void **state)
{
	struct context *context = *state;
	struct device_info before = known(), after = before;
	int64_t id = device_of(context, &before);

	after.memory_bytes -= 4096;
	assert_int_equal(device_of(context, &after), id);
	assert_int_equal(context_query(context, "SELECT memory_bytes FROM device"),
			 after.memory_bytes);
}

static void test_another_uuid_or_name_is_another_device(void **state)
{
	struct context *context = *state;
	struct device_info one = known(), sibling = one, slice = one;
	int64_t id = device_of(context, &one);

	snprintf(sibling.uuid, sizeof(sibling.uuid), "GPU-ffff");
	snprintf(slice.name, sizeof(slice.name), "NVIDIA H200 MIG 1g.18gb");
	assert_int_not_equal(device_of(context, &sibling), id);
	assert_int_not_equal(device_of(context, &slice), id);
	assert_int_equal(context_query(context, "SELECT count(*) FROM device"), 3);
}

/* An emulated device has no uuid: its facts identify it. */
static void test_without_a_uuid_facts_decide(void **state)
{
	struct context *context = *state;
	struct device_info one = known(), unsure, other;
	int64_t id;

	one.uuid[0] = '\0';
	unsure = other = one;
	unsure.l2_bytes = 0;
	other.sm_count = 144;
	id = device_of(context, &one);
	assert_int_equal(device_of(context, &unsure), id);
	assert_int_not_equal(device_of(context, &other), id);
	one = known();
	assert_int_not_equal(device_of(context, &one), id);
}

#define device_test(function) \
	cmocka_unit_test_setup_teardown(function, context_setup_open, context_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		device_test(test_knowledge_is_put_together),
		device_test(test_the_latest_word_holds),
		device_test(test_another_uuid_or_name_is_another_device),
		device_test(test_without_a_uuid_facts_decide),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
