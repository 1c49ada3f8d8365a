/* When a round has enough samples, and what the device executes between them. The test sets the
 * times. */
#include "bench.h"
#include "metrics/analysis/statistics.h"
#include "metrics/settings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/workers/cuda/timing.h"

#define FOR_EVER_NS (INT64_C(3600) * 1000000000)
#define ROUND_MOST 2000 /* ROUND_MAX_SAMPLES of timing.c */

/* The linker takes this clock for monotonic_ns(). It is ahead by `ahead_ns`. */
int64_t __real_monotonic_ns(void);
int64_t __wrap_monotonic_ns(void);
static int64_t ahead_ns;

int64_t __wrap_monotonic_ns(void)
{
	return __real_monotonic_ns() + ahead_ns;
}

struct timed {
	double *time_ns;
	size_t count;
};

/* Times fault/none, verified in this way, with these settings. */
static struct timed run_checked(struct bench *bench, enum check_kind check,
				double (*elapsed_ns)(size_t index), int64_t min_samples, int rounds,
				double precision, int64_t max_time_ns, enum cache_mode cache)
{
	const struct measure_settings settings = {
		.cache = cache,
		.min_samples = min_samples,
		.rounds = rounds,
		.precision = precision,
		.max_time_ns = max_time_ns,
	};
	struct launch_case *work = bench_case("fault", "none", 256, 4096);
	struct operation operation = {0};
	struct text skip = TEXT_INIT;
	struct timer *timer = NULL;
	struct round_result result = {0};
	struct error err = {0};

	work->check.kind = check;
	bench->stub.elapsed_ns = elapsed_ns;
	bench->stub.intervals = bench->stub.launches = bench->stub.flushes = 0;
	bench->stub.idle_kernels = bench->stub.resets = 0;
	if (operation_load(&operation, &bench->resources, work, &skip, &err) ||
	    operation_prepare(&operation, &err) ||
	    timer_open(&timer, &bench->resources, true, &err) ||
	    timer_run(timer, &operation, NULL, &settings, &result, &err))
		fail_msg("%s", err.text);
	timer_close(timer);
	operation_release(&operation);
	launch_case_free(work);
	return (struct timed){.time_ns = result.time_ns, .count = result.count};
}

static struct timed run(struct bench *bench, double (*elapsed_ns)(size_t index),
			int64_t min_samples, int rounds, double precision, int64_t max_time_ns,
			enum cache_mode cache)
{
	return run_checked(bench, CHECK_ORACLE, elapsed_ns, min_samples, rounds, precision,
			   max_time_ns, cache);
}

static double steady(size_t index)
{
	(void)index;
	return 100000;
}

/* Only the first execution finds an empty cache. */
static double slow_start(size_t index)
{
	return index ? 100000 : 1e9;
}

/* Two modes far apart: the interval of the median stays wide. */
static double two_modes(size_t index)
{
	return index % 2 ? 100000 : 200000;
}

/* Spread evenly over 10 %, unordered. */
static double spread(size_t index)
{
	return 100000 + (double)(index * 7919 % 1000) * 10;
}

/* As coarse as the resolution of events. */
static double coarse(size_t index)
{
	return 1024 + 32 * (double)(index % 2);
}

static void test_steady_times_need_no_more(void **context)
{
	struct timed timed = run(*context, steady, 20, 1, 0.005, FOR_EVER_NS, CACHE_COLD);

	assert_int_equal(timed.count, 20);
	for (size_t i = 0; i < timed.count; i++)
		assert_true(fabs(timed.time_ns[i] - 100000) < 1);
	free(timed.time_ns);
}

static void test_rounds_share_the_samples(void **context)
{
	struct timed timed = run(*context, steady, 20, 3, 0.005, FOR_EVER_NS, CACHE_COLD);

	assert_int_equal(timed.count, 7);
	free(timed.time_ns);
	timed = run(*context, steady, 1, 4, 0.005, 1, CACHE_COLD);
	assert_int_equal(timed.count, 1);
	free(timed.time_ns);
}

static void test_until_the_interval_is_narrow(void **context)
{
	struct timed timed = run(*context, spread, 20, 1, 0.005, FOR_EVER_NS, CACHE_COLD);
	struct timed shared = run(*context, spread, 20, 4, 0.005, FOR_EVER_NS, CACHE_COLD);
	struct summary summary = summarise(timed.time_ns, timed.count);

	assert_true(timed.count > 20 && timed.count < ROUND_MOST);
	assert_true(summary_relative_width(&summary) <= 0.005);
	/* Four rounds reach the same precision with fewer samples each. */
	assert_true(shared.count < timed.count);
	free(timed.time_ns);
	free(shared.time_ns);
}

static void test_a_budget_ends_what_never_settles(void **context)
{
	struct timed timed = run(*context, two_modes, 20, 1, 0.005, FOR_EVER_NS, CACHE_COLD);

	assert_int_equal(timed.count, ROUND_MOST);
	free(timed.time_ns);
	timed = run(*context, two_modes, 20, 1, 0.005, 1, CACHE_COLD);
	assert_int_equal(timed.count, 20);
	free(timed.time_ns);
}

static void test_no_narrower_than_the_clock(void **context)
{
	struct timed timed = run(*context, coarse, 20, 1, 0.0001, FOR_EVER_NS, CACHE_COLD);

	assert_int_equal(timed.count, 20);
	free(timed.time_ns);
}

static void test_every_cold_sample_is_flushed(void **context)
{
	struct bench *bench = *context;
	struct timed timed = run(bench, steady, 100, 1, 0.005, FOR_EVER_NS, CACHE_COLD);
	size_t executed = bench->stub.launches - bench->stub.flushes - bench->stub.idle_kernels;

	/* Each sample follows one flush, and no other execution happens. */
	assert_int_equal(executed, timed.count);
	assert_int_equal(bench->stub.flushes, executed);
	free(timed.time_ns);
}

/* A user's kernel may have made lines of the L2 persist, which a flush leaves. */
static void test_persisting_lines_are_reset_before_each_flush(void **context)
{
	struct bench *bench = *context;
	struct timed timed =
		run_checked(bench, CHECK_NONE, steady, 100, 1, 0.005, FOR_EVER_NS, CACHE_COLD);

	assert_int_equal(timed.count, 100);
	assert_int_equal(bench->stub.resets, 100);
	assert_int_equal(bench->stub.flushes, 100);
	free(timed.time_ns);
	/* Not for a hot cache, not for built-in kernels, and not on devices without such lines. */
	timed = run_checked(bench, CHECK_NONE, steady, 20, 1, 0.005, FOR_EVER_NS, CACHE_HOT);
	assert_int_equal(bench->stub.resets, 0);
	free(timed.time_ns);
	timed = run(bench, steady, 20, 1, 0.005, FOR_EVER_NS, CACHE_COLD);
	assert_int_equal(bench->stub.resets, 0);
	free(timed.time_ns);
	bench->device.info.cc_major = 7;
	timed = run_checked(bench, CHECK_NONE, steady, 20, 1, 0.005, FOR_EVER_NS, CACHE_COLD);
	assert_int_equal(bench->stub.resets, 0);
	free(timed.time_ns);
}

static void test_hot_samples_come_after_one_that_fills_the_cache(void **context)
{
	struct bench *bench = *context;
	struct timed timed = run(bench, slow_start, 100, 1, 0.005, FOR_EVER_NS, CACHE_HOT);

	assert_int_equal(bench->stub.launches - bench->stub.idle_kernels, timed.count + 1);
	assert_int_equal(bench->stub.flushes, 0);
	for (size_t i = 0; i < timed.count; i++)
		assert_true(fabs(timed.time_ns[i] - 100000) < 1);
	free(timed.time_ns);
}

/* The size of the latest flush in 16-byte words. */
static void note_flush(struct stub_driver *stub, const char *name, void **arguments)
{
	const unsigned long long words = *(unsigned long long *)arguments[1];

	if (strcmp(name, "flush_by_reading") == 0 && words)
		*(unsigned long long *)stub->context = words;
}

/* Host time between the opening of the timer and a round, and how many samples and flushes follow.
 */
static void assert_flushes_after(struct bench *bench, int64_t waited_ns, enum cache_mode cache,
				 bool warms_up)
{
	const struct measure_settings settings = {
		.cache = cache, .min_samples = 20, .rounds = 1, .max_time_ns = FOR_EVER_NS};
	struct launch_case *work = bench_case("fault", "none", 256, 4096);
	struct operation operation = {0};
	struct text skip = TEXT_INIT;
	struct timer *timer = NULL;
	struct round_result result = {0};
	struct error err = {0};

	bench->stub.elapsed_ns = steady;
	if (timer_open(&timer, &bench->resources, true, &err) ||
	    operation_load(&operation, &bench->resources, work, &skip, &err) ||
	    operation_prepare(&operation, &err))
		fail_msg("%s", err.text);
	for (int round = 0; round < 2; round++) {
		ahead_ns += round ? 0 : waited_ns;
		bench->stub.flushes = 0;
		if (timer_run(timer, &operation, NULL, &settings, &result, &err))
			fail_msg("%s", err.text);
		if (warms_up && !round)
			assert_true(bench->stub.flushes > 20);
		else
			assert_int_equal(bench->stub.flushes, cache == CACHE_COLD ? 20 : 0);
		free(result.time_ns);
	}
	timer_close(timer);
	operation_release(&operation);
	launch_case_free(work);
}

/* The device lowers its clocks while the host prepares a case for long. */
static void test_an_idle_device_is_warmed_up(void **context)
{
	assert_flushes_after(*context, 0, CACHE_COLD, false);
	assert_flushes_after(*context, 5 * FOR_EVER_NS, CACHE_COLD, true);
	assert_flushes_after(*context, 5 * FOR_EVER_NS, CACHE_HOT, true);
}

/* Another worker has just measured on it: then it is warm. */
static void test_a_device_that_was_used_just_now_is_warm(void **context)
{
	struct bench *bench = *context;
	const int64_t second_ns = 1000 * 1000 * 1000;
	struct timer *timer = NULL;
	struct error err = {0};

	if (timer_open(&timer, &bench->resources, true, &err))
		fail_msg("%s", err.text);
	bench->stub.flushes = 0;
	assert_int_equal(timer_warm_up_since(timer, monotonic_ns() - second_ns / 2, &err), 0);
	assert_int_equal(bench->stub.flushes, 0);
	assert_int_equal(timer_warm_up_since(timer, monotonic_ns() - 2 * second_ns, &err), 0);
	assert_true(bench->stub.flushes > 0);
	timer_close(timer);
}

/* Dirty lines that a short flush leaves change counters but not times. */
static void test_a_flush_reads_as_much_as_its_purpose_needs(void **context)
{
	struct bench *bench = *context;
	const struct cuda_resources *resources = &bench->resources;
	unsigned long long l2_words = (unsigned long long)resources->device->info.l2_bytes / 16;
	unsigned long long all = resources->flush_buffer->bytes / 16;
	unsigned long long words = 0;
	struct timed timed;

	bench->stub.execute = note_flush;
	bench->stub.context = &words;
	assert_int_equal(cuda_flush_l2(resources, FLUSH_TO_COUNT, NULL), 0);
	assert_true(words >= 3 * l2_words);
	assert_int_equal(words, all);
	timed = run(bench, steady, 20, 1, 0.005, FOR_EVER_NS, CACHE_COLD);
	assert_true(words >= 2 * l2_words);
	assert_in_range(words, all / 3 * 2, all / 3 * 2 + 2);
	bench->stub.execute = NULL;
	free(timed.time_ns);
}

/* How many idle kernels were queued behind the latest sample, and how often the device had nothing
 * else behind a sample. */
struct behind {
	size_t now, batches;
	bool sampled;
};

static void note_behind(struct stub_driver *stub, const char *name, void **arguments)
{
	struct behind *behind = stub->context;
	const bool idle =
		!strcmp(name, "flush_by_reading") && !*(const unsigned long long *)arguments[1];

	behind->batches += idle && behind->sampled;
	behind->now = idle ? behind->now + 1 : 0;
	behind->sampled = !idle && strcmp(name, "flush_by_reading") != 0;
}

/* Without kernels behind them, the last samples of a batch are faster than the others. */
static void test_kernels_wait_behind_the_last_sample(void **context)
{
	struct bench *bench = *context;
	struct behind behind = {0};
	struct timed timed;

	bench->stub.execute = note_behind;
	bench->stub.context = &behind;
	timed = run(bench, steady, 20, 1, 0.005, FOR_EVER_NS, CACHE_COLD);
	assert_true(behind.now >= 20);
	assert_int_equal(behind.batches, 1);
	free(timed.time_ns);
	/* of two batches */
	behind = (struct behind){0};
	timed = run(bench, steady, 100, 1, 0.005, FOR_EVER_NS, CACHE_COLD);
	assert_true(behind.now >= 20);
	assert_int_equal(behind.batches, 2);
	free(timed.time_ns);
	/* behind the samples, not behind the execution that warms the cache */
	behind = (struct behind){0};
	timed = run(bench, steady, 20, 1, 0.005, FOR_EVER_NS, CACHE_HOT);
	assert_true(behind.now >= 20);
	assert_int_equal(behind.batches, 1);
	free(timed.time_ns);
	bench->stub.execute = NULL;
}

/* ---- placements ---- */

#define LARGE ((int64_t)1 << 18) /* elements: a buffer of 1 MiB */

/* The physical memory behind the buffers at each execution. */
struct places {
	const struct operation *operations[2];
	size_t of[2][ROUND_MOST]; /* by operation: that of its first buffer */
	size_t executions[2];
	size_t different; /* in the samples of the first */
};

static size_t physical_place(const struct stub_driver *stub, CUdeviceptr base)
{
	for (size_t i = 0; i < STUB_MAX_PAGES; i++)
		if (stub->mappings[i].address == base)
			return 1 + stub->mappings[i].pages;
	return 0;
}

static void note_place(struct stub_driver *stub, const char *name, void **arguments)
{
	struct places *places = stub->context;

	(void)arguments;
	if (!strcmp(name, "flush_by_reading"))
		return;
	for (size_t i = 0; i < 2; i++) {
		const struct operation *operation = places->operations[i];

		if (!operation || strcmp(operation->work->launches[0].entry, name) != 0)
			continue;
		places->of[i][places->executions[i]++] =
			physical_place(stub, operation->buffers[0].block->base);
	}
}

/* Times fault/none on `placements` placements. Returns how many the round had. */
static int64_t placements_of(struct bench *bench, struct places *places, int64_t n,
			     int64_t min_samples, int placements, double (*elapsed_ns)(size_t),
			     struct round_result *result)
{
	const struct measure_settings settings = {.cache = CACHE_COLD,
						  .min_samples = min_samples,
						  .rounds = 1,
						  .placements = placements,
						  .precision = 0.005,
						  .max_time_ns = FOR_EVER_NS};
	struct launch_case *work = bench_case("fault", "none", 256, n);
	struct operation operation = {0};
	struct text skip = TEXT_INIT;
	struct timer *timer = NULL;
	struct error err = {0};

	*places = (struct places){.operations = {&operation}};
	bench->stub.elapsed_ns = elapsed_ns;
	if ((placements > 1 && !bench->resources.memory.source.granule &&
	     memory_make_replaceable(&bench->resources.memory, 1, &err)) ||
	    operation_load(&operation, &bench->resources, work, &skip, &err) ||
	    operation_prepare(&operation, &err) ||
	    timer_open(&timer, &bench->resources, true, &err))
		fail_msg("%s", err.text);
	bench->stub.context = places;
	bench->stub.execute = note_place;
	if (timer_run(timer, &operation, NULL, &settings, result, &err))
		fail_msg("%s", err.text);
	bench->stub.execute = NULL;
	for (size_t i = 1; i < places->executions[0]; i++)
		places->different += places->of[0][i] != places->of[0][i - 1];
	timer_close(timer);
	operation_release(&operation);
	launch_case_free(work);
	free(result->time_ns);
	return result->placements;
}

static void test_samples_are_spread_over_placements(void **context)
{
	struct bench *bench = *context;
	struct round_result result = {0};
	struct places places;

	assert_int_equal(placements_of(bench, &places, LARGE, 20, 4, steady, &result), 4);
	assert_int_equal(result.count, 20);
	/* one untimed execution after each move */
	assert_int_equal(places.executions[0], 20 + 3);
	assert_int_equal(places.different, 3);
	/* 5 samples each */
	assert_int_not_equal(places.of[0][4], places.of[0][5]);
	assert_int_not_equal(places.of[0][10], places.of[0][11]);
	assert_int_not_equal(places.of[0][16], places.of[0][17]);
}

static void test_one_placement_moves_nothing(void **context)
{
	struct bench *bench = *context;
	struct round_result result = {0};
	struct places places;

	assert_int_equal(placements_of(bench, &places, LARGE, 10, 1, two_modes, &result), 1);
	assert_int_equal(places.executions[0], result.count);
	assert_int_equal(bench->stub.created, 0);
}

/* A placement has up to five samples, because moving the data costs as much as some. */
static void test_few_samples_have_few_placements(void **context)
{
	struct bench *bench = *context;
	struct round_result result = {0};
	struct places places;

	assert_int_equal(placements_of(bench, &places, LARGE, 10, 1000, steady, &result), 2);
	assert_int_equal(result.count, 10);
	assert_int_equal(placements_of(bench, &places, LARGE, 7, 4, steady, &result), 2);
}

/* The samples that a noisy case needs in addition have placements of their own. */
static void test_more_samples_have_more_placements(void **context)
{
	struct bench *bench = *context;
	struct round_result result = {0};
	struct places places;
	const int64_t found = placements_of(bench, &places, LARGE, 10, 4, spread, &result);

	assert_in_range(result.count, 20, ROUND_MOST);
	assert_in_range(found, 6, 64);
	assert_int_equal(places.different, found - 1);
	assert_int_equal(places.executions[0], (int64_t)result.count + found - 1);
}

static void test_data_that_cannot_move_is_timed_where_it_is(void **context)
{
	struct bench *bench = *context;
	struct round_result result = {0};
	struct places places;

	/* small results have pages of their own, and stay there */
	assert_int_equal(placements_of(bench, &places, 4096, 10, 4, steady, &result), 1);
	assert_int_equal(places.different, 0);
	assert_int_equal(result.count, 10);
	assert_false(result.scarce);
	/* and where memory is scarce */
	bench->stub.memory_bytes = bench->stub.used_bytes + 2 * STUB_GRANULE;
	assert_int_equal(placements_of(bench, &places, LARGE, 10, 4, steady, &result), 1);
	assert_int_equal(result.count, 10);
	assert_true(result.scarce);
}

int main(void)
{
#define BENCH_TEST(name) cmocka_unit_test_setup_teardown(name, bench_set_up, bench_tear_down)
	const struct CMUnitTest tests[] = {
		BENCH_TEST(test_steady_times_need_no_more),
		BENCH_TEST(test_rounds_share_the_samples),
		BENCH_TEST(test_until_the_interval_is_narrow),
		BENCH_TEST(test_a_budget_ends_what_never_settles),
		BENCH_TEST(test_no_narrower_than_the_clock),
		BENCH_TEST(test_every_cold_sample_is_flushed),
		BENCH_TEST(test_persisting_lines_are_reset_before_each_flush),
		BENCH_TEST(test_hot_samples_come_after_one_that_fills_the_cache),
		BENCH_TEST(test_an_idle_device_is_warmed_up),
		BENCH_TEST(test_a_device_that_was_used_just_now_is_warm),
		BENCH_TEST(test_a_flush_reads_as_much_as_its_purpose_needs),
		BENCH_TEST(test_kernels_wait_behind_the_last_sample),
		BENCH_TEST(test_samples_are_spread_over_placements),
		BENCH_TEST(test_one_placement_moves_nothing),
		BENCH_TEST(test_few_samples_have_few_placements),
		BENCH_TEST(test_more_samples_have_more_placements),
		BENCH_TEST(test_data_that_cannot_move_is_timed_where_it_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
