/* Over how many placements of its data in physical memory a round spreads its samples. The test
 * sets the times. */
#include "bench.h"
#include "metrics/settings.h"

#include <stdlib.h>
#include <string.h>

#include "harness/workers/cuda/backend.h"

#define FOR_EVER_NS (INT64_C(3600) * 1000000000)
#define ROUND_MOST 2000          /* ROUND_MAX_SAMPLES of timing.c */
#define LARGE ((int64_t)1 << 18) /* elements: a buffer of 1 MiB */

static double steady(size_t index)
{
	(void)index;
	return 100000;
}

static double quick(size_t index)
{
	(void)index;
	return 40000;
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

/* Times fault/none in one of `rounds` rounds on `placements` placements. Returns how many the round
 * had. */
static int64_t placements_of_rounds(int rounds, struct bench *bench, struct places *places,
				    int64_t n, int64_t min_samples, int placements,
				    double (*elapsed_ns)(size_t), struct round_result *result)
{
	const struct measure_settings settings = {.cache = CACHE_COLD,
						  .min_samples = min_samples,
						  .rounds = rounds,
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
	    operation_prepare(&operation, true, &err) ||
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

static int64_t placements_of(struct bench *bench, struct places *places, int64_t n,
			     int64_t min_samples, int placements, double (*elapsed_ns)(size_t),
			     struct round_result *result)
{
	return placements_of_rounds(1, bench, places, n, min_samples, placements, elapsed_ns,
				    result);
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

/* Their next round has another place anyway, and a move takes as long as ten of them. */
static void test_short_samples_stay_in_a_round(void **context)
{
	struct bench *bench = *context;
	struct round_result result = {0};
	struct places places;

	assert_int_equal(placements_of_rounds(2, bench, &places, LARGE, 40, 4, quick, &result), 1);
	assert_int_equal(result.count, 20);
	assert_int_equal(places.different, 0);
	assert_int_equal(placements_of_rounds(2, bench, &places, LARGE, 40, 4, steady, &result), 4);
	assert_int_equal(placements_of(bench, &places, LARGE, 20, 4, quick, &result), 4);
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
		BENCH_TEST(test_samples_are_spread_over_placements),
		BENCH_TEST(test_one_placement_moves_nothing),
		BENCH_TEST(test_few_samples_have_few_placements),
		BENCH_TEST(test_short_samples_stay_in_a_round),
		BENCH_TEST(test_more_samples_have_more_placements),
		BENCH_TEST(test_data_that_cannot_move_is_timed_where_it_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
