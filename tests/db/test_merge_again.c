/*
 * Merging never duplicates a run, keeps the more complete version of it, and joins the shards of a
 * sweep.
 */
#include "merge_fixture.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the same run ---- */

static void test_the_same_run_twice_is_one(void **state)
{
	struct merge_test *test = *state;

	merge_make_source(test->source, MERGE_UID, "nightly");
	assert_merged(test, test->source);
	assert_merged(test, test->source);
	assert_int_equal(merge_count(test, "SELECT count(*) FROM run"), 1);
	assert_int_equal(merge_count(test, "SELECT count(*) FROM sample"), SAMPLES);
	assert_int_equal(test->summary.added, 1);
	assert_int_equal(test->summary.known, 1);
	assert_int_equal(test->summary.trials, FIXTURE_TRIALS);
	assert_string_equal(test->said, "");
}

/* As it was when only its first case had one round. */
static void take_back(const char *path)
{
	sql_execute(
		path,
		"PRAGMA foreign_keys = ON;"
		"UPDATE run SET state = 'running', finished_ns = NULL, label = NULL;"
		"UPDATE trial SET status = 'pending', reason = NULL, sample_count = 0,"
		" median_ns = NULL, mad_ns = NULL, session_low_ns = NULL, session_high_ns = NULL,"
		" min_ns = NULL, max_ns = NULL WHERE status <> 'skipped';"
		"DELETE FROM round WHERE round > 0; DELETE FROM counter");
}

static void assert_whole_run(struct merge_test *test)
{
	assert_int_equal(merge_count(test, "SELECT count(*) FROM run WHERE state = 'finished'"
					   " AND label = 'nightly' AND finished_ns IS NOT NULL"),
			 1);
	assert_int_equal(merge_count(test, "SELECT count(*) FROM trial"), FIXTURE_TRIALS);
	assert_int_equal(merge_count(test, "SELECT count(*) FROM trial WHERE status = 'pending'"),
			 0);
	assert_int_equal(merge_count(test, "SELECT count(*) FROM sample"), SAMPLES);
	assert_int_equal(merge_count(test, "SELECT count(*) FROM counters"), 3);
	assert_int_equal(merge_count(test, "SELECT count(*) FROM newest WHERE trial_id IN"
					   " (SELECT id FROM trial WHERE status <> 'skipped')"),
			 FIXTURE_TRIALS - 1);
	assert_string_equal(test->said, "");
}

static void test_what_has_come_further_is_kept(void **state)
{
	struct merge_test *test = *state;

	merge_make_source(test->source, MERGE_UID, "nightly");
	merge_make_source(test->other, MERGE_UID, "nightly");
	take_back(test->other);
	assert_merged(test, test->other);
	assert_int_equal(merge_count(test, "SELECT count(*) FROM sample"), SAMPLES - 10);
	assert_merged(test, test->source);
	assert_int_equal(test->summary.completed, 1);
	assert_whole_run(test);
	/* and in the other direction */
	assert_merged(test, test->other);
	assert_int_equal(test->summary.known, 1);
	assert_whole_run(test);
}

/* Without its looks the run would be judged as if it had been measured in one go. */
static void test_looks_come_with_their_rounds(void **state)
{
	static const char looks[] = "INSERT OR REPLACE INTO environment (run_id, key, value) VALUES"
				    " (1, 'decide.first_rounds', '3'), (1, 'decide.base', 'ab')";
	static const char counted[] = "SELECT count(*) FROM environment WHERE key GLOB 'decide.*'";
	struct merge_test *test = *state;

	merge_make_source(test->source, MERGE_UID, "nightly");
	merge_make_source(test->other, MERGE_UID, "nightly");
	take_back(test->other);
	sql_execute(test->source, looks);
	assert_merged(test, test->other);
	assert_int_equal(merge_count(test, counted), 0);
	assert_merged(test, test->source);
	assert_int_equal(merge_count(test, counted), 2);
}

static void test_different_results_are_said(void **state)
{
	struct merge_test *test = *state;

	merge_make_source(test->source, MERGE_UID, NULL);
	merge_make_source(test->other, MERGE_UID, NULL);
	sql_execute(test->other, "UPDATE sample SET time_ns = 77 WHERE round = 1 AND sequence = 3");
	assert_merged(test, test->source);
	assert_merged(test, test->other);
	assert_non_null(strstr(test->said, "run 01234567 differs"));
	assert_non_null(strstr(test->said, "in 1 case, such as reduce/shuffle/block=256"));
	assert_int_equal(merge_count(test, "SELECT count(*) FROM sample WHERE time_ns = 77"), 0);
	assert_int_equal(test->summary.at_odds, 1);
}

static void test_another_run_of_the_same_uid_is_said(void **state)
{
	struct merge_test *test = *state;

	merge_make_source(test->source, MERGE_UID, NULL);
	merge_make_source(test->other, MERGE_UID, NULL);
	sql_execute(test->other, "UPDATE run SET seed = 2; UPDATE trial SET config = 'block=7'"
				 " WHERE position = 0");
	assert_merged(test, test->source);
	assert_merged(test, test->other);
	assert_non_null(strstr(test->said, "other settings"));
	assert_int_equal(merge_count(test, "SELECT count(*) FROM trial WHERE config = 'block=7'"),
			 0);
}

static void test_the_later_mark_is_meant(void **state)
{
	struct merge_test *test = *state;

	merge_make_source(test->source, MERGE_UID, NULL);
	merge_make_source(test->other, MERGE_UID, NULL);
	sql_execute(test->source, "INSERT INTO mark VALUES (1, 'bad', 'noisy', 20)");
	sql_execute(test->other, "INSERT INTO mark VALUES (1, 'good', NULL, 10)");
	assert_merged(test, test->other);
	assert_int_equal(merge_count(test, "SELECT kind = 'good' FROM mark"), 1);
	assert_merged(test, test->source);
	assert_int_equal(merge_count(test, "SELECT kind = 'bad' AND marked_ns = 20 FROM mark"), 1);
	assert_merged(test, test->other);
	assert_int_equal(merge_count(test, "SELECT kind = 'bad' FROM mark"), 1);
}

/* The copy of a run that was resumed has more time, and the other's is in it. */
static void test_the_time_of_a_run_is_that_of_its_later_copy(void **state)
{
	static const char wall_ns[] = "SELECT sum(wall_ns) FROM run_part WHERE run_id = 1";
	struct merge_test *test = *state;

	merge_make_source(test->source, MERGE_UID, "a");
	merge_make_source(test->other, MERGE_UID, "a");
	merge_store_parts(test->source, 1);
	merge_store_parts(test->other, 2);
	assert_merged(test, test->source);
	assert_int_equal(merge_count(test, wall_ns), 1000000000);
	assert_merged(test, test->other);
	assert_int_equal(merge_count(test, wall_ns), 2000000000);
	assert_merged(test, test->source);
	assert_int_equal(merge_count(test, wall_ns), 2000000000);
}

/* ---- shards ---- */

/* The fixture as shard I of 2: every second case. */
static void make_shard(const char *path, int shard, const char *device_uuid)
{
	char *sql = xasprintf(
		"PRAGMA foreign_keys = ON; DELETE FROM trial WHERE position %% 2 <> %d;"
		"UPDATE device SET uuid = '%s';"
		"INSERT INTO environment VALUES (1, 'sweep_uid', '%s'), (1, 'shards', '%d/2'),"
		" (1, 'sweep_cases', '4'), (1, 'process', 'node%d 12 34'), (1, 'host', 'node%d');"
		"UPDATE run SET started_ns = started_ns + %d",
		shard - 1, device_uuid, MERGE_UID, shard, shard, shard, 10 - shard);

	merge_make_source(path, NULL, "shards");
	sql_execute(path, sql);
	free(sql);
}

static void assert_joined(struct merge_test *test)
{
	assert_int_equal(merge_count(test, "SELECT count(*) FROM run WHERE uid ="
					   " '0123456789abcdef0123456789abcdef'"
					   " AND state = 'finished'"),
			 1);
	assert_int_equal(merge_count(test, "SELECT count(*) FROM run"), 1);
	assert_int_equal(merge_count(test, "SELECT count(*) FROM trial"), 4);
	assert_int_equal(merge_count(test, "SELECT count(*) FROM environment WHERE key = 'shards'"
					   " AND value = '1-2/2'"),
			 1);
	assert_int_equal(
		merge_count(test, "SELECT count(*) FROM environment WHERE key = 'process'"), 0);
	/* it began with the first of them */
	assert_int_equal(merge_count(test, "SELECT started_ns % 100 FROM run"), 97);
	assert_int_equal(merge_count(test, "SELECT count(*) FROM newest WHERE device_id ="
					   " (SELECT device_id FROM run) AND trial_id IS NOT NULL"),
			 3);
}

static void test_shards_become_one_run(void **state)
{
	struct merge_test *test = *state;

	make_shard(test->source, 1, "GPU-1");
	make_shard(test->other, 2, "GPU-2");
	assert_merged(test, test->source);
	assert_int_equal(merge_count(test, "SELECT count(*) FROM run WHERE state = 'interrupted'"),
			 1);
	assert_merged(test, test->other);
	assert_joined(test);
	assert_int_equal(test->summary.shards, 2);
	assert_int_equal(test->summary.touched_count, 1);
	/* of two devices none is the run's, and both hosts are named */
	assert_int_equal(merge_count(test,
				     "SELECT uuid IS NULL AND name = 'NVIDIA H200' FROM device"
				     " WHERE id = (SELECT device_id FROM run)"),
			 1);
	assert_int_equal(merge_count(test, "SELECT count(*) FROM environment WHERE key = 'host'"
					   " AND value = 'node1; node2'"),
			 1);
	assert_merged(test, test->other);
	assert_int_equal(test->summary.known, 1);
	assert_joined(test);
}

/* Each shard took a second, however often it is merged. */
static void test_the_times_of_shards_add_up(void **state)
{
	static const char seconds[] =
		"SELECT sum(seconds) = 2 AND count(*) = 2 AND sum(wall_pct) = 100 FROM run_times";
	struct merge_test *test = *state;

	make_shard(test->source, 1, "GPU-1");
	make_shard(test->other, 2, "GPU-2");
	merge_store_parts(test->source, 1);
	merge_store_parts(test->other, 1);
	assert_merged(test, test->source);
	assert_merged(test, test->other);
	assert_int_equal(merge_count(test, seconds), 1);
	assert_merged(test, test->other);
	assert_int_equal(merge_count(test, seconds), 1);
	assert_int_equal(merge_count(test, "SELECT count(DISTINCT uid) FROM run_part"), 2);
}

static void test_merged_shards_are_merged_again(void **state)
{
	struct merge_test *test = *state;
	char *all = test->base.path;

	make_shard(test->source, 1, "GPU-1");
	make_shard(test->other, 2, "GPU-1");
	assert_merged(test, test->source);
	/* what was merged to is a source now */
	test->base.path = test->other;
	assert_merged(test, all);
	test->base.path = all;
	unlink(all);
	assert_merged(test, test->other);
	assert_joined(test);
}

static void test_shards_of_one_file_are_joined(void **state)
{
	struct merge_test *test = *state;
	const struct merge_watch watch = {0};
	struct db *db = NULL;

	make_shard(test->source, 1, "GPU-1");
	make_shard(test->base.path, 2, "GPU-1");
	assert_merged(test, test->source);
	assert_int_equal(merge_count(test, "SELECT count(*) FROM run"), 2);
	assert_ok(&test->base, db_open(&db, test->base.path, DB_WRITE, &test->base.err));
	assert_ok(&test->base, db_merge_shards(db, &watch, &test->summary, &test->base.err));
	db_close(db);
	assert_joined(test);
}

static void test_shards_that_overlap(void **state)
{
	struct merge_test *test = *state;

	make_shard(test->source, 1, "GPU-1");
	make_shard(test->other, 2, "GPU-1");
	sql_execute(test->other, "UPDATE trial SET position = 0, config = 'block=256,n=16777216',"
				 " variant = 'shuffle', kernel = 'reduce' WHERE position = 1");
	assert_merged(test, test->source);
	assert_int_equal(merge_of(test, test->other), PL_EEXIST);
	assert_non_null(strstr(test->base.err.text, "overlaps"));
	assert_non_null(strstr(test->base.err.text, "reduce/shuffle/block=256,n=16777216"));
	/* nothing of it is there */
	assert_int_equal(merge_count(test, "SELECT count(*) FROM trial"), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, merge_setup, merge_teardown)
		TEST(test_the_same_run_twice_is_one),
		TEST(test_what_has_come_further_is_kept),
		TEST(test_looks_come_with_their_rounds),
		TEST(test_different_results_are_said),
		TEST(test_another_run_of_the_same_uid_is_said),
		TEST(test_the_later_mark_is_meant),
		TEST(test_the_time_of_a_run_is_that_of_its_later_copy),
		TEST(test_the_times_of_shards_add_up),
		TEST(test_shards_become_one_run),
		TEST(test_merged_shards_are_merged_again),
		TEST(test_shards_of_one_file_are_joined),
		TEST(test_shards_that_overlap),
#undef TEST
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
