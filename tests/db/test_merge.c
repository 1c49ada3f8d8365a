/*
 * Merging copies everything of a run, never duplicates a run, and keeps the more complete version.
 * An interrupted merge leaves only complete runs.
 */
#include "context.h"

#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define KILLS 20
#define SAMPLES 30 /* of the fixture */

struct merge_test {
	struct context base; /* path: what is merged into */
	char *source, *other;
	struct merge_summary summary;
	char said[2048];
};

static int setup(void **state)
{
	struct merge_test *test = xcalloc(1, sizeof(*test));

	test->base.folder = fixture_folder();
	test->base.path = xasprintf("%s/all.db", test->base.folder);
	test->source = xasprintf("%s/source.db", test->base.folder);
	test->other = xasprintf("%s/other.db", test->base.folder);
	*state = test;
	return 0;
}

static int teardown(void **state)
{
	struct merge_test *test = *state;

	merge_summary_release(&test->summary);
	fixture_folder_remove(test->base.folder);
	free(test->base.path);
	free(test->source);
	free(test->other);
	free(test);
	return 0;
}

static void note(void *context, const char *line)
{
	struct merge_test *test = context;

	strncat(test->said, line, sizeof(test->said) - strlen(test->said) - 1);
}

static int merge_of(struct merge_test *test, const char *path)
{
	const struct merge_watch watch = {.context = test, .notice = note};
	struct db *into = NULL, *from = NULL;
	int rc = db_open(&into, test->base.path, DB_CREATE, &test->base.err);

	if (!rc)
		rc = db_open(&from, path, DB_READ, &test->base.err);
	if (!rc)
		rc = db_merge(into, from, &watch, &test->summary, &test->base.err);
	db_close(from);
	db_close(into);
	return rc;
}

static void assert_merged(struct merge_test *test, const char *path)
{
	assert_ok(&test->base, merge_of(test, path));
}

/* A database at path with the fixture's run; uid NULL: a new one. */
static void make(const char *path, const char *uid, const char *label)
{
	struct context context = {.path = (char *)path};
	struct run run = fixture_run(label);

	if (uid)
		snprintf(run.uid, sizeof(run.uid), "%s", uid);
	assert_ok(&context, db_open(&context.db, path, DB_CREATE, &context.err));
	assert_ok(&context, fixture_store(context.db, &run, &context.err));
	assert_ok(&context, db_trial_finish(context.db, run.trials[FIXTURE_PENDING].id,
					    TRIAL_CRASHED, "signal 9", NULL, &context.err));
	db_close(context.db);
	run_release(&run);
}

static const char uid[] = "0123456789abcdef0123456789abcdef";

/* Where the time of run 1 went: a second for a sweep and for each resumption. */
static void store_parts(const char *path, int sweeps)
{
	const struct meter meter = {
		.ns = {[RUN_PART_SAMPLES] = 600000000, [RUN_PART_OTHER] = 400000000}};
	struct context context = {.path = (char *)path};

	assert_ok(&context, db_open(&context.db, path, DB_WRITE, &context.err));
	for (int i = 0; i < sweeps; i++)
		assert_ok(&context, db_run_parts_add(context.db, 1, &meter, &context.err));
	db_close(context.db);
}

static void store_recording(const char *path)
{
	struct context context = {.path = (char *)path};
	struct recording recording = fixture_recording();

	assert_ok(&context, db_open(&context.db, path, DB_WRITE, &context.err));
	assert_ok(&context, db_recording_store(context.db, &recording, &context.err));
	db_close(context.db);
	recording_release(&recording);
}

static int64_t count_in(struct merge_test *test, const char *sql)
{
	return context_query(&test->base, sql);
}

/* ---- everything is copied ---- */

/* Each row of a query as SQL, of the database at path. */
static struct string_list rows_of(const char *path, const char *sql)
{
	struct string_list rows = {0};
	sqlite3_stmt *statement;
	sqlite3 *handle;

	assert_int_equal(sqlite3_open(path, &handle), SQLITE_OK);
	if (sqlite3_prepare_v2(handle, sql, -1, &statement, NULL) != SQLITE_OK)
		fail_msg("%s: %s", sql, sqlite3_errmsg(handle));
	while (sqlite3_step(statement) == SQLITE_ROW) {
		struct text row = TEXT_INIT;

		for (int i = 0; i < sqlite3_column_count(statement); i++) {
			const char *value = (const char *)sqlite3_column_text(statement, i);

			text_addf(&row, "%s|", value ? value : "NULL");
		}
		string_list_add(&rows, row.data);
		text_release(&row);
	}
	sqlite3_finalize(statement);
	sqlite3_close(handle);
	return rows;
}

static void assert_same_rows(const char *left, const char *right, const char *sql)
{
	struct string_list a = rows_of(left, sql), b = rows_of(right, sql);

	if (a.count != b.count)
		fail_msg("%s: %zu rows and %zu", sql, a.count, b.count);
	for (size_t i = 0; i < a.count; i++)
		assert_string_equal(a.items[i], b.items[i]);
	string_list_release(&a);
	string_list_release(&b);
}

/* A column that the fixture leaves NULL would not be missed. */
static void fill_every_column(const char *path)
{
	struct string_list updates = rows_of(
		path, "SELECT 'UPDATE OR IGNORE ' || t.name || ' SET ' || c.name || ' = 7 WHERE '"
		      " || c.name || ' IS NULL -- ' FROM sqlite_schema AS t,"
		      " pragma_table_info(t.name) AS c WHERE t.type = 'table' AND NOT c.\"notnull\""
		      " AND NOT c.pk AND t.name NOT IN ('newest', 'comparison', 'device')");

	assert_true(updates.count > 30);
	for (size_t i = 0; i < updates.count; i++)
		sql_execute(path, updates.items[i]);
	string_list_release(&updates);
	sql_execute(path, "UPDATE newest SET origin = 7;"
			  "INSERT INTO mark VALUES (1, 'good', 'released', 12);"
			  "INSERT INTO line SELECT id, 'a.cu', 3, 1, 2, 3, 4, 5, 6, 7, 8, 9"
			  " FROM trial");
}

static void test_everything_comes_along(void **state)
{
	struct merge_test *test = *state;
	struct string_list tables;

	make(test->source, NULL, "nightly");
	store_recording(test->source);
	store_parts(test->source, 1);
	fill_every_column(test->source);
	assert_merged(test, test->source);
	/* metrics are numbered anew: the view has their words; the others are equal to the last
	 * column, ids included, for the file was empty */
	tables = rows_of(test->source,
			 "SELECT 'SELECT * FROM ' || name || ' ORDER BY 1, 2 -- '"
			 " FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
			 " AND name NOT IN ('metric', 'counter', 'comparison')");
	assert_true(tables.count >= 10);
	for (size_t i = 0; i < tables.count; i++)
		assert_same_rows(test->source, test->base.path, tables.items[i]);
	string_list_release(&tables);
	assert_same_rows(test->source, test->base.path, "SELECT * FROM counters ORDER BY 1, 2, 4");
	assert_int_equal(test->summary.added, 1);
	assert_int_equal(test->summary.recordings, 1);
	assert_int_equal(test->summary.trials, FIXTURE_TRIALS);
	assert_int_equal(count_in(test, "SELECT count(*) FROM pragma_foreign_key_check"), 0);
	assert_int_equal(count_in(test, "SELECT count(*) FROM recorded_kernel"), 3);
	/* again, there is nothing new */
	assert_merged(test, test->source);
	assert_int_equal(test->summary.recordings, 1);
	assert_int_equal(count_in(test, "SELECT count(*) FROM recording"), 1);
}

static void test_sources_are_only_read(void **state)
{
	struct merge_test *test = *state;
	char *before = NULL, *after = NULL;
	size_t before_length, after_length;

	make(test->source, NULL, NULL);
	assert_int_equal(read_file(&before, &before_length, test->source, 1 << 24, NULL), 0);
	assert_merged(test, test->source);
	assert_int_equal(read_file(&after, &after_length, test->source, 1 << 24, NULL), 0);
	assert_int_equal(before_length, after_length);
	assert_memory_equal(before, after, before_length);
	free(before);
	free(after);
}

static void test_runs_of_several_files(void **state)
{
	struct merge_test *test = *state;

	make(test->source, NULL, "a");
	make(test->other, NULL, "b");
	make(test->base.path, NULL, "c");
	assert_merged(test, test->source);
	assert_merged(test, test->other);
	assert_int_equal(count_in(test, "SELECT count(*) FROM run"), 3);
	assert_int_equal(count_in(test, "SELECT count(*) FROM device"), 1);
	assert_int_equal(count_in(test, "SELECT count(*) FROM sample"), 3 * SAMPLES);
	/* each sample is of a trial of its own run */
	assert_int_equal(count_in(test, "SELECT count(DISTINCT run_id) FROM trial"
					" JOIN sample ON trial_id = id"),
			 3);
}

static void old_file_is_merged(struct merge_test *test, const char *dump)
{
	char *sql = NULL;
	size_t length;

	assert_int_equal(read_file(&sql, &length, dump, 1 << 20, NULL), 0);
	sql_execute(test->source, sql);
	free(sql);
	assert_merged(test, test->source);
	assert_same_rows(test->source, test->base.path,
			 "SELECT uid, started_ns, json_extract(settings, '$.cache'),"
			 " json_extract(settings, '$.metrics'), note FROM run ORDER BY uid");
	assert_same_rows(test->source, test->base.path,
			 "SELECT uid, kernel, variant, config, status, median_ns, code_hash"
			 " FROM trial JOIN run ON run.id = run_id ORDER BY 1, 2, 3, 4");
	assert_same_rows(test->source, test->base.path,
			 "SELECT uid, kernel, variant, config, round, time_ns FROM trial"
			 " JOIN run ON run.id = run_id JOIN sample ON trial_id = trial.id"
			 " ORDER BY 1, 2, 3, 4, 5, sequence");
	assert_int_equal(count_in(test, "SELECT count(*) FROM pragma_foreign_key_check"), 0);
}

static void test_a_file_of_version_1(void **state)
{
	struct merge_test *test = *state;

	old_file_is_merged(test, VERSION_1);
	/* words of metrics were in the counters then */
	assert_true(count_in(test, "SELECT count(*) FROM counters") > 3);
	assert_int_equal(count_in(test, "SELECT count(*) FROM counters WHERE metric ="
					" 'dram_write_bytes' AND unit = 'byte' AND source ="
					" 'dram__bytes_write.sum' AND value = 4096.5"),
			 1);
}

static void test_files_of_versions_2_and_3(void **state)
{
	struct merge_test *test = *state;

	old_file_is_merged(test, VERSION_2);
	assert_same_rows(test->source, test->base.path,
			 "SELECT metric, unit, source, value, reason FROM counters"
			 " ORDER BY 1, 2, 3, 4, 5");
	unlink(test->source);
	unlink(test->base.path);
	old_file_is_merged(test, VERSION_3);
}

/* Settings that are complete keep their text, too. */
static void test_a_file_of_version_6(void **state)
{
	struct merge_test *test = *state;

	old_file_is_merged(test, VERSION_6);
	assert_same_rows(test->source, test->base.path,
			 "SELECT uid, backend, settings FROM run WHERE settings IS NULL"
			 " OR json_extract(settings, '$.min_samples') > 0 ORDER BY uid");
	assert_int_equal(count_in(test, "SELECT count(*) FROM run WHERE emulated"), 2);
	assert_int_equal(count_in(test, "SELECT count(*) FROM run WHERE backend = 'nvbench'"
					" AND timed AND vendor IS NULL AND settings IS NULL"),
			 2);
}

/* ---- the same run ---- */

static void test_the_same_run_twice_is_one(void **state)
{
	struct merge_test *test = *state;

	make(test->source, uid, "nightly");
	assert_merged(test, test->source);
	assert_merged(test, test->source);
	assert_int_equal(count_in(test, "SELECT count(*) FROM run"), 1);
	assert_int_equal(count_in(test, "SELECT count(*) FROM sample"), SAMPLES);
	assert_int_equal(test->summary.added, 1);
	assert_int_equal(test->summary.known, 1);
	assert_int_equal(test->summary.trials, FIXTURE_TRIALS);
	assert_string_equal(test->said, "");
}

/* As it was when only its first case had one round. */
static void take_back(const char *path)
{
	sql_execute(path, "PRAGMA foreign_keys = ON;"
			  "UPDATE run SET state = 'running', finished_ns = NULL, label = NULL;"
			  "UPDATE trial SET status = 'pending', reason = NULL, sample_count = 0,"
			  " median_ns = NULL, mad_ns = NULL, low_ns = NULL, high_ns = NULL,"
			  " min_ns = NULL, max_ns = NULL WHERE status <> 'skipped';"
			  "DELETE FROM round WHERE round > 0; DELETE FROM counter");
}

static void assert_whole_run(struct merge_test *test)
{
	assert_int_equal(count_in(test, "SELECT count(*) FROM run WHERE state = 'finished'"
					" AND label = 'nightly' AND finished_ns IS NOT NULL"),
			 1);
	assert_int_equal(count_in(test, "SELECT count(*) FROM trial"), FIXTURE_TRIALS);
	assert_int_equal(count_in(test, "SELECT count(*) FROM trial WHERE status = 'pending'"), 0);
	assert_int_equal(count_in(test, "SELECT count(*) FROM sample"), SAMPLES);
	assert_int_equal(count_in(test, "SELECT count(*) FROM counters"), 3);
	assert_int_equal(count_in(test, "SELECT count(*) FROM newest WHERE trial_id IN"
					" (SELECT id FROM trial WHERE status <> 'skipped')"),
			 FIXTURE_TRIALS - 1);
	assert_string_equal(test->said, "");
}

static void test_what_has_come_further_is_kept(void **state)
{
	struct merge_test *test = *state;

	make(test->source, uid, "nightly");
	make(test->other, uid, "nightly");
	take_back(test->other);
	assert_merged(test, test->other);
	assert_int_equal(count_in(test, "SELECT count(*) FROM sample"), SAMPLES - 10);
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

	make(test->source, uid, "nightly");
	make(test->other, uid, "nightly");
	take_back(test->other);
	sql_execute(test->source, looks);
	assert_merged(test, test->other);
	assert_int_equal(count_in(test, counted), 0);
	assert_merged(test, test->source);
	assert_int_equal(count_in(test, counted), 2);
}

static void test_different_results_are_said(void **state)
{
	struct merge_test *test = *state;

	make(test->source, uid, NULL);
	make(test->other, uid, NULL);
	sql_execute(test->other, "UPDATE sample SET time_ns = 77 WHERE round = 1 AND sequence = 3");
	assert_merged(test, test->source);
	assert_merged(test, test->other);
	assert_non_null(strstr(test->said, "run 01234567 differs"));
	assert_non_null(strstr(test->said, "in 1 case, such as reduce/shuffle/block=256"));
	assert_int_equal(count_in(test, "SELECT count(*) FROM sample WHERE time_ns = 77"), 0);
	assert_int_equal(test->summary.at_odds, 1);
}

static void test_another_run_of_the_same_uid_is_said(void **state)
{
	struct merge_test *test = *state;

	make(test->source, uid, NULL);
	make(test->other, uid, NULL);
	sql_execute(test->other, "UPDATE run SET seed = 2; UPDATE trial SET config = 'block=7'"
				 " WHERE position = 0");
	assert_merged(test, test->source);
	assert_merged(test, test->other);
	assert_non_null(strstr(test->said, "other settings"));
	assert_int_equal(count_in(test, "SELECT count(*) FROM trial WHERE config = 'block=7'"), 0);
}

static void test_the_later_mark_is_meant(void **state)
{
	struct merge_test *test = *state;

	make(test->source, uid, NULL);
	make(test->other, uid, NULL);
	sql_execute(test->source, "INSERT INTO mark VALUES (1, 'bad', 'noisy', 20)");
	sql_execute(test->other, "INSERT INTO mark VALUES (1, 'good', NULL, 10)");
	assert_merged(test, test->other);
	assert_int_equal(count_in(test, "SELECT kind = 'good' FROM mark"), 1);
	assert_merged(test, test->source);
	assert_int_equal(count_in(test, "SELECT kind = 'bad' AND marked_ns = 20 FROM mark"), 1);
	assert_merged(test, test->other);
	assert_int_equal(count_in(test, "SELECT kind = 'bad' FROM mark"), 1);
}

/* The copy of a run that was resumed has more time, and the other's is in it. */
static void test_the_time_of_a_run_is_that_of_its_later_copy(void **state)
{
	static const char wall_ns[] = "SELECT sum(wall_ns) FROM run_part WHERE run_id = 1";
	struct merge_test *test = *state;

	make(test->source, uid, "a");
	make(test->other, uid, "a");
	store_parts(test->source, 1);
	store_parts(test->other, 2);
	assert_merged(test, test->source);
	assert_int_equal(count_in(test, wall_ns), 1000000000);
	assert_merged(test, test->other);
	assert_int_equal(count_in(test, wall_ns), 2000000000);
	assert_merged(test, test->source);
	assert_int_equal(count_in(test, wall_ns), 2000000000);
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
		shard - 1, device_uuid, uid, shard, shard, shard, 10 - shard);

	make(path, NULL, "shards");
	sql_execute(path, sql);
	free(sql);
}

static void assert_joined(struct merge_test *test)
{
	assert_int_equal(count_in(test, "SELECT count(*) FROM run WHERE uid ="
					" '0123456789abcdef0123456789abcdef'"
					" AND state = 'finished'"),
			 1);
	assert_int_equal(count_in(test, "SELECT count(*) FROM run"), 1);
	assert_int_equal(count_in(test, "SELECT count(*) FROM trial"), 4);
	assert_int_equal(count_in(test, "SELECT count(*) FROM environment WHERE key = 'shards'"
					" AND value = '1-2/2'"),
			 1);
	assert_int_equal(count_in(test, "SELECT count(*) FROM environment WHERE key = 'process'"),
			 0);
	/* it began with the first of them */
	assert_int_equal(count_in(test, "SELECT started_ns % 100 FROM run"), 97);
	assert_int_equal(count_in(test, "SELECT count(*) FROM newest WHERE device_id ="
					" (SELECT device_id FROM run) AND trial_id IS NOT NULL"),
			 3);
}

static void test_shards_become_one_run(void **state)
{
	struct merge_test *test = *state;

	make_shard(test->source, 1, "GPU-1");
	make_shard(test->other, 2, "GPU-2");
	assert_merged(test, test->source);
	assert_int_equal(count_in(test, "SELECT count(*) FROM run WHERE state = 'interrupted'"), 1);
	assert_merged(test, test->other);
	assert_joined(test);
	assert_int_equal(test->summary.shards, 2);
	assert_int_equal(test->summary.touched_count, 1);
	/* of two devices none is the run's, and both hosts are named */
	assert_int_equal(count_in(test, "SELECT uuid IS NULL AND name = 'NVIDIA H200' FROM device"
					" WHERE id = (SELECT device_id FROM run)"),
			 1);
	assert_int_equal(count_in(test, "SELECT count(*) FROM environment WHERE key = 'host'"
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
	store_parts(test->source, 1);
	store_parts(test->other, 1);
	assert_merged(test, test->source);
	assert_merged(test, test->other);
	assert_int_equal(count_in(test, seconds), 1);
	assert_merged(test, test->other);
	assert_int_equal(count_in(test, seconds), 1);
	assert_int_equal(count_in(test, "SELECT count(DISTINCT uid) FROM run_part"), 2);
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
	assert_int_equal(count_in(test, "SELECT count(*) FROM run"), 2);
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
	assert_int_equal(count_in(test, "SELECT count(*) FROM trial"), 2);
}

/* ---- sudden ends ---- */

static void test_a_kill_leaves_whole_runs(void **state)
{
	struct merge_test *test = *state;
	unsigned seed = 1;

	for (int i = 0; i < 12; i++)
		make(test->source, NULL, NULL);
	for (int i = 0; i < KILLS; i++) {
		pid_t child = fork();
		int status;

		if (!child)
			_exit(merge_of(test, test->source) != 0);
		usleep(1000u + (unsigned)rand_r(&seed) % 12000u);
		kill(child, SIGKILL);
		waitpid(child, &status, 0);
		if (access(test->base.path, F_OK) || !count_in(test, "PRAGMA user_version"))
			continue;
		assert_int_equal(count_in(test, "SELECT integrity_check = 'ok'"
						" FROM pragma_integrity_check"),
				 1);
		assert_int_equal(count_in(test, "SELECT count(*) FROM run WHERE (SELECT count(*)"
						" FROM trial JOIN sample ON trial_id = trial.id"
						" WHERE run_id = run.id) <> 30"),
				 0);
	}
	assert_merged(test, test->source);
	assert_int_equal(count_in(test, "SELECT count(*) FROM run"), 12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		TEST(test_everything_comes_along),
		TEST(test_sources_are_only_read),
		TEST(test_runs_of_several_files),
		TEST(test_a_file_of_version_1),
		TEST(test_files_of_versions_2_and_3),
		TEST(test_a_file_of_version_6),
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
		TEST(test_a_kill_leaves_whole_runs),
#undef TEST
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
