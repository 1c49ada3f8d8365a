/*
 * Merging copies everything of a run, from databases of every version. An interrupted merge leaves
 * only complete runs.
 */
#include "merge_fixture.h"

#include <signal.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define KILLS 20

static void store_recording(const char *path)
{
	struct context context = {.path = (char *)path};
	struct recording recording = fixture_recording();

	assert_ok(&context, db_open(&context.db, path, DB_WRITE, &context.err));
	assert_ok(&context, db_recording_store(context.db, &recording, &context.err));
	db_close(context.db);
	recording_release(&recording);
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

	merge_make_source(test->source, NULL, "nightly");
	store_recording(test->source);
	merge_store_parts(test->source, 1);
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
	assert_int_equal(merge_count(test, "SELECT count(*) FROM pragma_foreign_key_check"), 0);
	assert_int_equal(merge_count(test, "SELECT count(*) FROM recorded_kernel"), 3);
	/* again, there is nothing new */
	assert_merged(test, test->source);
	assert_int_equal(test->summary.recordings, 1);
	assert_int_equal(merge_count(test, "SELECT count(*) FROM recording"), 1);
}

static void test_sources_are_only_read(void **state)
{
	struct merge_test *test = *state;
	char *before = NULL, *after = NULL;
	size_t before_length, after_length;

	merge_make_source(test->source, NULL, NULL);
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

	merge_make_source(test->source, NULL, "a");
	merge_make_source(test->other, NULL, "b");
	merge_make_source(test->base.path, NULL, "c");
	assert_merged(test, test->source);
	assert_merged(test, test->other);
	assert_int_equal(merge_count(test, "SELECT count(*) FROM run"), 3);
	assert_int_equal(merge_count(test, "SELECT count(*) FROM device"), 1);
	assert_int_equal(merge_count(test, "SELECT count(*) FROM sample"), 3 * SAMPLES);
	/* each sample is of a trial of its own run */
	assert_int_equal(merge_count(test, "SELECT count(DISTINCT run_id) FROM trial"
					   " JOIN sample ON trial_id = id"),
			 3);
}

/* It is read as it is. */
static void test_a_file_of_the_version_before(void **state)
{
	struct merge_test *test = *state;
	char *sql = NULL;
	size_t length;

	assert_int_equal(read_file(&sql, &length, VERSION_22, 1 << 20, NULL), 0);
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
	assert_int_equal(merge_count(test, "SELECT count(*) FROM pragma_foreign_key_check"), 0);
}

/* ---- sudden ends ---- */

static void test_a_kill_leaves_whole_runs(void **state)
{
	struct merge_test *test = *state;
	unsigned seed = 1;

	for (int i = 0; i < 12; i++)
		merge_make_source(test->source, NULL, NULL);
	for (int i = 0; i < KILLS; i++) {
		pid_t child = fork();
		int status;

		if (!child)
			_exit(merge_of(test, test->source) != 0);
		usleep(1000u + (unsigned)rand_r(&seed) % 12000u);
		kill(child, SIGKILL);
		waitpid(child, &status, 0);
		if (access(test->base.path, F_OK) || !merge_count(test, "PRAGMA user_version"))
			continue;
		assert_int_equal(merge_count(test, "SELECT integrity_check = 'ok'"
						   " FROM pragma_integrity_check"),
				 1);
		assert_int_equal(merge_count(test, "SELECT count(*) FROM run WHERE (SELECT count(*)"
						   " FROM trial JOIN sample ON trial_id = trial.id"
						   " WHERE run_id = run.id) <> 30"),
				 0);
	}
	assert_merged(test, test->source);
	assert_int_equal(merge_count(test, "SELECT count(*) FROM run"), 12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, merge_setup, merge_teardown)
		TEST(test_everything_comes_along),   TEST(test_sources_are_only_read),
		TEST(test_runs_of_several_files),    TEST(test_a_file_of_the_version_before),
		TEST(test_a_kill_leaves_whole_runs),
#undef TEST
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
