/*
 * The migration that gives settings columns, schema version 7: it ends whole or not at all, and
 * what a user has added goes on.
 */
#include "db/statement.h"
#include "settings_fixture.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define KILLS 40
#define NEWEST db_schema_version

static void make_version_5(const char *path)
{
	char *bytes = NULL;
	size_t length = 0;
	FILE *file;

	assert_int_equal(read_file(&bytes, &length, VERSION_5_FILE, 1 << 20, NULL), 0);
	file = fopen(path, "wb");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, length, file), length);
	assert_int_equal(fclose(file), 0);
	free(bytes);
}

static void test_every_version_gets_the_schema_of_a_new_file(void **state)
{
	static const char *const dumps[] = {VERSION_1, VERSION_2, VERSION_3, NULL, VERSION_6};
	struct context *context = *state;
	char *fresh = xasprintf("%s/new.db", context->folder);
	struct db *db = NULL;

	assert_ok(context, db_open(&db, fresh, DB_CREATE, &context->err));
	db_close(db);
	for (size_t i = 0; i < ARRAY_SIZE(dumps); i++) {
		unlink(context->path);
		if (dumps[i])
			context_restore(context->path, dumps[i]);
		else
			make_version_5(context->path);
		assert_ok(context, db_open(&db, context->path, DB_WRITE, &context->err));
		db_close(db);
		assert_int_equal(context_query(context, "PRAGMA user_version"), NEWEST);
		context_assert_whole(context);
		context_assert_schema_of(context, fresh);
		assert_int_equal(context_query(context, "SELECT count(*) FROM run WHERE emulated"
							" <> (backend = 'ptx')"),
				 0);
	}
	free(fresh);
}

static void assert_is_as(const struct context *context, const char *old)
{
	char *differences = attached_text(
		context, old,
		"SELECT count(*) FROM (SELECT type, name, sql FROM main.sqlite_schema EXCEPT"
		" SELECT type, name, sql FROM old.sqlite_schema)");
	char *rows = attached_text(context, old,
				   "SELECT count(*) FROM (SELECT * FROM old.run EXCEPT"
				   " SELECT * FROM main.run)");

	assert_string_equal(differences, "0");
	assert_string_equal(rows, "0");
	free(differences);
	free(rows);
}

/* The reference that is checked last makes it fail, so all that came before it is taken back. */
static void test_a_migration_that_fails_changes_nothing(void **state)
{
	static const char damage[] = "PRAGMA foreign_keys = OFF; DELETE FROM trial WHERE id = 5";
	struct context *context = *state;
	char *old = xasprintf("%s/old.db", context->folder);
	struct db *db = NULL;

	context_restore(old, VERSION_6);
	context_restore(context->path, VERSION_6);
	sql_execute(old, damage);
	sql_execute(context->path, damage);
	assert_int_equal(db_open(&db, context->path, DB_WRITE, &context->err), PL_ECORRUPT);
	assert_int_equal(context_query(context, "PRAGMA user_version"), 6);
	assert_is_as(context, old);
	assert_ok(context, db_open(&db, context->path, DB_READ, &context->err));
	assert_complete_run(context, db);
	db_close(db);
	free(old);
}

/* A view that names what is not there, and one that names what the migration drops. */
static void test_views_of_a_user_go_on(void **state)
{
	struct context *context = *state;
	struct db *db = NULL;

	context_restore(context->path, VERSION_6);
	sql_execute(context->path,
		    "CREATE VIEW broken AS SELECT missing FROM nowhere;"
		    "CREATE VIEW caches AS SELECT id, json_extract(settings, '$.cache') AS cache"
		    " FROM run");
	assert_ok(context, db_open(&db, context->path, DB_WRITE, &context->err));
	db_close(db);
	assert_int_equal(context_query(context, "SELECT count(*) FROM sqlite_schema"
						" WHERE name = 'broken'"),
			 1);
	assert_int_equal(context_query(context, "SELECT count(*) FROM caches WHERE cache = 'hot'"),
			 1);
	assert_int_equal(context_query(context, "SELECT cases FROM mine WHERE kernel = 'reduce'"),
			 9);
}

/* Stands for a function that only the program of a user has. */
static void give_null(sqlite3_context *context, int count, sqlite3_value **values)
{
	(void)count, (void)values;
	sqlite3_result_null(context);
}

static void test_indexes_and_triggers_of_a_user_go_on(void **state)
{
	struct context *context = *state;
	sqlite3 *user;
	struct db *db = NULL;

	context_restore(context->path, VERSION_6);
	assert_int_equal(sqlite3_open(context->path, &user), SQLITE_OK);
	sqlite3_create_function(user, "of_user", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL,
				give_null, NULL, NULL);
	assert_int_equal(
		sqlite3_exec(user,
			     "CREATE UNIQUE INDEX my_uid ON run (uid, label);"
			     "CREATE INDEX my_function ON run (of_user(label));"
			     "CREATE TRIGGER my_trigger AFTER UPDATE OF note ON run BEGIN"
			     " INSERT OR REPLACE INTO environment VALUES (NEW.id, 'noted', 'yes');"
			     " END",
			     NULL, NULL, NULL),
		SQLITE_OK);
	sqlite3_close(user);
	assert_ok(context, db_open(&db, context->path, DB_WRITE, &context->err));
	db_close(db);
	assert_int_equal(context_query(context, "PRAGMA user_version"), NEWEST);
	assert_int_equal(context_query(context, "SELECT count(*) FROM sqlite_schema WHERE name IN"
						" ('my_uid', 'my_trigger', 'run_by_label')"),
			 3);
	/* an index that cannot be made again is no reason to fail */
	assert_int_equal(context_query(context, "SELECT count(*) FROM sqlite_schema"
						" WHERE name = 'my_function'"),
			 0);
	sql_execute(context->path, "UPDATE run SET note = 'x' WHERE id = 2");
	assert_int_equal(context_query(context, "SELECT count(*) FROM environment"
						" WHERE key = 'noted' AND run_id = 2"),
			 1);
}

/* A user who dropped a view does not need it to migrate. */
static void test_a_missing_view_is_made(void **state)
{
	struct context *context = *state;
	struct db *db = NULL;

	context_restore(context->path, VERSION_6);
	sql_execute(context->path, "DROP VIEW emulated; DROP VIEW trials");
	assert_ok(context, db_open(&db, context->path, DB_WRITE, &context->err));
	db_close(db);
	assert_int_equal(context_query(context, "SELECT count(*) > 0 FROM trials"), 1);
}

/* What SQLite says about the view that stands in for a table does not get in the way. */
static void test_a_query_does_not_write_into_an_old_file(void **state)
{
	static const char *const refused[] = {
		"DELETE FROM run",
		"UPDATE run SET note = 'x'",
		"INSERT INTO run (id) VALUES (99)",
		"CREATE INDEX x ON run (id)",
		"ALTER TABLE run ADD COLUMN x",
		"ALTER TABLE run RENAME TO x",
		"CREATE TRIGGER x AFTER INSERT ON run BEGIN SELECT 1; END"};
	const struct db_query_visitor visitor = {.row = NULL};
	struct context *context = *state;
	struct db *db = NULL;

	context_restore(context->path, VERSION_6);
	assert_ok(context, db_open(&db, context->path, DB_READ, &context->err));
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		context->err = (struct error){0};
		assert_int_equal(db_query(db, refused[i], &visitor, &context->err), PL_EUSAGE);
		assert_non_null(
			strstr(context->err.text, "perflab query only reads and refuses writing"));
	}
	db_close(db);
}

static void test_kill_9_leaves_a_whole_version(void **state)
{
	struct context *context = *state;
	char *old = xasprintf("%s/old.db", context->folder);
	char *wal = xasprintf("%s-wal", context->path), *shm = xasprintf("%s-shm", context->path);

	context_restore(old, VERSION_6);
	srand(7);
	for (int i = 0; i < KILLS; i++) {
		struct db *db = NULL;
		int64_t kill_at_ns;
		pid_t child;

		unlink(context->path);
		unlink(wal);
		unlink(shm);
		context_restore(context->path, VERSION_6);
		child = fork();
		assert_true(child >= 0);
		if (child == 0)
			_exit(db_open(&db, context->path, DB_WRITE, NULL) != 0);
		kill_at_ns = monotonic_ns() + rand() % 6000000;
		while (monotonic_ns() < kill_at_ns)
			;
		kill(child, SIGKILL);
		assert_int_equal(waitpid(child, NULL, 0), child);
		/* each version is one transaction, so a kill may leave any of them */
		if (context_query(context, "PRAGMA user_version") == 6)
			assert_is_as(context, old);
		else
			assert_in_range(context_query(context, "PRAGMA user_version"), 7, NEWEST);
		assert_ok(context, db_open(&db, context->path, DB_WRITE, &context->err));
		assert_complete_run(context, db);
		assert_emulated_run(context, db);
		db_close(db);
		context_assert_whole(context);
	}
	free(old);
	free(wal);
	free(shm);
}

#define settings_test(function) \
	cmocka_unit_test_setup_teardown(function, context_setup, context_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		settings_test(test_every_version_gets_the_schema_of_a_new_file),
		settings_test(test_a_migration_that_fails_changes_nothing),
		settings_test(test_views_of_a_user_go_on),
		settings_test(test_indexes_and_triggers_of_a_user_go_on),
		settings_test(test_a_missing_view_is_made),
		settings_test(test_a_query_does_not_write_into_an_old_file),
		settings_test(test_kill_9_leaves_a_whole_version),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
