/* The parts of a meter add up to the time since it was started, whatever is entered and moved. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "metrics/meter.h"

/* Lets the clock of the meter advance. */
static void pass_time(void)
{
	const int64_t begun_ns = monotonic_ns();

	while (monotonic_ns() == begun_ns)
		continue;
}

static int64_t sum_of(const struct meter *meter)
{
	int64_t sum = 0;

	for (int part = 0; part < RUN_PART_COUNT; part++) {
		assert_true(meter->ns[part] >= 0);
		sum += meter->ns[part];
	}
	return sum;
}

static void test_parts_add_up(void **state)
{
	struct meter meter;
	int64_t begun_ns;

	(void)state;
	meter_start(&meter);
	begun_ns = meter.since_ns;
	assert_int_equal(meter.current, RUN_PART_OTHER);
	for (int part = 0; part < RUN_PART_COUNT; part++) {
		meter_enter(&meter, (enum run_part)part);
		pass_time();
	}
	meter_read(&meter);
	for (int part = 0; part < RUN_PART_COUNT; part++)
		assert_true(meter.ns[part] > 0);
	assert_int_equal(sum_of(&meter), meter.since_ns - begun_ns);
}

/* What is entered within a part is no time of that part. */
static void test_parts_nest(void **state)
{
	struct meter meter;
	enum run_part outer, inner;
	int64_t begun_ns, counting_ns;

	(void)state;
	meter_start(&meter);
	begun_ns = meter.since_ns;
	outer = meter_enter(&meter, RUN_PART_COUNTING);
	assert_int_equal(outer, RUN_PART_OTHER);
	pass_time();
	inner = meter_enter(&meter, RUN_PART_STORING);
	assert_int_equal(inner, RUN_PART_COUNTING);
	counting_ns = meter.ns[RUN_PART_COUNTING];
	pass_time();
	assert_int_equal(meter_enter(&meter, inner), RUN_PART_STORING);
	assert_int_equal(meter.ns[RUN_PART_COUNTING], counting_ns);
	meter_enter(&meter, outer);
	meter_read(&meter);
	assert_true(meter.ns[RUN_PART_STORING] > 0);
	assert_int_equal(sum_of(&meter), meter.since_ns - begun_ns);
}

static void test_a_held_meter_keeps_its_part(void **state)
{
	struct meter meter;

	(void)state;
	meter_start(&meter);
	meter_enter(&meter, RUN_PART_WAITING);
	meter.held = true;
	/* the caller gives it back when it returns */
	assert_int_equal(meter_enter(&meter, RUN_PART_STORING), RUN_PART_STORING);
	pass_time();
	assert_int_equal(meter.current, RUN_PART_WAITING);
	meter.held = false;
	meter_read(&meter);
	assert_int_equal(meter.ns[RUN_PART_STORING], 0);
	assert_true(meter.ns[RUN_PART_WAITING] > 0);
}

static void test_a_meter_that_was_not_started_does_nothing(void **state)
{
	struct meter meter = {.since_ns = 0};

	(void)state;
	assert_int_equal(meter_enter(&meter, RUN_PART_STORING), RUN_PART_STORING);
	assert_int_equal(meter_enter(NULL, RUN_PART_STORING), RUN_PART_STORING);
	assert_int_equal(meter.since_ns, 0);
	assert_int_equal(sum_of(&meter), 0);
}

/* Nothing that a worker says makes time. */
static void test_no_more_moves_than_there_is(void **state)
{
	struct meter meter = {.ns = {[RUN_PART_OTHER] = 100, [RUN_PART_SAMPLES] = 1}};

	(void)state;
	meter_move(&meter, RUN_PART_OTHER, RUN_PART_SAMPLES, 30);
	assert_int_equal(meter.ns[RUN_PART_SAMPLES], 31);
	assert_int_equal(meter.ns[RUN_PART_OTHER], 70);
	meter_move(&meter, RUN_PART_OTHER, RUN_PART_SAMPLES, -5);
	meter_move(&meter, RUN_PART_OTHER, RUN_PART_FLUSHES, INT64_MIN);
	assert_int_equal(meter.ns[RUN_PART_OTHER], 70);
	meter_move(&meter, RUN_PART_OTHER, RUN_PART_FLUSHES, INT64_MAX);
	meter_move(&meter, RUN_PART_OTHER, RUN_PART_FLUSHES, INT64_MAX);
	assert_int_equal(meter.ns[RUN_PART_FLUSHES], 70);
	assert_int_equal(sum_of(&meter), 101);
}

static void test_names(void **state)
{
	enum run_part part = RUN_PART_OTHER;

	(void)state;
	for (int i = 0; i < RUN_PART_COUNT; i++) {
		assert_true(run_part_parse(&part, run_part_name((enum run_part)i)));
		assert_int_equal(part, i);
		assert_true(*run_part_meaning((enum run_part)i) != '\0');
	}
	assert_false(run_part_parse(&part, "idling"));
	assert_false(run_part_parse(&part, ""));
	assert_int_equal(part, RUN_PART_COUNT - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parts_add_up),
		cmocka_unit_test(test_parts_nest),
		cmocka_unit_test(test_a_held_meter_keeps_its_part),
		cmocka_unit_test(test_a_meter_that_was_not_started_does_nothing),
		cmocka_unit_test(test_no_more_moves_than_there_is),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
