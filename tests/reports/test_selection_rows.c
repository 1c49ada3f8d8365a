/* Which rows and columns a report of the selected cases has. */
#include "tests/reports/selection_support.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/table/escape.h"

/* ---- rows ---- */

static void a_kernel_shows_the_best_of_each_variant(void **state)
{
	char *copy[] = {"copy"};
	char *text = selection_render_with(
		REPORT_TEXT, &(struct report_selection){.patterns = copy, .pattern_count = 1}, 80);
	const char *table =
		strstr(text, "\ncopy (steps=8): 4 of 12 cases, the best of each variant\n");

	(void)state;
	assert_non_null(table);
	/* results before parameters, the largest problem first, no constant axis */
	assert_non_null(strstr(table, "VARIANT   MEDIAN "));
	assert_non_null(strstr(table, " BLOCK     N\n"));
	assert_null(strstr(table, "STEPS"));
	assert_true(strstr(table, "plain    9.00 us") < strstr(table, "wide     9.50 us"));
	assert_true(strstr(table, "wide     9.50 us") < strstr(table, "wide     2.00 us"));
	assert_int_equal(selection_count(text, "\nplain "), 2);
	assert_int_equal(selection_count(text, "\nwide "), 2);
	free(text);
}

static void all_shows_every_case(void **state)
{
	char *text =
		selection_render_with(REPORT_TEXT, &(struct report_selection){.all = true}, 80);

	(void)state;
	assert_non_null(strstr(text, "\ncopy (steps=8): 12 cases\n"));
	assert_int_equal(selection_count(text, "\nplain "), 6);
	assert_non_null(strstr(text, "\ntail/guard (n=4096, steps=8): 3 cases\n"));
	free(text);
	expect_refused(&(struct report_selection){.all = true, .top = 3},
		       "--all shows every case and --top 3 only the best: give --top to compare a "
		       "few cases, --all to see everything");
}

/* A variant whose work depends on the block size solves one problem, not one per block size. */
static void a_variant_is_the_best_once(void **state)
{
	struct error err = {0};
	struct run run;
	char *text;

	(void)state;
	selection_run_init(&run);
	for (size_t i = 0; i < run.trial_count; i++) {
		if (strcmp(run.trials[i].kernel, "tail") == 0)
			run.trials[i].bytes_written += run.trials[i].axes[0].value;
	}
	text = selection_render(&run, REPORT_TEXT, &(struct report_selection){.top = 1}, 80, &err);
	assert_non_null(strstr(text, "\ntail/guard (n=4096, steps=8): 1 of 3 cases\n"));
	free(text);
	run_release(&run);
}

static void many_kernels_are_one_line_each(void **state)
{
	struct error err = {0};
	struct run run;
	const char *at;
	char *text;

	(void)state;
	selection_run_init(&run);
	selection_add_case(&run, "broken", "only", 64, 4096, NAN)->status = TRIAL_FAILED;
	text = selection_render(&run, REPORT_TEXT, &(struct report_selection){0}, 80, &err);
	at = strstr(text, "\nFastest case of each kernel, on its largest problem\n");
	assert_non_null(at);
	/* the fastest time of all is on the small problem */
	assert_non_null(strstr(at, "\ncopy    plain          9.00 us  "));
	assert_non_null(strstr(at, "block=256,n=4096\n"));
	assert_non_null(strstr(at, "\nbroken  -                    -  "));
	assert_non_null(strstr(at, "1 failed\n"));
	assert_null(strstr(text, "the best of each variant"));
	assert_non_null(strstr(text, "perflab report 7 'copy/*'\n"));
	free(text);
	/* a narrow terminal cuts where the case is, and never the result; each kernel is one row */
	text = selection_render(&run, REPORT_TEXT, &(struct report_selection){0}, 52, &err);
	assert_non_null(strstr(text, "9.00 us  unknown  block=256,n…\n"));
	free(text);
	run_release(&run);
}

/* A matrix product has fewer bytes in half precision, and is the same work. */
static void fewer_bytes_for_the_same_operations_are_no_smaller_problem(void **state)
{
	struct trial *product;
	struct error err = {0};
	struct run run;
	char *text;

	(void)state;
	selection_run_init(&run);
	selection_add_case(&run, "product", "f32", 64, 4096, 8000)->flop = 1000000;
	/* less work, counted in bytes */
	selection_add_case(&run, "product", "copied", 64, 4096, 6000);
	product = selection_add_case(&run, "product", "bf16", 64, 4096, 7000);
	product->flop = 1000000;
	product->bytes_read /= 2;
	text = selection_render(&run, REPORT_TEXT, &(struct report_selection){0}, 80, &err);
	assert_non_null(strstr(text, "\nproduct  bf16           7.00 us  "));
	free(text);
	run_release(&run);
}

static void lines_fit_the_terminal(void **state)
{
	static const struct report_selection selections[] = {
		{0}, {.all = true}, {.top = 2}, {.columns = "median,limiter,low,high,max"}};
	static const int widths[] = {60, 80, 120};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(selections) * ARRAY_SIZE(widths); i++) {
		int width = widths[i % ARRAY_SIZE(widths)];
		char *rest = NULL;
		char *text = selection_render_with(REPORT_TEXT, &selections[i / ARRAY_SIZE(widths)],
						   width);

		for (char *line = strtok_r(text, "\n", &rest); line;
		     line = strtok_r(NULL, "\n", &rest)) {
			if (utf8_length(line) > (size_t)width)
				fail_msg("wider than %d: %s", width, line);
		}
		free(text);
	}
}

/* ---- columns ---- */

static void columns_are_chosen_by_name(void **state)
{
	const struct report_selection selection = {.top = 1, .columns = "low,n,median,limiter"};
	char *csv = selection_render_with(REPORT_CSV, &selection, 0);
	char *json = selection_render_with(REPORT_JSON, &selection, 0);
	char *text = selection_render_with(REPORT_TEXT, &selection, 0);
	json_t *root = json_loads(json, 0, NULL), *trial;

	(void)state;
	assert_int_equal(
		strncmp(csv,
			"format,kernel,variant,config,session_low_ns,n,median_ns,bound\n"
			"1,copy,plain,\"block=256,n=4096,steps=8\",8997,4096,8998,",
			strlen("format,kernel,variant,config,session_low_ns,n,median_ns,bound\n"
			       "1,copy,plain,\"block=256,n=4096,steps=8\",8997,4096,8998,")),
		0);
	trial = json_array_get(json_object_get(root, "trials"), 0);
	assert_int_equal(json_object_size(trial), 7);
	assert_true(json_number_value(json_object_get(trial, "median_ns")) == 8998);
	assert_non_null(strstr(text, "VARIANT      LOW     N   MEDIAN  LIMITER"));
	json_decref(root);
	free(csv);
	free(json);
	free(text);
}

static void an_unknown_column_names_the_nearest(void **state)
{
	(void)state;
	expect_refused(&(struct report_selection){.sort = "mediann"},
		       "--sort: run 7 has no column \"mediann\"; did you mean median?");
	expect_refused(&(struct report_selection){.sort = "-mediann"}, "did you mean median?");
	expect_refused(&(struct report_selection){.columns = "median,stepps"},
		       "--columns: run 7 has no column \"stepps\"; did you mean steps?");
	expect_refused(&(struct report_selection){.columns = "median,"},
		       "--columns: the name of a column is missing; give names such as median,");
	expect_refused(
		&(struct report_selection){.columns = "median,zzzzzzzz"},
		"--columns: run 7 has no column \"zzzzzzzz\"; there are kernel, variant, config, "
		"case, status, median, ");
	expect_refused(&(struct report_selection){.sort = "zzzzzzzz"},
		       "and every axis and counter of the run");
}

/* A run of an emulator has no column of a time, and a device none of the emulator. */
static void columns_belong_to_the_kind_of_run(void **state)
{
	struct report_selected selected;
	struct error err = {0};
	struct run run;

	(void)state;
	expect_refused(&(struct report_selection){.columns = "lost"}, "no column \"lost\"");
	selection_run_init(&run);
	run.traits = (struct backend_traits){.emulated = true};
	assert_int_equal(report_select(&selected, &run,
				       &(struct report_selection){.columns = "median"}, NULL, &err),
			 PL_EUSAGE);
	report_selected_release(&selected);
	run_release(&run);
}

/* ---- emulated ---- */

static void worst_findings_come_first(void **state)
{
	static const char *const order[] = {
		"\nFindings, worst first\n",
		"87.5  copy/wide",
		"4.0 of 32 lanes",
		"regroup by warp",
		"75.0  copy/plain",
		"\ncopy (",
		"\nwide",
		"\nplain",
	};
	struct error err = {0};
	struct run run;
	const char *at;
	char *text;

	(void)state;
	selection_run_init(&run);
	run.traits = (struct backend_traits){.emulated = true, .warp_size = 32};
	for (size_t i = 0; i < run.trial_count; i++) {
		struct trial *trial = &run.trials[i];
		bool wide = strcmp(trial->variant, "wide") == 0;

		/* each variant has one bad case, which is not its first one */
		if (strcmp(trial->kernel, "copy") == 0 && trial->axes[0].value == 128)
			counter_list_set(&trial->counters, "ptx_warp_execution_efficiency_pct",
					 "percent", "emulated PTX", wide ? 12.5 : 25);
	}
	text = selection_render(&run, REPORT_TEXT, &(struct report_selection){0}, 80, &err);
	at = text;
	for (size_t i = 0; i < ARRAY_SIZE(order); i++) {
		at = at ? strstr(at, order[i]) : NULL;
		if (!at)
			fail_msg("%s is missing or too early in:\n%s", order[i], text);
	}
	free(text);
	run_release(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_kernel_shows_the_best_of_each_variant),
		cmocka_unit_test(all_shows_every_case),
		cmocka_unit_test(a_variant_is_the_best_once),
		cmocka_unit_test(many_kernels_are_one_line_each),
		cmocka_unit_test(fewer_bytes_for_the_same_operations_are_no_smaller_problem),
		cmocka_unit_test(lines_fit_the_terminal),
		cmocka_unit_test(columns_are_chosen_by_name),
		cmocka_unit_test(an_unknown_column_names_the_nearest),
		cmocka_unit_test(columns_belong_to_the_kind_of_run),
		cmocka_unit_test(worst_findings_come_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
