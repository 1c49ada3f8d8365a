/*
 * Inputs and expected results that are made once for all workers: each round finds them, and memory
 * stays within its limit.
 */
#include "preparation_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A case has an input and a result, twice in the first round. Each takes this memory. */
#define ITEM_BYTES (INT64_C(128) << 10)
#define ITEMS_FIRST 4
#define TWO_CASES "1Mi"

/* The largest number that the log has for "blocks", of any worker at any time. */
static int64_t most_blocks(const struct sweep_fixture *f)
{
	FILE *file = fopen(f->log, "r");
	char line[512];
	int64_t most = 0;

	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		const char *word = strstr(line, " blocks ");
		const int64_t bytes = word ? strtoll(word + strlen(" blocks "), NULL, 10) : 0;

		most = bytes > most ? bytes : most;
	}
	fclose(file);
	return most;
}

/* ---- what is shared ---- */

/* No content was made by two workers. */
static void assert_made_once(const struct sweep_fixture *f, size_t wanted)
{
	FILE *file = fopen(f->log, "r");
	char line[512], keys[64][64];
	size_t count = 0;

	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		const char *word = strstr(line, " filled ");

		if (!word)
			continue;
		assert_true(count < ARRAY_SIZE(keys));
		snprintf(keys[count], sizeof(keys[count]), "%s", word);
		for (size_t i = 0; i < count; i++)
			assert_string_not_equal(keys[i], keys[count]);
		count++;
	}
	fclose(file);
	assert_int_equal(count, wanted);
}

static void test_every_round_finds_its_data(void **context)
{
	struct sweep_fixture *f = *context;

	assert_int_equal(sweep_run_scripted(f, "data"), 0);
	preparation_assert_as_without(f);
	assert_int_equal(preparation_logged(f, "shared"), PREPARATION_ROUNDS * CASES);
	assert_int_equal(preparation_logged(f, "made"), 0);
	assert_made_once(f, ITEMS_FIRST * CASES);
	assert_int_equal(sweep_logged(f, "prepare", ""), CASES);
}

/* Cases with equal inputs and checks need the data once. */
static void test_cases_share_equal_data(void **context)
{
	struct sweep_fixture *f = *context;

	for (size_t i = 0; i < CASES; i++)
		for (size_t b = 0; b < 2; b++)
			f->record.plan->cases[i].launch->buffers[b].length = ELEMENTS;
	assert_int_equal(sweep_run_scripted(f, "data"), 0);
	preparation_assert_as_without(f);
	assert_int_equal(preparation_logged(f, "made"), 0);
	assert_made_once(f, ITEMS_FIRST);
	assert_int_equal(sweep_logged(f, "prepare", ""), 1);
}

static void test_base_cases_share(void **context)
{
	struct sweep_fixture *f = *context;

	for (size_t i = 2; i < CASES; i++) {
		f->record.plan->cases[i].base_variant = "one";
		f->record.plan->cases[i].base = i % 2;
	}
	assert_int_equal(sweep_run_scripted(f, "data"), 0);
	preparation_assert_as_without(f);
	assert_int_equal(preparation_logged(f, "made"), 0);
	assert_int_equal(sweep_logged(f, "made-beside", ""), 0);
	assert_int_equal(sweep_logged(f, "shared-beside", ""), PREPARATION_ROUNDS * (CASES - 2));
	assert_made_once(f, ITEMS_FIRST * CASES);
}

static void test_counting_finds_the_inputs(void **context)
{
	struct sweep_fixture *f = *context;

	sweep_want_counters(f);
	assert_int_equal(sweep_run_scripted(f, "data"), 0);
	preparation_assert_as_without(f);
	assert_int_equal(sweep_logged(f, "shared-count", ""), CASES);
	assert_int_equal(sweep_logged(f, "made-count", ""), 0);
	assert_made_once(f, ITEMS_FIRST * CASES);
}

static void test_an_emulator_finds_its_data(void **context)
{
	struct sweep_fixture *f = *context;

	assert_int_equal(sweep_run_scripted(f, "data;untimed"), 0);
	for (size_t i = 0; i < CASES; i++)
		assert_int_equal(f->record.status[i], TRIAL_OK);
	assert_int_equal(sweep_logged(f, "shared-emulate", ""), CASES);
	assert_made_once(f, ITEMS_FIRST * CASES);
	assert_int_equal(preparation_bytes(), 0);
	sweep_assert_no_worker(f);
}

/* The results of reference launches need a device, so the first round gives them to the next. */
static void test_a_worker_gives_what_it_made(void **context)
{
	struct sweep_fixture *f = *context;

	for (size_t i = 0; i < CASES; i++)
		preparation_set_reference(f->record.plan->cases[i].launch);
	assert_int_equal(sweep_run_scripted(f, "data"), 0);
	preparation_assert_as_without(f);
	assert_int_equal(sweep_logged(f, "made-0", ""), CASES);
	assert_int_equal(preparation_logged(f, "shared"), (PREPARATION_ROUNDS - 1) * CASES);
}

/* What only the first round needs is not made for the others. */
static void test_resume_makes_what_is_left(void **context)
{
	struct sweep_fixture *f = *context;
	struct preparation *preparation = NULL;
	struct case_state states[CASES] = {0};
	struct sweep sweep = SWEEP_INIT(&f->settings, NULL, &f->stop);

	sweep.plan = f->record.plan;
	sweep.cases = states;
	sweep.rounds = PREPARATION_ROUNDS;
	for (size_t i = 0; i < CASES; i++)
		states[i].rounds_done = i ? 1 : PREPARATION_ROUNDS;
	assert_int_equal(preparation_begin(&preparation, &sweep, &f->err), 0);
	assert_non_null(preparation);
	preparation_end(preparation);
	for (size_t i = 0; i < CASES; i++)
		states[i].rounds_done = PREPARATION_ROUNDS;
	assert_int_equal(preparation_begin(&preparation, &sweep, &f->err), 0);
	preparation_end(preparation);
}

static size_t count_of(const struct text *request, const char *what)
{
	size_t count = 0;

	for (const char *at = request->data; (at = strstr(at, what)); at++)
		count++;
	return count;
}

/* A batch of hundreds of cases may have the same inputs. */
static void test_a_request_names_each_content_once(void **context)
{
	static const size_t all[] = {0, 1, 2, 3, 4, 5};
	struct sweep_fixture *f = *context;
	struct sweep sweep = SWEEP_INIT(&f->settings, NULL, &f->stop);
	struct preparation *preparation = NULL;
	struct text request = TEXT_INIT;
	json_t *data, *range;
	size_t i;

	for (i = 0; i < CASES; i++)
		for (size_t b = 0; b < 2; b++)
			f->record.plan->cases[i].launch->buffers[b].length = ELEMENTS;
	text_add(&sweep.worker_path, "/nonexistent"); /* the worker of a case makes all */
	sweep_cases_init(&sweep, f->record.plan);
	sweep.rounds = PREPARATION_ROUNDS;
	assert_int_equal(preparation_begin(&preparation, &sweep, &f->err), 0);
	preparation_set_order(preparation, all, CASES);
	assert_int_equal(preparation_await(preparation, 0, &f->err), 0);
	preparation_hold(preparation, all, CASES);
	preparation_add_data(&request, preparation, all, CASES);
	assert_int_equal(count_of(&request, "\"fill\":true"), ITEMS_FIRST);
	assert_int_equal(count_of(&request, "\"key\""), ITEMS_FIRST);
	data = json_loads(strchr(request.data, '['), 0, NULL);
	json_array_foreach(data, i, range)
		assert_int_equal(preparation_take_filled(preparation, range, &f->err), 0);
	json_decref(data);
	preparation_release(preparation, all, CASES);
	text_clear(&request);
	preparation_hold(preparation, all, CASES);
	preparation_add_data(&request, preparation, all, CASES);
	assert_int_equal(count_of(&request, "\"fill\":false"), ITEMS_FIRST);
	assert_int_equal(count_of(&request, "\"key\""), ITEMS_FIRST);
	preparation_release(preparation, all, CASES);
	preparation_end(preparation);
	text_release(&request);
	sweep_close(&sweep, 0);
}

/* ---- memory ---- */

static void test_memory_is_limited(void **context)
{
	static const char *const limits[] = {TWO_CASES, "512Ki", "500Ki", "300Ki",
					     "128Ki",   "100Ki", "1"};

	for (size_t i = 0; i < ARRAY_SIZE(limits); i++) {
		struct sweep_fixture *f = preparation_start_again(context);
		int64_t limit;

		assert_int_equal(parse_size(&limit, limits[i], NULL), 0);
		set_variable("PERFLAB_SHARED_MEMORY", limits[i]);
		sweep_want_counters(f);
		assert_int_equal(sweep_run_scripted(f, "data"), 0);
		preparation_assert_as_without(f);
		if (most_blocks(f) > limit)
			fail_msg("%s: %lld bytes", limits[i], (long long)most_blocks(f));
		assert_int_equal(most_blocks(f) > 0, limit >= ITEM_BYTES);
		/* every case fits, so each was prepared before it was measured */
		if (limit >= ITEMS_FIRST * ITEM_BYTES)
			assert_int_equal(preparation_logged(f, "made"), 0);
		/* the inputs of all cases fit, so counting waits until those that were dropped are
		 * there again */
		if (limit >= CASES * ITEM_BYTES) {
			assert_int_equal(sweep_logged(f, "made-count", ""), 0);
			assert_int_equal(sweep_logged(f, "shared-count", ""), CASES);
		}
	}
}

static int add_no_rounds(struct sweep *sweep, struct error *err)
{
	(void)sweep;
	(void)err;
	return 0;
}

/* When cases are only counted, their results are not needed, not even with --decide. */
static void test_counting_needs_no_results(void **context)
{
	static const size_t all[] = {0, 1, 2, 3, 4, 5};
	struct sweep_fixture *f = *context;
	struct sweep sweep = SWEEP_INIT(&f->settings, NULL, &f->stop);
	struct preparation *preparation = NULL;
	struct text request = TEXT_INIT;

	text_add(&sweep.worker_path, "/nonexistent"); /* the worker of a case makes all */
	sweep_want_counters(f);
	sweep_cases_init(&sweep, f->record.plan);
	sweep.rounds = PREPARATION_ROUNDS;
	sweep.hooks.add_rounds = add_no_rounds;
	assert_int_equal(preparation_begin(&preparation, &sweep, &f->err), 0);
	for (size_t i = 0; i < CASES; i++)
		sweep.cases[i].rounds_done = PREPARATION_ROUNDS;
	sweep.rounds_over = true;
	preparation_set_order(preparation, all, CASES);
	preparation_hold(preparation, all, CASES);
	preparation_add_data(&request, preparation, all, CASES);
	assert_int_equal(count_of(&request, "\"fill\":true"), CASES);
	preparation_release(preparation, all, CASES);
	preparation_end(preparation);
	text_release(&request);
	sweep_close(&sweep, 0);
}

/* If the last round shows that there are no counters, nothing is left to prepare. */
static void test_nothing_is_prepared_for_no_counters(void **context)
{
	struct sweep_fixture *f = *context;

	set_variable("PERFLAB_SHARED_MEMORY", "300Ki"); /* what a case needs in its last round */
	sweep_want_counters(f);
	for (size_t i = 0; i < CASES; i++)
		f->record.plan->cases[i].rounds_done = PREPARATION_ROUNDS - 1;
	assert_int_equal(sweep_run_scripted(f, "data;no_counters"), 0);
	assert_int_equal(f->outcome.ok, CASES);
	assert_int_equal(sweep_logged(f, "prepare", ""), CASES);
}

static void test_nothing_is_shared_without_memory(void **context)
{
	struct sweep_fixture *f = *context;

	set_variable("PERFLAB_SHARED_MEMORY", "0");
	assert_int_equal(sweep_run_scripted(f, "data"), 0);
	preparation_assert_as_without(f);
	assert_int_equal(preparation_logged(f, "made"), PREPARATION_ROUNDS * CASES);
	assert_int_equal(sweep_logged(f, "prepare", ""), 0);
}

static void test_small_data_are_not_shared(void **context)
{
	struct sweep_fixture *f = *context;

	for (size_t i = 0; i < CASES; i++)
		for (size_t b = 0; b < 2; b++)
			f->record.plan->cases[i].launch->buffers[b].length = 64;
	assert_int_equal(sweep_run_scripted(f, "data"), 0);
	preparation_assert_as_without(f);
	assert_int_equal(sweep_logged(f, "prepare", ""), 0);
}

static void test_bad_limit_is_refused_by_name(void **context)
{
	static const char *const bad[] = {"much", "-1", "1 GB", "9e99"};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct sweep_fixture *f = preparation_start_again(context);

		set_variable("PERFLAB_SHARED_MEMORY", bad[i]);
		assert_int_equal(sweep_run_scripted(f, NULL), PL_EUSAGE);
		assert_non_null(strstr(f->err.text, "PERFLAB_SHARED_MEMORY"));
		assert_non_null(strstr(f->err.text, bad[i]));
		assert_int_equal(sweep_logged(f, "measure-0", ""), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		PREPARATION_TEST(test_every_round_finds_its_data),
		PREPARATION_TEST(test_cases_share_equal_data),
		PREPARATION_TEST(test_base_cases_share),
		PREPARATION_TEST(test_counting_finds_the_inputs),
		PREPARATION_TEST(test_an_emulator_finds_its_data),
		PREPARATION_TEST(test_a_worker_gives_what_it_made),
		PREPARATION_TEST(test_resume_makes_what_is_left),
		PREPARATION_TEST(test_a_request_names_each_content_once),
		PREPARATION_TEST(test_memory_is_limited),
		PREPARATION_TEST(test_counting_needs_no_results),
		PREPARATION_TEST(test_nothing_is_prepared_for_no_counters),
		PREPARATION_TEST(test_nothing_is_shared_without_memory),
		PREPARATION_TEST(test_small_data_are_not_shared),
		PREPARATION_TEST(test_bad_limit_is_refused_by_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
