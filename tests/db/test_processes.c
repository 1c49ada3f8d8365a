/*
 * Several processes with one database: they wait for each other no longer than necessary, and a
 * process that is killed while it creates the database does not block the next one.
 */
#include "context.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define KILLS 50

static void assert_ends_well(pid_t child)
{
	int status;

	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static struct db *open_or_fail(struct context *context, enum db_mode mode)
{
	struct db *db = NULL;

	if (db_open(&db, context->path, mode, &context->err))
		fail_msg("%s", context->err.text);
	return db;
}

/* ---- locks ---- */

/* Takes the write lock, reports it, and holds it until the parent closes the pipe. */
static int hold_lock(const struct context *context, int to_parent)
{
	struct pollfd parent = {.fd = to_parent};
	sqlite3 *handle;

	if (sqlite3_open(context->path, &handle) != SQLITE_OK ||
	    sqlite3_exec(handle, "BEGIN EXCLUSIVE", NULL, NULL, NULL) != SQLITE_OK)
		return 1;
	if (write(to_parent, "L", 1) != 1)
		return 2;
	while (poll(&parent, 1, -1) < 0 && errno == EINTR)
		;
	sqlite3_close(handle);
	return 0;
}

static void test_a_locked_database_is_busy_and_can_still_be_read(void **state)
{
	struct context *context = *state;
	struct run run = fixture_run(NULL);
	struct run another = fixture_run(NULL);
	struct run loaded = {0};
	struct db *writer = open_or_fail(context, DB_CREATE);
	struct db *reader;
	int64_t before_ns;
	char told;
	int pipe_end;
	pid_t child;

	assert_int_equal(fixture_store(writer, &run, &context->err), 0);
	db_close(writer);
	child = context_start(context, hold_lock, &pipe_end);
	assert_int_equal(read(pipe_end, &told, 1), 1);

	setenv("PERFLAB_DB_TIMEOUT", "50ms", 1);
	writer = open_or_fail(context, DB_CREATE);
	before_ns = monotonic_ns();
	assert_int_equal(db_run_begin(writer, &another, &context->err), PL_EBUSY);
	assert_true(monotonic_ns() - before_ns >= 40000000);
	assert_non_null(strstr(context->err.text, "locked by another process"));
	assert_int_equal(another.id, 0);

	/* With no patience at all a reader would be busy at once if it had to wait. */
	setenv("PERFLAB_DB_TIMEOUT", "1ms", 1);
	reader = open_or_fail(context, DB_READ);
	assert_int_equal(db_run_load(reader, run.id, true, &loaded, &context->err), 0);
	assert_int_equal(loaded.trial_count, FIXTURE_TRIALS);
	unsetenv("PERFLAB_DB_TIMEOUT");

	close(pipe_end);
	assert_ends_well(child);
	assert_int_equal(db_run_begin(writer, &another, &context->err), 0);
	db_close(reader);
	db_close(writer);
	run_release(&loaded);
	run_release(&another);
	run_release(&run);
}

/* A process waits for another one that is creating the database, as for any other lock. */
static void test_making_a_database_waits_for_another_that_does(void **state)
{
	struct context *context = *state;
	struct db *db = NULL;
	int64_t before_ns;
	sqlite3 *other;

	assert_int_equal(sqlite3_open(context->path, &other), SQLITE_OK);
	assert_int_equal(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
	setenv("PERFLAB_DB_TIMEOUT", "50ms", 1);
	before_ns = monotonic_ns();
	assert_int_equal(db_open(&db, context->path, DB_CREATE, &context->err), PL_EBUSY);
	assert_true(monotonic_ns() - before_ns >= 40000000);
	assert_null(db);
	unsetenv("PERFLAB_DB_TIMEOUT");

	assert_int_equal(sqlite3_exec(other, "ROLLBACK", NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(other);
	db = open_or_fail(context, DB_CREATE);
	db_close(db);
}

static void test_a_writer_does_not_wait_for_a_reader(void **state)
{
	struct context *context = *state;
	struct run run = fixture_run(NULL);
	struct db *writer = open_or_fail(context, DB_CREATE);
	sqlite3 *reader;

	assert_int_equal(sqlite3_open(context->path, &reader), SQLITE_OK);
	assert_int_equal(sqlite3_exec(reader, "BEGIN; SELECT count(*) FROM run", NULL, NULL, NULL),
			 SQLITE_OK);
	db_close(writer);
	setenv("PERFLAB_DB_TIMEOUT", "1ms", 1);
	writer = open_or_fail(context, DB_CREATE);
	unsetenv("PERFLAB_DB_TIMEOUT");
	if (fixture_store(writer, &run, &context->err))
		fail_msg("%s", context->err.text);
	sqlite3_close(reader);
	db_close(writer);
	run_release(&run);
}

/* ---- reading while a sweep writes ---- */

#define WRITTEN_RUNS 40

static int64_t longest_of(int64_t longest_ns, int64_t since_ns)
{
	int64_t took_ns = monotonic_ns() - since_ns;

	return took_ns > longest_ns ? took_ns : longest_ns;
}

/* Tells the longest time that storing one round took. */
static int write_and_measure(const struct context *context, int to_parent)
{
	struct error err = {0};
	struct db *db = NULL;
	int64_t longest_ns = 0;
	int rc = db_open(&db, context->path, DB_CREATE, &err);

	for (int i = 0; !rc && i < WRITTEN_RUNS; i++) {
		struct run run = fixture_run("written");

		rc = db_run_begin(db, &run, &err);
		for (int number = 0; !rc && number < 20; number++) {
			struct round_result round = fixture_round(number, 100);
			int64_t begin_ns = monotonic_ns();

			rc = db_round_add(db, run.trials[FIXTURE_OK].id, &round, &err);
			longest_ns = longest_of(longest_ns, begin_ns);
			fixture_round_release(&round);
		}
		if (!rc)
			rc = db_trial_finish(db, run.trials[FIXTURE_OK].id, TRIAL_OK, NULL, NULL,
					     &err);
		run_release(&run);
	}
	db_close(db);
	if (rc)
		return 1;
	return write(to_parent, &longest_ns, sizeof(longest_ns)) == sizeof(longest_ns) ? 0 : 2;
}

/* As another program does: a connection for each question, and one that never lets go of what it
 * saw first. Who has no patience at all gets an error instead of a lock for which it must wait. */
static void test_neither_reader_nor_writer_waits(void **state)
{
	struct context *context = *state;
	int64_t reader_ns = 0, writer_ns = 0, questions = 0;
	struct pollfd told;
	sqlite3 *patient;
	pid_t child;

	context_store_one(context);
	setenv("PERFLAB_DB_TIMEOUT", "1ms", 1);
	assert_int_equal(sqlite3_open(context->path, &patient), SQLITE_OK);
	assert_int_equal(sqlite3_exec(patient, "BEGIN; SELECT * FROM history", NULL, NULL, NULL),
			 SQLITE_OK);
	child = context_start(context, write_and_measure, &told.fd);
	told.events = POLLIN;
	do {
		int64_t begin_ns = monotonic_ns();
		struct db *db = open_or_fail(context, DB_READ);
		struct run run = {0};

		if (db_run_load(db, 1, true, &run, &context->err))
			fail_msg("%s", context->err.text);
		run_release(&run);
		db_close(db);
		context_query(context, "SELECT count(*) FROM best");
		context_query(context, "SELECT count(*) FROM history");
		reader_ns = longest_of(reader_ns, begin_ns);
		questions += 3;
	} while (poll(&told, 1, 0) == 0);
	assert_int_equal(read(told.fd, &writer_ns, sizeof(writer_ns)), sizeof(writer_ns));
	close(told.fd);
	assert_ends_well(child);
	unsetenv("PERFLAB_DB_TIMEOUT");
	sqlite3_close(patient);
	printf("while %d rounds were stored, %lld questions were answered: storing one round took "
	       "%.0f ms at most, three questions %.0f ms\n",
	       20 * WRITTEN_RUNS, (long long)questions, (double)writer_ns / 1e6,
	       (double)reader_ns / 1e6);
}

/* ---- two sweeps at once ---- */

#define RUNS_EACH 5

static int sweep(const struct context *context, int to_parent)
{
	struct error err = {0};
	struct db *db = NULL;
	int rc = db_open(&db, context->path, DB_CREATE, &err);

	for (int i = 0; !rc && i < RUNS_EACH; i++) {
		struct run run = fixture_run("both");

		rc = fixture_store(db, &run, &err);
		run_release(&run);
	}
	db_close(db);
	if (rc && write(to_parent, err.text, strlen(err.text)) < 0)
		return 2;
	return rc ? 1 : 0;
}

/* From nothing, so that they also race to create the file. */
static void test_two_sweeps_into_one_new_database(void **state)
{
	struct context *context = *state;
	pid_t children[4];
	int pipes[4];

	for (size_t i = 0; i < ARRAY_SIZE(children); i++)
		children[i] = context_start(context, sweep, &pipes[i]);
	for (size_t i = 0; i < ARRAY_SIZE(children); i++) {
		char text[1024];
		ssize_t length = read(pipes[i], text, sizeof(text) - 1);

		if (length > 0) {
			text[length] = '\0';
			fail_msg("%s", text);
		}
		assert_ends_well(children[i]);
		close(pipes[i]);
	}
	context_assert_whole(context);
	assert_int_equal(
		context_query(context, "SELECT count(*) FROM run WHERE state = 'finished'"),
		4 * RUNS_EACH);
	assert_int_equal(context_query(context, "SELECT count(*) FROM sample"), 4 * RUNS_EACH * 30);
	assert_int_equal(context_query(context, "SELECT count(*) FROM device"), 1);
}

/* ---- kill -9 ---- */

static int write_runs(const struct context *context, int to_parent)
{
	struct error err = {0};
	struct db *db = NULL;
	int rc = db_open(&db, context->path, DB_CREATE, &err);

	(void)to_parent;
	while (!rc) {
		struct run run = fixture_run("doomed");

		rc = fixture_store(db, &run, &err);
		run_release(&run);
	}
	return rc;
}

/* From before the file exists: what is left is nothing, or opens. */
static void test_kill_9_while_creating_leaves_what_can_be_created(void **state)
{
	struct context *context = *state;

	srand(2);
	for (int i = 0; i < KILLS; i++) {
		char *wal = xasprintf("%s-wal", context->path);
		char *shm = xasprintf("%s-shm", context->path);
		int pipe_end;
		int64_t kill_at_ns;
		pid_t child;

		unlink(context->path);
		unlink(wal);
		unlink(shm);
		child = context_start(context, write_runs, &pipe_end);
		kill_at_ns = monotonic_ns() + rand() % 8000000;
		while (monotonic_ns() < kill_at_ns)
			;
		kill(child, SIGKILL);
		assert_int_equal(waitpid(child, NULL, 0), child);
		close(pipe_end);
		db_close(open_or_fail(context, DB_CREATE));
		context_assert_whole(context);
		free(wal);
		free(shm);
	}
}

#define process_test(function) \
	cmocka_unit_test_setup_teardown(function, context_setup, context_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		process_test(test_a_locked_database_is_busy_and_can_still_be_read),
		process_test(test_making_a_database_waits_for_another_that_does),
		process_test(test_a_writer_does_not_wait_for_a_reader),
		process_test(test_neither_reader_nor_writer_waits),
		process_test(test_two_sweeps_into_one_new_database),
		process_test(test_kill_9_while_creating_leaves_what_can_be_created),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
