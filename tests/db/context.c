/*
 * What every test of this room begins with.
 */
#include "context.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

int context_setup(void **state)
{
	struct context *context = xcalloc(1, sizeof(*context));

	context->folder = fixture_folder();
	context->path = xasprintf("%s/test.db", context->folder);
	*state = context;
	return 0;
}

int context_setup_open(void **state)
{
	struct context *context;

	context_setup(state);
	context = *state;
	return db_open(&context->db, context->path, DB_CREATE, &context->err);
}

int context_teardown(void **state)
{
	struct context *context = *state;

	db_close(context->db);
	fixture_folder_remove(context->folder);
	free(context->path);
	free(context);
	return 0;
}

void sql_execute(const char *path, const char *sql)
{
	sqlite3 *handle;

	assert_int_equal(sqlite3_open(path, &handle), SQLITE_OK);
	if (sqlite3_exec(handle, sql, NULL, NULL, NULL) != SQLITE_OK)
		fail_msg("%.100s: %s", sql, sqlite3_errmsg(handle));
	sqlite3_close(handle);
}

int64_t context_query(const struct context *context, const char *sql)
{
	sqlite3 *handle;
	sqlite3_stmt *statement;
	int64_t value;

	assert_int_equal(sqlite3_open(context->path, &handle), SQLITE_OK);
	if (sqlite3_prepare_v2(handle, sql, -1, &statement, NULL) != SQLITE_OK)
		fail_msg("%s: %s", sql, sqlite3_errmsg(handle));
	if (sqlite3_step(statement) != SQLITE_ROW)
		fail_msg("%s: %s", sql, sqlite3_errmsg(handle));
	value = sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	sqlite3_close(handle);
	return value;
}

void context_store_one(struct context *context)
{
	struct run run = fixture_run("nightly");
	struct db *db = NULL;

	if (db_open(&db, context->path, DB_CREATE, &context->err) ||
	    fixture_store(db, &run, &context->err))
		fail_msg("%s", context->err.text);
	db_close(db);
	run_release(&run);
}

void assert_one_line(const struct error *err, const char *path, const char *says)
{
	assert_non_null(strstr(err->text, path));
	if (!strstr(err->text, says))
		fail_msg("'%s' does not say '%s'", err->text, says);
	assert_null(strchr(err->text, '\n'));
}
