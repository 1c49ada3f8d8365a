/* Runs statements, checks every return code, and turns the codes of SQLite into PL_E*. */
#include "db/statement.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#define LIMIT_MARGIN 65536 /* SQLite writes a page, or the index of the WAL, in one call */

static int fail_disk_full(const struct db *db, struct error *err)
{
	if (db->mode == DB_READ)
		return error_set(err, PL_EIO,
				 "disk full: %s cannot be read, because SQLite needs space beside "
				 "it or for temporary files (TMPDIR): free space, or copy it to "
				 "another disk",
				 db->path);
	return error_set(err, PL_EIO,
			 "disk full: %s cannot grow; stored results are safe: free space, then "
			 "repeat the command, a sweep with --resume",
			 db->path);
}

static bool file_reaches(const char *path, const char *ending, rlim_t limit)
{
	char *name = xasprintf("%s%s", path, ending);
	struct stat status;
	bool reaches = stat(name, &status) == 0 && (rlim_t)status.st_size + LIMIT_MARGIN >= limit;

	free(name);
	return reaches;
}

/*
 * Whether a write failed because of RLIMIT_FSIZE. errno says so, unless SQLite made further calls
 * before it returned; then a file near the limit says so.
 */
static bool at_size_limit(const struct db *db, int system_error)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_FSIZE, &limit) || limit.rlim_cur == RLIM_INFINITY)
		return false;
	return system_error == EFBIG || file_reaches(db->path, "", limit.rlim_cur) ||
	       file_reaches(db->path, "-wal", limit.rlim_cur);
}

static int fail_size_limit(const struct db *db, struct error *err)
{
	return error_set(
		err, PL_EIO,
		"%s has reached the limit on the size of files (ulimit -f); stored "
		"results are safe: raise the limit, then repeat the command, a sweep with --resume",
		db->path);
}

static int fail_constraint(const struct db *db, int extended, struct error *err)
{
	const char *said = sqlite3_errmsg(db->handle);

	switch (extended) {
	case SQLITE_CONSTRAINT_FOREIGNKEY:
		return error_set(err, PL_ENOENT, "%s has no such run or trial", db->path);
	case SQLITE_CONSTRAINT_UNIQUE:
	case SQLITE_CONSTRAINT_PRIMARYKEY:
		return error_set(err, PL_EEXIST, "%s already has that row: %s", db->path, said);
	default:
		return error_set(err, PL_EUSAGE, "%s refuses that row: %s", db->path, said);
	}
}

int db_fail(struct db *db, int sqlite_code, struct error *err)
{
	const char *said = db->handle ? sqlite3_errmsg(db->handle) : sqlite3_errstr(sqlite_code);
	int system_error = db->handle ? sqlite3_system_errno(db->handle) : 0;

	db->failed_code = sqlite_code;
	db->failed_errno = system_error;
	switch (sqlite_code & 0xff) {
	case SQLITE_NOTADB:
		return error_set(err, PL_ECORRUPT, DB_NOT_A_DATABASE, db->path, db->option);
	case SQLITE_CORRUPT:
		return error_set(err, PL_ECORRUPT,
				 "%s is damaged: restore a copy, or save what can be read with "
				 "`sqlite3 %s .recover`",
				 db->path, db->path);
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return error_set(
			err, PL_EBUSY,
			"%s has been locked by another process%s for more than %.3g s: wait for it "
			"or end it",
			db->path, db->network ? ", perhaps of another machine," : "",
			(double)db->busy_timeout_ns / 1e9);
	case SQLITE_READONLY:
		if (sqlite_code == SQLITE_READONLY_DIRECTORY)
			return error_set(
				err, PL_EIO,
				"%s cannot be written, because its folder is read-only: make it "
				"writable, or name another file%s",
				db->path, db->option);
		return error_set(
			err, PL_EIO,
			"%s is read-only: make it and its folder writable, or name another "
			"file%s",
			db->path, db->option);
	case SQLITE_FULL:
		return fail_disk_full(db, err);
	case SQLITE_CANTOPEN:
	case SQLITE_IOERR:
		/* SQLite reports FULL only for the main file, but -wal and -shm can fill the disk
		 * too. */
		if (system_error == ENOSPC || system_error == EDQUOT)
			return fail_disk_full(db, err);
		if (at_size_limit(db, system_error))
			return fail_size_limit(db, err);
		return error_set(err, PL_EIO, "%s: %s%s%s", db->path, said,
				 system_error ? ": " : "",
				 system_error ? strerror(system_error) : "");
	case SQLITE_TOOBIG:
		return error_set(err, PL_ECORRUPT,
				 "%s is damaged: it holds a value of more than %d MiB", db->path,
				 DB_VALUE_BYTES_MOST >> 20);
	case SQLITE_NOMEM:
		return error_set(err, PL_ENOMEM, "%s: out of memory", db->path);
	case SQLITE_CONSTRAINT:
		return fail_constraint(db, sqlite_code, err);
	case SQLITE_ERROR:
		/* The statements of perflab fit its schema, so the file has another schema. */
		return error_set(err, PL_ECORRUPT, "%s does not have perflab's schema: %s",
				 db->path, said);
	default:
		return error_set(err, PL_EIO, "%s: %s", db->path, said);
	}
}

int db_execute(struct db *db, const char *sql, struct error *err)
{
	int code = sqlite3_exec(db->handle, sql, NULL, NULL, NULL);

	return code == SQLITE_OK ? 0 : db_fail(db, sqlite3_extended_errcode(db->handle), err);
}

static int begin(struct db *db, const char *sql, struct error *err)
{
	int rc = db->depth ? 0 : db_execute(db, sql, err);

	if (!rc)
		db->depth++;
	return rc;
}

int db_begin(struct db *db, struct error *err)
{
	return begin(db, "BEGIN IMMEDIATE", err);
}

int db_begin_read(struct db *db, struct error *err)
{
	return begin(db, "BEGIN", err);
}

int db_end(struct db *db, int rc, struct error *err)
{
	if (--db->depth)
		return rc;
	if (!rc)
		rc = db_execute(db, "COMMIT", err);
	/* A full disk ends the transaction by itself. The first error is the one to report. */
	if (rc && !sqlite3_get_autocommit(db->handle))
		sqlite3_exec(db->handle, "ROLLBACK", NULL, NULL, NULL);
	return rc || !db->written ? rc : db->written(db, err);
}

/* Takes the newest released statement with this SQL. NULL: there is none. */
static sqlite3_stmt *take_kept(struct db *db, const char *sql)
{
	for (size_t i = db->kept_count; i-- > 0;) {
		sqlite3_stmt *found = db->kept[i];

		if (strcmp(sqlite3_sql(found), sql) != 0)
			continue;
		db->kept_count--;
		memmove(db->kept + i, db->kept + i + 1, (db->kept_count - i) * sizeof(*db->kept));
		return found;
	}
	return NULL;
}

/* Keeps a statement instead of the one that was released longest ago. */
static void keep_released(struct db *db, sqlite3_stmt *handle)
{
	if (db->kept_count == DB_KEPT_STATEMENTS) {
		sqlite3_finalize(db->kept[0]);
		db->kept_count--;
		memmove(db->kept, db->kept + 1, db->kept_count * sizeof(*db->kept));
	}
	db->kept[db->kept_count++] = handle;
}

void db_forget_statements(struct db *db)
{
	while (db->kept_count)
		sqlite3_finalize(db->kept[--db->kept_count]);
}

struct statement statement_prepare(struct db *db, const char *sql, struct error *err)
{
	struct statement statement = {.db = db, .handle = take_kept(db, sql), .err = err};

	if (!statement.handle && sqlite3_prepare_v3(db->handle, sql, -1, SQLITE_PREPARE_PERSISTENT,
						    &statement.handle, NULL) != SQLITE_OK)
		statement.rc = db_fail(db, sqlite3_extended_errcode(db->handle), err);
	return statement;
}

int statement_release(struct statement *statement)
{
	const struct statement released = *statement;

	*statement = (struct statement){0};
	if (!released.handle)
		return released.rc;
	/* both repeat the step's error, which was reported */
	if (sqlite3_reset(released.handle) != SQLITE_OK ||
	    sqlite3_db_handle(released.handle) != released.db->handle) {
		sqlite3_finalize(released.handle);
		return released.rc;
	}
	sqlite3_clear_bindings(released.handle); /* a bound text may be large */
	keep_released(released.db, released.handle);
	return released.rc;
}

int statements_release(struct statement *first, struct statement *second)
{
	const int rc = statement_release(second), rc_of_first = statement_release(first);

	return rc_of_first ? rc_of_first : rc;
}

static void bind_note(struct statement *statement, int code)
{
	if (!statement->code)
		statement->code = code;
}

void bind_text(struct statement *statement, const char *text)
{
	int parameter = ++statement->parameters;

	bind_note(statement,
		  text ? sqlite3_bind_text(statement->handle, parameter, text, -1, SQLITE_TRANSIENT)
		       : sqlite3_bind_null(statement->handle, parameter));
}

void bind_blob(struct statement *statement, const void *bytes, size_t length)
{
	bind_note(statement, sqlite3_bind_blob64(statement->handle, ++statement->parameters, bytes,
						 length, SQLITE_TRANSIENT));
}

void bind_known_text(struct statement *statement, const char *text)
{
	bind_text(statement, text && *text ? text : NULL);
}

void bind_integer(struct statement *statement, int64_t value)
{
	bind_note(statement, sqlite3_bind_int64(statement->handle, ++statement->parameters, value));
}

void bind_known_integer(struct statement *statement, int64_t value, int64_t unknown)
{
	if (value == unknown)
		bind_text(statement, NULL);
	else
		bind_integer(statement, value);
}

void bind_real(struct statement *statement, double value)
{
	int parameter = ++statement->parameters;

	bind_note(statement, isfinite(value)
				     ? sqlite3_bind_double(statement->handle, parameter, value)
				     : sqlite3_bind_null(statement->handle, parameter));
}

void bind_column(struct statement *statement, struct statement *row, int column)
{
	bind_note(statement, sqlite3_bind_value(statement->handle, ++statement->parameters,
						sqlite3_column_value(row->handle, column)));
}

void bind_columns(struct statement *statement, struct statement *row, int first, size_t count)
{
	for (size_t i = 0; i < count; i++)
		bind_column(statement, row, first + (int)i);
}

bool statement_next(struct statement *statement)
{
	struct db *db = statement->db;
	int code = statement->code;

	statement->columns = 0;
	if (statement->rc)
		return false;
	/* An unbound parameter would silently be NULL. */
	if (statement->parameters != sqlite3_bind_parameter_count(statement->handle)) {
		statement->rc = error_set(statement->err, PL_EUSAGE, "%d parameters bound to: %s",
					  statement->parameters, sqlite3_sql(statement->handle));
		return false;
	}
	if (!code)
		code = sqlite3_step(statement->handle);
	if (code != SQLITE_ROW && code != SQLITE_DONE)
		statement->rc = db_fail(db, sqlite3_extended_errcode(db->handle), statement->err);
	return code == SQLITE_ROW;
}

int statement_run(struct statement *statement)
{
	while (statement_next(statement))
		;
	return statement_restart(statement);
}

int statement_run_on_one(struct statement *statement, const char *noun, int64_t id)
{
	const struct db *db = statement->db;

	if (!statement_run(statement) && sqlite3_changes(db->handle) == 0)
		statement->rc = error_set(statement->err, PL_ENOENT, "%s has no %s %lld", db->path,
					  noun, (long long)id);
	return statement->rc;
}

int statement_restart(struct statement *statement)
{
	sqlite3_reset(statement->handle); /* repeats the step's error, which was reported */
	statement->parameters = 0;
	statement->code = 0;
	return statement->rc;
}

int statement_finish(struct statement *statement)
{
	statement_run(statement);
	return statement_release(statement);
}

const char *take_text(struct statement *statement)
{
	return (const char *)sqlite3_column_text(statement->handle, statement->columns++);
}

const void *take_blob(struct statement *statement, size_t *length)
{
	const void *bytes = sqlite3_column_blob(statement->handle, statement->columns);

	*length = (size_t)sqlite3_column_bytes(statement->handle, statement->columns++);
	return bytes;
}

const char *take_known_text(struct statement *statement)
{
	const char *text = take_text(statement);

	return text ? text : "";
}

char *take_text_copy(struct statement *statement)
{
	const char *text = take_text(statement);

	return text ? xstrdup(text) : NULL;
}

void take_text_into(struct statement *statement, char *out, size_t size)
{
	snprintf(out, size, "%s", take_known_text(statement));
}

int64_t take_integer(struct statement *statement, int64_t when_null)
{
	int column = statement->columns++;

	if (sqlite3_column_type(statement->handle, column) == SQLITE_NULL)
		return when_null;
	return sqlite3_column_int64(statement->handle, column);
}

int take_int(struct statement *statement)
{
	int64_t value = take_integer(statement, 0);

	return value < 0 ? 0 : value > INT_MAX ? INT_MAX : (int)value;
}

double take_real(struct statement *statement)
{
	int column = statement->columns++;

	if (sqlite3_column_type(statement->handle, column) == SQLITE_NULL)
		return NAN;
	return sqlite3_column_double(statement->handle, column);
}

int db_execute_on(struct db *db, const char *sql, int64_t id, struct error *err)
{
	struct statement statement = statement_prepare(db, sql, err);

	bind_integer(&statement, id);
	return statement_finish(&statement);
}

int db_select_ids(struct id_list *out, struct db *db, const char *sql, struct error *err)
{
	struct statement select = statement_prepare(db, sql, err);

	while (statement_next(&select)) {
		out->items = xgrow(out->items, &out->capacity, out->count + 1, sizeof(*out->items));
		out->items[out->count++] = take_integer(&select, 0);
	}
	return statement_release(&select);
}

int db_select_names(struct string_list *out, struct db *db, const char *sql, const char *parameter,
		    struct error *err)
{
	struct statement select = statement_prepare(db, sql, err);

	if (parameter)
		bind_text(&select, parameter);
	while (statement_next(&select)) {
		const char *name = take_text(&select);

		if (name) /* a damaged file may have an object without a name */
			string_list_add(out, name);
	}
	return statement_release(&select);
}

int db_select_integer(int64_t *out, struct db *db, const char *sql, struct error *err)
{
	struct statement select = statement_prepare(db, sql, err);

	if (statement_next(&select))
		*out = take_integer(&select, 0);
	return statement_release(&select);
}
