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
int context_setup_open(void **state); /* and creates the database at path */
int context_teardown(void **state);

/* SQL past perflab; foreign keys are off, as they are for a person who does not ask for them. */
void sql_execute(const char *path, const char *sql);
/* One integer by SQL, past perflab: what a person at the sqlite3 shell would see. */
int64_t context_query(const struct context *context, const char *sql);

/* Makes a database at path from a dump of the sqlite3 shell. */
void context_restore(const char *path, const char *dump);
/* The first column of the first row, with the database at `old` attached as `old`; the caller frees
 * it. NULL: no row. */
char *attached_text(const struct context *context, const char *old, const char *sql);
/* The schema is that of the database at `fresh`, but for the view `mine` of a user. */
void context_assert_schema_of(const struct context *context, const char *fresh);

/* No page is damaged, no row belongs to nothing, and `newest` is what it should be. */
void context_assert_whole(const struct context *context);

/* A child that runs `body` with the write end of a pipe; the parent reads *from_child. */
pid_t context_start(const struct context *context,
		    int (*body)(const struct context *context, int to_parent), int *from_child);

/* Leaves a database with one whole run at path, closed. */
void context_store_one(struct context *context);
/* The error is one line that names the file and says this. */
void assert_one_line(const struct error *err, const char *path, const char *says);

#define assert_ok(context, call)                             \
	do {                                                 \
		if (call)                                    \
			fail_msg("%s", (context)->err.text); \
	} while (0)

#endif
