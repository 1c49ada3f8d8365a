/*
 * What a page is given of a run: JSON that no text can break out of, numbers
 * that are those of the run, and reasons where there are none.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "reports/page.h"
#include "tests/reports/constructed_run.h"

#define SCRIPT_END "</script><!--&\xe2\x80\xa8\xe2\x80\xa9"

/* ---- JSON, a value at a time ---- */

static char *text_as_json(const char *text)
{
	struct page_json json;
	char *bytes = NULL;
	size_t length;
	FILE *stream = open_memstream(&bytes, &length);

	page_json_init(&json, stream);
	page_text(&json, text);
	page_json_release(&json);
	fclose(stream);
	return bytes;
}

static void text_ends_no_element_and_comes_back_as_it_was(void **state)
{
	static const struct {
		const char *text, *read;
	} cases[] = {
		{SCRIPT_END, SCRIPT_END},
		{"a \"b\" \\ \n\t\x01\x7f", "a \"b\" \\ \n\t\x01\x7f"},
		{"µ é 漢", "µ é 漢"},
		{"\xff\xc3", "\xef\xbf\xbd\xef\xbf\xbd"},
		{"", ""},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *bytes = text_as_json(cases[i].text);
		json_t *value = json_loads(bytes, JSON_DECODE_ANY, NULL);

		assert_null(strpbrk(bytes, "<>&\n"));
		assert_null(strstr(bytes, "\xe2\x80\xa8"));
		assert_null(strstr(bytes, "\xe2\x80\xa9"));
		assert_non_null(value);
		assert_string_equal(json_string_value(value), cases[i].read);
		json_decref(value);
		free(bytes);
	}
}

static void numbers_are_exact_or_null(void **state)
{
	static const double values[] = {
		0.1, 1e300, -2.5e-17, 33120.000898838, 9007199254740991.0, -1.0 / 3, 0, 12, 5e-324};
	struct page_json json;
	char *bytes = NULL;
	size_t length;
	FILE *stream = open_memstream(&bytes, &length);
	json_t *list;

	(void)state;
	page_json_init(&json, stream);
	page_open(&json, '[');
	for (size_t i = 0; i < ARRAY_SIZE(values); i++)
		page_number(&json, values[i]);
	page_number(&json, NAN);
	page_short(&json, -INFINITY);
	page_short(&json, 1.0 / 3);
	page_integer(&json, INT64_MIN);
	page_close(&json, ']');
	fclose(stream);
	list = json_loads(bytes, 0, NULL);
	assert_non_null(list);
	for (size_t i = 0; i < ARRAY_SIZE(values); i++)
		assert_true(json_number_value(json_array_get(list, i)) == values[i]);
	assert_true(json_is_null(json_array_get(list, ARRAY_SIZE(values))));
	assert_true(json_is_null(json_array_get(list, ARRAY_SIZE(values) + 1)));
	assert_non_null(strstr(bytes, ",0.333333333,"));
	assert_true(json_integer_value(json_array_get(list, ARRAY_SIZE(values) + 3)) == INT64_MIN);
	json_decref(list);
	free(bytes);
}

static void a_word_is_written_once(void **state)
{
	struct page_json json;
	char *bytes = NULL;
	size_t length;
	FILE *stream = open_memstream(&bytes, &length);
	json_t *list;

	(void)state;
	page_json_init(&json, stream);
	page_open(&json, '[');
	for (int turn = 0; turn < 2; turn++) {
		for (int i = 0; i < 1000; i++) {
			char *word = xasprintf("word %d", i);

			page_word(&json, word);
			free(word);
		}
	}
	page_word(&json, NULL);
	page_words(&json);
	page_close(&json, ']');
	page_json_release(&json);
	fclose(stream);
	list = json_loads(bytes, 0, NULL);
	assert_int_equal(json_array_size(list), 2002);
	assert_int_equal(json_integer_value(json_array_get(list, 1999)), 999);
	assert_int_equal(json_integer_value(json_array_get(list, 999)), 999);
	assert_true(json_is_null(json_array_get(list, 2000)));
	assert_int_equal(json_array_size(json_array_get(list, 2001)), 1000);
	assert_string_equal(json_string_value(json_array_get(json_array_get(list, 2001), 999)),
			    "word 999");
	json_decref(list);
	free(bytes);
}

/* ---- a run ---- */

static json_t *page_of(const struct run *run, const struct report_options *options)
{
	char *bytes = NULL;
	size_t length;
	FILE *stream = open_memstream(&bytes, &length);
	json_t *root;

	page_write(stream, run, options);
	fclose(stream);
	assert_null(strpbrk(bytes, "<>&"));
	root = json_loads(bytes, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(root);
	free(bytes);
	return root;
}

/* root.a.b… by names; [i] by "#i". */
static json_t *at(json_t *value, const char *path)
{
	struct string_list steps = {0};

	string_list_split(&steps, path, '.');
	for (size_t i = 0; i < steps.count; i++) {
		value = steps.items[i][0] == '#'
				? json_array_get(value, strtoul(steps.items[i] + 1, NULL, 10))
				: json_object_get(value, steps.items[i]);
		if (!value)
			fail_msg("no %s in %s", steps.items[i], path);
	}
	string_list_release(&steps);
	return value;
}

static const char *word_at(json_t *root, const char *path)
{
	return json_string_value(json_array_get(json_object_get(root, "words"),
						(size_t)json_integer_value(at(root, path))));
}

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
	assert_true(json_number_value(at(root, "trials.low_ns.#1")) == 20448.5);
	/* skipped: no time, a reason */
	assert_true(json_is_null(at(root, "trials.median_ns.#2")));
	assert_string_equal(word_at(root, "trials.reason.#2"), "the block must be a power of two");
	/* three samples: a time without an interval */
	assert_true(json_number_value(at(root, "trials.median_ns.#6")) == 912.5);
	assert_true(json_is_null(at(root, "trials.low_ns.#6")));
	/* a value, a reason, not asked for */
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

static void an_emulated_run_says_so_and_has_no_times(void **state)
{
	struct run run;
	json_t *root;

	(void)state;
	constructed_emulated_init(&run);
	root = page_of(&run, &(struct report_options){0});
	assert_true(json_is_true(at(root, "run.emulated")));
	assert_true(json_is_null(at(root, "trials.median_ns.#0")));
	/* a list of sources where some are of all blocks and some of a few */
	assert_true(json_is_array(at(counter_named(root, "ptx_branches"), "source")));
	json_decref(root);
	run_release(&run);
}

/* Settings that were not given, or are of the other kind of backend, say nothing of a run. */
static void settings_are_those_that_mean_something(void **state)
{
	static const char stored[] =
		"{\"device\": 0, \"seed\": \"7\", \"cache\": \"cold\", \"min_samples\": 20, "
		"\"max_time_ns\": 5, \"precision\": 0.0025, \"rounds\": 3, \"chip\": null, "
		"\"all_blocks\": false, \"jobs\": 0, \"counter_dump\": null, \"</b>\": [null]}";
	static const struct {
		const char *backend, *settings, *shown;
		int rounds; /* -1: none */
	} cases[] = {
		{"cuda", stored,
		 "{\"device\":0,\"seed\":\"7\",\"cache\":\"cold\",\"min_samples\":20,"
		 "\"max_time_ns\":5,\"precision\":0.0025000000000000001,\"rounds\":3,"
		 "\"</b>\":[null]}",
		 3},
		{"ptx", stored,
		 "{\"device\":0,\"seed\":\"7\",\"all_blocks\":false,\"jobs\":0,\"</b>\":[null]}",
		 -1},
		{"cuda", "{{ no JSON", "{{ no JSON", 3},
		{"cuda", "[1,null]", "[1,null]", 3},
		{"cuda", NULL, NULL, 3},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct run run = {
			.uid = "00112233445566778899aabbccddeeff",
			.backend = xstrdup(cases[i].backend),
			.settings = cases[i].settings ? xstrdup(cases[i].settings) : NULL,
			.rounds = 3,
		};
		json_t *root = page_of(&run, &(struct report_options){0});
		const json_t *rounds = at(root, "run.rounds");
		const char *shown = json_string_value(at(root, "run.settings"));

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

/* ---- samples ---- */

#define FAILS_AT 2

struct taken {
	size_t count; /* of each trial */
	bool fails;
};

/* Two rounds: 1000.5, 1032.5 … and 2000, 1968 … */
static int take(void *context, int64_t trial_id, struct sample **out, size_t *count,
		struct error *err)
{
	const struct taken *taken = context;

	if (taken->fails && trial_id >= FAILS_AT)
		return error_set(err, PL_ECORRUPT, "the file is damaged <here>");
	*out = xcalloc(taken->count, sizeof(**out));
	*count = taken->count;
	for (size_t i = 0; i < taken->count; i++) {
		bool second = i >= taken->count / 2;
		size_t place = second ? i - taken->count / 2 : i;

		(*out)[i] = (struct sample){.round = second,
					    .sequence = (int)place,
					    .time_ns = second ? 2000 - 32.0 * (double)place
							      : 1000.5 + 32.0 * (double)place};
	}
	return 0;
}

static void samples_lose_nothing(void **state)
{
	struct taken taken = {.count = 20};
	struct run run;
	json_t *root, *rounds;

	(void)state;
	constructed_run_init(&run);
	root = page_of(&run, &(struct report_options){.samples = take, .samples_context = &taken});
	rounds = at(root, "samples.trials.#0");
	assert_int_equal(json_array_size(rounds), 2);
	/* the round, then times in 1/32 ns, each as a difference */
	assert_int_equal(json_integer_value(at(rounds, "#0.#0")), 0);
	assert_int_equal(json_integer_value(at(rounds, "#0.#1")), 32016);
	assert_int_equal(json_integer_value(at(rounds, "#0.#2")), 1024);
	assert_int_equal(json_array_size(at(rounds, "#0")), 11);
	assert_int_equal(json_integer_value(at(rounds, "#1.#0")), 1);
	assert_int_equal(json_integer_value(at(rounds, "#1.#1")), 64000);
	assert_int_equal(json_integer_value(at(rounds, "#1.#2")), -1024);
	/* a trial that was not timed has none */
	assert_true(json_is_null(at(root, "samples.trials.#2")));
	assert_true(json_is_null(at(root, "samples.reason")));
	json_decref(root);
	run_release(&run);
}

static void very_many_samples_are_thinned(void **state)
{
	struct taken taken = {.count = 700000};
	struct run run;
	json_t *root;
	size_t kept = 0;
	int64_t most;

	(void)state;
	constructed_run_init(&run);
	for (size_t i = 0; i < run.trial_count; i++) {
		if (run.trials[i].summary.count > 0)
			run.trials[i].summary.count = (int64_t)taken.count;
	}
	root = page_of(&run, &(struct report_options){.samples = take, .samples_context = &taken});
	most = json_integer_value(at(root, "samples.most"));
	for (size_t i = 0; i < run.trial_count; i++) {
		json_t *rounds = json_array_get(at(root, "samples.trials"), i);
		size_t of_trial = 0;

		for (size_t j = 0; j < json_array_size(rounds); j++)
			of_trial += json_array_size(json_array_get(rounds, j)) - 1;
		assert_true(of_trial <= (size_t)most);
		kept += of_trial;
	}
	assert_true(kept > 500000 && kept <= 1000000);
	json_decref(root);
	run_release(&run);
}

static void samples_that_cannot_be_read_have_a_reason(void **state)
{
	struct taken taken = {.count = 20, .fails = true};
	struct run run;
	json_t *root;

	(void)state;
	constructed_run_init(&run);
	root = page_of(&run, &(struct report_options){.samples = take, .samples_context = &taken});
	assert_int_equal(json_array_size(at(root, "samples.trials.#0")), 2);
	assert_string_equal(json_string_value(at(root, "samples.reason")),
			    "the file is damaged <here>");
	json_decref(root);
	root = page_of(&run, &(struct report_options){0});
	assert_non_null(json_string_value(at(root, "samples.reason")));
	json_decref(root);
	run_release(&run);
}

/* The second run's times are 10 % longer; its cases stand in another order. */
static int take_of_two(void *context, int64_t trial_id, struct sample **out, size_t *count,
		       struct error *err)
{
	int rc = take(context, trial_id % 1000, out, count, err);

	for (size_t i = 0; !rc && trial_id >= 1000 && i < *count; i++)
		(*out)[i].time_ns *= 1.1;
	return rc;
}

static void a_run_stands_beside_another(void **state)
{
	struct taken taken = {.count = 20};
	struct run run, other;
	struct trial swapped;
	json_t *root;

	(void)state;
	constructed_run_init(&run);
	constructed_run_init(&other);
	other.id = 11;
	for (size_t i = 0; i < other.trial_count; i++)
		other.trials[i].id += 1000;
	swapped = other.trials[0];
	other.trials[0] = other.trials[1];
	other.trials[1] = swapped;
	root = page_of(&run, &(struct report_options){.compare = &other,
						      .samples = take_of_two,
						      .samples_context = &taken});
	assert_int_equal(json_integer_value(at(root, "compare_run.id")), 11);
	assert_true(json_number_value(at(root, "compare_trials.median_ns.#1")) == 31210.0);
	/* found by its name; faster now by the factor, between the ends of the interval */
	assert_int_equal(json_integer_value(at(root, "comparison.#0.#0")), 1);
	assert_true(fabs(json_number_value(at(root, "comparison.#0.#2")) - 1 / 1.1) < 1e-6);
	assert_true(json_number_value(at(root, "comparison.#0.#3")) < 1 / 1.1);
	assert_true(json_number_value(at(root, "comparison.#0.#4")) > 1 / 1.1);
	assert_string_equal(
		json_string_value(json_array_get(
			json_array_get(at(root, "changes"),
				       (size_t)json_integer_value(at(root, "comparison.#0.#1"))),
			0)),
		change_name(CHANGE_INCONCLUSIVE));
	/* not timed: nothing to compare */
	assert_true(json_is_null(at(root, "comparison.#2")));
	json_decref(root);
	/* by counters, too, as everywhere */
	counter_list_set(&run.trials[0].counters, "branch_targets_divergent", "1", "a test", 9);
	counter_list_set(&other.trials[1].counters, "branch_targets_divergent", "1", "a test", 8);
	root = page_of(&run, &(struct report_options){.compare = &other,
						      .samples = take_of_two,
						      .samples_context = &taken});
	assert_int_equal(json_integer_value(at(root, "comparison.#0.#1")), CHANGE_REGRESSED);
	json_decref(root);
	/* no samples: the medians stand, the ratio is not known */
	root = page_of(&run, &(struct report_options){.compare = &other});
	assert_true(json_is_null(at(root, "comparison.#0.#2")));
	json_decref(root);
	run_release(&run);
	run_release(&other);
}

/* ---- runs ---- */

#define RUNS 8
#define RUN_ROUNDS 3

/* Of the first two cases: the first is slower in the newest run, the second since run 3. */
static void make_histories(struct history_grid *grid, const struct run *run)
{
	size_t cells = run->trial_count * RUNS;

	*grid = (struct history_grid){
		.runs = xcalloc(RUNS, sizeof(*grid->runs)),
		.shown = xcalloc(RUNS, sizeof(*grid->shown)),
		.run_count = RUNS,
		.case_count = run->trial_count,
		.median_ns = xcalloc(cells, sizeof(*grid->median_ns)),
		.rounds = xcalloc(cells, sizeof(*grid->rounds)),
		.round_ns = xcalloc(2 * RUNS * RUN_ROUNDS, sizeof(*grid->round_ns)),
		.code = xcalloc(cells, sizeof(*grid->code)),
	};
	for (size_t i = 0; i < RUNS; i++) {
		grid->runs[i].id = (int64_t)(100 + i);
		grid->shown[i] = i >= RUNS - 3;
	}
	for (size_t i = 0; i < cells; i++)
		grid->median_ns[i] = NAN;
	for (size_t i = 0; i < 2 * RUNS; i++) {
		bool slower = i < RUNS ? i == RUNS - 1 : i - RUNS >= 3;

		grid->median_ns[i] = slower ? 5e6 : 4e6;
		grid->code[i] = i < RUNS ? 7 : i; /* the first case's stays */
		grid->rounds[i] = (struct history_rounds){i * RUN_ROUNDS, RUN_ROUNDS};
		for (size_t k = 0; k < RUN_ROUNDS; k++)
			grid->round_ns[i * RUN_ROUNDS + k] =
				grid->median_ns[i] * (1 + 1e-4 * (double)k);
	}
	history_grid_find_changes(grid);
}

static void a_change_is_told_where_its_runs_are_shown(void **state)
{
	struct history_grid grid;
	struct run run;
	json_t *root;

	(void)state;
	constructed_run_init(&run);
	make_histories(&grid, &run);
	root = page_of(&run, &(struct report_options){.histories = &grid});
	assert_int_equal(json_array_size(at(root, "history.runs")), 3);
	assert_int_equal(json_integer_value(at(root, "history.runs.#0.id")), 105);
	assert_int_equal(json_integer_value(at(root, "history.all_runs")), RUNS);
	assert_int_equal(json_array_size(at(root, "history.medians.#0")), 3);
	assert_true(json_is_null(at(root, "history.medians.#2")));
	/* between the last two runs, from a level that began before all that are shown */
	assert_int_equal(json_array_size(at(root, "history.changes.#0")), 1);
	assert_int_equal(json_integer_value(at(root, "history.changes.#0.#0.#0")), 1);
	assert_int_equal(json_integer_value(at(root, "history.changes.#0.#0.#1")), 2);
	assert_true(fabs(json_number_value(at(root, "history.changes.#0.#0.#2")) - 1.25) < 1e-6);
	assert_int_equal(json_integer_value(at(root, "history.changes.#0.#0.#7")), 0);
	assert_int_equal(json_integer_value(at(root, "history.changes.#0.#0.#8")), 1);
	assert_int_equal(json_integer_value(at(root, "history.changes.#0.#0.#9")), 1);
	assert_true(json_is_null(at(root, "history.changes.#1")));
	assert_int_equal(json_integer_value(at(root, "history.changes_unseen")), 1);
	json_decref(root);
	/* with all runs shown, each level begins where the one before it ends */
	for (size_t i = 0; i < RUNS; i++)
		grid.shown[i] = true;
	root = page_of(&run, &(struct report_options){.histories = &grid});
	assert_int_equal(json_integer_value(at(root, "history.changes.#1.#0.#0")), 2);
	assert_int_equal(json_integer_value(at(root, "history.changes.#1.#0.#1")), 3);
	assert_int_equal(json_integer_value(at(root, "history.changes.#1.#0.#8")), 0);
	assert_int_equal(json_integer_value(at(root, "history.changes.#1.#0.#9")), 0);
	assert_int_equal(json_integer_value(at(root, "history.changes_unseen")), 0);
	json_decref(root);
	history_grid_release(&grid);
	run_release(&run);
}

/* ---- the page around it ---- */

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_ends_no_element_and_comes_back_as_it_was),
		cmocka_unit_test(numbers_are_exact_or_null),
		cmocka_unit_test(a_word_is_written_once),
		cmocka_unit_test(a_run_keeps_its_numbers_and_its_reasons),
		cmocka_unit_test(an_emulated_run_says_so_and_has_no_times),
		cmocka_unit_test(settings_are_those_that_mean_something),
		cmocka_unit_test(a_run_without_trials_is_whole),
		cmocka_unit_test(samples_lose_nothing),
		cmocka_unit_test(very_many_samples_are_thinned),
		cmocka_unit_test(samples_that_cannot_be_read_have_a_reason),
		cmocka_unit_test(a_run_stands_beside_another),
		cmocka_unit_test(a_change_is_told_where_its_runs_are_shown),
		cmocka_unit_test(a_page_is_whole_or_says_how_to_get_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
