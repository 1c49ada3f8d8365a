/*
 * Speed-ups over a base variant: stored with their paired samples, loaded with the run, named in
 * the view, copied by a merge. Files of version 7 have none, and get the place for them.
 */
#include "context.h"
#include "db/statement.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The fixture, whose FIXTURE_PENDING is the base case of FIXTURE_OK. */
static struct run run_with_its_base(void)
{
	struct run run = fixture_run(NULL);
	struct trial *base = &run.trials[FIXTURE_PENDING];

	free(base->kernel);
	free(base->variant);
	free(base->config);
	base->kernel = xstrdup("reduce");
	base->variant = xstrdup("sequential");
	base->config = xstrdup("block=256,n=16777216");
	return run;
}

static struct run stored_and_loaded(struct context *context, struct run *run)
{
	struct run loaded = {0};

	assert_ok(context, fixture_store(context->db, run, &context->err));
	context_assert_whole(context);
	assert_ok(context, db_run_load(context->db, run->id, true, &loaded, &context->err));
	assert_ok(context, db_rounds_load(context->db, &loaded, &context->err));
	return loaded;
}

static void test_a_speedup_is_loaded_with_its_run(void **state)
{
	struct context *context = *state;
	struct run run = run_with_its_base(), loaded = stored_and_loaded(context, &run);
	const struct trial_speedup *speedup = &loaded.trials[FIXTURE_OK].speedup;

	assert_string_equal(loaded.settings.base_variant, "sequential");
	assert_string_equal(speedup->base_variant, "sequential");
	assert_string_equal(speedup->base_config, "block=256,n=16777216");
	assert_int_equal(speedup->base_trial_id, run.trials[FIXTURE_PENDING].id);
	assert_int_equal(speedup->verdict, SPEEDUP_FASTER);
	assert_true(speedup->speedup == 1.255 && speedup->low == 1.25 && speedup->high == 1.26);
	assert_true(speedup->p == 1e-6 && speedup->base_median_ns == 1887.5);
	assert_int_equal(speedup->rounds, 2);
	assert_int_equal(speedup->same_buffers, 1);
	assert_null(speedup->why);

	speedup = &loaded.trials[FIXTURE_BARE].speedup;
	assert_null(speedup->base_config);
	assert_int_equal(speedup->base_trial_id, 0);
	assert_int_equal(speedup->verdict, SPEEDUP_NOT_MEASURED);
	assert_true(isnan(speedup->speedup) && isnan(speedup->p));
	assert_int_equal(speedup->same_buffers, -1);
	assert_string_equal(speedup->why, "sequential has no case with block=512");

	assert_null(loaded.trials[FIXTURE_SKIPPED].speedup.base_variant);
	run_release(&loaded);
	run_release(&run);
}

/* What a round stores is enough to compute everything again. */
static void test_pairs_of_samples_are_stored(void **state)
{
	struct context *context = *state;
	struct run run = fixture_run(NULL), loaded = stored_and_loaded(context, &run);
	const struct trial *trial = &loaded.trials[FIXTURE_OK];
	struct sample *samples = NULL;
	size_t count = 0;

	assert_int_equal(trial->round_count, 2);
	assert_true(fabs(trial->rounds[0].speedup - 1.25) < 1e-12);
	assert_true(fabs(trial->rounds[1].speedup - 1.26) < 1e-12);
	assert_int_equal(trial->rounds[0].same_buffers, 1);
	assert_int_equal(trial->rounds[0].placements, 4);
	assert_int_equal(trial->rounds[1].placements, 5);
	/* the base case's samples are not the trial's own */
	assert_int_equal(trial->summary.count, 20);
	assert_true(trial->summary.median_ns == 1504.5);
	assert_ok(context,
		  db_samples_load(context->db, trial->id, &samples, &count, &context->err));
	assert_int_equal(count, 20);
	assert_true(samples[0].base_ns == 1.25 * samples[0].time_ns);
	assert_true(samples[19].base_ns == 1.26 * samples[19].time_ns);
	free(samples);
	run_release(&loaded);
	run_release(&run);
}

static void test_a_case_alone_has_no_pairs(void **state)
{
	struct context *context = *state;
	struct round_result round = fixture_round(1, 5);
	struct run run = fixture_run(NULL), loaded;
	struct sample *samples = NULL;
	size_t count = 0;

	loaded = stored_and_loaded(context, &run);
	run_release(&loaded);
	assert_ok(context,
		  db_round_add(context->db, run.trials[FIXTURE_PENDING].id, &round, &context->err));
	assert_ok(context, db_run_load(context->db, run.id, true, &loaded, &context->err));
	assert_ok(context, db_rounds_load(context->db, &loaded, &context->err));
	assert_true(isnan(loaded.trials[FIXTURE_PENDING].rounds[0].speedup));
	assert_int_equal(loaded.trials[FIXTURE_PENDING].rounds[0].same_buffers, -1);
	assert_ok(context, db_samples_load(context->db, run.trials[FIXTURE_PENDING].id, &samples,
					   &count, &context->err));
	assert_int_equal(count, 5);
	assert_true(isnan(samples[4].base_ns));
	free(samples);
	fixture_round_release(&round);
	run_release(&loaded);
	run_release(&run);
}

static void test_a_time_that_is_none_is_refused(void **state)
{
	static const double bad[] = {NAN, INFINITY, -1};
	struct context *context = *state;
	struct run run = fixture_run(NULL);

	assert_ok(context, fixture_store(context->db, &run, &context->err));
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct round_result round = fixture_round(0, 5);

		fixture_round_pair(&round, 1);
		round.base_ns[3] = bad[i];
		assert_int_equal(
			db_round_add(context->db, run.trials[FIXTURE_OK].id, &round, &context->err),
			PL_EPROTOCOL);
		assert_one_line(&context->err, "sample 3", "no time");
		fixture_round_release(&round);
	}
	assert_int_equal(context_query(context, "SELECT count(*) FROM sample WHERE base_ns > 0"),
			 30);
	run_release(&run);
}

static void test_the_reason_replaces_the_pair(void **state)
{
	struct context *context = *state;
	struct run run = fixture_run(NULL), loaded = {0};

	assert_ok(context, fixture_store(context->db, &run, &context->err));
	assert_ok(context, db_speedup_refuse(context->db, run.trials[FIXTURE_BARE].id,
					     "the base case crashed", &context->err));
	assert_int_equal(db_speedup_refuse(context->db, run.trials[FIXTURE_SKIPPED].id, "no pair",
					   &context->err),
			 PL_ENOENT);
	assert_ok(context, db_run_load(context->db, run.id, true, &loaded, &context->err));
	assert_string_equal(loaded.trials[FIXTURE_BARE].speedup.why, "the base case crashed");
	run_release(&loaded);
	run_release(&run);
}

static void test_the_view_shows_both_cases(void **state)
{
	struct context *context = *state;
	struct run run = run_with_its_base();

	assert_ok(context, fixture_store(context->db, &run, &context->err));
	assert_int_equal(context_query(context, "SELECT count(*) FROM speedups"), 2);
	assert_int_equal(context_query(context, "SELECT count(*) FROM speedups WHERE verdict ="
						" 'faster' AND speedup = 1.255 AND median_ns ="
						" 1504.5 AND base_median_ns = 1887.5 AND"
						" base_trial_id = 4 AND base_status = 'pending'"),
			 1);
	assert_int_equal(context_query(context, "SELECT count(*) FROM speedups WHERE verdict IS"
						" NULL AND speedup IS NULL AND base_trial_id IS"
						" NULL AND why LIKE 'sequential has no case%'"),
			 1);
	sql_execute(context->path, "UPDATE run SET origin = '/a/main.cu'");
	assert_int_equal(context_query(context, "SELECT count(*) FROM speedups WHERE origin ="
						" '/a/main.cu'"),
			 2);
	run_release(&run);
	sql_execute(context->path, "PRAGMA foreign_keys = ON; DELETE FROM run");
	assert_int_equal(context_query(context, "SELECT count(*) FROM speedup"), 0);
}

/* A merge of both shards finds the base case, whatever ids the trials get. */
static void test_a_merge_keeps_the_pair(void **state)
{
	static const struct merge_watch watch = {0};
	struct context *context = *state;
	struct merge_summary summary = {0};
	struct run first = fixture_run("other"), run = run_with_its_base(), loaded = {0};
	char *path = xasprintf("%s/all.db", context->folder);
	struct db *into = NULL;

	assert_ok(context, fixture_store(context->db, &run, &context->err));
	assert_ok(context, db_open(&into, path, DB_CREATE, &context->err));
	assert_ok(context, fixture_store(into, &first, &context->err));
	assert_ok(context, db_merge(into, context->db, &watch, &summary, &context->err));
	assert_ok(context, db_run_load(into, 2, true, &loaded, &context->err));
	assert_int_equal(loaded.trials[FIXTURE_OK].speedup.base_trial_id,
			 loaded.trials[FIXTURE_PENDING].id);
	assert_int_equal(loaded.trials[FIXTURE_PENDING].id, 8);
	assert_int_equal(loaded.trials[FIXTURE_OK].speedup.verdict, SPEEDUP_FASTER);
	assert_string_equal(loaded.settings.base_variant, "sequential");
	run_release(&loaded);
	/* other verdicts, from other pairs, are no difference between two copies */
	sql_execute(path,
		    "UPDATE speedup SET p = 0.5, verdict = iif(verdict IS NULL, NULL, 'same'),"
		    " high = 2");
	assert_ok(context, db_merge(into, context->db, &watch, &summary, &context->err));
	assert_int_equal(summary.at_odds, 0);
	assert_int_equal(summary.known, 1);
	/* another base case is */
	sql_execute(path, "UPDATE speedup SET base_config = 'block=1'");
	assert_ok(context, db_merge(into, context->db, &watch, &summary, &context->err));
	assert_int_equal(summary.at_odds, 1);
	merge_summary_release(&summary);
	db_close(into);
	run_release(&run);
	run_release(&first);
	free(path);
}

/* What an untrusted file may hold. */
static void test_damaged_speedups_are_not_measured(void **state)
{
	struct context *context = *state;
	struct run run = fixture_run(NULL), loaded = {0};

	assert_ok(context, fixture_store(context->db, &run, &context->err));
	sql_execute(context->path, "UPDATE speedup SET verdict = 'better', speedup = -3,"
				   " same_buffers = NULL, rounds = -9, why = NULL");
	assert_ok(context, db_run_load(context->db, run.id, true, &loaded, &context->err));
	assert_int_equal(loaded.trials[FIXTURE_OK].speedup.verdict, SPEEDUP_NOT_MEASURED);
	run_release(&loaded);
	sql_execute(context->path, "UPDATE speedup SET verdict = 'faster', speedup = -3");
	assert_ok(context, db_run_load(context->db, run.id, true, &loaded, &context->err));
	assert_int_equal(loaded.trials[FIXTURE_OK].speedup.verdict, SPEEDUP_NOT_MEASURED);
	run_release(&loaded);
	run_release(&run);
}

#define speedup_test(function) \
	cmocka_unit_test_setup_teardown(function, context_setup_open, context_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		speedup_test(test_a_speedup_is_loaded_with_its_run),
		speedup_test(test_pairs_of_samples_are_stored),
		speedup_test(test_a_case_alone_has_no_pairs),
		speedup_test(test_a_time_that_is_none_is_refused),
		speedup_test(test_the_reason_replaces_the_pair),
		speedup_test(test_the_view_shows_both_cases),
		speedup_test(test_a_merge_keeps_the_pair),
		speedup_test(test_damaged_speedups_are_not_measured),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
