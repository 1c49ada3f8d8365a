/*
 * Files and folders that cannot be written, or no longer: existing data is read, stored data stays,
 * and the error says what to do.
 */
#include "context.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- permissions: root may do everything, so a child without rights tries ---- */

#define NO_NOBODY 99 /* exit code: a container without that user */

static void drop_rights(void)
{
	if (geteuid() == 0 && (setgid(65534) || setuid(65534)))
		_exit(NO_NOBODY);
}

/* Runs `attempt` in a child of the user nobody; it returns 0 or the number of the failed check.
 * Skips the test where there is no other user. */
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
	if (WEXITSTATUS(status) == NO_NOBODY) {
		print_message("skipped: root cannot become the user nobody (65534) here\n");
		skip();
	}
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

	context_store_one(context);
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

	context_store_one(context);
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

	context_store_one(context);
	assert_int_equal(chmod(context->path, 0666), 0);
	assert_int_equal(chmod(context->folder, 0555), 0);
	assert_as_nobody(context, try_write_in_closed_folder);
	assert_int_equal(chmod(context->folder, 0755), 0);
}

/* ---- a full disk: a file layer of SQLite that stops writing after some bytes ---- */

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

	full_disk_begin(10000000);
	if (db_open(&db, context->path, DB_CREATE, &context->err) ||
	    db_run_begin(db, &run, &context->err))
		fail_msg("%s", context->err.text);
	full_disk.bytes_left = 200000; /* however much the schema took */
	while (!rc) {
		struct round_result round = fixture_round(stored, 100);

		rc = db_round_add(db, run.trials[0].id, &round, &context->err);
		stored += !rc;
		fixture_round_release(&round);
	}
	assert_int_equal(rc, PL_EIO);
	assert_one_line(&context->err, context->path, "disk full");
	assert_non_null(strstr(context->err.text, "a sweep with --resume"));
	assert_true(stored > 3);
	/* After space is freed the same connection continues. */
	full_disk.bytes_left = 10000000;
	if (db_trial_finish(db, run.trials[0].id, TRIAL_OK, NULL, NULL, &context->err))
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
	context_store_one(context);
}

#define place_test(function) \
	cmocka_unit_test_setup_teardown(function, context_setup, context_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		place_test(test_a_read_only_file_is_read_but_not_written),
		place_test(test_an_unreadable_file_names_the_reason),
		place_test(test_a_folder_that_cannot_be_written),
		place_test(test_a_writable_file_in_a_folder_that_is_not),
		place_test(test_a_disk_that_fills_up_keeps_what_was_stored),
		place_test(test_a_full_disk_creates_nothing_that_is_half),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
