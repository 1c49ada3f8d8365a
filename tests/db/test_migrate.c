/*
 * A file of schema version 22, the last one before perflab 1.0, is read unchanged, and converted
 * without loss when it is opened for writing. Older files are refused. VERSION_22 is a dump.
 */
#include "context.h"
#include "db/statement.h"
#include "tests/emulator/support_sanitized.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define KILLS (getenv("PERFLAB_TEST_ALL") ? 25 : SANITIZED ? 2 : 10)

static void assert_run_is_there(struct db *db)
{
	struct run run = {0};
	struct error err = {0};

	if (db_run_load(db, 1, true, &run, &err))
		fail_msg("%s", err.text);
	assert_int_equal(run.trial_count, 4);
	assert_true(run.trials[FIXTURE_OK].summary.median_ns == 1504.5);
	assert_int_equal(run.trials[FIXTURE_OK].rounds_done, 2);
	run_release(&run);
}

static void open_and_close(const struct context *context, enum db_mode mode)
{
	struct error err = {0};
	struct db *db = NULL;

	if (db_open(&db, context->path, mode, &err))
		fail_msg("%s", err.text);
	assert_run_is_there(db);
	db_close(db);
}

static void assert_unchanged_by_reading(struct context *context)
{
	char *before = NULL, *after = NULL;
	size_t before_length = 0, after_length = 0;

	assert_int_equal(read_file(&before, &before_length, context->path, 1 << 20, NULL), 0);
	open_and_close(context, DB_READ);
	assert_int_equal(read_file(&after, &after_length, context->path, 1 << 20, NULL), 0);
	assert_int_equal(before_length, after_length);
	assert_memory_equal(before, after, after_length);
	free(before);
	free(after);
}

static int count_row(void *rows, const struct any_value *values, size_t count)
{
	(void)values, (void)count;
	++*(int *)rows;
	return 0;
}

static int rows_of_query(struct context *context, struct db *db, const char *sql)
{
	int rows = 0;
	const struct db_query_visitor visitor = {.row = count_row, .context = &rows};

	assert_ok(context, db_query(db, sql, &visitor, &context->err));
	return rows;
}

static void test_an_old_file_is_read_as_it_is(void **state)
{
	struct context *context = *state;

	context_restore(context->path, VERSION_22);
	assert_unchanged_by_reading(context);
	assert_int_equal(context_query(context, "PRAGMA user_version"), 22);
}

/* The intervals of version 22 were of the samples. Those of the session have other names, and are
 * computed when the run is judged again; so are the ends of rates that follow from them. */
#define NO_INTERVAL \
	"name NOT IN ('low_ns', 'high_ns', 'low_per_s', 'high_per_s', 'roof_high_per_s')"

/* Fails unless the file at `old` has nothing in a table or view that the file at context->path
 * lacks: a column, or a row. A new version may add columns. */
static void assert_has_all_of(const struct context *context, const char *old, const char *name)
{
	char *select_names = xasprintf(
		"SELECT group_concat('\"' || name || '\"') FROM pragma_table_xinfo('%s', 'old')"
		" WHERE " NO_INTERVAL,
		name);
	char *names = attached_text(context, old, select_names);
	char *sql = xasprintf(
		"SELECT NOT EXISTS (SELECT name, type, hidden, pk FROM pragma_table_xinfo('%s',"
		" 'old') WHERE " NO_INTERVAL
		" EXCEPT SELECT name, type, hidden, pk FROM pragma_table_xinfo('%s', "
		"'main'))"
		" AND (SELECT count(*) FROM main.%s) = (SELECT count(*) FROM old.%s)"
		" AND NOT EXISTS (SELECT %s FROM main.%s EXCEPT SELECT %s FROM old.%s)"
		" AND NOT EXISTS (SELECT %s FROM old.%s EXCEPT SELECT %s FROM main.%s)",
		name, name, name, name, names, name, names, name, names, name, names, name);
	char *same = attached_text(context, old, sql);

	if (strcmp(same, "1") != 0)
		fail_msg("%s lacks something", name);
	free(same);
	free(sql);
	free(names);
	free(select_names);
}

static void make_new_file(struct context *context, const char *path)
{
	struct db *db = NULL;

	assert_ok(context, db_open(&db, path, DB_CREATE, &context->err));
	db_close(db);
}

#define OBJECTS "m.type IN ('table', 'view') AND m.name NOT LIKE 'sqlite%' AND m.name <> 'mine'"

#define COLUMNS_OF(file)                                                                      \
	"SELECT m.name, c.name, c.type, hidden, pk, \"notnull\", dflt_value FROM " file       \
	".sqlite_schema AS m JOIN pragma_table_xinfo(m.name, '" file "') AS c WHERE " OBJECTS \
	" AND c." NO_INTERVAL

/* Every table and view has the rows that it had, and the same columns as in a new file. */
static void test_nothing_is_lost(void **state)
{
	struct context *context = *state;
	char *old = xasprintf("%s/old.db", context->folder);
	char *fresh = xasprintf("%s/new.db", context->folder);
	char *objects, *differs;
	struct string_list names = {0};

	context_restore(old, VERSION_22);
	context_restore(context->path, VERSION_22);
	open_and_close(context, DB_WRITE);
	assert_int_equal(context_query(context, "PRAGMA user_version"), DB_SCHEMA_VERSION);
	context_assert_whole(context);
	objects = attached_text(
		context, old,
		"SELECT group_concat(m.name) FROM old.sqlite_schema AS m WHERE " OBJECTS);
	string_list_split(&names, objects, ',');
	assert_int_equal(names.count, 42);
	for (size_t i = 0; i < names.count; i++)
		assert_has_all_of(context, old, names.items[i]);
	make_new_file(context, fresh);
	differs = attached_text(context, fresh,
				"SELECT * FROM (" COLUMNS_OF("main") " EXCEPT " COLUMNS_OF(
					"old") ")"
					       " UNION ALL SELECT * FROM (" COLUMNS_OF(
						       "old") " EXCEPT " COLUMNS_OF("main") ")");
	if (differs)
		fail_msg("%s is not as in a new file", differs);
	/* a view of the user's goes on */
	assert_int_equal(context_query(context, "SELECT cases FROM mine WHERE kernel = 'ceilings'"),
			 7);
	string_list_release(&names);
	free(objects);
	free(old);
	free(fresh);
}

/* VERSION_22 has the tables of perflab 1.0. */
static void test_a_new_column_needs_no_value(void **state)
{
	struct context *context = *state;
	char *old = xasprintf("%s/old.db", context->folder);
	char *needs;

	context_restore(old, VERSION_22);
	make_new_file(context, context->path);
	needs = attached_text(
		context, old,
		"SELECT m.name || '.' || c.name FROM main.sqlite_schema AS m"
		" JOIN pragma_table_xinfo(m.name, 'main') AS c WHERE m.type = 'table'"
		" AND m.name IN (SELECT name FROM old.sqlite_schema)"
		" AND c.name NOT IN (SELECT name FROM pragma_table_xinfo(m.name, 'old'))"
		" AND (c.pk OR (c.\"notnull\" AND c.dflt_value IS NULL))");
	if (needs)
		fail_msg("%s is new since 1.0 and must have a value, but the rows of older files "
			 "have none: let it be NULL, or give it a DEFAULT",
			 needs);
	free(old);
}

/* ---- files that lack something ---- */

/* As an older version of perflab would have made it. */
#define LACKING_COLUMNS                                             \
	"DROP VIEW results; ALTER TABLE trial DROP COLUMN mean_ns;" \
	"ALTER TABLE round DROP COLUMN placements; DROP INDEX trial_by_status;"
#define LACKING LACKING_COLUMNS "PRAGMA foreign_keys = OFF; DROP TABLE trial_status;"

static int note_tables(void *context, const char *name, bool is_view, const char *meaning)
{
	(void)meaning;
	if (!is_view)
		text_addf(context, "%s ", name);
	return 0;
}

/* A reader sees an empty table, and no value in the columns, also through the views. */
static void test_what_a_file_lacks_is_empty_for_a_reader(void **state)
{
	struct context *context = *state;
	struct text tables = TEXT_INIT;
	struct db *db = NULL;

	context_store_one(context);
	sql_execute(context->path, LACKING);
	assert_unchanged_by_reading(context);
	assert_ok(context, db_open(&db, context->path, DB_READ, &context->err));
	assert_int_equal(rows_of_query(context, db, "SELECT 1 FROM trial WHERE mean_ns IS NULL"),
			 4);
	assert_int_equal(rows_of_query(context, db, "SELECT 1 FROM results WHERE mean_ns IS NULL"),
			 4);
	assert_int_equal(rows_of_query(context, db, "SELECT * FROM trial_status"), 0);
	assert_ok(context, db_names_visit(db, note_tables, &tables, &context->err));
	assert_non_null(strstr(tables.data, " round "));
	assert_null(strstr(strstr(tables.data, " round ") + 1, " round "));
	assert_non_null(strstr(tables.data, " trial trial_status "));
	db_close(db);
	text_release(&tables);
}

static void test_what_a_file_lacks_is_added(void **state)
{
	struct context *context = *state;
	struct run run = {0};
	struct db *db = NULL;

	context_store_one(context);
	sql_execute(context->path, LACKING);
	open_and_close(context, DB_WRITE);
	context_assert_whole(context);
	assert_int_equal(context_query(context, "PRAGMA user_version"), DB_SCHEMA_VERSION);
	assert_int_equal(context_query(context, "SELECT count(*) FROM trial WHERE mean_ns IS NULL"),
			 4);
	assert_int_equal(context_query(context, "SELECT count(*) FROM trial_status"),
			 TRIAL_STATUS_COUNT);
	assert_int_equal(context_query(context, "SELECT count(*) FROM sqlite_schema WHERE name ="
						" 'trial_by_status'"),
			 1);
	/* with its constraint */
	assert_int_equal(context_query(context, "SELECT count(*) FROM sqlite_schema WHERE name ="
						" 'trial' AND sql LIKE '%CHECK (mean_ns >= 0)%'"),
			 1);
	run = fixture_run("later");
	assert_ok(context, db_open(&db, context->path, DB_WRITE, &context->err));
	assert_ok(context, fixture_store(db, &run, &context->err));
	db_close(db);
	context_assert_whole(context);
	run_release(&run);
}

/* No older version made such a file: a part of it is gone. */
static void test_a_file_that_lacks_what_rows_need_is_damaged(void **state)
{
	static const enum db_mode modes[] = {DB_READ, DB_WRITE, DB_CREATE};
	struct context *context = *state;

	context_store_one(context);
	sql_execute(context->path,
		    "DROP VIEW result_lines; ALTER TABLE line DROP COLUMN conflicts");
	for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
		struct error err = {0};
		struct db *db = NULL;

		assert_int_equal(db_open(&db, context->path, modes[i], &err), PL_ECORRUPT);
		assert_one_line(&err, context->path, "the column line.conflicts is missing");
	}
}

static void test_older_files_are_refused(void **state)
{
	static const enum db_mode modes[] = {DB_READ, DB_WRITE, DB_CREATE};
	struct context *context = *state;
	struct db *db = NULL;

	context_restore(context->path, VERSION_22);
	for (int version = 1; version < DB_SCHEMA_OLDEST; version++) {
		char *sql = xasprintf("PRAGMA user_version = %d", version);
		char *says = xasprintf("has schema version %d and this perflab reads 22 and newer: "
				       "convert it with `scripts/convert-database %s NEW.db`",
				       version, context->path);

		sql_execute(context->path, sql);
		for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
			struct error err = {0};

			assert_int_equal(db_open(&db, context->path, modes[i], &err), PL_EVERSION);
			assert_one_line(&err, context->path, says);
		}
		assert_int_equal(context_query(context, "PRAGMA user_version"), version);
		free(sql);
		free(says);
	}
}

/* The references are checked last, so all that came before is taken back. */
static void test_a_damaged_old_file_stays_as_it_is(void **state)
{
	struct context *context = *state;
	struct db *db = NULL;

	context_restore(context->path, VERSION_22);
	sql_execute(context->path, "PRAGMA foreign_keys = OFF; DELETE FROM trial WHERE id = 6");
	assert_int_equal(db_open(&db, context->path, DB_CREATE, &context->err), PL_ECORRUPT);
	assert_one_line(&context->err, context->path, "damaged");
	assert_int_equal(context_query(context, "PRAGMA user_version"), 22);
	open_and_close(context, DB_READ);
}

/* ---- views and triggers ---- */

#define OTHER_VIEWS                                                                    \
	"DROP VIEW best; CREATE VIEW best AS SELECT 1 AS one;"                         \
	"DROP VIEW IF EXISTS results; DROP TRIGGER newest_of_deleted;"                 \
	"DROP TRIGGER newest_of_inserted;"                                             \
	"CREATE TRIGGER newest_of_inserted AFTER INSERT ON trial BEGIN SELECT 1; END;" \
	"CREATE VIEW of_user AS SELECT missing FROM nowhere;"

/* Another version of perflab wrote the file: it has other views. */
static void test_views_are_those_of_the_program(void **state)
{
	struct context *context = *state;
	char *fresh = xasprintf("%s/new.db", context->folder);
	struct db *db = NULL;

	assert_ok(context, db_open(&db, fresh, DB_CREATE, &context->err));
	db_close(db);
	context_store_one(context);
	sql_execute(context->path, OTHER_VIEWS);
	assert_unchanged_by_reading(context);
	assert_ok(context, db_open(&db, context->path, DB_READ, &context->err));
	assert_int_equal(rows_of_query(context, db, "SELECT kernel, median_ns FROM best"), 1);
	assert_int_equal(rows_of_query(context, db, "SELECT kernel FROM results"), 4);
	db_close(db);
	open_and_close(context, DB_WRITE);
	sql_execute(context->path, "DROP VIEW of_user");
	context_assert_schema_of(context, fresh);
	free(fresh);
}

/* A reader and a writer have the file open while another version of perflab changes its views. */
static void test_views_change_under_open_connections(void **state)
{
	struct context *context = *state;
	struct db *reader = NULL, *writer = NULL;

	context_store_one(context);
	assert_ok(context, db_open(&reader, context->path, DB_READ, &context->err));
	assert_int_equal(rows_of_query(context, reader, "SELECT kernel FROM results"), 4);
	assert_ok(context, db_open(&writer, context->path, DB_WRITE, &context->err));
	sql_execute(context->path, OTHER_VIEWS);
	assert_ok(context, db_trial_finish(writer, 1, TRIAL_FAULT, "a race", NULL, &context->err));
	open_and_close(context, DB_WRITE); /* makes them again */
	assert_int_equal(rows_of_query(context, reader, "SELECT kernel FROM results"), 4);
	assert_int_equal(rows_of_query(context, writer, "SELECT * FROM results WHERE failed"), 2);
	db_close(writer);
	db_close(reader);
	context_assert_whole(context);
}

/* The next status is a row, also in a file that was made before it was thought of. */
static void test_a_new_status_is_a_row(void **state)
{
	struct context *context = *state;
	struct db *db = NULL;

	context_restore(context->path, VERSION_22);
	open_and_close(context, DB_WRITE);
	sql_execute(context->path, "PRAGMA foreign_keys = ON; DELETE FROM trial_status WHERE name"
				   " IN ('fault', 'out_of_memory')");
	assert_ok(context, db_open(&db, context->path, DB_WRITE, &context->err));
	assert_ok(context, db_trial_finish(db, 8, TRIAL_FAULT, "a race", NULL, &context->err));
	db_close(db);
	assert_int_equal(context_query(context, "SELECT count(*) FROM trial_status"),
			 TRIAL_STATUS_COUNT);
	assert_int_equal(context_query(context, "SELECT count(*) FROM trial_status WHERE name ="
						" 'fault' AND meaning LIKE '%emulator%'"),
			 1);
}

/* ---- several processes, and sudden ends ---- */

static pid_t start_migration(const struct context *context)
{
	pid_t child = fork();

	assert_true(child >= 0);
	if (child == 0) {
		struct db *db = NULL;
		int rc = db_open(&db, context->path, DB_CREATE, NULL);

		db_close(db);
		_exit(rc ? 1 : 0);
	}
	return child;
}

static void test_of_several_that_migrate_one_does(void **state)
{
	struct context *context = *state;
	pid_t children[4];

	context_restore(context->path, VERSION_22);
	sql_execute(context->path, LACKING);
	for (size_t i = 0; i < ARRAY_SIZE(children); i++)
		children[i] = start_migration(context);
	for (size_t i = 0; i < ARRAY_SIZE(children); i++) {
		int status = 0;

		assert_int_equal(waitpid(children[i], &status, 0), children[i]);
		assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	}
	context_assert_whole(context);
	open_and_close(context, DB_READ);
}

/* With tables that lack something and views that must be made again: all is one transaction. */
static void test_kill_9_while_migrating_leaves_a_whole_file(void **state)
{
	struct context *context = *state;
	char *wal = xasprintf("%s-wal", context->path), *shm = xasprintf("%s-shm", context->path);
	int migrated = 0;

	srand(3);
	for (int i = 0; i < KILLS; i++) {
		int64_t version, kill_at_ns;
		pid_t child;

		unlink(context->path);
		unlink(wal);
		unlink(shm);
		context_restore(context->path, VERSION_22);
		sql_execute(context->path, LACKING_COLUMNS OTHER_VIEWS);
		child = start_migration(context);
		kill_at_ns = monotonic_ns() + rand() % 60000000;
		while (monotonic_ns() < kill_at_ns)
			;
		kill(child, SIGKILL);
		assert_int_equal(waitpid(child, NULL, 0), child);
		version = context_query(context, "PRAGMA user_version");
		assert_true(version == 22 || version == DB_SCHEMA_VERSION);
		migrated += version == DB_SCHEMA_VERSION;
		assert_int_equal(context_query(context, "SELECT count(*) FROM sqlite_schema"
							" WHERE name = 'results'"),
				 version == DB_SCHEMA_VERSION);
		context_assert_whole(context);
		open_and_close(context, DB_READ);
		open_and_close(context, DB_CREATE);
		context_assert_whole(context);
	}
	print_message("%d of %d were migrated before the kill\n", migrated, KILLS);
	free(wal);
	free(shm);
}

#define migrate_test(function) \
	cmocka_unit_test_setup_teardown(function, context_setup, context_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		migrate_test(test_an_old_file_is_read_as_it_is),
		migrate_test(test_nothing_is_lost),
		migrate_test(test_a_new_column_needs_no_value),
		migrate_test(test_what_a_file_lacks_is_empty_for_a_reader),
		migrate_test(test_what_a_file_lacks_is_added),
		migrate_test(test_a_file_that_lacks_what_rows_need_is_damaged),
		migrate_test(test_older_files_are_refused),
		migrate_test(test_a_damaged_old_file_stays_as_it_is),
		migrate_test(test_views_are_those_of_the_program),
		migrate_test(test_views_change_under_open_connections),
		migrate_test(test_a_new_status_is_a_row),
		migrate_test(test_of_several_that_migrate_one_does),
		migrate_test(test_kill_9_while_migrating_leaves_a_whole_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
