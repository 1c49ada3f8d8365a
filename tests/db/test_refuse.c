/*
 * Files and places that a database cannot be read from or written to: each is
 * one clear line with its code, and nothing is lost or changed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fixture.h"

struct context {
	char *folder, *path;
	struct error err;
};

static int setup(void **state)
{
	struct context *context = xcalloc(1, sizeof(*context));

	context->folder = fixture_folder();
	context->path = xasprintf("%s/test.db", context->folder);
	*state = context;
	return 0;
}

static int teardown(void **state)
{
	struct context *context = *state;

	fixture_folder_remove(context->folder);
	free(context->path);
	free(context);
	return 0;
}

static void write_file(const char *path, const char *bytes, size_t length)
{
	FILE *file = fopen(path, "wb");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, length, file), length);
	assert_int_equal(fclose(file), 0);
}

static void execute(const char *path, const char *sql)
{
	sqlite3 *handle;

	assert_int_equal(sqlite3_open(path, &handle), SQLITE_OK);
	if (sqlite3_exec(handle, sql, NULL, NULL, NULL) != SQLITE_OK)
		fail_msg("%s: %s", sql, sqlite3_errmsg(handle));
	sqlite3_close(handle);
}

/* A database with one whole run, closed. */
static void store_one(struct context *context)
{
	struct run run = fixture_run("nightly");
	struct db *db = NULL;

	if (db_open(&db, context->path, DB_CREATE, &context->err) ||
	    fixture_store(db, &run, &context->err))
		fail_msg("%s", context->err.text);
	db_close(db);
	run_release(&run);
}

static void assert_one_line(const struct error *err, const char *path, const char *says)
{
	assert_non_null(strstr(err->text, path));
	if (!strstr(err->text, says))
		fail_msg("'%s' does not say '%s'", err->text, says);
	assert_null(strchr(err->text, '\n'));
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

	store_one(context);
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

	store_one(context);
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

	execute(context->path, "CREATE TABLE bookmarks (url); INSERT INTO bookmarks VALUES ('x')");
	assert_int_equal(read_file(&before, &before_length, context->path, 1 << 20, NULL), 0);
	assert_refused(context, PL_ECORRUPT, "another application's");
	assert_int_equal(read_file(&after, &after_length, context->path, 1 << 20, NULL), 0);
	assert_int_equal(before_length, after_length);
	assert_memory_equal(before, after, after_length);
	execute(context->path, "PRAGMA application_id = 252006674");
	assert_refused(context, PL_ECORRUPT, "application_id 252006674");
	free(before);
	free(after);
}

static void test_a_newer_schema_is_refused(void **state)
{
	struct context *context = *state;

	store_one(context);
	execute(context->path, "PRAGMA user_version = 1000");
	assert_refused(context, PL_EVERSION, "schema version 1000");
	assert_refused(context, PL_EVERSION, "use the newer perflab");
}

static void test_a_schema_without_its_tables_is_damaged(void **state)
{
	struct context *context = *state;
	struct db *db = NULL;

	store_one(context);
	execute(context->path, "PRAGMA foreign_keys = OFF; DROP VIEW trials; DROP VIEW best;"
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
	store_one(context);
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
	assert_one_line(&context->err, nowhere, strerror(ENOENT));
	assert_int_equal(db_open(&db, context->folder, DB_CREATE, &context->err), PL_EIO);
	assert_one_line(&context->err, context->folder, "not a file");
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

	store_one(context);
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

/* ---- permissions: root may do everything, so a child without rights tries ---- */

static void drop_rights(void)
{
	if (geteuid() == 0 && (setgid(65534) || setuid(65534)))
		_exit(99);
}

/* Runs `attempt` in a child that is nobody; it returns 0 or the number of what was wrong. */
static void assert_as_nobody(const struct context *context,
			     int (*attempt)(const struct context *context))
{
	int status;
	pid_t child = fork();

	assert_true(child >= 0);
	if (child == 0) {
		drop_rights();
		_exit(attempt(context));
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static int try_read_only_file(const struct context *context)
{
	struct error err = {0};
	struct run run = {0};
	struct db *db = NULL;

	if (db_open(&db, context->path, DB_WRITE, &err) != PL_EIO || !strstr(err.text, "read-only"))
		return 1;
	if (db_open(&db, context->path, DB_CREATE, &err) != PL_EIO ||
	    !strstr(err.text, "read-only"))
		return 2;
	if (db_open(&db, context->path, DB_READ, &err))
		return 3;
	if (db_run_load(db, 1, true, &run, &err) || run.trial_count != FIXTURE_TRIALS)
		return 4;
	db_close(db);
	run_release(&run);
	return 0;
}

static void test_a_read_only_file_is_read_but_not_written(void **state)
{
	struct context *context = *state;

	store_one(context);
	assert_int_equal(chmod(context->path, 0444), 0);
	assert_int_equal(chmod(context->folder, 0555), 0);
	assert_as_nobody(context, try_read_only_file);
	assert_int_equal(chmod(context->folder, 0755), 0);
}

static int try_unreadable_file(const struct context *context)
{
	struct error err = {0};
	struct db *db = NULL;

	if (db_open(&db, context->path, DB_READ, &err) != PL_EIO)
		return 1;
	return strstr(err.text, strerror(EACCES)) ? 0 : 2;
}

static void test_an_unreadable_file_names_the_reason(void **state)
{
	struct context *context = *state;

	store_one(context);
	assert_int_equal(chmod(context->path, 0000), 0);
	assert_as_nobody(context, try_unreadable_file);
}

static int try_create_in_closed_folder(const struct context *context)
{
	struct error err = {0};
	struct db *db = NULL;

	if (db_open(&db, context->path, DB_CREATE, &err) != PL_EIO)
		return 1;
	return strstr(err.text, strerror(EACCES)) ? 0 : 2;
}

static void test_a_folder_that_cannot_be_written(void **state)
{
	struct context *context = *state;

	assert_int_equal(chmod(context->folder, 0555), 0);
	assert_as_nobody(context, try_create_in_closed_folder);
	assert_int_equal(chmod(context->folder, 0755), 0);
}

/* A writer needs to put its journal beside the file. */
static int try_write_in_closed_folder(const struct context *context)
{
	struct error err = {0};
	struct db *db = NULL;

	if (db_open(&db, context->path, DB_WRITE, &err) != PL_EIO)
		return 1;
	return strstr(err.text, "folder") ? 0 : 2;
}

static void test_a_writable_file_in_a_folder_that_is_not(void **state)
{
	struct context *context = *state;

	store_one(context);
	assert_int_equal(chmod(context->path, 0666), 0);
	assert_int_equal(chmod(context->folder, 0555), 0);
	assert_as_nobody(context, try_write_in_closed_folder);
	assert_int_equal(chmod(context->folder, 0755), 0);
}

/* ---- a full disk: SQLite's own file layer, whose writes meet one after a while ---- */

static struct {
	sqlite3_vfs vfs;
	sqlite3_vfs *real;
	int (*real_write)(sqlite3_file *, const void *, int, sqlite3_int64);
	/* SQLite gives a database and its journals different methods. */
	struct {
		const sqlite3_io_methods *real;
		sqlite3_io_methods ours;
	} methods[4];
	int64_t bytes_left;
} full_disk;

static int full_disk_write(sqlite3_file *file, const void *bytes, int length, sqlite3_int64 offset)
{
	if (full_disk.bytes_left < length)
		return SQLITE_FULL;
	full_disk.bytes_left -= length;
	return full_disk.real_write(file, bytes, length, offset);
}

static const sqlite3_io_methods *full_disk_methods(const sqlite3_io_methods *real)
{
	for (size_t i = 0; i < ARRAY_SIZE(full_disk.methods); i++) {
		if (full_disk.methods[i].real == real)
			return &full_disk.methods[i].ours;
		if (full_disk.methods[i].real)
			continue;
		full_disk.methods[i].real = real;
		full_disk.methods[i].ours = *real;
		full_disk.methods[i].ours.xWrite = full_disk_write;
		full_disk.real_write = real->xWrite;
		return &full_disk.methods[i].ours;
	}
	fail_msg("more kinds of files than expected");
	return NULL;
}

static int full_disk_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags,
			  int *out_flags)
{
	int code = full_disk.real->xOpen(vfs, name, file, flags, out_flags);

	if (code == SQLITE_OK && file->pMethods)
		file->pMethods = full_disk_methods(file->pMethods);
	return code;
}

static void full_disk_begin(int64_t bytes_left)
{
	full_disk.real = sqlite3_vfs_find(NULL);
	full_disk.vfs = *full_disk.real;
	full_disk.vfs.zName = "full disk";
	full_disk.vfs.xOpen = full_disk_open;
	full_disk.bytes_left = bytes_left;
	assert_int_equal(sqlite3_vfs_register(&full_disk.vfs, 1), SQLITE_OK);
}

static void full_disk_end(void)
{
	sqlite3_vfs_unregister(&full_disk.vfs);
	sqlite3_vfs_register(full_disk.real, 1);
}

static void test_a_disk_that_fills_up_keeps_what_was_stored(void **state)
{
	struct context *context = *state;
	struct run run = fixture_run(NULL);
	struct run loaded = {0};
	struct db *db = NULL;
	struct sample *samples = NULL;
	size_t count = 0;
	int stored = 0;
	int rc = 0;

	full_disk_begin(400000);
	if (db_open(&db, context->path, DB_CREATE, &context->err) ||
	    db_run_begin(db, &run, &context->err))
		fail_msg("%s", context->err.text);
	while (!rc) {
		struct round_result round = fixture_round(stored, 100);

		rc = db_round_add(db, run.trials[0].id, &round, &context->err);
		stored += !rc;
		fixture_round_release(&round);
	}
	assert_int_equal(rc, PL_EIO);
	assert_one_line(&context->err, context->path, "disk full");
	assert_true(stored > 3);
	/* Somebody made room: the same connection goes on. */
	full_disk.bytes_left = 10000000;
	if (db_trial_finish(db, run.trials[0].id, TRIAL_OK, NULL, &context->err))
		fail_msg("%s", context->err.text);
	db_close(db);
	full_disk_end();
	assert_int_equal(db_open(&db, context->path, DB_READ, &context->err), 0);
	assert_int_equal(db_run_load(db, run.id, true, &loaded, &context->err), 0);
	assert_int_equal(loaded.trials[0].rounds_done, stored);
	assert_int_equal(db_samples_load(db, run.trials[0].id, &samples, &count, &context->err), 0);
	assert_int_equal(count, 100 * stored);
	db_close(db);
	free(samples);
	run_release(&loaded);
	run_release(&run);
}

static void test_a_full_disk_creates_nothing_that_is_half(void **state)
{
	struct context *context = *state;

	/* Wherever in the creation it meets the end of the disk. */
	for (int64_t bytes = 0; bytes < 60000; bytes += 4096) {
		struct error err = {0};
		struct db *db = NULL;

		full_disk_begin(bytes);
		assert_int_equal(db_open(&db, context->path, DB_CREATE, &err), PL_EIO);
		assert_one_line(&err, context->path, "disk full");
		full_disk_end();
	}
	store_one(context);
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

#define refuse_test(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

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
		refuse_test(test_a_read_only_file_is_read_but_not_written),
		refuse_test(test_an_unreadable_file_names_the_reason),
		refuse_test(test_a_folder_that_cannot_be_written),
		refuse_test(test_a_writable_file_in_a_folder_that_is_not),
		refuse_test(test_a_disk_that_fills_up_keeps_what_was_stored),
		refuse_test(test_a_full_disk_creates_nothing_that_is_half),
		refuse_test(test_a_bad_timeout_is_refused),
		refuse_test(test_the_default_path_is_the_environments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
