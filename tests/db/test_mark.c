/*
 * Marks, labels and notes that a user adds to a stored run.
 */
#include "context.h"

#include <stdlib.h>

static void assert_words(struct context *context, const char *mark, const char *why,
			 const char *label, const char *note)
{
	struct run run = {0};
	const struct {
		const char *expected, *const *found;
	} words[] = {{mark, (const char **)&run.mark},
		     {why, (const char **)&run.mark_why},
		     {label, (const char **)&run.label},
		     {note, (const char **)&run.note}};

	assert_ok(context, db_run_load(context->db, 1, false, &run, &context->err));
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (words[i].expected)
			assert_string_equal(*words[i].found, words[i].expected);
		else
			assert_null(*words[i].found);
	}
	run_release(&run);
}

static void say(struct context *context, struct run_words words)
{
	assert_ok(context, db_run_mark(context->db, 1, &words, &context->err));
}

static void store(struct context *context)
{
	struct run run = fixture_run("nightly");

	free(run.note);
	run.note = NULL;
	assert_ok(context, fixture_store(context->db, &run, &context->err));
	run_release(&run);
}

static void test_words_change_alone(void **state)
{
	struct context *context = *state;

	store(context);
	assert_words(context, NULL, NULL, "nightly", NULL);
	say(context, (struct run_words){.mark = "good", .why = "it's the release"});
	assert_words(context, "good", "it's the release", "nightly", NULL);
	say(context, (struct run_words){.label = "v1.0", .note = "as shipped"});
	assert_words(context, "good", "it's the release", "v1.0", "as shipped");
	say(context, (struct run_words){.mark = "bad"});
	assert_words(context, "bad", NULL, "v1.0", "as shipped");
	say(context, (struct run_words){.mark = "none", .label = "", .note = ""});
	assert_words(context, NULL, NULL, NULL, NULL);
	say(context, (struct run_words){.mark = "none"});
	assert_int_equal(context_query(context, "SELECT count(*) FROM mark"), 0);
}

static void test_of_a_refusal_nothing_is_done(void **state)
{
	struct context *context = *state;
	const struct run_words good = {.mark = "good"};
	const struct run_words odd = {.mark = "splendid", .label = "other"};

	store(context);
	assert_int_equal(db_run_mark(context->db, 9, &good, &context->err), PL_ENOENT);
	assert_one_line(&context->err, context->path, "no run 9");
	assert_int_equal(db_run_mark(context->db, 1, &odd, &context->err), PL_EUSAGE);
	assert_words(context, NULL, NULL, "nightly", NULL);
	assert_int_equal(context_query(context, "SELECT count(*) FROM mark"), 0);
}

static void test_a_mark_goes_with_its_run(void **state)
{
	struct context *context = *state;

	store(context);
	say(context, (struct run_words){.mark = "good"});
	assert_int_equal(context_query(context, "SELECT count(*) FROM history WHERE mark = 'good'"),
			 2);
	sql_execute(context->path, "PRAGMA foreign_keys = ON; DELETE FROM run");
	assert_int_equal(context_query(context, "SELECT count(*) FROM mark"), 0);
}

#define mark_test(function) \
	cmocka_unit_test_setup_teardown(function, context_setup_open, context_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		mark_test(test_words_change_alone),
		mark_test(test_of_a_refusal_nothing_is_done),
		mark_test(test_a_mark_goes_with_its_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
