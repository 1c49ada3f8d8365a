/*
 * Code in a foreign file: its triggers, views and virtual tables do nothing when perflab reads and
 * writes.
 */
#include "context.h"

#include <stdlib.h>
#include <string.h>

#define TRIGGERS                                                                                 \
	"CREATE TRIGGER t1 AFTER UPDATE ON run BEGIN DELETE FROM trial; END;"                    \
	"CREATE TRIGGER t2 BEFORE INSERT ON mark BEGIN SELECT RAISE(IGNORE); END;"               \
	"CREATE TRIGGER t3 AFTER INSERT ON trial BEGIN UPDATE trial SET kernel = 'forged'; END;" \
	"CREATE TRIGGER t4 BEFORE INSERT ON run BEGIN SELECT RAISE(ABORT, 'no'); END;"           \
	"CREATE TRIGGER t5 AFTER DELETE ON comparison BEGIN DELETE FROM run; END;"               \
	"CREATE TRIGGER t6 AFTER INSERT ON recording BEGIN DELETE FROM recording; END;"

static void open_for_writing(struct context *context)
{
	assert_ok(context, db_open(&context->db, context->path, DB_WRITE, &context->err));
}

static void store_another(struct context *context)
{
	struct run run = fixture_run("second");
	struct recording recording = fixture_recording();
	const struct run_words words = {.mark = "good", .note = "fast"};

	assert_ok(context, fixture_store(context->db, &run, &context->err));
	assert_ok(context, db_run_mark(context->db, 1, &words, &context->err));
	assert_ok(context, db_recording_store(context->db, &recording, &context->err));
	recording_release(&recording);
	run_release(&run);
}

static void assert_stored(struct context *context)
{
	assert_int_equal(context_query(context, "SELECT count(*) FROM run"), 2);
	assert_int_equal(context_query(context, "SELECT count(*) FROM trial"), 2 * FIXTURE_TRIALS);
	assert_int_equal(
		context_query(context, "SELECT count(*) FROM trial WHERE kernel = 'forged'"), 0);
	assert_int_equal(context_query(context, "SELECT count(*) FROM mark"), 1);
	assert_int_equal(context_query(context, "SELECT count(*) FROM recording"), 1);
	context_assert_whole(context); /* `newest` is maintained nevertheless */
}

static void test_foreign_triggers_do_not_fire(void **state)
{
	struct context *context = *state;

	context_store_one(context);
	sql_execute(context->path, TRIGGERS);
	open_for_writing(context);
	store_another(context);
	assert_stored(context);
	/* they stay in the file: they may be its owner's */
	assert_int_equal(context_query(context, "SELECT count(*) FROM sqlite_schema"
						" WHERE type = 'trigger' AND name LIKE 't_'"),
			 6);
}

static void test_changed_triggers_of_perflab_do_not_fire(void **state)
{
	struct context *context = *state;

	context_store_one(context);
	sql_execute(context->path,
		    "DROP TRIGGER newest_of_inserted; DROP TRIGGER newest_of_updated;"
		    "CREATE TRIGGER newest_of_updated AFTER UPDATE ON trial"
		    " BEGIN DELETE FROM sample; END");
	open_for_writing(context);
	store_another(context);
	assert_int_equal(context_query(context, "SELECT count(*) > 0 FROM sample"), 1);
	assert_stored(context);
}

static void test_a_migration_fires_no_foreign_trigger(void **state)
{
	struct context *context = *state;

	context_restore(context->path, VERSION_22);
	sql_execute(context->path,
		    "CREATE TRIGGER t AFTER UPDATE ON trial BEGIN DELETE FROM counter; END;"
		    "CREATE TRIGGER u AFTER INSERT ON round BEGIN DELETE FROM sample; END;"
		    "CREATE TRIGGER v AFTER INSERT ON newest BEGIN DELETE FROM sample; END");
	open_for_writing(context);
	assert_int_equal(context_query(context, "SELECT count(*) > 0 FROM counter"), 1);
	assert_int_equal(context_query(context, "SELECT count(*) > 0 FROM sample"), 1);
}

/* ---- views ---- */

static int take_text_value(void *context, const struct any_value *values, size_t count)
{
	(void)count;
	if (values[0].kind == VALUE_TEXT)
		text_add_bytes(context, values[0].bytes, values[0].length);
	return 0;
}

/* The first column of all rows of a query by perflab. */
static char *query_text(struct context *context, const char *sql)
{
	struct text text = TEXT_INIT;
	const struct db_query_visitor visitor = {.row = take_text_value, .context = &text};

	assert_ok(context, db_query(context->db, sql, &visitor, &context->err));
	return text_detach(&text);
}

static void assert_no_forgery(struct context *context, enum db_mode mode)
{
	static const char *const queries[] = {"SELECT kernel FROM trials",
					      "SELECT kernel FROM best",
					      "SELECT kernel FROM history"};

	assert_ok(context, db_open(&context->db, context->path, mode, &context->err));
	for (size_t i = 0; i < ARRAY_SIZE(queries); i++) {
		char *text = query_text(context, queries[i]);

		if (!strstr(text, "reduce") || strstr(text, "forged"))
			fail_msg("%s: %s", queries[i], text);
		free(text);
	}
	db_close(context->db);
	context->db = NULL;
}

static void test_a_forged_view_is_not_used(void **state)
{
	struct context *context = *state;

	context_store_one(context);
	sql_execute(context->path,
		    "CREATE TABLE kept AS SELECT * FROM trials;"
		    "DROP VIEW trials;"
		    "CREATE VIEW trials AS SELECT 'forged' AS kernel, * FROM kept;"
		    "DROP VIEW history; CREATE TABLE history AS SELECT 'forged' AS kernel");
	assert_no_forgery(context, DB_READ);
	assert_no_forgery(context, DB_WRITE);
}

static void test_a_forged_view_of_an_older_file_is_not_used(void **state)
{
	struct context *context = *state;

	context_store_one(context);
	sql_execute(context->path, "PRAGMA user_version = 22; DROP VIEW trials;"
				   "CREATE VIEW trials AS SELECT 'forged' AS kernel");
	assert_no_forgery(context, DB_READ);
	open_for_writing(context); /* which migrates */
	assert_int_equal(
		context_query(context, "SELECT count(*) FROM trials WHERE kernel = 'forged'"), 0);
}

static void test_a_view_that_is_missing_is_there(void **state)
{
	struct context *context = *state;

	context_store_one(context);
	sql_execute(context->path, "DROP VIEW trials; DROP VIEW best");
	assert_no_forgery(context, DB_READ);
}

static void test_views_of_the_user_still_work(void **state)
{
	struct context *context = *state;
	char *text;

	context_store_one(context);
	sql_execute(context->path, "CREATE VIEW of_user AS SELECT 'own ' || kernel FROM trials");
	assert_ok(context, db_open(&context->db, context->path, DB_READ, &context->err));
	text = query_text(context, "SELECT * FROM of_user");
	assert_non_null(strstr(text, "own reduce"));
	free(text);
}

static void test_a_virtual_table_is_no_table_of_perflab(void **state)
{
	struct context *context = *state;
	struct db *db = NULL;

	context_store_one(context);
	sql_execute(context->path, "DROP TABLE mark;"
				   "PRAGMA writable_schema = ON;"
				   "INSERT INTO sqlite_schema VALUES ('table', 'mark', 'mark', 0,"
				   " 'CREATE VIRTUAL TABLE mark USING fts5(run_id)')");
	assert_int_equal(db_open(&db, context->path, DB_READ, &context->err), PL_ECORRUPT);
	assert_one_line(&context->err, context->path, "schema");
}

/* ---- the views and triggers of perflab ---- */

static int64_t query_count(struct context *context, const char *sql)
{
	char *cast = xasprintf("SELECT CAST((%s) AS TEXT)", sql), *text = query_text(context, cast);
	int64_t count = -1;

	assert_ok(context, parse_i64(&count, text, &context->err));
	free(cast);
	free(text);
	return count;
}

/* A file as perflab made it gets no views of the connection, and the triggers are equal. */
static void test_the_own_schema_is_that_of_the_file(void **state)
{
	struct context *context = *state;

	context_store_one(context);
	open_for_writing(context);
	assert_int_equal(query_count(context, "SELECT count(*) FROM sqlite_schema"
					      " WHERE type IN ('view', 'trigger')"),
			 28);
	assert_int_equal(query_count(context, "SELECT count(*) FROM sqlite_temp_schema"), 4);
	assert_int_equal(query_count(context, "SELECT count(*) FROM (SELECT type, name, sql FROM"
					      " sqlite_temp_schema EXCEPT"
					      " SELECT type, name, sql FROM sqlite_schema)"),
			 0);
}

/* A file of a few pages could fill the memory. */
static void test_a_column_that_grows_when_read_is_refused(void **state)
{
	struct context *context = *state;
	struct run run = {0};

	context_store_one(context);
	sql_execute(context->path,
		    "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, "
		    "'label TEXT,', 'old TEXT, label TEXT AS (hex(zeroblob(50000000))),') "
		    "WHERE name = 'run'");
	assert_ok(context, db_open(&context->db, context->path, DB_READ, &context->err));
	assert_int_equal(db_run_load(context->db, 1, true, &run, &context->err), PL_ECORRUPT);
	assert_one_line(&context->err, context->path, "more than 64 MiB");
}

/* Such a run is not finished, and such a case failed. Neither name is shown. */
static void test_names_that_perflab_does_not_know(void **state)
{
	struct context *context = *state;
	struct run run = {0};

	context_store_one(context);
	sql_execute(context->path,
		    "PRAGMA ignore_check_constraints = ON;"
		    "UPDATE run SET state = 'Finished'; UPDATE trial SET status = ''");
	assert_ok(context, db_open(&context->db, context->path, DB_READ, &context->err));
	assert_ok(context, db_run_load(context->db, 1, true, &run, &context->err));
	assert_string_equal(run_state_name(run.state), "unknown");
	assert_int_equal(run.trials[FIXTURE_OK].status, TRIAL_FAILED);
	run_release(&run);
}

#define foreign_test(function) \
	cmocka_unit_test_setup_teardown(function, context_setup, context_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		foreign_test(test_foreign_triggers_do_not_fire),
		foreign_test(test_changed_triggers_of_perflab_do_not_fire),
		foreign_test(test_a_migration_fires_no_foreign_trigger),
		foreign_test(test_a_forged_view_is_not_used),
		foreign_test(test_a_forged_view_of_an_older_file_is_not_used),
		foreign_test(test_a_view_that_is_missing_is_there),
		foreign_test(test_views_of_the_user_still_work),
		foreign_test(test_a_virtual_table_is_no_table_of_perflab),
		foreign_test(test_a_column_that_grows_when_read_is_refused),
		foreign_test(test_names_that_perflab_does_not_know),
		foreign_test(test_the_own_schema_is_that_of_the_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
