/*
 * The file of a database is removed, moved, replaced or emptied while it is open for writing: what
 * was stored is in a copy, or the error says that it is lost. It is never silent.
 */
#include "context.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "db/statement.h"

/* ---- what happens to the file ---- */

static void remove_files(const struct context *context)
{
	static const char *const endings[] = {"", "-wal", "-shm"};

	for (size_t i = 0; i < ARRAY_SIZE(endings); i++) {
		char *name = xasprintf("%s%s", context->path, endings[i]);

		assert_int_equal(unlink(name), 0);
		free(name);
	}
}

static void remove_file(const struct context *context)
{
	assert_int_equal(unlink(context->path), 0);
}

static void move_file(const struct context *context)
{
	char *name = xasprintf("%s.moved", context->path);

	assert_int_equal(rename(context->path, name), 0);
	free(name);
}

static void replace_file(const struct context *context)
{
	char *name = xasprintf("%s.other", context->path);

	sql_execute(name, "CREATE TABLE other (x)");
	assert_int_equal(rename(name, context->path), 0);
	free(name);
}

static void empty_file(const struct context *context)
{
	assert_int_equal(truncate(context->path, 0), 0);
}

static void remove_beside(const struct context *context, const char *ending)
{
	char *name = xasprintf("%s%s", context->path, ending);

	assert_int_equal(unlink(name), 0);
	free(name);
}

static void remove_log(const struct context *context)
{
	remove_beside(context, "-wal");
}

static void remove_index(const struct context *context)
{
	remove_beside(context, "-shm");
}

static void replace_log(const struct context *context)
{
	char *log = xasprintf("%s-wal", context->path), *other = xasprintf("%s.other", log);
	FILE *file = fopen(other, "w");

	assert_non_null(file);
	fclose(file);
	assert_int_equal(rename(other, log), 0);
	free(other);
	free(log);
}

static void empty_log(const struct context *context)
{
	char *log = xasprintf("%s-wal", context->path);

	assert_int_equal(truncate(log, 0), 0);
	free(log);
}

/* ---- what is written then ---- */

static int write_mark(struct context *context)
{
	const struct run_words words = {.mark = "good", .note = "fast"};

	return db_run_mark(context->db, 1, &words, &context->err);
}

static int write_end(struct context *context)
{
	return db_run_finish(context->db, 1, RUN_INTERRUPTED, &context->err);
}

static int write_round(struct context *context)
{
	struct round_result round = fixture_round(2, 5);
	int rc = db_round_add(context->db, 1, &round, &context->err);

	fixture_round_release(&round);
	return rc;
}

static int write_run(struct context *context)
{
	struct run run = fixture_run("second");
	int rc = db_together_begin(context->db, &context->err);

	if (!rc)
		rc = db_together_end(context->db, db_run_begin(context->db, &run, &context->err),
				     &context->err);
	run_release(&run);
	return rc;
}

static int write_recording(struct context *context)
{
	struct recording recording = fixture_recording();
	int rc = db_recording_store(context->db, &recording, &context->err);

	recording_release(&recording);
	return rc;
}

static int write_merged(struct context *context)
{
	struct context other = {.path = xasprintf("%s.source", context->path)};
	const struct merge_watch watch = {0};
	struct merge_summary summary = {0};
	struct db *from = NULL;
	int rc;

	context_store_one(&other);
	assert_ok(context, db_open(&from, other.path, DB_READ, &context->err));
	rc = db_merge(context->db, from, &watch, &summary, &context->err);
	merge_summary_release(&summary);
	db_close(from);
	free(other.path);
	return rc;
}

/* ---- tests ---- */

static void store_one(struct context *context)
{
	struct run run = fixture_run("nightly");

	assert_ok(context, fixture_store(context->db, &run, &context->err));
	run_release(&run);
}

/* The error names both files, and the copy has all of it, whole. */
static void assert_rescued(struct context *context, int rc, const char *happened)
{
	char *rescued = xasprintf("%s.rescued", context->path);
	struct context copy = {.path = rescued};

	assert_int_equal(rc, PL_EIO);
	assert_one_line(&context->err, context->path, happened);
	assert_non_null(strstr(context->err.text, rescued));
	assert_non_null(strstr(context->err.text, "with --db"));
	assert_true(db_was_lost(context->db));
	assert_string_equal(db_path(context->db), rescued);
	assert_int_equal(
		context_query(&copy, "SELECT count(*) FROM run WHERE id = 1 AND label = 'nightly'"),
		1);
	assert_int_equal(context_query(&copy, "SELECT count(*) > 0 FROM sample"), 1);
	context_assert_whole(&copy);
	/* what follows goes there */
	assert_ok(context, db_run_finish(context->db, 1, RUN_INTERRUPTED, &context->err));
	assert_int_equal(
		context_query(&copy, "SELECT count(*) FROM run WHERE state = 'interrupted'"), 1);
	free(rescued);
}

/* In a database of its own, after one run is stored. `to_old_name`: the copy may get the name of
 * the database. */
static void assert_noticed(void (*happen)(const struct context *context), const char *says,
			   bool to_old_name)
{
	void *own = NULL;
	struct context *context;

	assert_int_equal(context_setup_open(&own), 0);
	context = own;
	store_one(context);
	happen(context);
	assert_rescued(context, write_mark(context), says);
	if (!to_old_name)
		assert_null(strstr(context->err.text, "old name"));
	assert_int_equal(context_teardown(&own), 0);
}

static void test_a_file_that_is_gone_is_noticed(void **state)
{
	static const struct {
		void (*happen)(const struct context *context);
		const char *says;
	} events[] = {{remove_files, "was removed or moved"},
		      {remove_file, "was removed or moved"},
		      {move_file, "was removed or moved"},
		      {replace_file, "was replaced"}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(events); i++)
		assert_noticed(events[i].happen, events[i].says, true);
}

static void test_every_write_notices_it(void **state)
{
	static int (*const writes[])(struct context * context) = {
		write_mark, write_end, write_round, write_run, write_recording, write_merged};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(writes); i++) {
		void *own = NULL;
		struct context *context;

		assert_int_equal(context_setup_open(&own), 0);
		context = own;
		store_one(context);
		remove_files(context);
		assert_rescued(context, writes[i](context), "was removed or moved");
		assert_int_equal(context_teardown(&own), 0);
	}
}

static void test_what_was_just_written_is_in_the_copy(void **state)
{
	struct context *context = *state;
	char *rescued = xasprintf("%s.rescued", context->path);
	const struct context copy = {.path = rescued};

	store_one(context);
	remove_files(context);
	assert_int_equal(write_mark(context), PL_EIO);
	assert_int_equal(context_query(&copy, "SELECT count(*) FROM mark WHERE kind = 'good'"), 1);
	free(rescued);
}

static void test_a_copy_replaces_no_file(void **state)
{
	struct context *context = *state;
	char *taken = xasprintf("%s.rescued", context->path);
	char *next = xasprintf("%s.rescued-2", context->path);
	char *text = NULL;
	size_t length;
	FILE *file = fopen(taken, "w");

	assert_non_null(file);
	fputs("mine", file);
	fclose(file);
	store_one(context);
	remove_file(context);
	assert_int_equal(write_mark(context), PL_EIO);
	assert_string_equal(db_path(context->db), next);
	assert_ok(context, read_file(&text, &length, taken, 100, &context->err));
	assert_string_equal(text, "mine");
	free(text);
	free(taken);
	free(next);
}

static void test_a_copy_is_not_more_readable_than_the_database(void **state)
{
	struct context *context = *state;
	char *path = xasprintf("%s/private.db", context->folder);
	char *rescued = xasprintf("%s.rescued", path);
	struct run run = fixture_run("nightly");
	struct stat status;
	struct db *db = NULL;

	assert_ok(context, db_open(&db, path, DB_CREATE, &context->err));
	assert_ok(context, fixture_store(db, &run, &context->err));
	db_close(db);
	assert_int_equal(chmod(path, 0600), 0);
	assert_ok(context, db_open(&db, path, DB_WRITE, &context->err));
	assert_int_equal(unlink(path), 0);
	assert_int_equal(db_run_finish(db, run.id, RUN_FINISHED, &context->err), PL_EIO);
	assert_string_equal(db_path(db), rescued);
	assert_int_equal(stat(rescued, &status), 0);
	assert_int_equal(status.st_mode & 0777, 0600);
	db_close(db);
	run_release(&run);
	free(rescued);
	free(path);
}

/* SQLite copies nothing while the connection writes. */
static void test_a_copy_that_was_not_made_is_not_named(void **state)
{
	struct context *context = *state;
	char *rescued = xasprintf("%s.rescued", context->path), *copy = NULL;

	store_one(context);
	assert_ok(context, db_begin(context->db, &context->err));
	assert_ok(context, db_execute(context->db, "DELETE FROM mark", &context->err));
	remove_file(context);
	assert_int_equal(db_place_check(context->db, &copy, &context->err), PL_EIO);
	assert_null(copy);
	assert_one_line(&context->err, context->path, "are lost");
	assert_int_equal(access(rescued, F_OK), -1);
	db_end(context->db, PL_EIO, NULL);
	free(rescued);
}

/* The new file may be in use: its log is not ours to delete. */
static void test_the_log_of_a_new_file_stays(void **state)
{
	struct context *context = *state;
	char *log = xasprintf("%s-wal", context->path);
	struct db *other = NULL;
	struct run run = fixture_run("other");

	store_one(context);
	remove_files(context);
	assert_ok(context, db_open(&other, context->path, DB_CREATE, &context->err));
	assert_ok(context, fixture_store(other, &run, &context->err));
	assert_int_equal(write_mark(context), PL_EIO);
	db_close(context->db);
	context->db = NULL;
	assert_int_equal(access(log, F_OK), 0);
	db_close(other);
	assert_int_equal(context_query(context, "SELECT count(*) FROM run WHERE label = 'other'"),
			 1);
	context_assert_whole(context);
	run_release(&run);
	free(log);
}

/* A log that was left would be played into the next file of that name, and destroy it. */
static void test_the_log_of_a_lost_file_spoils_no_other(void **state)
{
	static void (*const events[])(const struct context *context) = {remove_file, move_file,
									replace_file};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(events); i++) {
		void *own = NULL;
		struct context *context;
		char *rescued;

		assert_int_equal(context_setup_open(&own), 0);
		context = own;
		rescued = xasprintf("%s.rescued", context->path);
		store_one(context);
		events[i](context);
		assert_int_equal(write_mark(context), PL_EIO);
		if (events[i] == replace_file)
			sql_execute(context->path, "INSERT INTO other VALUES (1)");
		/* the remedy of the message */
		assert_ok(context, db_run_finish(context->db, 1, RUN_INTERRUPTED, &context->err));
		db_close(context->db);
		context->db = NULL;
		assert_int_equal(rename(rescued, context->path), 0);
		context_assert_whole(context);
		assert_int_equal(context_query(context, "SELECT count(*) FROM run WHERE state = "
							"'interrupted'"),
				 1);
		free(rescued);
		assert_int_equal(context_teardown(&own), 0);
	}
}

static void test_an_emptied_file_is_never_silent(void **state)
{
	struct context *context = *state;

	store_one(context);
	empty_file(context);
	assert_int_equal(write_mark(context), PL_EIO);
	assert_one_line(&context->err, context->path, "was emptied");
	assert_true(db_was_lost(context->db));
	if (db_path(context->db)) {
		const struct context copy = {.path = (char *)db_path(context->db)};

		context_assert_whole(&copy);
	} else {
		assert_one_line(&context->err, context->path, "are lost");
	}
}

/* Without its log the file is old, and another program would begin a log of its own. */
static void test_a_log_that_is_gone_is_noticed(void **state)
{
	static const struct {
		void (*happen)(const struct context *context);
		const char *says;
	} events[] = {{remove_log, "-wal was removed or moved"},
		      {replace_log, "-wal was replaced"},
		      {remove_index, "-shm was removed or moved"}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(events); i++)
		assert_noticed(events[i].happen, events[i].says, false);
}

/* An emptied log reads as zeros, which must not come into the file. */
static void test_an_emptied_log_does_not_spoil_the_file(void **state)
{
	static int (*const writes[])(struct context * context) = {write_mark, write_end};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(writes); i++) {
		void *own = NULL;
		struct context *context;

		assert_int_equal(context_setup_open(&own), 0);
		context = own;
		store_one(context);
		assert_ok(context, db_run_finish(context->db, 1, RUN_FINISHED, &context->err));
		assert_ok(context, write_run(context));
		empty_log(context);
		assert_int_equal(writes[i](context), PL_EIO);
		assert_one_line(&context->err, context->path, "-wal was emptied");
		db_close(context->db);
		context->db = NULL;
		context_assert_whole(context);
		assert_int_equal(
			context_query(context, "SELECT count(*) FROM run WHERE label = 'nightly'"),
			1);
		assert_int_equal(context_teardown(&own), 0);
	}
}

/* A checkpoint by another program empties the log, too, and leaves a whole file. */
static void test_a_checkpoint_is_no_loss(void **state)
{
	struct context *context = *state;

	store_one(context);
	sql_execute(context->path, "PRAGMA wal_checkpoint(TRUNCATE)");
	assert_ok(context, db_check_there(context->db, &context->err));
	assert_ok(context, write_mark(context));
	context_assert_whole(context);
}

static void test_without_a_copy_it_says_what_is_lost(void **state)
{
	struct context *context = *state;
	char *folder = xasprintf("%s/gone", context->folder), *home = getcwd(NULL, 0);
	char *path = xasprintf("%s/a.db", folder);
	struct db *db = NULL;
	struct run run = fixture_run("nightly");

	assert_int_equal(mkdir(folder, 0700), 0);
	assert_ok(context, db_open(&db, path, DB_CREATE, &context->err));
	assert_ok(context, fixture_store(db, &run, &context->err));
	folder_remove(folder);
	/* the working directory has no room either: it is gone, too */
	assert_int_equal(mkdir(folder, 0700), 0);
	assert_int_equal(chdir(folder), 0);
	folder_remove(folder);
	assert_int_equal(db_run_finish(db, run.id, RUN_FINISHED, &context->err), PL_EIO);
	assert_int_equal(chdir(home), 0);
	assert_one_line(&context->err, path, "are lost");
	assert_true(db_was_lost(db));
	assert_null(db_path(db));
	db_close(db);
	run_release(&run);
	free(folder);
	free(home);
	free(path);
}

#define place_test(function) \
	cmocka_unit_test_setup_teardown(function, context_setup_open, context_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_file_that_is_gone_is_noticed),
		cmocka_unit_test(test_every_write_notices_it),
		cmocka_unit_test(test_a_log_that_is_gone_is_noticed),
		cmocka_unit_test(test_an_emptied_log_does_not_spoil_the_file),
		place_test(test_a_checkpoint_is_no_loss),
		place_test(test_what_was_just_written_is_in_the_copy),
		place_test(test_a_copy_replaces_no_file),
		place_test(test_a_copy_is_not_more_readable_than_the_database),
		place_test(test_a_copy_that_was_not_made_is_not_named),
		place_test(test_the_log_of_a_new_file_stays),
		cmocka_unit_test(test_the_log_of_a_lost_file_spoils_no_other),
		place_test(test_an_emptied_file_is_never_silent),
		place_test(test_without_a_copy_it_says_what_is_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
