/* Which cases, rows and columns a report shows: the same in every format. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "reports/page/page.h"
#include "reports/reports.h"
#include "reports/table/escape.h"
#include "tests/reports/golden.h"

/* ---- a run: two kernels, variants, block sizes, two sizes ---- */

static struct trial *add_case(struct run *run, const char *kernel, const char *variant,
			      int64_t block, int64_t n, double median_ns)
{
	struct trial *trial;

	run->trials = xrealloc(run->trials, (run->trial_count + 1) * sizeof(*run->trials));
	trial = &run->trials[run->trial_count];
	*trial = (struct trial){
		.id = (int64_t)run->trial_count + 1,
		.position = (int64_t)run->trial_count,
		.kernel = xstrdup(kernel),
		.variant = xstrdup(variant),
		.config = xasprintf("block=%lld,n=%lld,steps=8", (long long)block, (long long)n),
		.axes = xcalloc(3, sizeof(*trial->axes)),
		.axis_count = 3,
		.status = TRIAL_OK,
		.facts = launch_facts_unknown,
		.has_work = true,
		.bytes_read = 4 * n,
		.bytes_written = 4 * n,
		.summary = {.count = 20,
			    .median_ns = median_ns,
			    .mad_ns = 1,
			    .low_ns = median_ns - 1,
			    .high_ns = median_ns + 1,
			    .min_ns = median_ns - 2,
			    .max_ns = median_ns + 2},
	};
	trial->axes[0] = (struct named_value){"block", block};
	trial->axes[1] = (struct named_value){"n", n};
	trial->axes[2] = (struct named_value){"steps", 8};
	run->trial_count++;
	return trial;
}

/* copy/plain is faster on the large problem, copy/wide on the small one; syncwarp_tail is a variant
 * whose name contains that of the kernel tail. */
static void run_init(struct run *run)
{
	static const int64_t blocks[] = {64, 128, 256};

	*run = (struct run){
		.id = 7,
		.uid = "00112233445566778899aabbccddeeff",
		.backend = xstrdup("cuda"),
		.traits = {.timed = true, .vendor = "NVIDIA", .warp_size = 32},
		.state = xstrdup("finished"),
		.rounds = 3,
		.started_ns = INT64_C(1795229445000000000),
	};
	for (size_t i = 0; i < ARRAY_SIZE(blocks); i++) {
		add_case(run, "copy", "plain", blocks[i], 1024, 3000 - (double)i);
		add_case(run, "copy", "plain", blocks[i], 4096, 9000 - (double)i);
		add_case(run, "copy", "wide", blocks[i], 1024, 2000 + (double)i);
		add_case(run, "copy", "wide", blocks[i], 4096, 9500 + (double)i);
		add_case(run, "reduce", "syncwarp_tail", blocks[i], 4096, 5000 + (double)i);
		add_case(run, "tail", "guard", blocks[i], 4096, 4000 + (double)i);
	}
}

/* Selects and writes, as the command line does. NULL: the selection was refused. */
static char *render(const struct run *run, enum report_format format,
		    const struct report_selection *selection, int width, struct error *err)
{
	struct report_selected selected;
	struct report_options options = {.selection = selection, .whole = run, .width = width};
	char *bytes = NULL;
	size_t length;
	int rc = report_select(&selected, run, selection, NULL, err);

	if (!rc)
		bytes = golden_render(report_selected_run(&selected, format), format, &options,
				      &length);
	report_selected_release(&selected);
	return bytes;
}

static char *render_with(enum report_format format, const struct report_selection *selection,
			 int width)
{
	struct error err = {0};
	struct run run;
	char *bytes;

	run_init(&run);
	bytes = render(&run, format, selection, width, &err);
	if (!bytes)
		fail_msg("%s", err.text);
	run_release(&run);
	return bytes;
}

static void expect_refused(const struct report_selection *selection, const char *text)
{
	struct error err = {0};
	struct run run;

	run_init(&run);
	assert_null(render(&run, REPORT_TEXT, selection, 0, &err));
	if (!strstr(err.text, text))
		fail_msg("\"%s\" lacks \"%s\"", err.text, text);
	run_release(&run);
}

/* The cases of a CSV report in order: "copy/plain/64/1024 ...". */
static void expect_cases(const struct report_selection *selection, const char *expected)
{
	struct report_selection with = *selection;
	struct text cases = TEXT_INIT;
	char *bytes, *line, *rest = NULL;

	with.columns = "block,n";
	bytes = render_with(REPORT_CSV, &with, 0);
	strtok_r(bytes, "\n", &rest);
	while ((line = strtok_r(NULL, "\n", &rest))) {
		char kernel[32], variant[32], config[64];
		long long block, n;

		assert_int_equal(sscanf(line, "1,%31[^,],%31[^,],\"%63[^\"]\",%lld,%lld", kernel,
					variant, config, &block, &n),
				 5);
		text_addf(&cases, "%s%s/%s/%lld/%lld", cases.length ? " " : "", kernel, variant,
			  block, n);
	}
	assert_string_equal(cases.data, expected);
	text_release(&cases);
	free(bytes);
}

static size_t count_of(const char *text, const char *part)
{
	size_t count = 0;

	for (const char *at = strstr(text, part); at; at = strstr(at + 1, part))
		count++;
	return count;
}

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
	char *text = render_with(REPORT_TEXT, &selection, 0);
	char *markdown = render_with(REPORT_MARKDOWN, &selection, 0);
	char *csv = render_with(REPORT_CSV, &selection, 0);
	char *json = render_with(REPORT_JSON, &selection, 0);
	json_t *root = json_loads(json, 0, NULL);

	(void)state;
	assert_non_null(strstr(text, "6 of 18 (6 ok) that match copy/wide\n"));
	assert_non_null(strstr(text, "\ncopy/wide (steps=8): 2 of 6 cases\n"));
	assert_non_null(strstr(markdown, "#### copy/wide (steps=8): 2 of 6 cases\n"));
	assert_int_equal(count_of(csv, "\n"), 3);
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
	run_init(&run);
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

		run_init(&run);
		counter_list_set(&run.trials[2].counters, "dram_bytes_per_s", "byte/s", "s", 1e12);
		run.trials[0].status = TRIAL_FAILED;
		run.trials[0].summary.median_ns = 1;
		csv = render(&run, REPORT_CSV, &selection, 0, &err);
		assert_non_null(csv);
		first = strchr(csv, '\n') + 1;
		assert_int_equal(strncmp(first, "1,copy,wide,\"block=64,n=1024,", 29), 0);
		assert_non_null(strstr(first, ",1000000000000\n"));
		free(csv);
		csv = render(&run, REPORT_CSV, &(struct report_selection){.top = 9}, 0, &err);
		assert_int_equal(count_of(csv, "\n"), run.trial_count);
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
		char *text = render_with(REPORT_TEXT,
					 &(struct report_selection){.sort = sorts[i][0]}, 60);

		if (!strstr(text, sorts[i][1]))
			fail_msg("no%sin:\n%s", sorts[i][1], text);
		free(text);
	}
}

/* ---- rows ---- */

static void a_kernel_shows_the_best_of_each_variant(void **state)
{
	char *copy[] = {"copy"};
	char *text = render_with(
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
	assert_int_equal(count_of(text, "\nplain "), 2);
	assert_int_equal(count_of(text, "\nwide "), 2);
	free(text);
}

static void all_shows_every_case(void **state)
{
	char *text = render_with(REPORT_TEXT, &(struct report_selection){.all = true}, 80);

	(void)state;
	assert_non_null(strstr(text, "\ncopy (steps=8): 12 cases\n"));
	assert_int_equal(count_of(text, "\nplain "), 6);
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
	run_init(&run);
	for (size_t i = 0; i < run.trial_count; i++) {
		if (strcmp(run.trials[i].kernel, "tail") == 0)
			run.trials[i].bytes_written += run.trials[i].axes[0].value;
	}
	text = render(&run, REPORT_TEXT, &(struct report_selection){.top = 1}, 80, &err);
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
	run_init(&run);
	add_case(&run, "broken", "only", 64, 4096, NAN)->status = TRIAL_FAILED;
	text = render(&run, REPORT_TEXT, &(struct report_selection){0}, 80, &err);
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
	text = render(&run, REPORT_TEXT, &(struct report_selection){0}, 52, &err);
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
	run_init(&run);
	add_case(&run, "product", "f32", 64, 4096, 8000)->flop = 1000000;
	/* less work, counted in bytes */
	add_case(&run, "product", "copied", 64, 4096, 6000);
	product = add_case(&run, "product", "bf16", 64, 4096, 7000);
	product->flop = 1000000;
	product->bytes_read /= 2;
	text = render(&run, REPORT_TEXT, &(struct report_selection){0}, 80, &err);
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
		char *text = render_with(REPORT_TEXT, &selections[i / ARRAY_SIZE(widths)], width);

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
	char *csv = render_with(REPORT_CSV, &selection, 0);
	char *json = render_with(REPORT_JSON, &selection, 0);
	char *text = render_with(REPORT_TEXT, &selection, 0);
	json_t *root = json_loads(json, 0, NULL), *trial;

	(void)state;
	assert_int_equal(
		strncmp(csv,
			"format,kernel,variant,config,low_ns,n,median_ns,bound\n"
			"1,copy,plain,\"block=256,n=4096,steps=8\",8997,4096,8998,",
			strlen("format,kernel,variant,config,low_ns,n,median_ns,bound\n"
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
	expect_refused(&(struct report_selection){.columns = "finding"}, "no column \"finding\"");
	run_init(&run);
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
	run_init(&run);
	run.traits = (struct backend_traits){.emulated = true, .warp_size = 32};
	for (size_t i = 0; i < run.trial_count; i++) {
		struct trial *trial = &run.trials[i];
		bool wide = strcmp(trial->variant, "wide") == 0;

		/* each variant has one bad case, which is not its first one */
		if (strcmp(trial->kernel, "copy") == 0 && trial->axes[0].value == 128)
			counter_list_set(&trial->counters, "ptx_warp_execution_efficiency_pct",
					 "percent", "emulated PTX", wide ? 12.5 : 25);
	}
	text = render(&run, REPORT_TEXT, &(struct report_selection){0}, 80, &err);
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
		cmocka_unit_test(patterns_select_cases),
		cmocka_unit_test(a_pattern_that_matches_nothing_is_refused),
		cmocka_unit_test(the_same_cases_in_every_format),
		cmocka_unit_test(the_page_has_the_same_cases),
		cmocka_unit_test(top_keeps_the_best_of_each_problem),
		cmocka_unit_test(sort_orders_the_cases_of_a_kernel),
		cmocka_unit_test(what_is_not_known_comes_last),
		cmocka_unit_test(the_sorted_column_is_shown),
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
