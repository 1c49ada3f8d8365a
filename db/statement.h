/*
 * statement: how this room talks to SQLite. Every return code is looked at:
 * binds and columns are taken in order, their first failure is kept and
 * reported by the step that follows, so that callers check one thing a row.
 * Private to db/.
 */
#ifndef DB_STATEMENT_H
#define DB_STATEMENT_H

#include <sqlite3.h>

#include "db/db.h"

struct db {
	sqlite3 *handle;
	char *path;         /* as the user gave it, for messages */
	const char *option; /* by which another is given: " with --db", or "" */
	enum db_mode mode;
	int64_t busy_timeout_ns;
	int failed_code; /* what SQLite said at the last failure */
	int depth;       /* of db_begin() within db_begin() */
};

#define DB_NOT_A_DATABASE "%s is not a SQLite database: name another file%s"

/* "plab" in the file's header: tells a perflab database from any other application's. */
#define DB_APPLICATION_ID 0x706c6162

/* The schema version that added the newest trial of each case. */
#define VERSION_WITH_NEWEST 4

/* What `round.median_ns` is, of a row of `round` in a file that lacks the column. */
#define ROUND_MEDIAN_OF_SAMPLES                     \
	"(SELECT round_median(time_ns) FROM sample" \
	" WHERE sample.trial_id = round.trial_id AND sample.round = round.round)"

/* migrations/: element i, statements up to a NULL, goes from schema version i to i + 1. */
extern const char *const *const db_migrations[];
extern const int db_schema_version;
/* Statements that add the statuses that a file lacks, and a query that counts those it has. */
extern const char *const db_status_rows;
extern const char *const db_statuses_known;

/* Sets *err from what SQLite last said of db->handle; returns the PL_E* code. */
int db_fail(struct db *db, int sqlite_code, struct error *err);

/* One or more statements that return no rows. */
int db_execute(struct db *db, const char *sql, struct error *err);

/* Within another it is part of that, which alone commits: all or nothing. One that only reads is
 * never around one that writes. */
/* Takes the write lock at once, so that a transaction never fails half-way for being locked. */
int db_begin(struct db *db, struct error *err);
/* One unchanging view of the database for several SELECTs; ended by db_end(). */
int db_begin_read(struct db *db, struct error *err);
/* Commits when rc is 0, else rolls back. Returns rc, or why the commit failed. */
int db_end(struct db *db, int rc, struct error *err);

/* write_trial.c: the reason to store beside a status: one that is neither pending nor ok has one,
 * always, as the schema demands. */
const char *db_reason_to_store(enum trial_status status, const char *reason);

/* round_median.c: makes round_median() known to the connection. */
int db_round_median_add(struct db *db, struct error *err);

/* device.c: the device's row, made if there is none, with all that is known of it now. */
int db_device_store(struct db *db, const struct device_info *device, int64_t *id,
		    struct error *err);

struct statement {
	struct db *db;
	sqlite3_stmt *handle;
	int parameters; /* bound since the last step */
	int columns;    /* taken from the current row */
	int code;       /* the first SQLite code of a bind that failed */
};

int statement_prepare(struct statement *statement, struct db *db, const char *sql,
		      struct error *err);
void statement_release(struct statement *statement);

/* The next parameter, from the left. NULL text binds NULL. */
void bind_text(struct statement *statement, const char *text);
void bind_known_text(struct statement *statement, const char *text); /* "" is NULL too */
void bind_integer(struct statement *statement, int64_t value);
/* NULL when value is `unknown`. */
void bind_known_integer(struct statement *statement, int64_t value, int64_t unknown);
/* The value that `row` has in a column, counted from 0. */
void bind_column(struct statement *statement, struct statement *row, int column);
/* The same for `count` columns from `first` on. */
void bind_columns(struct statement *statement, struct statement *row, int first, size_t count);
/* NULL when not finite: no NaN and no infinity is ever stored. */
void bind_real(struct statement *statement, double value);

/* Steps to the next row; *row says whether there is one. */
int statement_step(struct statement *statement, bool *row, struct error *err);
/* Executes to the end and makes ready for other parameters. */
int statement_run(struct statement *statement, struct error *err);
/* Makes ready for other parameters, whether it has come to its end or not. */
void statement_restart(struct statement *statement);
/* For an UPDATE by id: PL_ENOENT when it meets no row; `noun` says what `id` is. */
int statement_run_on_one(struct statement *statement, const char *noun, int64_t id,
			 struct error *err);

/* The next column, from the left. Text lives until the next step; NULL is NULL. */
const char *take_text(struct statement *statement);
char *take_text_copy(struct statement *statement); /* malloc'd, or NULL */
/* NULL gives ""; text that does not fit is cut. */
void take_text_into(struct statement *statement, char *out, size_t size);
int64_t take_integer(struct statement *statement, int64_t when_null);
/* Clamped to int, for what a stranger's file may hold. */
int take_int(struct statement *statement);
double take_real(struct statement *statement); /* NAN when NULL */

/* The first column of the first row; *out is left alone when there is none. */
int db_select_integer(int64_t *out, struct db *db, const char *sql, struct error *err);

#endif
