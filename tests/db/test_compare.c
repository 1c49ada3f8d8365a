/*
 * Rounds, baselines and stored comparisons.
 */
#include "context.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static int64_t store_of(struct context *context, int age, const char *uuid, const char *mark)
{
	struct run run = fixture_run(NULL);
	const struct run_words words = {.mark = mark};
	int64_t id;

	run.started_ns -= age * INT64_C(1000000000);
	if (uuid)
		snprintf(run.device.uuid, sizeof(run.device.uuid), "%s", uuid);
	assert_ok(context, fixture_store(context->db, &run, &context->err));
	id = run.id;
	if (mark)
		assert_ok(context, db_run_mark(context->db, id, &words, &context->err));
	run_release(&run);
	return id;
}

static int64_t store(struct context *context, int age)
{
	return store_of(context, age, NULL, NULL);
}

static void assert_base(struct context *context, int64_t head, int64_t expected)
{
	struct run base = {0};
	bool any_good;

	assert_ok(context, db_baselines_load(context->db, head, &base, &any_good, &context->err));
	assert_int_equal(base.trial_count, expected ? 1 : 0);
	if (expected)
		assert_int_equal(base.trials[0].run_id, expected);
	run_release(&base);
}

static void test_rounds_have_their_medians(void **state)
{
	struct context *context = *state;
	int64_t id = store(context, 0);
	struct run run = {0};
	const struct trial *trial;

	assert_ok(context, db_run_load(context->db, id, true, &run, &context->err));
	for (int again = 0; again < 2; again++)
		assert_ok(context, db_rounds_load(context->db, &run, &context->err));
	trial = &run.trials[FIXTURE_OK];
	assert_int_equal(trial->run_id, id);
	assert_int_equal(trial->round_count, 2);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(trial->rounds[i].round, i);
		assert_true(trial->rounds[i].median_ns == 1000 * (i + 1) + 4.5);
		assert_true(trial->rounds[i].state.sm_clock_hz == 1.98e9);
		assert_true(isnan(trial->rounds[i].state.power_w));
		assert_int_equal(trial->rounds[i].state.throttle_reasons, i ? -1 : 4);
	}
	assert_int_equal(run.trials[FIXTURE_PENDING].round_count, 0);
	run_release(&run);
}

/* The newest older run of the same device, whether or not it was stored before. */
static void test_the_baseline_is_the_newest_older_run(void **state)
{
	struct context *context = *state;
	int64_t head = store(context, 0);
	int64_t oldest, base, other;

	assert_base(context, head, 0);
	oldest = store(context, 30);
	assert_base(context, head, oldest);
	base = store(context, 10);
	other = store_of(context, 5, "GPU-ffff", NULL);
	assert_base(context, head, base);
	assert_base(context, base, oldest);
	assert_base(context, oldest, 0);
	assert_base(context, other, 0);
	assert_base(context, 999, 0);
}

static void test_good_runs_are_baselines_and_bad_ones_are_not(void **state)
{
	const struct run_words good = {.mark = "good"};
	struct context *context = *state;
	int64_t oldest = store(context, 30), older = store(context, 20);
	int64_t head;

	store_of(context, 10, NULL, "bad");
	head = store(context, 0);
	assert_base(context, head, older);
	assert_ok(context, db_run_mark(context->db, oldest, &good, &context->err));
	assert_base(context, head, oldest);
	/* no good run has the case: another run is the base, but never a bad one */
	sql_execute(context->path, "UPDATE trial SET status = 'failed', reason = 'x'"
				   " WHERE run_id = 1 AND status = 'ok'");
	assert_base(context, head, older);
	sql_execute(context->path, "UPDATE trial SET status = 'failed', reason = 'x'"
				   " WHERE run_id = 2 AND status = 'ok'");
	assert_base(context, head, 0);
}

/* A good base is of the device of the run, and older. */
static void test_that_a_run_is_good_is_told(void **state)
{
	const struct run_words good = {.mark = "good"};
	struct context *context = *state;
	struct run base = {0};
	bool any_good = true;
	int64_t older, head;

	store_of(context, 20, "GPU-ffff", "good");
	older = store(context, 10);
	head = store(context, 5);
	store_of(context, 0, NULL, "good");
	assert_ok(context, db_baselines_load(context->db, head, &base, &any_good, &context->err));
	assert_false(any_good);
	run_release(&base);
	assert_ok(context, db_run_mark(context->db, older, &good, &context->err));
	assert_ok(context, db_baselines_load(context->db, head, &base, &any_good, &context->err));
	assert_true(any_good);
	run_release(&base);
}

static void test_a_baseline_has_all_that_is_compared(void **state)
{
	struct context *context = *state;
	int64_t base_run = store(context, 10), head = store(context, 0);
	struct run base = {0};
	const struct trial *trial;
	bool any_good;

	assert_ok(context, db_baselines_load(context->db, head, &base, &any_good, &context->err));
	assert_ok(context, db_rounds_load(context->db, &base, &context->err));
	assert_int_equal(base.trial_count, 1);
	trial = &base.trials[0];
	assert_int_equal(trial->run_id, base_run);
	assert_string_equal(trial->variant, "shuffle");
	assert_string_equal(trial->facts.code_hash, "0123456789abcdef");
	assert_true(counter_list_find(&trial->counters, "dram_read_bytes")->value == 67108864);
	assert_int_equal(trial->axis_count, 2);
	assert_int_equal(trial->round_count, 2);
	run_release(&base);
}

static void test_comparisons_are_kept(void **state)
{
	struct context *context = *state;
	int64_t base = store(context, 10), head = store(context, 0);
	const struct trial_comparison kept[] = {{.trial_id = 5,
						 .base_trial_id = 1,
						 .verdict = CHANGE_REGRESSED,
						 .change = 0.02,
						 .low = 0.015,
						 .high = 0.025,
						 .p = 1e-6,
						 .why = (char *)"it's slower"},
						{.trial_id = 6,
						 .verdict = CHANGE_FAILED,
						 .change = NAN,
						 .low = NAN,
						 .high = NAN,
						 .p = NAN}};
	struct trial_comparison_list list = {0}, loaded = {0};

	(void)base;
	for (size_t i = 0; i < ARRAY_SIZE(kept); i++)
		comparison_list_add(&list, &kept[i]);
	for (int again = 0; again < 2; again++)
		assert_ok(context, db_comparisons_store(context->db, head, &list, &context->err));
	assert_ok(context, db_comparisons_load(context->db, head, &loaded, &context->err));
	assert_int_equal(loaded.count, 2);
	assert_int_equal(loaded.items[0].trial_id, 5);
	assert_int_equal(loaded.items[0].base_trial_id, 1);
	assert_int_equal(loaded.items[0].verdict, CHANGE_REGRESSED);
	assert_true(loaded.items[0].change == 0.02 && loaded.items[0].low == 0.015);
	assert_true(loaded.items[0].high == 0.025 && loaded.items[0].p == 1e-6);
	assert_string_equal(loaded.items[0].why, "it's slower");
	assert_int_equal(loaded.items[1].base_trial_id, 0);
	assert_int_equal(loaded.items[1].verdict, CHANGE_FAILED);
	assert_true(isnan(loaded.items[1].change) && isnan(loaded.items[1].p));
	assert_null(loaded.items[1].why);
	comparison_list_release(&loaded);

	assert_int_equal(context_query(context, "SELECT round(10 * change_pct) FROM regressions"
						" WHERE verdict = 'regressed' AND base_run_id = 1"
						" AND run_id = 2 AND median_ns = base_median_ns"),
			 20);
	assert_int_equal(context_query(context, "SELECT count(*) FROM regressions"), 2);

	/* a trial of another run is rejected, and the stored rows stay */
	list.items[1].trial_id = 1;
	assert_int_equal(db_comparisons_store(context->db, head, &list, &context->err), PL_ENOENT);
	assert_int_equal(context_query(context, "SELECT count(*) FROM comparison"), 2);
	comparison_list_release(&list);

	/* a comparison without its base has no meaning */
	sql_execute(context->path, "PRAGMA foreign_keys = ON; DELETE FROM run WHERE id = 1");
	assert_int_equal(context_query(context, "SELECT count(*) FROM comparison"), 1);
}

#define compare_test(function) \
	cmocka_unit_test_setup_teardown(function, context_setup_open, context_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		compare_test(test_rounds_have_their_medians),
		compare_test(test_the_baseline_is_the_newest_older_run),
		compare_test(test_good_runs_are_baselines_and_bad_ones_are_not),
		compare_test(test_that_a_run_is_good_is_told),
		compare_test(test_a_baseline_has_all_that_is_compared),
		compare_test(test_comparisons_are_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
