/*
 * statement: prepares, binds and steps SQL statements. Parameters are bound and columns are taken
 * from left to right. The first failure of a statement is kept in it, and what is done with it
 * afterwards has no effect. So callers check one return code: that of statement_release() or
 * statement_finish(). Private to db/.
 */
#ifndef DB_STATEMENT_H
#define DB_STATEMENT_H

#include <sqlite3.h>
#include <sys/types.h>

#include "db/db.h"

/* The file that was opened. */
struct db_place {
	dev_t device;
	ino_t inode;
	ino_t log;          /* of its write-ahead log; 0: none was seen */
	ino_t index;        /* of the index of the log */
	mode_t permissions; /* to read and write it */
	bool filled;        /* it was not empty */
};

/* Enough for all statements that one case of a sweep needs. */
#define DB_KEPT_STATEMENTS 32

struct db {
	sqlite3 *handle;
	char *path;         /* as the user gave it, for messages */
	const char *option; /* how the user names another file: " with --db", or "" */
	enum db_mode mode;
	const char *network;   /* the kind of its network file system, such as "NFS"; NULL: none */
	struct db_place place; /* of a database that is open for writing */
	bool lost;             /* the file is no longer at its place; see db_was_lost() */
	bool gone;             /* and there is no copy */
	/* Called after each transaction; NULL: the database is only read. */
	int (*written)(struct db *db, struct error *err);
	int64_t busy_timeout_ns;
	int failed_code;    /* the SQLite code of the last failure */
	int failed_errno;   /* of the system, if the failure has one; else 0 */
	int depth;          /* nested calls of db_begin() */
	bool has_own_views; /* see db_own_views_use() */
	int pages_of_log;   /* with so many, a commit copies the log into the file */
	/* Released statements of `handle`, for the next use of the same SQL. */
	sqlite3_stmt *kept[DB_KEPT_STATEMENTS];
	size_t kept_count;
};

/* The most bytes of a text, a blob or a row. */
#define DB_VALUE_BYTES_MOST (64 << 20)

#define DB_NOT_A_DATABASE "%s is not a SQLite database: name another file%s"

/* "plab" in the header of the file: marks a database of perflab. */
#define DB_APPLICATION_ID 0x706c6162

/* The schema version of perflab 1.0 (user_version in tables.sql), and the last one before it. Files
 * of these versions are read, and those that are older are converted by scripts/convert-database.
 */
#define DB_SCHEMA_VERSION 100
#define DB_SCHEMA_OLDEST 22

/* Sets *err from the last error of db->handle. Returns the PL_E* code. */
int db_fail(struct db *db, int sqlite_code, struct error *err);

/* place.c: remembers which file is at the path, and lets no commit copy a log that is not whole
 * into it. `db` must stay at its address until it is closed. */
void db_place_guard(struct db *db);
/* Before the database is closed: a log that is not whole is not copied into the file. */
void db_place_leave(struct db *db);
/* Whether the write-ahead log is the one that SQLite writes, as far as its file shows. */
bool db_log_is_whole(const struct db *db);
/* PL_EIO: another file is there, or none. All that was stored is in the file *copy, malloc'd, or
 * the text says that it is lost. */
int db_place_check(struct db *db, char **copy, struct error *err);

/* shared_place.c: sets db->network, before the file is created. PL_EIO: the database is to be
 * written, and locks of this machine do not hold on others. */
int db_holder_find(struct db *db, struct error *err);
/* Tries a lock of the existing file. PL_EIO: there are none. */
int db_holder_check_locks(struct db *db, struct error *err);
/* Begins a new connection: it takes exclusive locks on a network file system. */
int db_holder_begin(struct db *db, struct error *err);
/* Ends them when the file has a rollback journal. A reader of a file in WAL mode stays alone. */
int db_holder_share(struct db *db, struct error *err);

/* migrate.c: brings a file of this schema version, which is opened for writing, to the newest one
 * in one transaction, and adds what it lacks of it. Another process may do the same at the same
 * time. */
int db_migrate(struct db *db, int64_t version, struct error *err);

/* migrate.c: gives a connection that only reads empty tables and columns in place of those. */
int db_tables_stand_in(struct db *db, struct error *err);
/* schema.c: makes the views and triggers of the file again that are not as in schema/. */
int db_schema_renew(struct db *db, struct error *err);
/* schema.c: makes the connection use the triggers of perflab, whatever the file has. */
int db_own_triggers_use(struct db *db, struct error *err);
/* schema.c: the same for the views, before each query of a user. */
int db_own_views_use(struct db *db, struct error *err);
/* schema.c: between these two calls, which are in one transaction, the connection does not
 * maintain `newest` for trials that are inserted: the caller does. */
int db_newest_suspend(struct db *db, struct error *err);
int db_newest_resume(struct db *db, struct error *err);

struct statement;
/* read_run.c: adds a counter from a row of metric, unit, source, value and reason. */
void db_counter_take(struct trial *trial, struct statement *row);
/* Adds the counters of single trials, by their ids. */
int db_counters_load(struct db *db, struct trial *trials, size_t count, struct error *err);

/* names.c: PL_EUSAGE: there is no view or table of this name; the message suggests similar ones. */
int db_name_check(struct db *db, const char *name, struct error *err);

/* output_path.c: PL_EUSAGE: SQLite keeps a file of this name beside another database. */
int db_path_check_owner(const struct db *db, struct error *err);

/* Runs one or more statements that return no rows. */
int db_execute(struct db *db, const char *sql, struct error *err);
/* Runs one statement, whose only parameter is an id, to its end. */
int db_execute_on(struct db *db, const char *sql, int64_t id, struct error *err);

/*
 * Transactions nest: only the outermost one commits. A transaction that only reads must not contain
 * one that writes. db_begin() takes the write lock immediately, so that a transaction never fails
 * half-way because another process has the lock.
 */
int db_begin(struct db *db, struct error *err);
/* Gives several SELECTs the same state of the database. Ended by db_end(). */
int db_begin_read(struct db *db, struct error *err);
/* Commits when rc is 0, otherwise rolls back. Returns rc, or the error of the commit. */
int db_end(struct db *db, int rc, struct error *err);

/* device.c: creates or updates the row of a device, and gives its id. */
int db_device_store(struct db *db, const struct device_info *device, int64_t *id,
		    struct error *err);

struct statement {
	struct db *db;
	sqlite3_stmt *handle;
	int parameters; /* number bound since the last step */
	int columns;    /* number taken from the current row */
	int code;       /* SQLite code of the first bind that failed */
	int rc;         /* the first failure, or 0 */
	struct error *err;
};

/* Prepares a statement, or takes one with the same SQL that was released before: SQLite takes
 * longer to prepare most statements than to execute them. All failures of the statement set *err.
 */
struct statement statement_prepare(struct db *db, const char *sql, struct error *err);
/* Returns the first failure, or 0. */
int statement_release(struct statement *statement);
/* Releases two. Returns the failure of the first, or that of the second, or 0. */
int statements_release(struct statement *first, struct statement *second);
/* Frees the released statements. Before db->handle is closed. */
void db_forget_statements(struct db *db);

/* Bind the next parameter. NULL text binds NULL. */
void bind_text(struct statement *statement, const char *text);
void bind_known_text(struct statement *statement, const char *text); /* "" binds NULL, too */
void bind_blob(struct statement *statement, const void *bytes, size_t length);
void bind_integer(struct statement *statement, int64_t value);
/* Binds NULL when value is `unknown`. */
void bind_known_integer(struct statement *statement, int64_t value, int64_t unknown);
/* Binds the value of a column of `row`, counted from 0. */
void bind_column(struct statement *statement, struct statement *row, int column);
/* Binds the values of `count` columns from `first` on. */
void bind_columns(struct statement *statement, struct statement *row, int first, size_t count);
/* Binds NULL when value is not finite: perflab never stores NaN or infinity. */
void bind_real(struct statement *statement, double value);

/* Steps to the next row. false: there is none, or the statement has failed. */
bool statement_next(struct statement *statement);
/* Runs the statement to its end and resets it for other parameters. */
int statement_run(struct statement *statement);
/* Runs an UPDATE by id. PL_ENOENT: there is no such row; `noun` says what `id` is. */
int statement_run_on_one(struct statement *statement, const char *noun, int64_t id);
/* Resets the statement for other parameters, even before its end. Returns the first failure. */
int statement_restart(struct statement *statement);
/* Runs the statement to its end and releases it. */
int statement_finish(struct statement *statement);

/* Take the next column. Text lives until the next step; NULL gives NULL. */
const char *take_text(struct statement *statement);
const char *take_known_text(struct statement *statement); /* NULL gives "" */
/* The bytes live until the next step. NULL gives NULL and 0. */
const void *take_blob(struct statement *statement, size_t *length);
char *take_text_copy(struct statement *statement); /* malloc'd, or NULL */
/* NULL gives ""; text that does not fit is cut. */
void take_text_into(struct statement *statement, char *out, size_t size);
int64_t take_integer(struct statement *statement, int64_t when_null);
/* Clamped to [0, INT_MAX], because an untrusted file may hold any value. */
int take_int(struct statement *statement);
double take_real(struct statement *statement); /* NULL gives NAN */

/* Rows, by id. All zeroes is empty; the caller frees `items`. */
struct id_list {
	int64_t *items;
	size_t count, capacity;
};
/* Adds the first column of every row. */
int db_select_ids(struct id_list *out, struct db *db, const char *sql, struct error *err);
/* Adds the first column of every row that is not NULL. The parameter may be NULL. */
int db_select_names(struct string_list *out, struct db *db, const char *sql, const char *parameter,
		    struct error *err);
/* Gives the first column of the first row. Without a row *out stays unchanged. */
int db_select_integer(int64_t *out, struct db *db, const char *sql, struct error *err);

#endif
