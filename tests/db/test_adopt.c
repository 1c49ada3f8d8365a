/* Runs of other programs are stored as a whole, and leave the database as single trials would. */
#include "context.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct adopted_trial adopted[FIXTURE_TRIALS];
static double samples[] = {1000, 1200, 1100}, later_samples[] = {1400};
#define UNKNOWN_STATE                                                                             \
	{                                                                                         \
		.sm_clock_hz = NAN, .memory_clock_hz = NAN, .temperature_c = NAN, .power_w = NAN, \
		.throttle_reasons = -1                                                            \
	}
static const struct round_result rounds[] = {
	{.state = UNKNOWN_STATE, .time_ns = samples, .count = ARRAY_SIZE(samples)},
	{.round = 2, .state = UNKNOWN_STATE, .time_ns = later_samples, .count = 1},
	{.state = UNKNOWN_STATE, .given_median_ns = 5000},
};

/* A run as another program gives it: trial 0 has samples of two rounds, 1 only a median, 2 was
 * skipped and 3 failed. */
static struct run foreign_run(int age)
{
	struct run run = fixture_run(NULL);

	run.started_ns -= age * INT64_C(1000000000);
	for (size_t i = 0; i < FIXTURE_TRIALS; i++)
		adopted[i] = (struct adopted_trial){.given = {.median_ns = NAN,
							      .mad_ns = NAN,
							      .session_low_ns = NAN,
							      .session_high_ns = NAN,
							      .min_ns = NAN,
							      .max_ns = NAN}};
	adopted[FIXTURE_OK].rounds = rounds;
	adopted[FIXTURE_OK].round_count = 2;
	adopted[FIXTURE_BARE].rounds = &rounds[2];
	adopted[FIXTURE_BARE].round_count = 1;
	adopted[FIXTURE_BARE].given.count = 7;
	adopted[FIXTURE_BARE].given.median_ns = 5000;
	run.trials[FIXTURE_OK].status = TRIAL_OK;
	run.trials[FIXTURE_BARE].status = TRIAL_OK;
	run.trials[FIXTURE_PENDING].status = TRIAL_FAILED;
	run.trials[FIXTURE_PENDING].reason = xstrdup("it said so");
	return run;
}

static void adopt(struct context *context, struct run *run)
{
	assert_ok(context, db_run_adopt(context->db, run, adopted, &context->err));
}

static void test_what_is_stored(void **state)
{
	struct context *context = *state;
	struct run run = foreign_run(0);

	counter_list_set(&run.trials[FIXTURE_OK].counters, "a", "s", "file", 1);
	counter_list_set(&run.trials[FIXTURE_OK].counters, "b", "1", "file", 2);
	/* another order, and a metric of the same name in another unit */
	counter_list_set(&run.trials[FIXTURE_BARE].counters, "b", "1", "file", 3);
	counter_list_set(&run.trials[FIXTURE_BARE].counters, "a", "ns", "file", 4);
	counter_list_set_missing(&run.trials[FIXTURE_PENDING].counters, "b", "1", "file", "none");
	adopt(context, &run);
	context_assert_whole(context);
	assert_int_equal(context_query(context, "SELECT median_ns FROM trial WHERE id = 1"), 1150);
	assert_int_equal(context_query(context, "SELECT count(*) FROM sample"), 4);
	assert_int_equal(context_query(context, "SELECT sum(median_ns + round) FROM round"
						" WHERE trial_id = 1 AND sm_clock_hz IS NULL"),
			 1100 + 1400 + 2);
	/* a median without samples is that of a round, too */
	assert_int_equal(context_query(context, "SELECT median_ns FROM round WHERE trial_id = 2"),
			 5000);
	assert_int_equal(
		context_query(context, "SELECT median_ns + sample_count FROM trial WHERE id = 2"),
		5007);
	assert_int_equal(context_query(context, "SELECT count(*) FROM trial WHERE status = 'failed'"
						" AND reason = 'it said so' AND id = 4"),
			 1);
	assert_int_equal(context_query(context, "SELECT sum(value * (1000 * trial_id + id)) FROM"
						" counter JOIN metric ON id = metric_id"),
			 1001 + 2 * 1002 + 3 * 2002 + 4 * 2003);
	assert_int_equal(context_query(context, "SELECT unit = 'ns' FROM metric WHERE id = 3"), 1);
	assert_int_equal(
		context_query(context, "SELECT group_concat(id, '') FROM trial WHERE counted_ns"),
		124);
	assert_int_equal(run.trials[FIXTURE_PENDING].id, 4);
	run_release(&run);
}

static void test_the_newest_trials(void **state)
{
	struct context *context = *state;
	static const struct {
		int age;
		int64_t newest; /* the run of the newest trials after it */
	} rows[] = {{20, 1}, {10, 2}, {15, 2}, {10, 4}, {0, 5}};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct run run = foreign_run(rows[i].age);

		adopt(context, &run);
		context_assert_whole(context);
		assert_int_equal(context_query(context,
					       "SELECT count(DISTINCT run_id) * 100 + min(run_id)"
					       " FROM newest JOIN trial ON id = trial_id"),
				 100 + rows[i].newest);
		assert_int_equal(context_query(context,
					       "SELECT count(DISTINCT run_id) * 100 + min(run_id)"
					       " FROM newest JOIN trial ON id = timed_trial_id"),
				 100 + rows[i].newest);
		run_release(&run);
	}
}

/* What failed is the newest, and the newest that was timed is an older one. */
static void test_a_failure_is_no_time(void **state)
{
	struct context *context = *state;
	struct run old = foreign_run(20), failed;

	adopt(context, &old);
	failed = foreign_run(0);
	failed.trials[FIXTURE_BARE].status = TRIAL_FAILED;
	adopt(context, &failed);
	context_assert_whole(context);
	assert_int_equal(context_query(context, "SELECT timed_trial_id FROM newest"
						" WHERE config GLOB 'block=512,*'"),
			 old.trials[FIXTURE_BARE].id);
	run_release(&old);
	run_release(&failed);
}

static void test_single_trials_are_noticed_afterwards(void **state)
{
	struct context *context = *state;
	struct run foreign = foreign_run(20), own = fixture_run(NULL);

	adopt(context, &foreign);
	assert_ok(context, fixture_store(context->db, &own, &context->err));
	context_assert_whole(context);
	assert_int_equal(context_query(context,
				       "SELECT count(*) FROM newest JOIN trial ON id = trial_id"
				       " WHERE run_id = 2"),
			 2);
	run_release(&foreign);
	run_release(&own);
}

/* A run is stored whole or not at all, and the connection is as it was. */
static void test_nothing_of_a_run_that_fails(void **state)
{
	struct context *context = *state;
	struct run twice = foreign_run(0), odd, own = fixture_run(NULL);

	free(twice.trials[FIXTURE_BARE].config);
	twice.trials[FIXTURE_BARE].config = xstrdup(twice.trials[FIXTURE_OK].config);
	assert_int_equal(db_run_adopt(context->db, &twice, adopted, &context->err), PL_EEXIST);
	run_release(&twice);
	odd = foreign_run(0);
	samples[1] = NAN;
	assert_int_equal(db_run_adopt(context->db, &odd, adopted, &context->err), PL_EPROTOCOL);
	samples[1] = 1200;
	run_release(&odd);
	assert_int_equal(context_query(context, "SELECT (SELECT count(*) FROM run) +"
						" (SELECT count(*) FROM trial) +"
						" (SELECT count(*) FROM newest)"),
			 0);
	assert_ok(context, fixture_store(context->db, &own, &context->err));
	context_assert_whole(context);
	assert_int_equal(context_query(context, "SELECT count(*) FROM newest"), 2);
	run_release(&own);
}

#define adopt_test(function) \
	cmocka_unit_test_setup_teardown(function, context_setup_open, context_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		adopt_test(test_what_is_stored),
		adopt_test(test_the_newest_trials),
		adopt_test(test_a_failure_is_no_time),
		adopt_test(test_single_trials_are_noticed_afterwards),
		adopt_test(test_nothing_of_a_run_that_fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
