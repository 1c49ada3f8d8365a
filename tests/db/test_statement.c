/* Statements are kept after their release, and taken for the next use of the same SQL. */
#include "context.h"
#include "db/statement.h"

#include <stdlib.h>

static int64_t steps_of(const struct statement *statement)
{
	return sqlite3_stmt_status(statement->handle, SQLITE_STMTSTATUS_RUN, 0);
}

static void prepare(struct context *context, struct statement *out, const char *sql)
{
	*out = statement_prepare(context->db, sql, &context->err);
	assert_ok(context, out->rc);
}

static void the_same_sql_is_prepared_once(void **state)
{
	struct context *context = *state;
	struct statement statement, beside;

	for (int i = 0; i < 3; i++) {
		prepare(context, &statement, "SELECT 2 * ?");
		assert_int_equal(steps_of(&statement), i);
		bind_integer(&statement, i);
		assert_true(statement_next(&statement));
		assert_int_equal(take_integer(&statement, -1), 2 * i);
		statement_release(&statement);
	}
	prepare(context, &statement, "SELECT 2 * ?");
	prepare(context, &beside, "SELECT 2 * ?");
	assert_ptr_not_equal(statement.handle, beside.handle);
	statement_release(&statement);
	statement_release(&beside);
}

/* A value of an earlier use would be stored in place of a missing one. */
static void a_kept_statement_has_no_values(void **state)
{
	struct context *context = *state;
	struct statement statement;

	prepare(context, &statement, "SELECT ?");
	bind_text(&statement, "earlier");
	assert_true(statement_next(&statement));
	assert_ok(context, statement_release(&statement));
	prepare(context, &statement, "SELECT ?");
	assert_false(statement_next(&statement));
	assert_int_equal(statement.rc, PL_EUSAGE);
	assert_int_equal(sqlite3_step(statement.handle), SQLITE_ROW);
	assert_null(take_text(&statement));
	statement_release(&statement);
}

/* A statement that is not at its end reads the database, and then nobody could write. */
static void a_kept_statement_holds_no_lock(void **state)
{
	struct context *context = *state;
	struct statement statement;

	prepare(context, &statement, "SELECT name FROM sqlite_schema");
	assert_true(statement_next(&statement));
	assert_int_not_equal(sqlite3_txn_state(context->db->handle, NULL), SQLITE_TXN_NONE);
	statement_release(&statement);
	assert_int_equal(sqlite3_txn_state(context->db->handle, NULL), SQLITE_TXN_NONE);
}

/* A failed statement is not taken again, so its error cannot return. */
static void a_failed_statement_is_prepared_again(void **state)
{
	struct context *context = *state;
	struct statement statement;

	prepare(context, &statement,
		"INSERT INTO metric (name, unit, source) VALUES (?, 'u', 's')");
	bind_text(&statement, NULL);
	assert_int_not_equal(statement_run(&statement), 0);
	assert_int_not_equal(statement_release(&statement), 0);
	context->err = (struct error){0};
	prepare(context, &statement,
		"INSERT INTO metric (name, unit, source) VALUES (?, 'u', 's')");
	bind_text(&statement, "n");
	assert_ok(context, statement_run(&statement));
	statement_release(&statement);
}

/* More statements than are kept: the rest is freed, and the database can be closed. */
static void many_statements_are_not_all_kept(void **state)
{
	struct context *context = *state;
	size_t kept = 0;

	for (int i = 0; i < 3 * DB_KEPT_STATEMENTS; i++) {
		char *sql = xasprintf("SELECT %d", i);
		struct statement statement;

		prepare(context, &statement, sql);
		statement_release(&statement);
		free(sql);
	}
	for (sqlite3_stmt *handle = NULL;
	     (handle = sqlite3_next_stmt(context->db->handle, handle)) != NULL;)
		kept++;
	assert_int_equal(kept, DB_KEPT_STATEMENTS);
	db_forget_statements(context->db);
	assert_null(sqlite3_next_stmt(context->db->handle, NULL));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, context_setup_open, context_teardown)
	const struct CMUnitTest tests[] = {
		TEST(the_same_sql_is_prepared_once),    TEST(a_kept_statement_has_no_values),
		TEST(a_kept_statement_holds_no_lock),   TEST(a_failed_statement_is_prepared_again),
		TEST(many_statements_are_not_all_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
