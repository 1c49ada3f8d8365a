/*
 * Inputs and expected results that are made once for all workers: each round finds them, memory
 * stays within its limit, and whatever the workers that make them do, the sweep ends as it would
 * have without them.
 */
#include "sweep_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/session/data_file.h"
#include "harness/session/preparation.h"
#include "harness/session/workers.h"

#define ROUNDS 3
/* A case has an input and a result, twice in the first round. Each takes this memory. */
#define ITEM_BYTES (INT64_C(128) << 10)
/* The elements of the first case, and how many fewer each further one has: just over 31 pages. */
#define ELEMENTS 31760
#define FEWER_ELEMENTS 2
#define ITEMS_FIRST 4
#define ITEMS_LATER 2
#define TWO_CASES "1Mi"

static void set_data(struct launch_case *work, int64_t length, enum check_kind kind)
{
	work->buffers[0].length = length;
	work->buffers[1] = (struct case_buffer){
		.name = "y", .type = ELEMENT_F32, .length = length, .role = BUFFER_OUT};
	work->oracle[0] = '\0';
	work->check.kind = kind;
	if (kind != CHECK_EXPRESSION)
		return;
	work->check.items = xcalloc(1, sizeof(*work->check.items));
	work->check.items[0] = (struct case_check_item){1, xstrdup("2 * x")};
	work->check.item_count = 1;
}

/* Only a worker with a device can make the expected result. */
static void set_reference(struct launch_case *work)
{
	free(work->check.items[0].text);
	free(work->check.items);
	work->check = (struct case_check){.kind = CHECK_LAUNCHES, .launch_count = 1};
	work->check.launches = xcalloc(1, sizeof(*work->check.launches));
	work->check.launches[0] = work->launches[0];
	work->check.launches[0].entry = xstrdup("slow");
	work->check.launches[0].args = NULL;
	work->check.launches[0].arg_count = 0;
}

/* Every case has data of its own. */
static int preparation_set_up(void **context)
{
	struct sweep_fixture *f;
	int rc = sweep_set_up(context);

	f = *context;
	f->settings.rounds = ROUNDS;
	f->settings.jobs = 5;
	for (size_t i = 0; i < CASES; i++)
		set_data(f->record.plan->cases[i].launch, ELEMENTS - FEWER_ELEMENTS * (int64_t)i,
			 CHECK_EXPRESSION);
	set_variable("PERFLAB_SHARED_MEMORY", "256Mi");
	return rc;
}

static int preparation_tear_down(void **context)
{
	set_variable("PERFLAB_SHARED_MEMORY", NULL);
	set_variable("FAKE_WORKER_SCRIPT_FILE", NULL);
	return sweep_tear_down(context);
}

static struct sweep_fixture *start_again(void **context)
{
	preparation_tear_down(context);
	preparation_set_up(context);
	return *context;
}

static int64_t blocks_bytes(void)
{
	struct stat file;

	assert_int_equal(fstat(data_file_fd(), &file), 0);
	return (int64_t)file.st_blocks * 512;
}

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

static size_t logged_in_rounds(const struct sweep_fixture *f, const char *what)
{
	size_t count = 0;
	char request[32];

	for (int round = 0; round < f->settings.rounds; round++) {
		snprintf(request, sizeof(request), "%s-%d", what, round);
		count += sweep_logged(f, request, "");
	}
	return count;
}

/* All ended well, and nobody found other bytes than there must be. */
static void assert_as_without(const struct sweep_fixture *f)
{
	for (size_t i = 0; i < CASES; i++) {
		assert_int_equal(f->record.finished[i], 1);
		assert_int_equal(f->record.status[i], TRIAL_OK);
		assert_string_equal(f->record.reason[i], "");
		assert_int_equal(f->record.rounds[i], f->settings.rounds);
	}
	assert_int_equal(logged_in_rounds(f, "wrong"), 0);
	assert_int_equal(sweep_logged(f, "wrong-beside", ""), 0);
	assert_int_equal(sweep_logged(f, "wrong-count", ""), 0);
	assert_int_equal(blocks_bytes(), 0); /* nothing is left in memory */
	sweep_assert_no_worker(f);
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
	assert_as_without(f);
	assert_int_equal(logged_in_rounds(f, "shared"), ROUNDS * CASES);
	assert_int_equal(logged_in_rounds(f, "made"), 0);
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
	assert_as_without(f);
	assert_int_equal(logged_in_rounds(f, "made"), 0);
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
	assert_as_without(f);
	assert_int_equal(logged_in_rounds(f, "made"), 0);
	assert_int_equal(sweep_logged(f, "made-beside", ""), 0);
	assert_int_equal(sweep_logged(f, "shared-beside", ""), ROUNDS * (CASES - 2));
	assert_made_once(f, ITEMS_FIRST * CASES);
}

static void test_counting_finds_the_inputs(void **context)
{
	struct sweep_fixture *f = *context;

	sweep_want_counters(f);
	assert_int_equal(sweep_run_scripted(f, "data"), 0);
	assert_as_without(f);
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
	assert_int_equal(blocks_bytes(), 0);
	sweep_assert_no_worker(f);
}

/* The results of reference launches need a device, so the first round gives them to the next. */
static void test_a_worker_gives_what_it_made(void **context)
{
	struct sweep_fixture *f = *context;

	for (size_t i = 0; i < CASES; i++)
		set_reference(f->record.plan->cases[i].launch);
	assert_int_equal(sweep_run_scripted(f, "data"), 0);
	assert_as_without(f);
	assert_int_equal(sweep_logged(f, "made-0", ""), CASES);
	assert_int_equal(logged_in_rounds(f, "shared"), (ROUNDS - 1) * CASES);
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
	sweep.rounds = ROUNDS;
	for (size_t i = 0; i < CASES; i++)
		states[i].rounds_done = i ? 1 : ROUNDS;
	assert_int_equal(preparation_begin(&preparation, &sweep, &f->err), 0);
	assert_non_null(preparation);
	preparation_end(preparation);
	for (size_t i = 0; i < CASES; i++)
		states[i].rounds_done = ROUNDS;
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
	sweep.rounds = ROUNDS;
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
		struct sweep_fixture *f = start_again(context);
		int64_t limit;

		assert_int_equal(parse_size(&limit, limits[i], NULL), 0);
		set_variable("PERFLAB_SHARED_MEMORY", limits[i]);
		sweep_want_counters(f);
		assert_int_equal(sweep_run_scripted(f, "data"), 0);
		assert_as_without(f);
		if (most_blocks(f) > limit)
			fail_msg("%s: %lld bytes", limits[i], (long long)most_blocks(f));
		assert_int_equal(most_blocks(f) > 0, limit >= ITEM_BYTES);
		/* every case fits, so each was prepared before it was measured */
		if (limit >= ITEMS_FIRST * ITEM_BYTES)
			assert_int_equal(logged_in_rounds(f, "made"), 0);
		/* the inputs of all cases fit, so counting waits until those that were dropped are
		 * there again */
		if (limit >= CASES * ITEM_BYTES) {
			assert_int_equal(sweep_logged(f, "made-count", ""), 0);
			assert_int_equal(sweep_logged(f, "shared-count", ""), CASES);
		}
	}
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
	sweep.rounds = ROUNDS;
	sweep.decide = (struct sweep_decide *)&(int){0};
	assert_int_equal(preparation_begin(&preparation, &sweep, &f->err), 0);
	for (size_t i = 0; i < CASES; i++)
		sweep.cases[i].rounds_done = ROUNDS;
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
		f->record.plan->cases[i].rounds_done = ROUNDS - 1;
	assert_int_equal(sweep_run_scripted(f, "data;no_counters"), 0);
	assert_int_equal(f->outcome.ok, CASES);
	assert_int_equal(sweep_logged(f, "prepare", ""), CASES);
}

static void test_nothing_is_shared_without_memory(void **context)
{
	struct sweep_fixture *f = *context;

	set_variable("PERFLAB_SHARED_MEMORY", "0");
	assert_int_equal(sweep_run_scripted(f, "data"), 0);
	assert_as_without(f);
	assert_int_equal(logged_in_rounds(f, "made"), ROUNDS * CASES);
	assert_int_equal(sweep_logged(f, "prepare", ""), 0);
}

static void test_small_data_are_not_shared(void **context)
{
	struct sweep_fixture *f = *context;

	for (size_t i = 0; i < CASES; i++)
		for (size_t b = 0; b < 2; b++)
			f->record.plan->cases[i].launch->buffers[b].length = 64;
	assert_int_equal(sweep_run_scripted(f, "data"), 0);
	assert_as_without(f);
	assert_int_equal(sweep_logged(f, "prepare", ""), 0);
}

static void test_bad_limit_is_refused_by_name(void **context)
{
	static const char *const bad[] = {"much", "-1", "1 GB", "9e99"};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct sweep_fixture *f = start_again(context);

		set_variable("PERFLAB_SHARED_MEMORY", bad[i]);
		assert_int_equal(sweep_run_scripted(f, NULL), PL_EUSAGE);
		assert_non_null(strstr(f->err.text, "PERFLAB_SHARED_MEMORY"));
		assert_non_null(strstr(f->err.text, bad[i]));
		assert_int_equal(sweep_logged(f, "measure-0", ""), 0);
	}
}

/* ---- workers that misbehave ---- */

static void test_misbehaving_preparers_change_nothing(void **context)
{
	static const struct {
		const char *script;
		bool quick;  /* needs a short --timeout */
		size_t made; /* at least so many cases had to be made in the first round */
	} rows[] = {
		{"prepare_exit", false, CASES},
		{"prepare_exit:" VICTIM_NAME, false, 1},
		{"prepare_die", false, CASES},
		{"prepare_die:" VICTIM_NAME, false, 1},
		{"prepare_hang:" VICTIM_NAME, true, 1},
		{"prepare_fail", false, CASES},
		{"prepare_nothing", false, CASES},
		{"prepare_lie_key", false, CASES},
		{"prepare_lie_reply:" VICTIM_NAME, false, 1},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct sweep_fixture *f = start_again(context);
		char script[128];

		if (rows[i].quick)
			f->settings.timeout_ns = SWEEP_SHORT_TIMEOUT_NS;
		snprintf(script, sizeof(script), "data;%s", rows[i].script);
		assert_int_equal(sweep_run_scripted(f, script), 0);
		assert_as_without(f);
		assert_int_equal(f->record.notice_count, 0);
		if (sweep_logged(f, "made-0", "") != rows[i].made)
			fail_msg("%s: %zu", script, sweep_logged(f, "made-0", ""));
		/* what the first round gave */
		assert_int_equal(logged_in_rounds(f, "shared"), ROUNDS * CASES - rows[i].made);
	}
}

/* Long before --timeout: whoever stopped it may never let it go on. */
static void test_a_stopped_preparer_is_ended(void **context)
{
	struct sweep_fixture *f = *context;

	f->settings.timeout_ns = INT64_C(1000000000000);
	assert_int_equal(sweep_run_scripted(f, "data;prepare_stop:" VICTIM_NAME), 0);
	assert_as_without(f);
	assert_int_equal(sweep_logged(f, "made-0", ""), 1);
}

/* The worker of the case meets the fault again, and only that is reported. */
static void test_faults_are_reported_as_without(void **context)
{
	static const char *const scripts[] = {"mismatch:", "crash:", "fail:", "exit:", "oom:"};

	for (size_t i = 0; i < ARRAY_SIZE(scripts); i++) {
		char reason[512], script[128];
		enum trial_status status;
		struct sweep_fixture *f = start_again(context);

		set_variable("PERFLAB_SHARED_MEMORY", "0");
		snprintf(script, sizeof(script), "data;%s%s", scripts[i], VICTIM_NAME);
		assert_int_equal(sweep_run_scripted(f, script), 0);
		status = f->record.status[VICTIM];
		snprintf(reason, sizeof(reason), "%s", f->record.reason[VICTIM]);
		assert_int_not_equal(status, TRIAL_OK);

		f = start_again(context);
		snprintf(script, sizeof(script), "data;prepare_die:%s;%s%s", VICTIM_NAME,
			 scripts[i], VICTIM_NAME);
		assert_int_equal(sweep_run_scripted(f, script), 0);
		assert_int_equal(f->record.status[VICTIM], status);
		assert_string_equal(f->record.reason[VICTIM], reason);
		assert_int_equal(f->outcome.ok, CASES - 1);
		assert_int_equal(blocks_bytes(), 0);
	}
}

static void test_an_emulator_survives_its_preparers(void **context)
{
	struct sweep_fixture *f = *context;

	assert_int_equal(sweep_run_scripted(f, "data;untimed;prepare_die"), 0);
	for (size_t i = 0; i < CASES; i++)
		assert_int_equal(f->record.status[i], TRIAL_OK);
	assert_int_equal(sweep_logged(f, "made-emulate", ""), CASES);
	assert_int_equal(blocks_bytes(), 0);
}

/* Where no worker can be started beside the first, that one makes all. */
static void test_no_preparer_starts(void **context)
{
	struct sweep_fixture *f = *context;

	f->settings.rounds = 1;
	assert_int_equal(sweep_run_scripted(f, "data;start_exit_later"), 0);
	assert_as_without(f);
	assert_int_equal(sweep_logged(f, "made-0", ""), CASES);
}

static void test_stop_while_preparers_hang(void **context)
{
	struct sweep_fixture *f = *context;
	int64_t began_ns;

	f->record.stop_at_round = &f->stop;
	began_ns = monotonic_ns();
	/* the first case in the order is not to wait for its own */
	assert_int_equal(sweep_run_scripted(f, "data;prepare_hang:alpha/three"), PL_EINTERRUPTED);
	assert_true(monotonic_ns() - began_ns < f->settings.timeout_ns / 2);
	assert_int_equal(blocks_bytes(), 0);
	sweep_assert_no_worker(f);
}

/* Memory that was offered to a worker is free when the worker has ended, not before. */
static void test_a_late_gift_takes_no_memory(void **context)
{
	struct sweep_fixture *f = *context;

	f->settings.timeout_ns = SWEEP_SHORT_TIMEOUT_NS;
	assert_int_equal(sweep_run_scripted(f, "data;prepare_nothing:" VICTIM_NAME
					       ";give_late:" VICTIM_NAME),
			 0);
	assert_int_equal(f->record.status[VICTIM], TRIAL_TIMEOUT);
	assert_int_equal(f->outcome.ok, CASES - 1);
	assert_int_equal(blocks_bytes(), 0);
}

/* ---- what is in use is not dropped ---- */

static void await_logged(const struct sweep_fixture *f, struct preparation *preparation,
			 const char *request, const char *name)
{
	const int64_t end_ns = monotonic_ns() + f->settings.timeout_ns;
	struct channel_side *side = preparation_side(preparation);

	while (!sweep_logged(f, request, name)) {
		if (monotonic_ns() > end_ns)
			fail_msg("no worker wrote '%s %s'", request, name);
		side->serve(side);
	}
	side->serve(side); /* what it replied before it wrote that */
}

/*
 * Case 1 is being prepared: its input is there, its expected result is not. Case 0 then offers
 * memory for what only its own worker can make. That must not be the memory of the input, from
 * which the expected result is computed.
 */
static void test_an_input_stays_until_its_result_is_computed(void **context)
{
	static const size_t order[] = {0, 1};
	static const size_t first = 0;
	struct sweep_fixture *f = *context;
	struct sweep sweep = SWEEP_INIT(&f->settings, NULL, &f->stop);
	struct preparation *preparation = NULL;
	struct text request = TEXT_INIT;
	char path[96];
	FILE *file;

	set_reference(f->record.plan->cases[0].launch);
	snprintf(path, sizeof(path), "%s.go", f->log);
	set_variable("FAKE_WORKER_SCRIPT_FILE", path);
	set_variable("FAKE_WORKER_SCRIPT", "data;prepare_pause:alpha/one/block=128");
	assert_int_equal(worker_find(&sweep.worker_path, "fake", &f->err), 0);
	sweep_cases_init(&sweep, f->record.plan);
	sweep.rounds = ROUNDS;
	/* the inputs of case 0, and all of case 1 */
	set_variable("PERFLAB_SHARED_MEMORY", "768Ki");
	assert_int_equal(preparation_begin(&preparation, &sweep, &f->err), 0);
	preparation_set_order(preparation, order, ARRAY_SIZE(order));
	assert_int_equal(preparation_await(preparation, 0, &f->err), 0);
	await_logged(f, preparation, "paused", "alpha/one/block=128");
	preparation_hold(preparation, &first, 1);
	preparation_add_data(&request, preparation, &first, 1);
	assert_non_null(strstr(request.data, "\"fill\":false"));
	assert_null(strstr(request.data, "\"fill\":true")); /* there is no room for more */
	file = fopen(path, "w");
	assert_non_null(file);
	fputs("go", file);
	fclose(file);
	assert_int_equal(preparation_await(preparation, 1, &f->err), 0);
	assert_int_equal(sweep_logged(f, "lost", ""), 0);
	assert_int_equal(sweep_logged(f, "kept", "alpha/one/block=128"), 1);
	preparation_release(preparation, &first, 1);
	preparation_end(preparation);
	assert_int_equal(blocks_bytes(), 0);
	text_release(&request);
	sweep_close(&sweep, 0);
	unlink(path);
}

#define PREPARATION_TEST(name) \
	cmocka_unit_test_setup_teardown(name, preparation_set_up, preparation_tear_down)
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
		PREPARATION_TEST(test_misbehaving_preparers_change_nothing),
		PREPARATION_TEST(test_a_stopped_preparer_is_ended),
		PREPARATION_TEST(test_faults_are_reported_as_without),
		PREPARATION_TEST(test_an_emulator_survives_its_preparers),
		PREPARATION_TEST(test_no_preparer_starts),
		PREPARATION_TEST(test_stop_while_preparers_hang),
		PREPARATION_TEST(test_a_late_gift_takes_no_memory),
		PREPARATION_TEST(test_an_input_stays_until_its_result_is_computed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
