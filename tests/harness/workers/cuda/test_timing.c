/* When a round has enough samples, and what the device executes between them. The test sets the
 * times. */
#include "bench.h"
#include "metrics/analysis/statistics.h"
#include "metrics/settings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/workers/cuda/backend.h"

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
	struct device_state state;
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
	if (operation_load(&operation, &bench->resources, work, &skip, &err) ||
	    operation_prepare(&operation, true, &err))
		fail_msg("%s", err.text);
	timer = bench_timer(bench, &operation);
	if (timer_run(timer, &operation, NULL, &settings, &result, &err))
		fail_msg("%s", err.text);
	timer_close(timer);
	operation_release(&operation);
	launch_case_free(work);
	return (struct timed){result.time_ns, result.count, result.state};
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
	struct sample_interval of = sample_interval(timed.time_ns, timed.count);

	assert_true(timed.count > 20 && timed.count < ROUND_MOST);
	assert_true((of.high_ns - of.low_ns) / 2 <= 0.005 * of.median_ns);
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

/* For each execution, whether its flush followed a reset. */
static void note_resets(struct stub_driver *stub, const char *name, void **arguments)
{
	(void)arguments;
	if (strcmp(name, "flush_by_reading") != 0)
		text_add(stub->context, stub->flush_was_reset ? "1" : "0");
}

/* The execution after a move may make lines persist, too, so the reset comes behind it. */
static void test_persisting_lines_are_reset_after_a_move(void **context)
{
	const struct measure_settings settings = {.min_samples = 10,
						  .rounds = 1,
						  .placements = 2,
						  .precision = 0.5,
						  .max_time_ns = FOR_EVER_NS};
	struct bench *bench = *context;
	struct launch_case *work = bench_case("stream", "copy_scalar", 256, 1 << 18);
	struct operation operation = {0};
	struct text skip = TEXT_INIT, resets = TEXT_INIT;
	struct round_result result = {0};
	struct error err = {0};
	struct timer *timer;

	bench->stub.elapsed_ns = steady;
	work->check.kind = CHECK_NONE;
	if (memory_make_replaceable(&bench->resources.memory, 1, &err) ||
	    operation_load(&operation, &bench->resources, work, &skip, &err) ||
	    operation_prepare(&operation, true, &err))
		fail_msg("%s", err.text);
	timer = bench_timer(bench, &operation);
	bench->stub.execute = note_resets;
	bench->stub.context = &resets;
	assert_int_equal(timer_run(timer, &operation, NULL, &settings, &result, &err), 0);
	assert_int_equal(result.placements, 2);
	assert_string_equal(resets.data, "11111"
					 "0"
					 "11111");
	bench->stub.execute = NULL;
	free(result.time_ns);
	text_release(&resets);
	timer_close(timer);
	operation_release(&operation);
	launch_case_free(work);
}

static void test_hot_samples_come_after_one_that_fills_the_cache(void **context)
{
	struct bench *bench = *context;
	struct timed timed = run(bench, steady, 100, 1, 0.005, FOR_EVER_NS, CACHE_HOT);

	assert_int_equal(bench->stub.launches - bench->stub.idle_kernels, timed.count + 1);
	assert_int_equal(bench->stub.flushes, 0);
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
	if (operation_load(&operation, &bench->resources, work, &skip, &err) ||
	    operation_prepare(&operation, true, &err))
		fail_msg("%s", err.text);
	timer = bench_timer(bench, &operation);
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
	assert_true(2 * words >= 3 * l2_words);
	assert_in_range(words, all / 2 - 1, all / 2);
	bench->stub.execute = NULL;
	free(timed.time_ns);
}

/* bench_timer() takes a sample with a cold and with a hot cache. */
#define BATCHES_OF_BENCH 2

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
	assert_int_equal(behind.batches, 2 + BATCHES_OF_BENCH);
	free(timed.time_ns);
	/* each batch is larger than the one before, up to a limit */
	behind = (struct behind){0};
	timed = run(bench, steady, 100, 1, 0.005, FOR_EVER_NS, CACHE_COLD);
	assert_true(behind.now >= 20);
	assert_int_equal(behind.batches, 5 + BATCHES_OF_BENCH);
	free(timed.time_ns);
	/* behind the samples, not behind the execution that warms the cache */
	behind = (struct behind){0};
	timed = run(bench, steady, 20, 1, 0.005, FOR_EVER_NS, CACHE_HOT);
	assert_true(behind.now >= 20);
	assert_int_equal(behind.batches, 2 + BATCHES_OF_BENCH);
	free(timed.time_ns);
	bench->stub.execute = NULL;
}

/* While the device works on a batch, the next one is queued. */
static void test_the_device_always_has_a_batch(void **context)
{
	struct bench *bench = *context;
	struct timed timed = run(bench, steady, 100, 1, 0.005, FOR_EVER_NS, CACHE_COLD);

	assert_int_equal(bench->stub.waits, 5);
	assert_int_equal(bench->stub.waits_for_all, 1);
	free(timed.time_ns);
}

/* How many idle kernels came behind the latest flush, and the numbers of the samples as digits. */
struct behind_flush {
	size_t idle;
	struct text counts;
};

static void note_behind_flush(struct stub_driver *stub, const char *name, void **arguments)
{
	struct behind_flush *behind = stub->context;

	if (!strcmp(name, "flush_by_reading"))
		behind->idle = *(const unsigned long long *)arguments[1] ? 0 : behind->idle + 1;
	else
		text_addf(&behind->counts, "%zu", behind->idle);
}

/* One launch of four behind a flush is slow. So each sample has kernels before it, and the numbers
 * of launches let the slow one move from sample to sample. */
static void test_idle_kernels_follow_each_flush(void **context)
{
	struct bench *bench = *context;
	struct behind_flush behind = {0, TEXT_INIT};
	struct timed timed;

	bench->stub.execute = note_behind_flush;
	bench->stub.context = &behind;
	timed = run(bench, steady, 8, 1, 0.005, FOR_EVER_NS, CACHE_COLD);
	assert_true(behind.counts.length >= 8);
	assert_string_equal(behind.counts.data + behind.counts.length - 8, "34343434");
	bench->stub.execute = NULL;
	text_release(&behind.counts);
	free(timed.time_ns);
}

static double short_as_events(size_t index)
{
	return index == 7 ? 1900 : 100000;
}

/* Two events add 2 us to whatever is between them, and an empty kernel takes 1.7 us. */
static void test_the_cost_of_events_is_taken_off(void **context)
{
	struct bench *bench = *context;
	struct timed timed;

	bench->stub.event_ns = 2000;
	bench->stub.idle_ns = 1700;
	for (enum cache_mode cache = CACHE_COLD; cache <= CACHE_HOT; cache++) {
		timed = run(bench, steady, 20, 1, 0.005, FOR_EVER_NS, cache);
		for (size_t i = 0; i < timed.count; i++)
			assert_true(fabs(timed.time_ns[i] - 98000) < 1);
		assert_true(fabs(timed.state.event_ns - 2000) < 1);
		assert_true(fabs(timed.state.launch_ns - 1700) < 1);
		free(timed.time_ns);
	}
	/* nothing can take less than nothing: then the cost is not what it seems */
	timed = run(bench, short_as_events, 20, 1, 0.005, FOR_EVER_NS, CACHE_COLD);
	for (size_t i = 0; i < timed.count; i++)
		assert_true(fabs(timed.time_ns[i] - short_as_events(i)) < 1);
	assert_true(isnan(timed.state.event_ns) && isnan(timed.state.launch_ns));
	free(timed.time_ns);
	/* a row of kernels that takes no longer than one says nothing */
	bench->stub.idle_ns = 0;
	timed = run(bench, steady, 20, 1, 0.005, FOR_EVER_NS, CACHE_COLD);
	assert_true(fabs(timed.time_ns[0] - 100000) < 1);
	assert_true(isnan(timed.state.event_ns));
	free(timed.time_ns);
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
		BENCH_TEST(test_persisting_lines_are_reset_after_a_move),
		BENCH_TEST(test_hot_samples_come_after_one_that_fills_the_cache),
		BENCH_TEST(test_an_idle_device_is_warmed_up),
		BENCH_TEST(test_a_device_that_was_used_just_now_is_warm),
		BENCH_TEST(test_a_flush_reads_as_much_as_its_purpose_needs),
		BENCH_TEST(test_kernels_wait_behind_the_last_sample),
		BENCH_TEST(test_the_device_always_has_a_batch),
		BENCH_TEST(test_idle_kernels_follow_each_flush),
		BENCH_TEST(test_the_cost_of_events_is_taken_off),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
