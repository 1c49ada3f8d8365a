/* What other clocks read of a case, on a driver of host memory and with records of this test. */
#include "bench.h"
#include "metrics/cupti/cupti_records.h"
#include "metrics/settings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RECORDS_MOST 4096

/* The linker takes these for those of CUPTI. */
int __wrap_cupti_records_begin(struct error *err);
int __wrap_cupti_records_end(struct device_record **out, size_t *count, struct error *err);

/* What the device executed since recording began: a kernel of the case for 1.5 us, others for less.
 */
static struct {
	struct device_record items[RECORDS_MOST];
	size_t count, forgotten; /* the first of them are not told */
	bool on;
} recorded;

int __wrap_cupti_records_begin(struct error *err)
{
	(void)err;
	recorded.on = true;
	recorded.count = 0;
	return 0;
}

int __wrap_cupti_records_end(struct device_record **out, size_t *count, struct error *err)
{
	(void)err;
	*count = recorded.count - recorded.forgotten;
	*out = xcalloc(*count + 1, sizeof(**out));
	memcpy(*out, recorded.items + recorded.forgotten, *count * sizeof(**out));
	recorded.on = false;
	return 0;
}

static void record_launch(struct stub_driver *stub, const char *name, void **arguments)
{
	struct device_record *record = &recorded.items[recorded.count];

	(void)stub;
	(void)arguments;
	if (!recorded.on)
		return;
	assert_true(recorded.count < RECORDS_MOST);
	record->start_ns = 5000 * (int64_t)++recorded.count;
	record->end_ns = record->start_ns + (strcmp(name, "flush_by_reading") ? 1500 : 1000);
	snprintf(record->name, sizeof(record->name), "%s", name);
}

static double steady(size_t index)
{
	(void)index;
	return 100000;
}

/* Measures fault/none by all clocks after a round of it. `inout`: it changes its result. */
static void read_clocks(struct bench *bench, enum cache_mode cache, bool inout,
			struct counter_list *out)
{
	const struct measure_settings settings = {
		.cache = cache, .min_samples = 20, .rounds = 1, .max_time_ns = 1};
	struct launch_case *work = bench_case("fault", "none", 256, 4096);
	struct operation operation = {0};
	struct text skip = TEXT_INIT;
	struct round_result timed = {0};
	struct timer *timer;
	struct error err = {0};

	bench->stub.elapsed_ns = steady;
	bench->stub.event_ns = 2000;
	bench->stub.idle_ns = 1700;
	bench->stub.execute = record_launch;
	if (operation_load(&operation, &bench->resources, work, &skip, &err) ||
	    operation_prepare(&operation, true, &err))
		fail_msg("%s", err.text);
	timer = bench_timer(bench, &operation);
	assert_int_equal(timer_run(timer, &operation, NULL, &settings, &timed, &err), 0);
	for (size_t b = 0; inout && b < work->buffer_count; b++)
		if (work->buffers[b].role == BUFFER_OUT)
			work->buffers[b].role = BUFFER_INOUT;
	if (clocks_measure(timer, &operation, &settings, &timed, out, &err))
		fail_msg("%s", err.text);
	bench->stub.execute = NULL;
	free(timed.time_ns);
	timer_close(timer);
	operation_release(&operation);
	launch_case_free(work);
}

static void assert_clock(const struct counter_list *clocks, const char *name, double value)
{
	const struct counter_value *counter = counter_list_find(clocks, name);

	assert_non_null(counter);
	assert_true(counter->has_value);
	assert_true(fabs(counter->value - value) < 1);
}

static void assert_no_clock(const struct counter_list *clocks, const char *name, const char *why)
{
	const struct counter_value *counter = counter_list_find(clocks, name);

	assert_non_null(counter);
	assert_false(counter->has_value);
	if (!strstr(counter->reason, why))
		fail_msg("'%s' does not say '%s'", counter->reason, why);
}

static void test_each_clock_reads_its_own(void **context)
{
	for (enum cache_mode cache = CACHE_COLD; cache <= CACHE_HOT; cache++) {
		struct counter_list clocks = {0};

		read_clocks(*context, cache, false, &clocks);
		assert_int_equal(clocks.count, 4);
		/* with what the events add */
		assert_clock(&clocks, "clock_events_ns", 100000);
		/* not the flushes and marks around it */
		assert_clock(&clocks, "clock_records_ns", 1500);
		/* 100 executions between two events */
		assert_clock(&clocks, "clock_row_ns", 1000);
		/* the stub replays nothing, so the events are all that there is */
		assert_clock(&clocks, "clock_graph_ns", 20);
		counter_list_release(&clocks);
	}
}

static void test_what_cannot_be_repeated_has_no_row(void **context)
{
	struct counter_list clocks = {0};

	read_clocks(*context, CACHE_COLD, true, &clocks);
	assert_clock(&clocks, "clock_records_ns", 1500);
	assert_no_clock(&clocks, "clock_row_ns", "changes its inputs");
	assert_no_clock(&clocks, "clock_graph_ns", "changes its inputs");
	counter_list_release(&clocks);
}

/* A library may do what no graph can hold. The case is measured all the same. */
static void test_a_failing_clock_is_missing(void **context)
{
	struct bench *bench = *context;
	struct counter_list clocks = {0};

	bench->stub.cannot_capture = true;
	read_clocks(bench, CACHE_COLD, false, &clocks);
	assert_clock(&clocks, "clock_row_ns", 1000);
	assert_no_clock(&clocks, "clock_graph_ns", "cuStreamBeginCapture");
	counter_list_release(&clocks);
}

static void test_a_missing_record_is_no_time(void **context)
{
	struct counter_list clocks = {0};

	recorded.forgotten = 1;
	read_clocks(*context, CACHE_COLD, false, &clocks);
	recorded.forgotten = 0;
	assert_no_clock(&clocks, "clock_records_ns", "CUPTI recorded");
	counter_list_release(&clocks);
}

int main(void)
{
#define BENCH_TEST(name) cmocka_unit_test_setup_teardown(name, bench_set_up, bench_tear_down)
	const struct CMUnitTest tests[] = {
		BENCH_TEST(test_each_clock_reads_its_own),
		BENCH_TEST(test_what_cannot_be_repeated_has_no_row),
		BENCH_TEST(test_a_failing_clock_is_missing),
		BENCH_TEST(test_a_missing_record_is_no_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
