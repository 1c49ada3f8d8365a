/* The user's SQL: names and values, and a query does not write on a connection for writing. */
#include "context.h"
#include "db/schema.h"
#include "db/statement.h"

#include <stdlib.h>
#include <string.h>

struct seen {
	struct text text;
	int rows, most;
};

static int note_row(void *context, const struct any_value *values, size_t count)
{
	struct seen *seen = context;

	for (size_t i = 0; i < count; i++) {
		const struct any_value *value = &values[i];

		switch (value->kind) {
		case VALUE_NONE:
			text_add(&seen->text, "none ");
			break;
		case VALUE_INTEGER:
			text_addf(&seen->text, "%lld ", (long long)value->integer);
			break;
		case VALUE_REAL:
			text_addf(&seen->text, "%g ", value->real);
			break;
		default:
			text_addf(&seen->text,
				  "%s%zu:", value->kind == VALUE_TEXT ? "text" : "bytes",
				  value->length);
			text_add_bytes(&seen->text, value->bytes, value->length);
			text_add_char(&seen->text, ' ');
		}
	}
	return ++seen->rows == seen->most;
}

static int query(struct context *context, const char *sql, struct seen *seen)
{
	const struct db_query_visitor visitor = {.row = note_row, .context = seen};

	*seen = (struct seen){.text = TEXT_INIT, .most = seen->most};
	context->err = (struct error){0};
	return db_query(context->db, sql, &visitor, &context->err);
}

static void values_come_as_they_are(void **state)
{
	struct context *context = *state;
	struct seen seen = {0};

	assert_ok(context, query(context, "SELECT NULL, 7, -0.5, 'text', x'0041', ''", &seen));
	assert_int_equal(seen.text.length, sizeof("none 7 -0.5 text4:text bytes2:\0A text0: ") - 1);
	assert_memory_equal(seen.text.data,
			    "none 7 -0.5 text4:text bytes2:\0A text0: ", seen.text.length);
	text_release(&seen.text);
}

static void a_visitor_ends_it(void **state)
{
	struct context *context = *state;
	struct seen seen = {.most = 2};

	assert_ok(context, query(context, "VALUES (1), (2), (3)", &seen));
	assert_string_equal(seen.text.data, "1 2 ");
	text_release(&seen.text);
}

/* The database is opened for writing, as by a sweep; a query must not write. */
static void nothing_is_written(void **state)
{
	static const char *const refused[] = {
		"DELETE FROM run",
		"UPDATE run SET note = 'x'",
		"INSERT INTO environment VALUES (1, 'a', 'b')",
		"CREATE TABLE x (y)",
		"CREATE VIEW x AS SELECT 1",
		"DROP TABLE trial",
		"ALTER TABLE run ADD COLUMN x",
		"ATTACH ':memory:' AS x",
		"DETACH main",
		"VACUUM",
		"REINDEX",
		"ANALYZE",
		"BEGIN",
		"SAVEPOINT x",
		"PRAGMA query_only = 0",
		"PRAGMA user_version = 9",
		"PRAGMA wal_checkpoint(TRUNCATE)",
		"SELECT * FROM pragma_wal_checkpoint",
		"SELECT 1; DELETE FROM run",
	};
	struct context *context = *state;
	struct run run = fixture_run("kept");

	assert_ok(context, fixture_store(context->db, &run, &context->err));
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		struct seen seen = {0};
		int rc = query(context, refused[i], &seen);

		if (rc != PL_EUSAGE)
			fail_msg("%s: %d (%s)", refused[i], rc, context->err.text);
		assert_int_equal(seen.rows, 0);
		text_release(&seen.text);
	}
	/* and what belongs to perflab itself is not held up afterwards */
	run_release(&run);
	run = fixture_run("next");
	context->err = (struct error){0};
	assert_ok(context, fixture_store(context->db, &run, &context->err));
	run_release(&run);
	assert_int_equal(context_query(context, "SELECT count(*) FROM run"), 2);
	assert_int_equal(context_query(context, "SELECT count(*) FROM run WHERE note = 'x'"), 0);
}

static bool at_once(void *context)
{
	(void)context;
	return true;
}

static void it_can_be_stopped(void **state)
{
	const struct db_query_visitor visitor = {.stopped = at_once};
	struct context *context = *state;
	struct seen seen = {0};

	assert_int_equal(db_query(context->db,
				  "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)"
				  " SELECT count(*) FROM c",
				  &visitor, &context->err),
			 PL_EINTERRUPTED);
	assert_ok(context, query(context, "SELECT 1", &seen));
	text_release(&seen.text);
}

static int note_name(void *context, const char *name, bool is_view, const char *meaning)
{
	struct text *text = context;

	if (!meaning)
		fail_msg("db/schema/ has no description of %s", name);
	text_addf(text, "%s%s ", is_view ? "view:" : "", name);
	return 0;
}

/* Every table and view of the schema has a line that describes it. */
static void every_name_has_a_meaning(void **state)
{
	struct context *context = *state;
	struct text names = TEXT_INIT;

	assert_ok(context, db_names_visit(context->db, note_name, &names, &context->err));
	assert_non_null(strstr(names.data, "view:best "));
	assert_non_null(strstr(names.data, " run "));
	assert_non_null(strstr(names.data, " sample "));
	assert_null(strstr(names.data, "sqlite_"));
	text_release(&names);
}

/* The columns that the program reads in its own SQL are those that SQLite has. */
static void assert_columns_of(struct context *context, const char *file, const char *create)
{
	struct key_value_list objects = {0};

	schema_objects(&objects, file, create);
	assert_true(objects.count >= 20);
	for (size_t i = 0; i < objects.count; i++) {
		struct schema_columns columns = {0};
		struct string_list names = {0};

		schema_columns_read(&columns, objects.items[i].value);
		assert_ok(context, db_select_names(&names, context->db,
						   "SELECT name FROM pragma_table_xinfo(?)",
						   objects.items[i].key, &context->err));
		for (size_t c = 0; c < columns.count && c < names.count; c++)
			assert_string_equal(columns.items[c].name, names.items[c]);
		if (columns.count != names.count)
			fail_msg("%s has %zu columns, not %zu", objects.items[i].key, names.count,
				 columns.count);
		schema_columns_release(&columns);
		string_list_release(&names);
	}
	key_value_list_release(&objects);
}

static void the_columns_of_the_schema_are_read(void **state)
{
	assert_columns_of(*state, db_schema_tables, CREATE_TABLE);
	assert_columns_of(*state, db_schema_views, CREATE_VIEW);
}

static void names_are_quoted(void **state)
{
	const struct db_query_visitor visitor = {.row = NULL};
	struct context *context = *state;

	assert_int_equal(
		db_query_named(context->db, "run\"; DROP TABLE run; --", &visitor, &context->err),
		PL_EUSAGE);
	assert_ok(context, db_query_named(context->db, "run", &visitor, &context->err));
	assert_int_equal(db_query_named(context->db, "rnu", &visitor, &context->err), PL_EUSAGE);
	assert_non_null(strstr(context->err.text, "did you mean run?"));
}

/* Names that people guess, misspell, or look for in the wrong table. */
static void a_wrong_name_gets_a_hint(void **state)
{
	static const struct {
		const char *sql, *hint;
	} wrong[] = {
		{"SELECT * FROM axes", "did you mean the column results.axes, or the table axis?"},
		{"SELECT * FROM cases", "did you mean results?"},
		{"SELECT * FROM trialz", "did you mean trials or trial?"},
		{"SELECT medain_ns FROM results", "did you mean median_ns"},
		{"SELECT r.block_size FROM results AS r", "did you mean block?"},
		{"SELECT time FROM results", "did you mean median_ns?"},
		{"SELECT c.name FROM counter AS c",
		 "did you mean name of the view result_counters?"},
		{"SELECT kernel FROM sample", "did you mean kernel of the view results?"},
	};
	static const char *const without[] = {"SELECT zzzzz FROM results", "SELECT * FROM zzzzz",
					      "SELECT zzzzz(1)", "SELEC 1"};
	struct context *context = *state;
	struct seen seen = {0};

	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		assert_int_equal(query(context, wrong[i].sql, &seen), PL_EUSAGE);
		if (!strstr(context->err.text, wrong[i].hint))
			fail_msg("%s: %s", wrong[i].sql, context->err.text);
	}
	for (size_t i = 0; i < ARRAY_SIZE(without); i++) {
		assert_int_equal(query(context, without[i], &seen), PL_EUSAGE);
		assert_null(strstr(context->err.text, "did you mean"));
	}
	text_release(&seen.text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define IN_A_FILE(test) cmocka_unit_test_setup_teardown(test, context_setup_open, context_teardown)
		IN_A_FILE(values_come_as_they_are),  IN_A_FILE(a_visitor_ends_it),
		IN_A_FILE(nothing_is_written),       IN_A_FILE(it_can_be_stopped),
		IN_A_FILE(every_name_has_a_meaning), IN_A_FILE(the_columns_of_the_schema_are_read),
		IN_A_FILE(names_are_quoted),         IN_A_FILE(a_wrong_name_gets_a_hint),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
