/*
 * Files and folders that cannot be read or written as a database: each gives one clear line and its
 * code, and nothing is lost or changed.
 */
#include "context.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void write_file(const char *path, const char *bytes, size_t length)
{
	FILE *file = fopen(path, "wb");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, length, file), length);
	assert_int_equal(fclose(file), 0);
}

/* In every mode, with the same code and words. */
static void assert_refused(const struct context *context, int code, const char *says)
{
	static const enum db_mode modes[] = {DB_READ, DB_WRITE, DB_CREATE};

	for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
		struct error err = {0};
		struct db *db = NULL;

		assert_int_equal(db_open(&db, context->path, modes[i], &err), code);
		assert_null(db);
		assert_one_line(&err, context->path, says);
	}
}

static void test_a_text_file_is_not_a_database(void **state)
{
	struct context *context = *state;
	const char note[] = "kernel,time\nreduce,12\n";
	char *long_text = malloc(20000);
	char *after = NULL;
	size_t length = 0;

	memset(long_text, 'x', 20000);
	write_file(context->path, note, strlen(note));
	assert_refused(context, PL_ECORRUPT, "not a SQLite database");
	assert_int_equal(read_file(&after, &length, context->path, 1000, &context->err), 0);
	assert_string_equal(after, note);
	write_file(context->path, long_text, 20000);
	assert_refused(context, PL_ECORRUPT, "not a SQLite database");
	write_file(context->path, "x", 1);
	assert_refused(context, PL_ECORRUPT, "not a SQLite database");
	free(after);
	free(long_text);
}

static void test_a_truncated_database_is_damaged(void **state)
{
	struct context *context = *state;
	struct stat status;

	context_store_one(context);
	assert_int_equal(stat(context->path, &status), 0);
	assert_int_equal(truncate(context->path, status.st_size / 2), 0);
	assert_refused(context, PL_ECORRUPT, "damaged");
	assert_int_equal(truncate(context->path, 4096), 0);
	assert_refused(context, PL_ECORRUPT, "damaged");
}

static void test_a_damaged_page_is_found_when_read(void **state)
{
	struct context *context = *state;
	struct run run = {0};
	struct db *db = NULL;
	struct stat status;
	char noise[4096];
	int file;
	int rc;

	context_store_one(context);
	memset(noise, 0xa5, sizeof(noise));
	assert_int_equal(stat(context->path, &status), 0);
	file = open(context->path, O_WRONLY);
	for (off_t at = 4096; at < status.st_size; at += 4096)
		assert_int_equal(pwrite(file, noise, sizeof(noise), at), sizeof(noise));
	close(file);
	rc = db_open(&db, context->path, DB_READ, &context->err);
	if (!rc)
		rc = db_run_load(db, 1, true, &run, &context->err);
	assert_int_equal(rc, PL_ECORRUPT);
	assert_one_line(&context->err, context->path, "damaged");
	db_close(db);
}

static void test_another_applications_database_is_left_alone(void **state)
{
	struct context *context = *state;
	char *before = NULL;
	char *after = NULL;
	size_t before_length = 0;
	size_t after_length = 0;

	sql_execute(context->path,
		    "CREATE TABLE bookmarks (url); INSERT INTO bookmarks VALUES ('x')");
	assert_int_equal(read_file(&before, &before_length, context->path, 1 << 20, NULL), 0);
	assert_refused(context, PL_ECORRUPT, "another application's");
	assert_int_equal(read_file(&after, &after_length, context->path, 1 << 20, NULL), 0);
	assert_int_equal(before_length, after_length);
	assert_memory_equal(before, after, after_length);
	sql_execute(context->path, "PRAGMA application_id = 252006674");
	assert_refused(context, PL_ECORRUPT, "application_id 252006674");
	free(before);
	free(after);
}

static void test_a_newer_schema_is_refused(void **state)
{
	struct context *context = *state;

	context_store_one(context);
	sql_execute(context->path, "PRAGMA user_version = 1000");
	assert_refused(context, PL_EVERSION, "schema version 1000");
	assert_refused(context, PL_EVERSION, "use the newer perflab");
}

static void test_a_schema_without_its_tables_is_damaged(void **state)
{
	struct context *context = *state;
	struct db *db = NULL;

	context_store_one(context);
	sql_execute(context->path, "PRAGMA foreign_keys = OFF; DROP VIEW trials; DROP VIEW best;"
				   "DROP TABLE run");
	assert_int_equal(db_open(&db, context->path, DB_READ, &context->err), PL_ECORRUPT);
	assert_one_line(&context->err, context->path, "schema");
}

static void test_an_empty_file_can_only_be_created_into(void **state)
{
	struct context *context = *state;
	struct db *db = NULL;

	write_file(context->path, "", 0);
	assert_int_equal(db_open(&db, context->path, DB_READ, &context->err), PL_ECORRUPT);
	assert_one_line(&context->err, context->path, "empty");
	assert_int_equal(db_open(&db, context->path, DB_WRITE, &context->err), PL_ECORRUPT);
	context_store_one(context);
	assert_int_equal(db_open(&db, context->path, DB_READ, &context->err), 0);
	db_close(db);
}

static void test_a_place_that_has_no_file(void **state)
{
	struct context *context = *state;
	char *nowhere = xasprintf("%s/no-such-folder/test.db", context->folder);
	struct db *db = NULL;

	assert_int_equal(db_open(&db, context->path, DB_READ, &context->err), PL_ENOENT);
	assert_one_line(&context->err, context->path, "does not exist");
	assert_int_equal(db_open(&db, context->path, DB_WRITE, &context->err), PL_ENOENT);
	assert_int_equal(access(context->path, F_OK), -1);
	assert_int_equal(db_open(&db, nowhere, DB_CREATE, &context->err), PL_EIO);
	assert_one_line(&context->err, nowhere, "its folder does not exist");
	assert_int_equal(db_open(&db, context->folder, DB_CREATE, &context->err), PL_EIO);
	assert_one_line(&context->err, context->folder, "not a regular file");
	assert_int_equal(db_open(&db, "", DB_CREATE, &context->err), PL_EUSAGE);
	free(nowhere);
}

static void test_any_file_name_is_that_file(void **state)
{
	static const char *const names[] = {"a?mode=memory", "100%41#.db",
					    ":memory:", "file:x.db?immutable=1",
					    "größe und platz.db"};
	struct context *context = *state;
	char *home = getcwd(NULL, 0);

	assert_int_equal(chdir(context->folder), 0);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct db *db = NULL;

		if (db_open(&db, names[i], DB_CREATE, &context->err))
			fail_msg("%s", context->err.text);
		assert_int_equal(access(names[i], F_OK), 0);
		db_close(db);
	}
	assert_int_equal(chdir(home), 0);
	free(home);
}

static void test_reading_changes_nothing_and_leaves_nothing(void **state)
{
	struct context *context = *state;
	char *wal = xasprintf("%s-wal", context->path);
	char *shm = xasprintf("%s-shm", context->path);
	struct run run = {0};
	struct run another = fixture_run(NULL);
	struct db *db = NULL;
	char *before = NULL;
	char *after = NULL;
	size_t before_length = 0;
	size_t after_length = 0;

	context_store_one(context);
	assert_int_equal(read_file(&before, &before_length, context->path, 1 << 20, NULL), 0);
	assert_int_equal(db_open(&db, context->path, DB_READ, &context->err), 0);
	assert_int_equal(db_run_load(db, 1, true, &run, &context->err), 0);
	assert_int_equal(db_run_begin(db, &another, &context->err), PL_EIO);
	db_close(db);
	assert_int_equal(read_file(&after, &after_length, context->path, 1 << 20, NULL), 0);
	assert_int_equal(before_length, after_length);
	assert_memory_equal(before, after, after_length);
	assert_int_equal(access(wal, F_OK), -1);
	assert_int_equal(access(shm, F_OK), -1);
	free(before);
	free(after);
	free(wal);
	free(shm);
	run_release(&another);
	run_release(&run);
}

static void test_a_bad_timeout_is_refused(void **state)
{
	struct context *context = *state;
	struct db *db = NULL;

	setenv("PERFLAB_DB_TIMEOUT", "soon", 1);
	assert_int_equal(db_open(&db, context->path, DB_CREATE, &context->err), PL_EUSAGE);
	unsetenv("PERFLAB_DB_TIMEOUT");
	assert_non_null(strstr(context->err.text, "PERFLAB_DB_TIMEOUT"));
	assert_int_equal(access(context->path, F_OK), -1);
}

static void test_the_default_path_is_the_environments(void **state)
{
	(void)state;
	unsetenv("PERFLAB_DB");
	assert_string_equal(db_default_path(), "perflab.db");
	setenv("PERFLAB_DB", "/data/all.db", 1);
	assert_string_equal(db_default_path(), "/data/all.db");
	unsetenv("PERFLAB_DB");
}

#define refuse_test(function) \
	cmocka_unit_test_setup_teardown(function, context_setup, context_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		refuse_test(test_a_text_file_is_not_a_database),
		refuse_test(test_a_truncated_database_is_damaged),
		refuse_test(test_a_damaged_page_is_found_when_read),
		refuse_test(test_another_applications_database_is_left_alone),
		refuse_test(test_a_newer_schema_is_refused),
		refuse_test(test_a_schema_without_its_tables_is_damaged),
		refuse_test(test_an_empty_file_can_only_be_created_into),
		refuse_test(test_a_place_that_has_no_file),
		refuse_test(test_any_file_name_is_that_file),
		refuse_test(test_reading_changes_nothing_and_leaves_nothing),
		refuse_test(test_a_bad_timeout_is_refused),
		refuse_test(test_the_default_path_is_the_environments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
