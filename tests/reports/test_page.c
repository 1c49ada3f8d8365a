/* The data of the page about a run: its numbers, and the reasons for missing ones. Also the page.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "tests/reports/constructed_run.h"
#include "tests/reports/constructed_speedups.h"
#include "tests/reports/page_support.h"

static json_t *counter_named(json_t *root, const char *metric)
{
	json_t *counters = at(root, "counters"), *counter;
	size_t i;

	json_array_foreach(counters, i, counter)
	{
		if (strcmp(json_string_value(at(counter, "metric")), metric) == 0)
			return counter;
	}
	fail_msg("no counter %s", metric);
	return NULL;
}

static void a_run_keeps_its_numbers_and_its_reasons(void **state)
{
	struct run run;
	json_t *root, *branches;

	(void)state;
	constructed_run_init(&run);
	root = page_of(&run, &(struct report_options){0});
	assert_int_equal(json_integer_value(at(root, "trials.count")), run.trial_count);
	assert_string_equal(word_at(root, "trials.variant.#0"), "shuffle");
	assert_true(json_number_value(at(root, "trials.median_ns.#1")) == 20480.0);
	assert_true(json_number_value(at(root, "trials.session_low_ns.#1")) == 20448.5);
	/* skipped: no time, a reason */
	assert_true(json_is_null(at(root, "trials.median_ns.#2")));
	assert_string_equal(word_at(root, "trials.reason.#2"), "the block must be a power of two");
	/* three samples: a time without an interval */
	assert_true(json_number_value(at(root, "trials.median_ns.#6")) == 912.5);
	assert_true(json_is_null(at(root, "trials.session_low_ns.#6")));
	/* a value, a reason, not requested */
	branches = counter_named(root, "branch_efficiency_pct");
	assert_true(json_number_value(at(branches, "values.#0")) == 98.5);
	assert_string_equal(json_string_value(json_array_get(
				    at(root, "words"),
				    (size_t)json_integer_value(at(branches, "values.#1.#0")))),
			    "the kernel executes no branches");
	assert_true(json_is_null(at(branches, "values.#2")));
	assert_true(json_is_false(at(root, "run.emulated")));
	assert_string_equal(json_string_value(at(root, "run.seed")), "18446744073709551615");
	assert_null(json_object_get(root, "compare_run"));
	json_decref(root);
	run_release(&run);
}

static void a_case_has_a_speedup_or_the_reason_why_not(void **state)
{
	struct run run;
	json_t *root;

	(void)state;
	constructed_speedups_init(&run);
	root = page_of(&run, &(struct report_options){0});
	assert_string_equal(json_string_value(at(root, "speedup_verdicts.#1.#0")), "faster");
	/* a case of the base variant */
	assert_true(json_is_null(at(root, "speedups.#0")));
	assert_string_equal(word_at(root, "speedups.#4.#0"), "old");
	assert_string_equal(word_at(root, "speedups.#4.#1"), "block=128,n=16777216");
	assert_int_equal(json_integer_value(at(root, "speedups.#4.#2")), SPEEDUP_FASTER);
	assert_true(json_number_value(at(root, "speedups.#4.#3")) == 1.0417);
	assert_true(json_number_value(at(root, "speedups.#4.#5")) == 1.0438);
	assert_int_equal(json_integer_value(at(root, "speedups.#3.#8")), 0);
	assert_true(json_is_null(at(root, "speedups.#6.#3")));
	assert_string_equal(word_at(root, "speedups.#6.#9"), "old has no case with block=512");
	json_decref(root);
	for (size_t i = 0; i < run.trial_count; i++)
		trial_speedup_release(&run.trials[i].speedup);
	root = page_of(&run, &(struct report_options){0});
	assert_true(json_is_null(at(root, "speedups")));
	json_decref(root);
	run_release(&run);
}

static void an_emulated_run_says_so_and_has_no_times(void **state)
{
	struct run run;
	json_t *root;

	(void)state;
	constructed_emulated_init(&run);
	root = page_of(&run, &(struct report_options){0});
	assert_true(json_is_true(at(root, "run.emulated")));
	assert_true(json_is_null(at(root, "trials.median_ns.#0")));
	/* sources are a list: some counts cover all blocks and some only a few */
	assert_true(json_is_array(at(counter_named(root, "ptx_branches"), "source")));
	json_decref(root);
	run_release(&run);
}

/* Settings that were not given, or that mean nothing to the backend, are left out. */
static void settings_are_those_that_mean_something(void **state)
{
	static const struct {
		bool emulated;
		const char *stored, *shown;
		int rounds;     /* -1: none */
		unsigned known; /* 0: all, unless text is stored */
	} cases[] = {
		{false, NULL, "{\"cache\":\"cold\"}", 3, SETTING_CACHE},
		{true, NULL, "{}", -1, SETTING_CACHE},
		{true, NULL, "{\"device\":0}", -1, SETTING_CACHE | SETTING_DEVICE},
		{false, NULL,
		 "{\"device\":0,\"seed\":\"7\",\"cache\":\"cold\",\"min_samples\":30,"
		 "\"max_time_ns\":5,\"precision\":0.01,\"rounds\":5,"
		 "\"placements\":4,\"timeout_ns\":60000000000,\"metrics\":[\"</b>\"]}",
		 3, 0},
		{true, NULL,
		 "{\"device\":0,\"seed\":\"7\",\"timeout_ns\":60000000000,\"metrics\":[\"</b>\"],"
		 "\"all_blocks\":false,\"jobs\":0}",
		 -1, 0},
		{false, "{{ no JSON", "{{ no JSON", 3, 0},
		{false, "[1,null]", "[1,null]", 3, 0},
		{false, "", NULL, 3, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct run run = {
			.uid = "00112233445566778899aabbccddeeff",
			.backend = xstrdup(cases[i].emulated ? "ptx" : "cuda"),
			.traits = {.timed = !cases[i].emulated, .emulated = cases[i].emulated},
			.has_settings = !cases[i].stored && !cases[i].known,
			.settings_known = cases[i].stored  ? 0
					  : cases[i].known ? cases[i].known
							   : SETTINGS_ALL,
			.settings = measure_settings_default,
			.settings_json = cases[i].stored ? xstrdup(cases[i].stored) : NULL,
			.rounds = 3,
		};
		const json_t *rounds;
		const char *shown;
		json_t *root;

		run.settings.seed = 7;
		run.settings.max_time_ns = 5;
		string_list_add(&run.settings.metrics, "</b>");
		root = page_of(&run, &(struct report_options){0});
		rounds = at(root, "run.rounds");
		shown = json_string_value(at(root, "run.settings"));
		if (cases[i].shown)
			assert_string_equal(shown, cases[i].shown);
		else
			assert_null(shown);
		assert_int_equal(json_is_null(rounds) ? -1 : json_integer_value(rounds),
				 cases[i].rounds);
		json_decref(root);
		run_release(&run);
	}
}

static void a_run_without_trials_is_whole(void **state)
{
	struct run run = {.uid = "00112233445566778899aabbccddeeff"};
	json_t *root;

	(void)state;
	root = page_of(&run, &(struct report_options){0});
	assert_int_equal(json_integer_value(at(root, "trials.count")), 0);
	assert_true(json_is_null(at(root, "run.label")));
	json_decref(root);
}

static void a_page_is_whole_or_says_how_to_get_one(void **state)
{
	struct run run;
	struct error err = {0};
	char *bytes = NULL;
	size_t length;
	FILE *stream = open_memstream(&bytes, &length);
	int rc;

	(void)state;
	constructed_run_init(&run);
	free(run.label);
	run.label = xstrdup(SCRIPT_END);
	rc = report_run(stream, &run, REPORT_HTML, NULL, &err);
	fclose(stream);
	if (report_page_length() == 0) {
		assert_int_equal(rc, PL_EUNSUPPORTED);
		assert_non_null(strstr(err.text, "configure again"));
		assert_int_equal(length, 0);
	} else {
		assert_int_equal(rc, 0);
		assert_memory_equal(bytes, "<!doctype html>", 15);
		assert_non_null(strstr(bytes, "default-src 'none'"));
		assert_non_null(strstr(bytes, "<title>&#60;/script&#62;&#60;!--&#38;"));
		assert_non_null(strstr(bytes, "id=\"run\">{\"format\":1,"));
		assert_string_equal(bytes + length - 8, "</html>\n");
	}
	free(bytes);
	run_release(&run);
}

static void a_selection_is_named(void **state)
{
	char *patterns[] = {"reduce/*", SCRIPT_END};
	const struct report_selection selection = {
		.patterns = patterns, .pattern_count = 2, .top = 3, .sort = "-median"};
	struct run whole, selected;
	json_t *root;

	(void)state;
	constructed_run_init(&whole);
	selected = whole;
	selected.trial_count = 2;
	root = page_of(&selected,
		       &(struct report_options){.selection = &selection, .whole = &whole});
	assert_int_equal(json_integer_value(at(root, "selection.cases")), whole.trial_count);
	assert_string_equal(json_string_value(at(root, "selection.patterns.#1")), SCRIPT_END);
	assert_int_equal(json_integer_value(at(root, "selection.top")), 3);
	assert_string_equal(json_string_value(at(root, "selection.sort")), "-median");
	json_decref(root);
	/* all cases are no selection */
	root = page_of(&whole, &(struct report_options){.selection = &selection, .whole = &whole});
	assert_true(json_is_null(at(root, "selection")));
	json_decref(root);
	run_release(&whole);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_selection_is_named),
		cmocka_unit_test(a_run_keeps_its_numbers_and_its_reasons),
		cmocka_unit_test(a_case_has_a_speedup_or_the_reason_why_not),
		cmocka_unit_test(an_emulated_run_says_so_and_has_no_times),
		cmocka_unit_test(settings_are_those_that_mean_something),
		cmocka_unit_test(a_run_without_trials_is_whole),
		cmocka_unit_test(a_page_is_whole_or_says_how_to_get_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
