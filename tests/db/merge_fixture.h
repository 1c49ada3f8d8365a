/*
 * merge_fixture: databases to merge, and the database that they are merged into.
 */
#ifndef TESTS_DB_MERGE_FIXTURE_H
#define TESTS_DB_MERGE_FIXTURE_H

#include "context.h"

#define MERGE_UID "0123456789abcdef0123456789abcdef"
#define SAMPLES 30 /* of the fixture */

struct merge_test {
	struct context base; /* path: what is merged into */
	char *source, *other;
	struct merge_summary summary;
	char said[2048];
};

int merge_setup(void **state);
int merge_teardown(void **state);

/* Merges the database at path; the notices are added to `said`. */
int merge_of(struct merge_test *test, const char *path);
void assert_merged(struct merge_test *test, const char *path);
/* One integer by SQL, of the database that is merged into. */
int64_t merge_count(struct merge_test *test, const char *sql);

/* A database at path with the fixture's run; uid NULL: a new one. */
void merge_make_source(const char *path, const char *uid, const char *label);
/* Where the time of run 1 went: a second for a sweep and for each resumption. */
void merge_store_parts(const char *path, int sweeps);

#endif
