/*
 * find_cases: finds the cases that a user names in all runs of a database and
 * loads their histories. A history covers one device and one backend.
 */
#ifndef HARNESS_SESSION_FIND_CASES_H
#define HARNESS_SESSION_FIND_CASES_H

#include "db/db.h"

struct case_query {
	/* "KERNEL/VARIANT/CONFIG", its first parts, or a pattern for the whole name with * and ?.
	 */
	const char *word;
	/* The id of the device, its name or a part of it, or at least the first 4 characters of its
	 * uuid. NULL: any. */
	const char *device;
	const char *backend; /* NULL: any */
	const char *db_path; /* for messages */
};

/* A case that owns its strings. */
struct found_case {
	struct known_case item;
	char *name; /* "reduce/shuffle/block=256,n=16777216" */
};
struct found_cases {
	struct found_case *items; /* sorted by name; on any device that the query allows */
	size_t count, capacity;
};
/* PL_EUSAGE: no case matches; the message has the nearest name or the reason. PL_ENOENT: the
 * database holds no case with a good result. Also the errors of db/db.h. */
int cases_find(struct found_cases *out, struct db *db, const struct case_query *query,
	       struct error *err);
void found_cases_release(struct found_cases *found);

/* The case of the newest run with a time, or of the newest run if none has one. The caller shows
 * the history on its device and backend. Borrowed. */
const struct known_case *cases_newest(const struct found_cases *found);
bool cases_same_series(const struct known_case *a, const struct known_case *b);

/*
 * Loads the histories of the found cases on the device and backend of `series`,
 * with their change points over all runs. *out is malloc'd; the caller calls
 * history_release() for each history, even after an error.
 */
int cases_load_histories(struct history **out, size_t *count, struct db *db,
			 const struct found_cases *found, const struct known_case *series,
			 struct error *err);

#endif
