/* Setup and helpers of the database tests. */
#include "context.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* The expected content of `newest`, computed from all trials. */
#define RANKED(which)                                                                       \
	"SELECT * FROM (SELECT device_id, backend, coalesce(origin, '') AS origin, kernel," \
	" variant, config, trial.id, row_number() OVER (PARTITION BY device_id, backend,"   \
	" coalesce(origin, ''), kernel, variant, config"                                    \
	" ORDER BY started_ns DESC, run.id DESC) AS age FROM trial"                         \
	" JOIN run ON run.id = run_id WHERE " which ") WHERE age = 1"

/* clang-format off */
/* Wrong rows and missing rows of `newest`. */
static const char newest_wrong[] =
	"WITH ended AS (" RANKED("status NOT IN ('pending', 'skipped')") "),"
	" timed AS (" RANKED("status IN ('ok', 'unverified') AND median_ns > 0") "),"
	" expected AS (SELECT device_id, backend, origin, kernel, variant, config, ended.id,"
	" timed.id FROM ended"
	" LEFT JOIN timed USING (device_id, backend, origin, kernel, variant, config))"
	" SELECT (SELECT count(*) FROM (SELECT * FROM expected EXCEPT SELECT * FROM newest))"
	" + (SELECT count(*) FROM (SELECT * FROM newest EXCEPT SELECT * FROM expected))";
/* clang-format on */

void context_assert_whole(const struct context *context)
{
	assert_int_equal(
		context_query(context, "SELECT integrity_check = 'ok' FROM pragma_integrity_check"),
		1);
	assert_int_equal(context_query(context, "SELECT count(*) FROM pragma_foreign_key_check"),
			 0);
	assert_int_equal(context_query(context, newest_wrong), 0);
}

pid_t context_start(const struct context *context,
		    int (*body)(const struct context *context, int to_parent), int *from_child)
{
	int ends[2];
	pid_t child;

	assert_int_equal(pipe(ends), 0);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		close(ends[0]);
		_exit(body(context, ends[1]));
	}
	close(ends[1]);
	*from_child = ends[0];
	return child;
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

void context_restore(const char *path, const char *dump)
{
	char *sql = NULL;
	size_t length = 0;

	assert_int_equal(read_file(&sql, &length, dump, 1 << 20, NULL), 0);
	sql_execute(path, sql);
	free(sql);
}

char *attached_text(const struct context *context, const char *old, const char *sql)
{
	char *attach = xasprintf("ATTACH '%s' AS old", old);
	sqlite3_stmt *statement;
	sqlite3 *handle;
	char *answer = NULL;

	assert_int_equal(sqlite3_open(context->path, &handle), SQLITE_OK);
	assert_int_equal(sqlite3_exec(handle, attach, NULL, NULL, NULL), SQLITE_OK);
	if (sqlite3_prepare_v2(handle, sql, -1, &statement, NULL) != SQLITE_OK)
		fail_msg("%s: %s", sql, sqlite3_errmsg(handle));
	if (sqlite3_step(statement) == SQLITE_ROW)
		answer = xstrdup((const char *)sqlite3_column_text(statement, 0));
	sqlite3_finalize(statement);
	sqlite3_close(handle);
	free(attach);
	return answer;
}

void context_assert_schema_of(const struct context *context, const char *fresh)
{
	static const char *const differences[] = {
		"SELECT type || ' ' || name FROM (SELECT type, name, sql FROM old.sqlite_schema"
		" EXCEPT SELECT type, name, sql FROM main.sqlite_schema)",
		"SELECT type || ' ' || name FROM (SELECT type, name, sql FROM main.sqlite_schema"
		" WHERE name <> 'mine' EXCEPT SELECT type, name, sql FROM old.sqlite_schema)",
	};

	for (size_t i = 0; i < ARRAY_SIZE(differences); i++) {
		char *difference = attached_text(context, fresh, differences[i]);

		if (difference)
			fail_msg("%s is in one of them only", difference);
	}
}
