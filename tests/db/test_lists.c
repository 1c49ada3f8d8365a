/*
 * Lists of runs and devices, and the views.
 */
#include "context.h"

#include <stdio.h>
#include <string.h>

struct listed {
	size_t count, stop_after;
	int64_t ids[8];
	struct trial_tally tally;
	struct device_info device;
	int64_t device_runs;
};

static int list_run(void *data, const struct run *run, const struct trial_tally *tally)
{
	struct listed *listed = data;

	listed->ids[listed->count++] = run->id;
	listed->tally = *tally;
	return listed->count == listed->stop_after;
}

static int list_device(void *data, int64_t id, const struct device_info *device, int64_t runs)
{
	struct listed *listed = data;

	listed->ids[listed->count++] = id;
	listed->device = *device;
	listed->device_runs = runs;
	return 0;
}

/* Ids 1, 2, 3 from newest to oldest, so that order of id and order of time differ. */
static void store_three(struct context *context)
{
	for (int i = 0; i < 3; i++) {
		struct run run = fixture_run(i == 2 ? NULL : "nightly");

		run.started_ns -= i * INT64_C(1000000000);
		snprintf(run.uid, sizeof(run.uid), "abcd%028d", i);
		assert_ok(context, fixture_store(context->db, &run, &context->err));
		assert_int_equal(run.id, i + 1);
		run_release(&run);
	}
}

static void test_runs_are_listed_newest_first(void **state)
{
	struct context *context = *state;
	struct listed all = {0};
	struct listed two = {0};
	struct listed stopped = {.stop_after = 1};
	int64_t runs = 0;

	store_three(context);
	assert_ok(context, db_runs_visit(context->db, 0, list_run, &all, &context->err));
	assert_int_equal(all.count, 3);
	assert_int_equal(all.ids[0], 1);
	assert_int_equal(all.ids[2], 3);
	assert_int_equal(all.tally.trials, 4);
	assert_int_equal(all.tally.ok, 1);
	assert_int_equal(all.tally.sampled, 0);
	assert_int_equal(all.tally.failed, 1);
	assert_int_equal(all.tally.skipped, 1);
	assert_ok(context, db_runs_visit(context->db, 2, list_run, &two, &context->err));
	assert_int_equal(two.count, 2);
	assert_int_equal(two.ids[1], 2);
	assert_ok(context, db_runs_visit(context->db, 0, list_run, &stopped, &context->err));
	assert_int_equal(stopped.count, 1);
	assert_ok(context, db_runs_count(context->db, &runs, &context->err));
	assert_int_equal(runs, 3);
}

static void test_devices_are_listed_with_their_runs(void **state)
{
	struct context *context = *state;
	struct run run = fixture_run(NULL);
	struct listed listed = {0};

	store_three(context);
	assert_ok(context, db_devices_visit(context->db, list_device, &listed, &context->err));
	assert_int_equal(listed.count, 1);
	assert_int_equal(listed.ids[0], 1);
	assert_int_equal(listed.device_runs, 3);
	assert_string_equal(listed.device.name, run.device.name);
	assert_string_equal(listed.device.uuid, run.device.uuid);
	assert_string_equal(listed.device.driver, run.device.driver);
	run_release(&run);
}

static void test_views_answer_in_plain_sql(void **state)
{
	struct context *context = *state;
	struct run run = fixture_run("nightly");

	assert_ok(context, fixture_store(context->db, &run, &context->err));
	assert_int_equal(context_query(context, "SELECT count(*) FROM trials"), FIXTURE_TRIALS);
	assert_int_equal(context_query(context,
				       "SELECT count(*) FROM trials WHERE status = 'ok'"
				       " AND device = 'NVIDIA H200' AND block = 256 AND n = 1 << 24"
				       " AND label = 'nightly' AND median_ns = 1504.5"
				       " AND dram_read_bytes = 67108864"
				       " AND achieved_occupancy_pct = 93.5"
				       " AND branch_efficiency_pct IS NULL"
				       " AND started_at = '2025-11-21T04:40:00Z'"),
			 1);
	assert_int_equal(context_query(context, "SELECT block FROM best WHERE kernel = 'reduce'"),
			 256);
	assert_int_equal(context_query(context, "SELECT count(*) FROM best"), 1);
	run_release(&run);
}

static void test_best_is_of_each_cases_newest_run(void **state)
{
	struct context *context = *state;
	int64_t trial_of_newer = 0;

	/* The newer run is slower and still counts: the faster code no longer exists. */
	for (int i = 0; i < 2; i++) {
		struct run run = fixture_run(NULL);
		struct round_result round = fixture_round(i, 10);

		run.started_ns += i;
		round.round = 0;
		assert_ok(context, db_run_begin(context->db, &run, &context->err));
		assert_ok(context,
			  db_round_add(context->db, run.trials[0].id, &round, &context->err));
		assert_ok(context, db_trial_finish(context->db, run.trials[0].id, TRIAL_OK, NULL,
						   NULL, &context->err));
		trial_of_newer = run.trials[0].id;
		fixture_round_release(&round);
		run_release(&run);
	}
	assert_int_equal(context_query(context, "SELECT count(*) FROM best"), 1);
	assert_int_equal(context_query(context, "SELECT trial_id FROM best"), trial_of_newer);
}

/* As in reports: the block sizes of a variant solve one problem, whatever is known of their work.
 */
static void test_best_is_one_of_all_block_sizes(void **state)
{
	static const size_t measured[] = {FIXTURE_OK, FIXTURE_BARE};
	struct context *context = *state;
	struct run run = fixture_run(NULL);

	assert_ok(context, db_run_begin(context->db, &run, &context->err));
	for (size_t i = 0; i < 2; i++) {
		struct round_result round = fixture_round((int)(1 - i), 10);

		round.round = 0;
		assert_ok(context, db_round_add(context->db, run.trials[measured[i]].id, &round,
						&context->err));
		assert_ok(context, db_trial_finish(context->db, run.trials[measured[i]].id,
						   TRIAL_OK, NULL, NULL, &context->err));
		fixture_round_release(&round);
	}
	assert_int_equal(context_query(context, "SELECT count(*) FROM best"), 1);
	assert_int_equal(context_query(context, "SELECT block FROM best"), 512);
	run_release(&run);
}

#define list_test(function) \
	cmocka_unit_test_setup_teardown(function, context_setup_open, context_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		list_test(test_runs_are_listed_newest_first),
		list_test(test_devices_are_listed_with_their_runs),
		list_test(test_views_answer_in_plain_sql),
		list_test(test_best_is_of_each_cases_newest_run),
		list_test(test_best_is_one_of_all_block_sizes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
