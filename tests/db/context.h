/* context: setup and helpers of the database tests: a folder, a path in it, and SQL without
 * perflab. */
#ifndef TESTS_DB_CONTEXT_H
#define TESTS_DB_CONTEXT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <cmocka.h>

#include "fixture.h"

struct context {
	char *folder, *path;
	struct db *db; /* open only after context_setup_open() */
	struct error err;
};

int context_setup(void **state);
int context_setup_open(void **state); /* also creates the database at path */
int context_teardown(void **state);

/* Runs SQL without perflab. Foreign keys are off, which is SQLite's default. */
void sql_execute(const char *path, const char *sql);
/* Returns one integer by SQL without perflab, as the sqlite3 shell shows it. */
int64_t context_query(const struct context *context, const char *sql);

/* Creates a database at path from a dump of the sqlite3 shell. */
void context_restore(const char *path, const char *dump);
/* Returns the first column of the first row, with the database at `old` attached as `old`; the
 * caller frees it. NULL: no row. */
char *attached_text(const struct context *context, const char *old, const char *sql);
/* Asserts that the schema is that of the database at `fresh`, except a user's view `mine`. */
void context_assert_schema_of(const struct context *context, const char *fresh);

/* Asserts that no page is damaged, no foreign key dangles, and `newest` is correct. */
void context_assert_whole(const struct context *context);

/* Starts a child that runs `body` with the write end of a pipe; the parent reads *from_child. */
pid_t context_start(const struct context *context,
		    int (*body)(const struct context *context, int to_parent), int *from_child);

/* Creates a database with one complete run at path and closes it. */
void context_store_one(struct context *context);
/* Asserts that the error is one line that names the file and contains this text. */
void assert_one_line(const struct error *err, const char *path, const char *says);

#define assert_ok(context, call)                             \
	do {                                                 \
		if (call)                                    \
			fail_msg("%s", (context)->err.text); \
	} while (0)

#endif
