/* Which cases a report shows, and in which order: the same in every format. */
#include "tests/reports/selection_support.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "reports/page/page.h"

/* ---- patterns ---- */

static void patterns_select_cases(void **state)
{
	static const struct {
		const char *pattern, *cases;
	} rows[] = {
		/* a kernel is itself, not every name with its letters */
		{"tail", "tail/guard/64/4096 tail/guard/128/4096 tail/guard/256/4096"},
		{"copy/wide/block=64,n=1024,steps=8", "copy/wide/64/1024"},
		{"*tail*n=4096*", "reduce/syncwarp_tail/64/4096 tail/guard/64/4096 "
				  "reduce/syncwarp_tail/128/4096 tail/guard/128/4096 "
				  "reduce/syncwarp_tail/256/4096 tail/guard/256/4096"},
		{"block=64,n=1024", "copy/plain/64/1024 copy/wide/64/1024"},
		{"COPY/W*", "copy/wide/64/1024 copy/wide/64/4096 copy/wide/128/1024 "
			    "copy/wide/128/4096 copy/wide/256/1024 copy/wide/256/4096"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char *patterns[] = {(char *)rows[i].pattern};

		expect_cases(&(struct report_selection){.patterns = patterns, .pattern_count = 1},
			     rows[i].cases);
	}
}

static void a_pattern_that_matches_nothing_is_refused(void **state)
{
	char *near[] = {"tail", "redcue"}, *far[] = {"xyz*"}, *variant[] = {"copy/wid"};

	(void)state;
	/* although another pattern matches */
	expect_refused(&(struct report_selection){.patterns = near, .pattern_count = 2},
		       "no case of run 7 matches \"redcue\"; did you mean reduce?");
	expect_refused(&(struct report_selection){.patterns = far, .pattern_count = 1},
		       "no case of run 7 matches \"xyz*\"; its kernels are: copy, reduce, tail");
	variant[0] = "coppy/wide";
	expect_refused(&(struct report_selection){.patterns = variant, .pattern_count = 1},
		       "did you mean copy/wide?");
}

static void the_same_cases_in_every_format(void **state)
{
	char *patterns[] = {"copy/wide"};
	const struct report_selection selection = {
		.patterns = patterns, .pattern_count = 1, .top = 1};
	char *text = selection_render_with(REPORT_TEXT, &selection, 0);
	char *markdown = selection_render_with(REPORT_MARKDOWN, &selection, 0);
	char *csv = selection_render_with(REPORT_CSV, &selection, 0);
	char *json = selection_render_with(REPORT_JSON, &selection, 0);
	json_t *root = json_loads(json, 0, NULL);

	(void)state;
	assert_non_null(strstr(text, "6 of 18 (6 ok) that match copy/wide\n"));
	assert_non_null(strstr(text, "\ncopy/wide (steps=8): 2 of 6 cases\n"));
	assert_non_null(strstr(markdown, "#### copy/wide (steps=8): 2 of 6 cases\n"));
	assert_int_equal(selection_count(csv, "\n"), 3);
	assert_int_equal(json_array_size(json_object_get(root, "trials")), 2);
	for (size_t i = 0; i < 2; i++) {
		const char *config = i == 0 ? "block=64,n=4096,steps=8" : "block=64,n=1024,steps=8";
		json_t *trial = json_array_get(json_object_get(root, "trials"), i);

		assert_string_equal(json_string_value(json_object_get(trial, "config")), config);
		assert_non_null(strstr(csv, config));
	}
	json_decref(root);
	free(text);
	free(markdown);
	free(csv);
	free(json);
}

/* A build without the page has its data all the same. */
static void the_page_has_the_same_cases(void **state)
{
	char *patterns[] = {"copy/wide"};
	const struct report_selection selection = {
		.patterns = patterns, .pattern_count = 1, .top = 1};
	struct report_selected selected;
	struct error err = {0};
	struct run run;
	char *bytes = NULL;
	size_t length;
	FILE *stream = open_memstream(&bytes, &length);
	json_t *root;

	(void)state;
	selection_run_init(&run);
	assert_int_equal(report_select(&selected, &run, &selection, NULL, &err), 0);
	page_write(stream, report_selected_run(&selected, REPORT_HTML),
		   &(struct report_options){.whole = &run});
	fclose(stream);
	root = json_loads(bytes, 0, NULL);
	assert_non_null(root);
	assert_int_equal(
		json_integer_value(json_object_get(json_object_get(root, "trials"), "count")), 2);
	assert_null(strstr(bytes, "syncwarp_tail"));
	json_decref(root);
	free(bytes);
	report_selected_release(&selected);
	run_release(&run);
}

/* ---- order ---- */

static void top_keeps_the_best_of_each_problem(void **state)
{
	(void)state;
	/* the largest problem first */
	expect_cases(&(struct report_selection){.top = 1},
		     "copy/plain/256/4096 copy/wide/64/1024 reduce/syncwarp_tail/64/4096 "
		     "tail/guard/64/4096");
}

static void sort_orders_the_cases_of_a_kernel(void **state)
{
	char *copy[] = {"copy/*n=4096*"};
	struct report_selection selection = {.patterns = copy, .pattern_count = 1};
	static const struct {
		const char *sort, *cases;
	} rows[] = {
		/* times from the smallest, rates from the largest */
		{"median", "copy/plain/256/4096 copy/plain/128/4096 copy/plain/64/4096"},
		{"median_ns", "copy/plain/256/4096 copy/plain/128/4096 copy/plain/64/4096"},
		{"-median", "copy/wide/256/4096 copy/wide/128/4096 copy/wide/64/4096"},
		{"model_bandwidth", "copy/plain/256/4096 copy/plain/128/4096 copy/plain/64/4096"},
		/* axes count up; equal values keep the order of the plan */
		{"block", "copy/plain/64/4096 copy/wide/64/4096 copy/plain/128/4096"},
		{"-axis_block", "copy/plain/256/4096 copy/wide/256/4096 copy/plain/128/4096"},
	};

	(void)state;
	selection.top = 3;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		selection.sort = rows[i].sort;
		expect_cases(&selection, rows[i].cases);
	}
}

/* A case without the value is last in both directions, and failed cases are never among the best.
 */
static void what_is_not_known_comes_last(void **state)
{
	static const char *const sorts[] = {"dram_bandwidth", "-dram_bandwidth"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sorts); i++) {
		const struct report_selection selection = {.sort = sorts[i],
							   .columns = "dram_bandwidth"};
		struct error err = {0};
		struct run run;
		char *csv, *first;

		selection_run_init(&run);
		counter_list_set(&run.trials[2].counters, "dram_bytes_per_s", "byte/s", "s", 1e12);
		run.trials[0].status = TRIAL_FAILED;
		run.trials[0].summary.median_ns = 1;
		csv = selection_render(&run, REPORT_CSV, &selection, 0, &err);
		assert_non_null(csv);
		first = strchr(csv, '\n') + 1;
		assert_int_equal(strncmp(first, "1,copy,wide,\"block=64,n=1024,", 29), 0);
		assert_non_null(strstr(first, ",1000000000000\n"));
		free(csv);
		csv = selection_render(&run, REPORT_CSV, &(struct report_selection){.top = 9}, 0,
				       &err);
		assert_int_equal(selection_count(csv, "\n"), run.trial_count);
		free(csv);
		run_release(&run);
	}
}

/* A narrow terminal keeps the column that someone asked for, and a column that is not usual is
 * added. */
static void the_sorted_column_is_shown(void **state)
{
	static const char *const sorts[][2] = {{"samples", " SAMPLES "}, {"-max", " MAX "}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sorts); i++) {
		char *text = selection_render_with(
			REPORT_TEXT, &(struct report_selection){.sort = sorts[i][0]}, 60);

		if (!strstr(text, sorts[i][1]))
			fail_msg("no%sin:\n%s", sorts[i][1], text);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(patterns_select_cases),
		cmocka_unit_test(a_pattern_that_matches_nothing_is_refused),
		cmocka_unit_test(the_same_cases_in_every_format),
		cmocka_unit_test(the_page_has_the_same_cases),
		cmocka_unit_test(top_keeps_the_best_of_each_problem),
		cmocka_unit_test(sort_orders_the_cases_of_a_kernel),
		cmocka_unit_test(what_is_not_known_comes_last),
		cmocka_unit_test(the_sorted_column_is_shown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
