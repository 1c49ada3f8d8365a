/*
 * The table `newest`, which triggers keep: held against what a look through
 * all trials finds, after every kind of change.
 */
#include "context.h"

#include <stdio.h>
#include <stdlib.h>

static void assert_right(const struct context *context, int64_t rows)
{
	context_assert_whole(context);
	assert_int_equal(context_query(context, "SELECT count(*) FROM newest"), rows);
}

/* Started `age` seconds before the others. */
static struct run begin(struct context *context, int age, const char *uuid)
{
	struct run run = fixture_run(NULL);

	run.started_ns -= age * INT64_C(1000000000);
	if (uuid)
		snprintf(run.device.uuid, sizeof(run.device.uuid), "%s", uuid);
	assert_ok(context, fixture_store(context->db, &run, &context->err));
	return run;
}

static int64_t newest_of(const struct context *context, const char *column)
{
	char *sql = xasprintf("SELECT coalesce((SELECT %s FROM newest WHERE device_id = 1"
			      " AND config GLOB 'block=256,*' AND kernel = 'reduce'), -1)",
			      column);
	int64_t id = context_query(context, sql);

	free(sql);
	return id;
}

static void test_a_newer_run_takes_the_place(void **state)
{
	struct context *context = *state;
	struct run old = begin(context, 20, NULL);
	struct run newer, between, other;

	assert_right(context, 2);
	assert_int_equal(newest_of(context, "trial_id"), old.trials[0].id);
	newer = begin(context, 0, NULL);
	assert_right(context, 2);
	assert_int_equal(newest_of(context, "timed_trial_id"), newer.trials[0].id);
	/* stored later, as a merge does, but measured before */
	between = begin(context, 10, NULL);
	assert_right(context, 2);
	assert_int_equal(newest_of(context, "trial_id"), newer.trials[0].id);
	other = begin(context, 5, "GPU-ffff");
	assert_right(context, 4);
	run_release(&old);
	run_release(&newer);
	run_release(&between);
	run_release(&other);
}

/* What failed is the newest, and the newest that was timed is an older one. */
static void test_a_failure_is_no_time(void **state)
{
	struct context *context = *state;
	struct run old = begin(context, 20, NULL);
	struct run newer = begin(context, 0, NULL);

	assert_ok(context, db_trial_finish(context->db, newer.trials[0].id, TRIAL_CRASHED, "died",
					   NULL, &context->err));
	assert_right(context, 2);
	assert_int_equal(newest_of(context, "trial_id"), newer.trials[0].id);
	assert_int_equal(newest_of(context, "timed_trial_id"), old.trials[0].id);
	/* --resume takes it up again */
	assert_ok(context, db_trial_finish(context->db, newer.trials[0].id, TRIAL_PENDING, NULL,
					   NULL, &context->err));
	assert_right(context, 2);
	assert_int_equal(newest_of(context, "trial_id"), old.trials[0].id);
	assert_ok(context, db_trial_finish(context->db, newer.trials[0].id, TRIAL_OK, NULL, NULL,
					   &context->err));
	assert_right(context, 2);
	assert_int_equal(newest_of(context, "timed_trial_id"), newer.trials[0].id);
	run_release(&old);
	run_release(&newer);
}

static void test_what_is_deleted_gives_its_place_back(void **state)
{
	struct context *context = *state;
	struct run old = begin(context, 20, NULL);
	struct run between = begin(context, 10, NULL);
	struct run newer = begin(context, 0, NULL);

	sql_execute(context->path, "PRAGMA foreign_keys = ON; DELETE FROM run WHERE id = 3");
	assert_right(context, 2);
	assert_int_equal(newest_of(context, "trial_id"), between.trials[0].id);
	sql_execute(context->path, "PRAGMA foreign_keys = ON; DELETE FROM trial WHERE run_id = 2");
	assert_right(context, 2);
	assert_int_equal(newest_of(context, "timed_trial_id"), old.trials[0].id);
	sql_execute(context->path, "PRAGMA foreign_keys = ON; DELETE FROM run");
	assert_right(context, 0);
	run_release(&old);
	run_release(&between);
	run_release(&newer);
}

/* A trial that is inserted as it ended: no UPDATE follows. */
static void test_what_is_copied_in_counts(void **state)
{
	struct context *context = *state;
	struct run old = begin(context, 20, NULL);

	sql_execute(context->path,
		    "INSERT INTO run (id, uid, label, note, state, started_ns, finished_ns,"
		    " backend, device_id, driver, cuda_driver, toolkit, cupti, version,"
		    " source_revision, command, seed, rounds, timed, emulated)"
		    " SELECT 7, replace(uid, substr(uid, 1, 4), 'zzzz'), label,"
		    " note, state, started_ns + 1, finished_ns, backend, device_id, driver,"
		    " cuda_driver, toolkit, cupti, version, source_revision, command,"
		    " seed, rounds, timed, emulated FROM run WHERE id = 1;"
		    "INSERT INTO trial (run_id, position, kernel, variant, config, status,"
		    " sample_count, median_ns) SELECT 7, position, kernel, variant, config, status,"
		    " sample_count, median_ns FROM trial WHERE run_id = 1 AND status = 'ok'");
	assert_right(context, 2);
	assert_int_not_equal(newest_of(context, "timed_trial_id"), old.trials[0].id);
	run_release(&old);
}

#define newest_test(function) \
	cmocka_unit_test_setup_teardown(function, context_setup_open, context_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		newest_test(test_a_newer_run_takes_the_place),
		newest_test(test_a_failure_is_no_time),
		newest_test(test_what_is_deleted_gives_its_place_back),
		newest_test(test_what_is_copied_in_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
