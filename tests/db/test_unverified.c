/*
 * The status `unverified`: such trials are stored, shown with their status and compared, and no
 * view prefers them to a verified one. Files of version 7 learn the status.
 */
#include "context.h"
#include "db/statement.h"
#include "metrics/analysis/history.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const why = "the kernel's file says `verify none`";

/* Stores a run that is `age` seconds older than the others. Of the two configurations of one
 * problem, FIXTURE_BARE is the faster; it ends so, and FIXTURE_OK so. */
static int64_t store_ends(struct context *context, int age, enum trial_status ok,
			  enum trial_status bare)
{
	struct run run = fixture_run(NULL);
	int64_t id;

	run.started_ns -= age * INT64_C(1000000000);
	/* the same problem */
	run.trials[FIXTURE_BARE].has_work = true;
	run.trials[FIXTURE_BARE].flop = run.trials[FIXTURE_OK].flop;
	run.trials[FIXTURE_BARE].bytes_read = run.trials[FIXTURE_OK].bytes_read;
	run.trials[FIXTURE_BARE].bytes_written = run.trials[FIXTURE_OK].bytes_written;
	assert_ok(context, fixture_store(context->db, &run, &context->err));
	assert_ok(context, db_trial_finish(context->db, run.trials[FIXTURE_OK].id, ok, why, NULL,
					   &context->err));
	assert_ok(context, db_trial_finish(context->db, run.trials[FIXTURE_BARE].id, bare, why,
					   NULL, &context->err));
	id = run.id;
	run_release(&run);
	context_assert_whole(context);
	return id;
}

/* The block size of the best configuration, or -1 if its status is another. */
static int64_t best_with(const struct context *context, const char *status)
{
	char *sql = xasprintf("SELECT iif(count(*) = 1 AND max(status) = '%s', max(block), -1)"
			      " FROM best WHERE kernel = 'reduce'",
			      status);
	int64_t block = context_query(context, sql);

	free(sql);
	return block;
}

static void test_an_unverified_trial_keeps_its_reason(void **state)
{
	struct context *context = *state;
	struct run run = {0};
	int64_t id = store_ends(context, 0, TRIAL_UNVERIFIED, TRIAL_OK);

	assert_ok(context, db_run_load(context->db, id, true, &run, &context->err));
	assert_int_equal(run.trials[FIXTURE_OK].status, TRIAL_UNVERIFIED);
	assert_string_equal(run.trials[FIXTURE_OK].reason, why);
	assert_true(run.trials[FIXTURE_OK].summary.median_ns == 1504.5);
	run_release(&run);
	assert_int_equal(context_query(context, "SELECT count(*) FROM failures"), 0);
	assert_int_equal(context_query(context, "SELECT count(*) FROM trials WHERE status ="
						" 'unverified' AND median_ns > 0"),
			 1);
	assert_int_equal(context_query(context, "SELECT count(*) FROM history WHERE status ="
						" 'unverified'"),
			 1);
	assert_int_equal(context_query(context, "SELECT count(*) FROM roofline WHERE status ="
						" 'unverified' AND config GLOB 'block=256,*'"),
			 1);
}

static void test_a_verified_trial_is_the_best_although_slower(void **state)
{
	struct context *context = *state;

	store_ends(context, 0, TRIAL_OK, TRIAL_OK);
	assert_int_equal(best_with(context, "ok"), 512);
	sql_execute(context->path, "PRAGMA foreign_keys = ON; DELETE FROM run");
	store_ends(context, 0, TRIAL_OK, TRIAL_UNVERIFIED);
	assert_int_equal(best_with(context, "ok"), 256);
}

static void test_without_a_verified_trial_the_best_is_marked(void **state)
{
	struct context *context = *state;

	store_ends(context, 0, TRIAL_UNVERIFIED, TRIAL_UNVERIFIED);
	assert_int_equal(best_with(context, "unverified"), 512);
}

/* A newer unverified trial of the same case does not hide the older verified one. */
static void test_an_older_verified_trial_stays_the_best(void **state)
{
	struct context *context = *state;
	int64_t older = store_ends(context, 10, TRIAL_OK, TRIAL_MISMATCH);
	char *sql = xasprintf("SELECT count(*) FROM best WHERE run_id = %lld", (long long)older);

	store_ends(context, 0, TRIAL_UNVERIFIED, TRIAL_UNVERIFIED);
	assert_int_equal(best_with(context, "ok"), 256);
	assert_int_equal(context_query(context, sql), 1);
	/* the roofline has the newest, with its status */
	assert_int_equal(context_query(context, "SELECT count(*) FROM roofline WHERE status ="
						" 'unverified'"),
			 2);
	free(sql);
}

static void test_an_unverified_trial_is_a_baseline(void **state)
{
	struct context *context = *state;
	int64_t base = store_ends(context, 10, TRIAL_UNVERIFIED, TRIAL_MISMATCH);
	int64_t head = store_ends(context, 0, TRIAL_OK, TRIAL_OK);
	struct run run = {0};
	bool any_good = false;

	assert_ok(context, db_baselines_load(context->db, head, &run, &any_good, &context->err));
	assert_int_equal(run.trial_count, 1);
	assert_int_equal(run.trials[0].run_id, base);
	assert_int_equal(run.trials[0].status, TRIAL_UNVERIFIED);
	run_release(&run);
}

static void test_a_page_knows_which_runs_are_unverified(void **state)
{
	struct context *context = *state;
	struct history_grid grid = {0};
	struct run run = {0};
	int64_t head;

	store_ends(context, 10, TRIAL_UNVERIFIED, TRIAL_MISMATCH);
	head = store_ends(context, 0, TRIAL_OK, TRIAL_UNVERIFIED);
	assert_ok(context, db_run_load(context->db, head, true, &run, &context->err));
	assert_ok(context, db_history_grid_load(context->db, &run, 50, &grid, &context->err));
	assert_int_equal(grid.run_count, 2);
	assert_true(grid.median_ns[0] == 1504.5 && grid.median_ns[1] == 1504.5);
	assert_true(grid.unverified[0]);
	assert_false(grid.unverified[1]);
	assert_false(grid.unverified[2]); /* it has no time there */
	assert_true(grid.unverified[3]);
	history_grid_release(&grid);
	run_release(&run);
}

#define unverified_test(function) \
	cmocka_unit_test_setup_teardown(function, context_setup_open, context_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		unverified_test(test_an_unverified_trial_keeps_its_reason),
		unverified_test(test_a_verified_trial_is_the_best_although_slower),
		unverified_test(test_without_a_verified_trial_the_best_is_marked),
		unverified_test(test_an_older_verified_trial_stays_the_best),
		unverified_test(test_an_unverified_trial_is_a_baseline),
		unverified_test(test_a_page_knows_which_runs_are_unverified),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
