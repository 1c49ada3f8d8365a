/* Databases to merge. */
#include "merge_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int merge_setup(void **state)
{
	struct merge_test *test = xcalloc(1, sizeof(*test));

	test->base.folder = fixture_folder();
	test->base.path = xasprintf("%s/all.db", test->base.folder);
	test->source = xasprintf("%s/source.db", test->base.folder);
	test->other = xasprintf("%s/other.db", test->base.folder);
	*state = test;
	return 0;
}

int merge_teardown(void **state)
{
	struct merge_test *test = *state;

	merge_summary_release(&test->summary);
	fixture_folder_remove(test->base.folder);
	free(test->base.path);
	free(test->source);
	free(test->other);
	free(test);
	return 0;
}

static void note(void *context, const char *line)
{
	struct merge_test *test = context;

	strncat(test->said, line, sizeof(test->said) - strlen(test->said) - 1);
}

int merge_of(struct merge_test *test, const char *path)
{
	const struct merge_watch watch = {.context = test, .notice = note};
	struct db *into = NULL, *from = NULL;
	int rc = db_open(&into, test->base.path, DB_CREATE, &test->base.err);

	if (!rc)
		rc = db_open(&from, path, DB_READ, &test->base.err);
	if (!rc)
		rc = db_merge(into, from, &watch, &test->summary, &test->base.err);
	db_close(from);
	db_close(into);
	return rc;
}

void assert_merged(struct merge_test *test, const char *path)
{
	assert_ok(&test->base, merge_of(test, path));
}

void merge_make_source(const char *path, const char *uid, const char *label)
{
	struct context context = {.path = (char *)path};
	struct run run = fixture_run(label);

	if (uid)
		snprintf(run.uid, sizeof(run.uid), "%s", uid);
	assert_ok(&context, db_open(&context.db, path, DB_CREATE, &context.err));
	assert_ok(&context, fixture_store(context.db, &run, &context.err));
	assert_ok(&context, db_trial_finish(context.db, run.trials[FIXTURE_PENDING].id,
					    TRIAL_CRASHED, "signal 9", NULL, &context.err));
	db_close(context.db);
	run_release(&run);
}

void merge_store_parts(const char *path, int sweeps)
{
	const struct meter meter = {
		.ns = {[RUN_PART_SAMPLES] = 600000000, [RUN_PART_OTHER] = 400000000}};
	struct context context = {.path = (char *)path};

	assert_ok(&context, db_open(&context.db, path, DB_WRITE, &context.err));
	for (int i = 0; i < sweeps; i++)
		assert_ok(&context, db_run_parts_add(context.db, 1, &meter, &context.err));
	db_close(context.db);
}

int64_t merge_count(struct merge_test *test, const char *sql)
{
	return context_query(&test->base, sql);
}
