/* Text, Markdown, JSON and page name the same fastest case of each kernel and of each variant. */
#include "tests/reports/selection_support.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "tests/reports/page_support.h"

/*
 * Adds a kernel of unlike problems, as a memory benchmark has: a copy moves less than an addition
 * at the same n, so that it takes less time and is no better. A faster addition was not verified,
 * and another one is of a smaller problem. Returns the index of the fastest addition.
 */
static size_t add_unlike_problems(struct run *run)
{
	const size_t fastest = run->trial_count + 2;

	selection_add_case(run, "stream", "copy", 64, 4096, 3000);
	selection_add_case(run, "stream", "add", 64, 4096, 5000)->bytes_read *= 2;
	selection_add_case(run, "stream", "add", 128, 4096, 4500)->bytes_read *= 2;
	selection_add_case(run, "stream", "add", 256, 4096, 4000)->bytes_read *= 2;
	run->trials[fastest + 1].status = TRIAL_UNVERIFIED;
	selection_add_case(run, "stream", "add", 128, 1024, 1000)->bytes_read *= 2;
	return fastest;
}

/* The kernel's trials for which the member of the list, or of each object, is set; "64 128". */
static char *blocks_with(json_t *trials, const char *kernel, const char *member)
{
	struct text blocks = TEXT_INIT;
	json_t *trial;
	size_t i;

	json_array_foreach(trials, i, trial)
	{
		if (strcmp(json_string_value(at(trial, "kernel")), kernel) == 0 &&
		    json_is_true(at(trial, member)))
			text_addf(&blocks, "%s%s/%lld", blocks.length ? " " : "",
				  json_string_value(at(trial, "variant")),
				  (long long)json_integer_value(at(trial, "axes.block")));
	}
	return text_detach(&blocks);
}

static void expect_blocks(json_t *trials, const char *member, const char *expected)
{
	char *blocks = blocks_with(trials, "stream", member);

	assert_string_equal(blocks, expected);
	free(blocks);
}

/* The first best case of a variant of the kernel, in the order of the page. */
static size_t first_of_page(const struct run *run, json_t *page, const char *kernel)
{
	size_t first = run->trial_count;
	json_int_t least = 0;

	for (size_t i = 0; i < run->trial_count; i++) {
		const json_int_t rank = json_integer_value(json_array_get(at(page, "rank"), i));

		if (strcmp(run->trials[i].kernel, kernel) != 0 ||
		    !json_integer_value(json_array_get(at(page, "best_of_variant"), i)))
			continue;
		if (first == run->trial_count || rank < least) {
			first = i;
			least = rank;
		}
	}
	return first;
}

static void every_output_names_the_same_fastest_case(void **state)
{
	struct error err = {0};
	struct run run;
	size_t fastest;
	char *text, *json_text;
	json_t *json, *page;

	(void)state;
	selection_run_init(&run);
	fastest = add_unlike_problems(&run);
	text = selection_render(&run, REPORT_TEXT, &(struct report_selection){0}, 80, &err);
	assert_non_null(strstr(text, "\nstream  add "));
	assert_non_null(strstr(text, "block=128,n=4096"));
	json_text = selection_render(&run, REPORT_JSON, &(struct report_selection){0}, 0, &err);
	json = json_loads(json_text, 0, NULL);
	expect_blocks(at(json, "trials"), "best_of_kernel", "add/128");
	expect_blocks(at(json, "trials"), "best_of_variant", "copy/64 add/128");
	expect_blocks(at(json, "trials"), "best_of_problem", "copy/64 add/128 add/128");
	page = page_of(&run, &(struct report_options){0});
	assert_int_equal(first_of_page(&run, page, "stream"), fastest);
	json_decref(page);
	json_decref(json);
	free(json_text);
	free(text);
	run_release(&run);
}

/* The first row of a kernel's table is the case that the other outputs call the fastest, too. */
static void the_table_begins_with_the_fastest_case(void **state)
{
	char *stream[] = {"stream"};
	struct error err = {0};
	struct run run;
	char *text;

	(void)state;
	selection_run_init(&run);
	add_unlike_problems(&run);
	text = selection_render(&run, REPORT_TEXT,
				&(struct report_selection){.patterns = stream, .pattern_count = 1},
				80, &err);
	assert_non_null(strstr(text, "\nadd      4.50 us"));
	assert_true(strstr(text, "\nadd      4.50 us") < strstr(text, "\ncopy     3.00 us"));
	free(text);
	run_release(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_output_names_the_same_fastest_case),
		cmocka_unit_test(the_table_begins_with_the_fastest_case),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
