/* A case and its base case on a device of host memory: which memory they share, in which order they
 * are timed, when a round has enough pairs, and what a base case that goes wrong leaves. */
#include "bench.h"
#include "metrics/analysis/speedup.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/workers/cuda/backend.h"
#include "harness/workers/cuda/operation.h"

#define FOR_EVER_NS (INT64_C(3600) * 1000000000)
#define N 4096

/* What the kernels of the test did: a letter for each launch, "c" scalar copy, "f" by float4, "|" a
 * flush of the L2. */
struct journal {
	struct text launches;
	size_t elements;
	const char *spoils; /* the kernel with this name writes a wrong element; NULL: none */
};

static void compare_bytes(void **arguments)
{
	const float *result = *(const float **)arguments[0];
	const float *expected = *(const float **)arguments[1];
	unsigned long long *out = *(unsigned long long **)arguments[6];

	for (unsigned long long i = 0; i < *(unsigned long long *)arguments[2]; i++)
		if (memcmp(&result[i], &expected[i], sizeof(*result)) != 0) {
			out[0]++;
			out[1] = i < out[1] ? i : out[1];
		}
}

static void execute(struct stub_driver *stub, const char *name, void **arguments)
{
	struct journal *journal = stub->context;

	if (!strcmp(name, "compare_f32"))
		compare_bytes(arguments);
	if (!strcmp(name, "flush_by_reading") && *(unsigned long long *)arguments[1])
		text_add(&journal->launches, "|");
	if (strstr(name, "copy")) {
		float *out = *(float **)arguments[1];

		memcpy(out, *(float **)arguments[0], journal->elements * sizeof(*out));
		if (journal->spoils && !strcmp(name, journal->spoils))
			out[7] = -1;
		text_add(&journal->launches, strstr(name, "float4") ? "f" : "c");
	}
}

struct pair {
	struct launch_case *work, *base_work;
	struct operation operation, base;
	struct journal journal;
	struct text why;
};

/* Prepares stream/`variant`, and stream/`base` beside it. */
static void pair_set_up_of(struct pair *pair, struct bench *bench, const char *variant,
			   const char *base, int64_t elements)
{
	struct text skip = TEXT_INIT;
	struct error err = {0};

	*pair = (struct pair){.journal = {.launches = TEXT_INIT, .elements = (size_t)elements},
			      .why = TEXT_INIT};
	bench->stub.execute = execute;
	bench->stub.context = &pair->journal;
	pair->work = bench_case("stream", variant, 256, elements);
	pair->base_work = bench_case("stream", base, 256, elements);
	if (operation_load(&pair->operation, &bench->resources, pair->work, &skip, &err) ||
	    operation_prepare(&pair->operation, true, &err))
		fail_msg("%s", err.text);
}

static void pair_set_up(struct pair *pair, struct bench *bench, const char *variant,
			const char *base)
{
	pair_set_up_of(pair, bench, variant, base, N);
}

static void pair_prepare(struct pair *pair)
{
	struct error err = {0};

	if (beside_prepare(&pair->base, &pair->operation, pair->base_work, &pair->why, &err))
		fail_msg("%s", err.text);
}

static void pair_tear_down(struct pair *pair)
{
	operation_forget(&pair->base);
	operation_release(&pair->operation);
	launch_case_free(pair->work);
	launch_case_free(pair->base_work);
	text_release(&pair->journal.launches);
	text_release(&pair->why);
}

/* ---- memory ---- */

static void test_both_use_the_same_memory(void **context)
{
	struct pair pair;

	pair_set_up(&pair, *context, "copy_scalar", "copy_float4");
	pair_prepare(&pair);
	assert_string_equal(pair.why.data, "");
	assert_int_equal(pair.work->buffer_count, pair.base_work->buffer_count);
	for (size_t b = 0; b < pair.work->buffer_count; b++)
		assert_true(pair.operation.buffers[b].data == pair.base.buffers[b].data);
	assert_true(beside_same_buffers(&pair.operation, &pair.base));
	pair_tear_down(&pair);
}

/* A buffer of another length, fill or role is one of its own. */
static void test_buffers_that_differ_are_not_shared(void **context)
{
	struct pair pair;

	pair_set_up(&pair, *context, "copy_scalar", "copy_float4");
	for (size_t b = 0; b < pair.base_work->buffer_count; b++)
		if (pair.base_work->buffers[b].role == BUFFER_OUT)
			pair.base_work->buffers[b].length *= 2;
	/* the oracle knows nothing of the change */
	pair.base_work->check.kind = CHECK_NONE;
	pair_prepare(&pair);
	assert_string_equal(pair.why.data, "");
	assert_false(beside_same_buffers(&pair.operation, &pair.base));
	pair_tear_down(&pair);
}

/* What an operation allocates itself lies elsewhere each time. */
static void test_memory_of_its_own_is_not_shared(void **context)
{
	struct pair pair;

	pair_set_up(&pair, *context, "copy_scalar", "copy_float4");
	pair_prepare(&pair);
	for (size_t b = 0; b < pair.base_work->buffer_count; b++)
		if (pair.base_work->buffers[b].role == BUFFER_OUT) {
			pair.base_work->buffers[b].role = BUFFER_PER_CALL;
			pair.base.buffers[b].block = NULL;
		}
	assert_false(beside_same_buffers(&pair.operation, &pair.base));
	assert_false(beside_same_buffers(&pair.base, &pair.operation));
	pair_tear_down(&pair);
}

/* ---- a base case that goes wrong ---- */

static void test_a_wrong_base_is_reported(void **context)
{
	struct pair pair;

	pair_set_up(&pair, *context, "copy_scalar", "copy_float4");
	pair.journal.spoils = "stream_copy_float4";
	pair_prepare(&pair);
	assert_non_null(strstr(pair.why.data, "the base case gave a wrong result"));
	assert_non_null(strstr(pair.why.data, "1 of 4096 elements"));
	assert_null(pair.base.launches);
	pair_tear_down(&pair);
}

static void test_a_base_that_does_not_fit_is_reported(void **context)
{
	struct bench *bench = *context;
	struct pair pair;

	pair_set_up(&pair, bench, "copy_scalar", "copy_float4");
	pair.base_work->launches[0].shared_bytes = 232449;
	pair_prepare(&pair);
	assert_non_null(strstr(pair.why.data, "the base case is skipped: "));
	text_clear(&pair.why);
	pair.base_work->launches[0].shared_bytes = 0;
	/* no memory is left for a buffer of its own */
	for (size_t b = 0; b < pair.base_work->buffer_count; b++)
		pair.base_work->buffers[b].length = INT64_C(1) << 30;
	pair.base_work->check.kind = CHECK_NONE;
	pair_prepare(&pair);
	assert_non_null(strstr(pair.why.data, "the base case failed beside this case: "));
	assert_null(pair.base.launches);
	pair_tear_down(&pair);
}

/* ---- timing ---- */

static struct round_result time_pair(struct bench *bench, struct pair *pair, int round,
				     const struct measure_settings *settings)
{
	struct round_result result = {.round = round};
	struct timer *timer = NULL;
	struct error err = {0};

	timer = bench_timer(bench, &pair->operation);
	text_clear(&pair->journal.launches);
	if (timer_run(timer, &pair->operation, &pair->base, settings, &result, &err))
		fail_msg("%s", err.text);
	timer_close(timer);
	return result;
}

static struct measure_settings settings_of(int64_t min_samples, enum cache_mode cache)
{
	return (struct measure_settings){.cache = cache,
					 .min_samples = min_samples,
					 .rounds = 1,
					 .precision = 0.005,
					 .max_time_ns = FOR_EVER_NS};
}

static double steady(size_t index)
{
	(void)index;
	return 100000;
}

static void round_free(struct round_result *result)
{
	free(result->time_ns);
	free(result->base_ns);
}

static void test_they_take_turns(void **context)
{
	struct bench *bench = *context;
	const struct measure_settings settings = settings_of(8, CACHE_COLD);
	struct round_result result;
	struct pair pair;

	pair_set_up(&pair, bench, "copy_scalar", "copy_float4");
	pair_prepare(&pair);
	bench->stub.elapsed_ns = steady;
	result = time_pair(bench, &pair, 0, &settings);
	assert_int_equal(result.count, 8);
	/* each after a flush, and as often after itself as after the other */
	assert_string_equal(pair.journal.launches.data, "|c|f|f|c|c|f|f|c|c|f|f|c|c|f|f|c");
	round_free(&result);
	/* the next round begins with the other */
	result = time_pair(bench, &pair, 1, &settings);
	assert_int_equal(strncmp(pair.journal.launches.data, "|f|c|c|f", 8), 0);
	round_free(&result);
	pair_tear_down(&pair);
}

/* The interval of the index-th sample of a round that begins with the case. */
static double base_is_slower(size_t index)
{
	const bool is_base = index % 4 == 1 || index % 4 == 2;

	return is_base ? 202000 : 200000;
}

static void test_each_time_goes_to_its_operation(void **context)
{
	struct bench *bench = *context;
	const struct measure_settings settings = settings_of(90, CACHE_COLD);
	struct round_result result;
	struct pair pair;

	pair_set_up(&pair, bench, "copy_scalar", "copy_float4");
	pair_prepare(&pair);
	bench->stub.elapsed_ns = base_is_slower;
	result = time_pair(bench, &pair, 0, &settings);
	assert_int_equal(result.count, 90); /* over several batches */
	for (size_t i = 0; i < result.count; i++) {
		assert_true(fabs(result.time_ns[i] - 200000) < 1);
		assert_true(fabs(result.base_ns[i] - 202000) < 1);
	}
	round_free(&result);
	pair_tear_down(&pair);
}

/* With a hot cache a sample follows an execution of its own operation, as it does alone. */
static void test_hot_samples_follow_their_own(void **context)
{
	struct bench *bench = *context;
	const struct measure_settings settings = settings_of(2, CACHE_HOT);
	struct round_result result;
	struct pair pair;

	pair_set_up(&pair, bench, "copy_scalar", "copy_float4");
	pair_prepare(&pair);
	bench->stub.elapsed_ns = steady;
	result = time_pair(bench, &pair, 0, &settings);
	assert_int_equal(strncmp(pair.journal.launches.data, "ccffffcc", 8), 0);
	round_free(&result);
	pair_tear_down(&pair);
}

/* A common drift widens the interval of neither; what is random to one of them widens that of the
 * speed-up, although the median of the case is precise. */
static double base_varies(size_t index)
{
	const bool is_base = index % 4 == 1 || index % 4 == 2;

	return 100000 + (is_base ? (double)(index * 7919 % 1000) * 10 : 0);
}

static void test_until_the_speedup_is_precise(void **context)
{
	struct bench *bench = *context;
	struct measure_settings settings = settings_of(20, CACHE_COLD);
	struct round_result result;
	struct round_speedup speedup;
	struct pair pair;

	pair_set_up(&pair, bench, "copy_scalar", "copy_float4");
	pair_prepare(&pair);
	bench->stub.elapsed_ns = base_varies;
	result = time_pair(bench, &pair, 0, &settings);
	speedup = round_speedup_of(result.time_ns, result.base_ns, result.count);
	assert_true(result.count > 20);
	assert_true(speedup.reach <= settings.precision / 2);
	round_free(&result);
	/* a budget ends it */
	settings.max_time_ns = 1;
	result = time_pair(bench, &pair, 0, &settings);
	assert_int_equal(result.count, 20);
	round_free(&result);
	pair_tear_down(&pair);
}

/* Both samples of a pair have one placement. After a move each operation is executed once. */
static void test_pairs_are_not_torn_by_a_move(void **context)
{
	struct bench *bench = *context;
	struct measure_settings settings = settings_of(8, CACHE_COLD);
	struct round_result result;
	struct error err = {0};
	struct pair pair;
	CUdeviceptr data;

	if (memory_make_replaceable(&bench->resources.memory, 1, &err))
		fail_msg("%s", err.text);
	pair_set_up_of(&pair, bench, "copy_scalar", "copy_float4", 1 << 18);
	pair_prepare(&pair);
	data = pair.operation.buffers[0].data;
	settings.placements = 2;
	bench->stub.elapsed_ns = steady;
	bench->stub.created = 0;
	result = time_pair(bench, &pair, 0, &settings);
	assert_string_equal(pair.journal.launches.data, "|c|f|f|c|c|f|f|c"
							"|c|f"
							"|c|f|f|c|c|f|f|c");
	assert_int_equal(result.count, 8);
	assert_int_equal(result.placements, 2);
	/* input and result, each once though both use them, with a filler before each */
	assert_int_equal(bench->stub.created, 4);
	assert_true(pair.operation.buffers[0].data == data);
	round_free(&result);
	settings.cache = CACHE_HOT;
	result = time_pair(bench, &pair, 0, &settings);
	assert_string_equal(pair.journal.launches.data, "ccffffccccffffcc"
							"ccff"
							"ccffffccccffffcc");
	round_free(&result);
	pair_tear_down(&pair);
}

static void test_one_more_sample(void **context)
{
	struct bench *bench = *context;
	const struct measure_settings cold = settings_of(1, CACHE_COLD),
				      hot = settings_of(1, CACHE_HOT);
	struct timer *timer = NULL;
	struct error err = {0};
	double time_ns = 0;
	struct pair pair;

	pair_set_up(&pair, bench, "copy_scalar", "copy_float4");
	pair_prepare(&pair);
	text_clear(&pair.journal.launches);
	bench->stub.elapsed_ns = steady;
	assert_int_equal(timer_open(&timer, &bench->resources, true, &err), 0);
	assert_int_equal(timer_take(timer, &pair.base, &cold, &time_ns, &err), 0);
	assert_true(fabs(time_ns - 100000) < 1);
	assert_int_equal(timer_take(timer, &pair.base, &hot, &time_ns, &err), 0);
	assert_string_equal(pair.journal.launches.data, "|fff");
	timer_close(timer);
	pair_tear_down(&pair);
}

#define beside_test(function) \
	cmocka_unit_test_setup_teardown(function, bench_set_up, bench_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		beside_test(test_both_use_the_same_memory),
		beside_test(test_buffers_that_differ_are_not_shared),
		beside_test(test_memory_of_its_own_is_not_shared),
		beside_test(test_a_wrong_base_is_reported),
		beside_test(test_a_base_that_does_not_fit_is_reported),
		beside_test(test_they_take_turns),
		beside_test(test_each_time_goes_to_its_operation),
		beside_test(test_hot_samples_follow_their_own),
		beside_test(test_until_the_speedup_is_precise),
		beside_test(test_pairs_are_not_torn_by_a_move),
		beside_test(test_one_more_sample),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
