/*
 * Resolving references to runs.
 */
#include "context.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct stored {
	const char *uuid, *label, *revision, *mark;
};

/* Ids 1, 2, 3 … from newest to oldest, so that order of id and order of time differ. */
static void store_all(struct context *context, const struct stored *runs, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct run_words words = {.mark = runs[i].mark};
		struct run run = fixture_run(runs[i].label);

		free(run.source_revision);
		run.source_revision = runs[i].revision ? xstrdup(runs[i].revision) : NULL;
		run.started_ns -= (int64_t)i * INT64_C(1000000000);
		if (runs[i].uuid)
			snprintf(run.device.uuid, sizeof(run.device.uuid), "%s", runs[i].uuid);
		snprintf(run.uid, sizeof(run.uid), "abcd%028zu", i);
		assert_ok(context, fixture_store(context->db, &run, &context->err));
		assert_int_equal(run.id, i + 1);
		if (words.mark)
			assert_ok(context, db_run_mark(context->db, run.id, &words, &context->err));
		run_release(&run);
	}
}

static void assert_is(struct context *context, const char *reference, int64_t expected)
{
	int64_t id = 0;

	if (db_run_resolve(context->db, reference, &id, &context->err))
		fail_msg("%s: %s", reference, context->err.text);
	if (id != expected)
		fail_msg("%s is run %lld", reference, (long long)id);
}

static void assert_is_none(struct context *context, const char *reference, int code,
			   const char *text)
{
	struct error err = {0};
	int64_t id = -7;

	assert_int_equal(db_run_resolve(context->db, reference, &id, &err), code);
	if (!strstr(err.text, text))
		fail_msg("%s: %s", reference, err.text);
	assert_int_equal(id, -7);
}

static void test_references_find_their_run(void **state)
{
	static const struct stored runs[] = {
		{NULL, "nightly", NULL, NULL}, {NULL, "nightly", NULL, NULL}, {0}};
	struct context *context = *state;

	assert_is_none(context, "last", PL_EUSAGE, "holds no run yet");
	store_all(context, runs, ARRAY_SIZE(runs));
	assert_is(context, "last", 1);
	assert_is(context, "1", 1);
	assert_is(context, "3", 3);
	assert_is(context, "nightly", 1);
	assert_is(context, "abcd0000000000000000000000000002", 3);
	assert_is(context, "ABCD0000000000000000000000000001", 2);
	assert_is_none(context, "nightlies", PL_EUSAGE, "nightly");
	assert_is_none(context, "4", PL_EUSAGE, "no run '4'");
	assert_is_none(context, "abc", PL_EUSAGE, "no run 'abc'");
	assert_is_none(context, "abcd", PL_EUSAGE, "several");
	assert_is_none(context, "", PL_EUSAGE, "no run ''");
	assert_is_none(context, "%", PL_EUSAGE, "no run '%'");
	assert_is_none(context, "' OR 1 --", PL_EUSAGE, "no run");
}

static void test_a_revision_is_its_newest_run(void **state)
{
	static const struct stored runs[] = {
		{NULL, NULL, "c51c0df-dirty", NULL}, {NULL, NULL, "c51c0df", NULL},
		{NULL, NULL, "c51c0df", NULL},       {NULL, NULL, "c51d9aa", NULL},
		{NULL, "c51d", "77777777", NULL},    {0}};
	struct context *context = *state;

	store_all(context, runs, ARRAY_SIZE(runs));
	assert_is(context, "c51c0df", 2);
	assert_is(context, "c51c0df-", 1);
	assert_is(context, "c51d9", 4);
	assert_is(context, "7777", 5);
	assert_is_none(context, "c51", PL_EUSAGE, "no run 'c51'");
	/* the commit itself, not what was changed in its tree */
	assert_is(context, "c51c", 2);
	/* the label of one and the revision of another */
	assert_is_none(context, "c51d", PL_EUSAGE, "several");
}

static void test_last_good(void **state)
{
	static const struct stored runs[] = {{NULL, NULL, NULL, NULL},
					     {"GPU-ffff", NULL, NULL, "good"},
					     {NULL, NULL, NULL, "bad"},
					     {NULL, NULL, NULL, "good"},
					     {NULL, NULL, NULL, "good"}};
	const struct run_words unmarked = {.mark = "none"};
	struct context *context = *state;
	int64_t id = 0;

	store_all(context, runs, 1);
	assert_is_none(context, "last-good", PL_EUSAGE, "marked good");
	assert_int_equal(db_base_resolve(context->db, "last", 1, &id, &context->err), PL_EUSAGE);
	sql_execute(context->path, "PRAGMA foreign_keys = ON; DELETE FROM run");
	store_all(context, runs, ARRAY_SIZE(runs));
	assert_is(context, "last-good", 2);
	assert_ok(context, db_base_resolve(context->db, "last-good", 1, &id, &context->err));
	assert_int_equal(id, 4);
	assert_ok(context, db_base_resolve(context->db, "last-good", 4, &id, &context->err));
	assert_int_equal(id, 5);
	assert_ok(context, db_base_resolve(context->db, "last", 1, &id, &context->err));
	assert_int_equal(id, 3);
	assert_int_equal(db_base_resolve(context->db, "last-good", 2, &id, &context->err),
			 PL_EUSAGE);
	assert_non_null(strstr(context->err.text, "other than run 2"));
	assert_ok(context, db_run_mark(context->db, 4, &unmarked, &context->err));
	assert_ok(context, db_base_resolve(context->db, "last-good", 1, &id, &context->err));
	assert_int_equal(id, 5);
}

static void test_a_base_is_on_the_device_of_the_head(void **state)
{
	static const struct stored runs[] = {{"GPU-b", "night", "0123456789", NULL},
					     {"GPU-a", "night", "0123456789", NULL},
					     {"GPU-a", "night", "0123456789", NULL},
					     {"GPU-a", "day", NULL, NULL},
					     {"GPU-c", "day", NULL, NULL}};
	static const struct {
		int64_t head, expected;
	} bases[] = {{1, 1}, {4, 2}, {5, 1}}; /* no run of the fifth one's device has it */
	static const char *const references[] = {"night", "0123456789", "012345"};
	struct context *context = *state;
	int64_t id = 0;

	store_all(context, runs, ARRAY_SIZE(runs));
	for (size_t i = 0; i < ARRAY_SIZE(references) * ARRAY_SIZE(bases); i++) {
		const char *reference = references[i / ARRAY_SIZE(bases)];

		assert_ok(context,
			  db_base_resolve(context->db, reference, bases[i % ARRAY_SIZE(bases)].head,
					  &id, &context->err));
		assert_int_equal(id, bases[i % ARRAY_SIZE(bases)].expected);
		assert_is(context, reference, 1);
	}
}

#define resolve_test(function) \
	cmocka_unit_test_setup_teardown(function, context_setup_open, context_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		resolve_test(test_references_find_their_run),
		resolve_test(test_a_revision_is_its_newest_run),
		resolve_test(test_last_good),
		resolve_test(test_a_base_is_on_the_device_of_the_head),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
