/*
 * Marks, labels and notes that a user adds to a stored run.
 */
#include "context.h"

#include <stdio.h>
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

static bool note_run(void *context, int64_t run_id)
{
	struct text *runs = context;

	text_addf(runs, "%lld ", (long long)run_id);
	return true;
}

/* Marks a run (NULL: leaves its mark), and asserts which runs are to be judged again, the newest
 * first. Then none is. */
static void assert_noted(struct context *context, int64_t run_id, const char *mark, bool good,
			 const char *expected)
{
	struct text runs = TEXT_INIT;

	if (mark)
		assert_ok(context, db_run_mark(context->db, run_id,
					       &(struct run_words){.mark = mark}, &context->err));
	assert_ok(context, db_changed_baselines_note(context->db, run_id, good, &context->err));
	text_add(&runs, "");
	assert_ok(context, db_changed_baselines_visit(context->db, note_run, &runs, &context->err));
	assert_string_equal(runs.data, expected);
	text_release(&runs);
	for (int64_t id = 1; id <= 6; id++)
		assert_ok(context, db_changed_baselines_settle(context->db, id, &context->err));
	assert_int_equal(context_query(context, "SELECT count(*) FROM judgement WHERE rules < 0"),
			 0);
}

static void test_a_mark_reaches_the_next_good_run(void **state)
{
	struct context *context = *state;

	for (int i = 0; i < 6; i++) {
		struct run run = fixture_run("nightly");

		run.started_ns += i * INT64_C(1000000000);
		snprintf(run.uid, sizeof(run.uid), "abcd%028d", i);
		assert_ok(context, fixture_store(context->db, &run, &context->err));
		run_release(&run);
	}
	/* of runs without a good one, the newest that is not bad is the baseline */
	assert_noted(context, 2, "bad", false, "3 ");
	assert_noted(context, 2, "none", false, "3 ");
	assert_noted(context, 3, "bad", false, "4 ");
	assert_noted(context, 2, "bad", false, "4 3 ");
	/* the first good one is that of all later runs */
	assert_noted(context, 2, "good", true, "6 5 4 3 ");
	/* the next good one ends that */
	assert_noted(context, 4, "good", true, "6 5 ");
	assert_noted(context, 2, "none", true, "4 3 ");
	assert_noted(context, 6, "good", true, "");
	/* of a run that lacks the case, an older good one stays the baseline */
	sql_execute(context->path, "UPDATE trial SET kernel = 'other' WHERE run_id = 4");
	assert_noted(context, 2, "good", true, "6 5 4 3 ");
	/* a run of another device has other baselines */
	sql_execute(context->path, "INSERT INTO device (id, name) VALUES (9, 'other');"
				   "UPDATE run SET device_id = 9 WHERE id = 5");
	assert_noted(context, 2, "none", true, "6 4 3 ");
}

#define mark_test(function) \
	cmocka_unit_test_setup_teardown(function, context_setup_open, context_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		mark_test(test_words_change_alone),
		mark_test(test_of_a_refusal_nothing_is_done),
		mark_test(test_a_mark_goes_with_its_run),
		mark_test(test_a_mark_reaches_the_next_good_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
