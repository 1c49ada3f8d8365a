/*
 * Compares comparisons of two runs in every format with golden files: every verdict, better and
 * worse counters, and hostile names.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "metrics/analysis/compare.h"
#include "metrics/analysis/regress.h"
#include "metrics/analysis/statistics.h"
#include "reports/reports.h"
#include "tests/reports/constructed_run.h"
#include "tests/reports/golden.h"

static struct run run_of(int64_t id, const char *label, int64_t started_ns)
{
	struct run run = {
		.id = id,
		.label = xstrdup(label),
		.backend = xstrdup("cuda"),
		.state = RUN_FINISHED,
		.source_revision = xstrdup("0123456789abcdef0123"),
		.seed = 1,
		.started_ns = started_ns,
	};

	snprintf(run.uid, sizeof(run.uid), "%032lld", (long long)id);
	snprintf(run.device.name, sizeof(run.device.name), "NVIDIA H200");
	snprintf(run.device.driver, sizeof(run.device.driver), "580.159.04");
	return run;
}

/* median_ns 0: not timed. */
static struct trial *add(struct run *run, const char *variant, double median_ns, double divergent)
{
	struct trial *trial;

	run->trials = xrealloc(run->trials, (run->trial_count + 1) * sizeof(*run->trials));
	trial = &run->trials[run->trial_count++];
	*trial = (struct trial){
		.kernel = xstrdup("reduce"),
		.variant = xstrdup(variant),
		.config = xstrdup("block=256,n=16777216"),
		.status = TRIAL_OK,
		.facts = launch_facts_unknown,
		.summary = summarise(&median_ns, median_ns > 0),
		.rounds = xcalloc(3, sizeof(*trial->rounds)),
		.round_count = median_ns > 0 ? 3 : 0,
	};
	for (int i = 0; i < 3; i++)
		trial->rounds[i] = (struct round_summary){
			.round = i,
			.median_ns = median_ns * (1 + 1e-4 * (i - 1)),
			.state = {1980e6, 3201e6, 40, 300, 0},
		};
	counter_list_set(&trial->counters, "branch_targets_divergent", "branch_target", "a test",
			 divergent);
	counter_list_set(&trial->counters, "instructions", "instruction", "a test", 1000);
	return trial;
}

static void ends(struct trial *trial, enum trial_status status, const char *reason)
{
	trial->status = status;
	trial->reason = xstrdup(reason);
	trial->round_count = 0;
	trial->summary = summarise(NULL, 0);
}

static void unverified(struct trial *trial)
{
	trial->status = TRIAL_UNVERIFIED;
	trial->reason = xstrdup("the kernel's file says `verify none`");
}

static void of_code(struct trial *trial, const char *hash)
{
	snprintf(trial->facts.code_hash, sizeof(trial->facts.code_hash), "%s", hash);
}

static void init_base(struct run *run)
{
	*run = run_of(3, "nightly", 1795229445000000000);
	of_code(add(run, "slower", 639600, 8), "0a");
	add(run, "faster", 305100, 8);
	of_code(add(run, "same", 74300, 8), "0c");
	add(run, "diverges", 0, 8);
	add(run, "breaks", 100000, 8);
	add(run, "gone", 100000, 8);
	add(run, "noisy", 5000, 8);
	unverified(add(run, "unchecked", 200000, 8));
	add(run, HOSTILE_NAME, 100000, 8);
}

static void init_head(struct run *run)
{
	*run = run_of(4, HOSTILE_NAME, 1795315845000000000);
	of_code(add(run, "slower", 652400, 8), "0b");
	add(run, "faster", 290000, 9);
	of_code(add(run, "same", 74300, 8), "0c");
	counter_list_set(&add(run, "diverges", 0, 4096)->counters, "instructions", "instruction",
			 "a test", 1001);
	ends(add(run, "breaks", 100000, 8), TRIAL_MISMATCH, "element 3 is 1, not 2");
	add(run, "added", 100000, 8);
	add(run, "noisy", 5030, 8);
	unverified(add(run, "unchecked", 180000, 8));
	add(run, HOSTILE_NAME, 150000, 8);
}

static void expect_golden(const char *name, enum report_format format, bool all,
			  const struct report_options *look)
{
	struct run base, head;
	struct regress_pair *pairs;
	struct regress regress;
	struct regress_differences differences = {0};
	struct regress_options options = {.limits = change_limits_default};
	struct regress_report report = {.base = &base,
					.head = &head,
					.regress = &regress,
					.differences = &differences,
					.thresholds = "perflab.thresholds",
					.all = all};
	struct error err = {0};
	char *bytes = NULL;
	size_t length = 0, count;
	FILE *stream = open_memstream(&bytes, &length);

	assert_non_null(stream);
	init_base(&base);
	init_head(&head);
	snprintf(head.device.driver, sizeof(head.device.driver), "590.1");
	count = regress_pairs(&pairs, &base, &head);
	assert_int_equal(regress_judge(&regress, pairs, count, &options, &err), 0);
	regress_differ(&differences, &base, &head);
	assert_int_equal(report_regress(stream, &report, format, look, &err), 0);
	fclose(stream);
	golden_compare(name, bytes, length);
	free(bytes);
	free(pairs);
	regress_release(&regress);
	regress_differences_release(&differences);
	run_release(&base);
	run_release(&head);
}

static void text_is_as_written(void **state)
{
	(void)state;
	expect_golden("regress.txt", REPORT_TEXT, false, NULL);
}

static void text_fits_80_columns_in_colour(void **state)
{
	(void)state;
	expect_golden("regress-80-colour.txt", REPORT_TEXT, true,
		      &(struct report_options){.width = 80, .colour = true});
}

static void json_is_as_written(void **state)
{
	(void)state;
	expect_golden("regress.json", REPORT_JSON, false, NULL);
}

static void markdown_is_as_written(void **state)
{
	(void)state;
	expect_golden("regress.md", REPORT_MARKDOWN, false, NULL);
}

static void junit_is_as_written(void **state)
{
	(void)state;
	expect_golden("regress.junit.xml", REPORT_JUNIT, false, NULL);
}

/* The summary is the first line, then what changed besides the code; the largest regression is the
 * first row, whatever its place in the run. More rows than a screen are hidden. */
static void the_worst_comes_first(void **state)
{
	struct run base = run_of(1, "before", 0), head = run_of(2, "after", 1);
	struct regress_pair *pairs;
	struct regress regress;
	struct regress_differences differences = {0};
	struct regress_options options = {.limits = change_limits_default};
	struct regress_report report = {
		.base = &base, .head = &head, .regress = &regress, .differences = &differences};
	struct error err = {0};
	char *bytes = NULL, *first;
	size_t length = 0, count, rows = 0;
	FILE *stream = open_memstream(&bytes, &length);

	(void)state;
	for (int i = 0; i < 40; i++) {
		char *variant = xasprintf("v%d", i);

		add(&base, variant, 100000, 8);
		add(&head, variant, 110000 + 1000 * (i == 17 ? 90 : i), 8);
		free(variant);
	}
	key_value_set(&base.environment, "gpu.persistence_mode", "off");
	key_value_set(&head.environment, "gpu.persistence_mode", "on");
	count = regress_pairs(&pairs, &base, &head);
	assert_int_equal(regress_judge(&regress, pairs, count, &options, &err), 0);
	regress_differ(&differences, &base, &head);
	assert_int_equal(report_regress(stream, &report, REPORT_TEXT, NULL, &err), 0);
	fclose(stream);
	first = strstr(bytes, "40 regressed (--all shows every case)\n"
			      "  differs   persistence mode: off, then on\n");
	assert_ptr_equal(first, bytes);
	first = strstr(bytes, "\nregressed  ");
	assert_non_null(first);
	assert_int_equal(strncmp(first, "\nregressed  reduce/v17/", 23), 0);
	first = strstr(first + 1, "\nregressed  ");
	assert_int_equal(strncmp(first, "\nregressed  reduce/v39/", 23), 0);
	for (char *at = bytes; (at = strstr(at, "\nregressed  ")); at++)
		rows++;
	assert_int_equal(rows, 25);
	free(bytes);
	free(pairs);
	regress_release(&regress);
	regress_differences_release(&differences);
	run_release(&base);
	run_release(&head);
}

/* A case that fails only by its lines says so in every format. It comes before what passes, because
 * more rows than a screen are hidden. */
static void what_fails_by_its_lines_says_so(void **state)
{
	static const struct {
		enum report_format format;
		const char *wanted[2];
	} formats[] = {
		{REPORT_TEXT,
		 {"30 improved, 1 unchanged; 1 fails by its lines (--all shows every case)\n",
		  "\nunchanged, fails by its lines  reduce/quiet/"}},
		{REPORT_MARKDOWN,
		 {"30 improved, 1 unchanged; 1 fails by its lines**",
		  "\n| unchanged, fails by its lines | reduce/quiet/"}},
		{REPORT_JUNIT,
		 {"message=\"unchanged, fails by its lines: time", "type=\"lines\"/>"}},
		{REPORT_JSON, {"\"by_lines\": 1", "\"by_lines\": true"}},
	};
	struct run base = run_of(1, "before", 0), head = run_of(2, "after", 1);
	struct regress_pair *pairs;
	struct regress regress;
	struct regress_differences none = {0};
	struct regress_options options = {.limits = change_limits_default};
	struct regress_report report = {
		.base = &base, .head = &head, .regress = &regress, .differences = &none};
	struct error err = {0};
	size_t count;

	(void)state;
	for (int i = 0; i < 30; i++) {
		char *variant = xasprintf("v%d", i);

		add(&base, variant, 100000, 8);
		add(&head, variant, 90000, 8);
		free(variant);
	}
	add(&base, "quiet", 100000, 8);
	add(&head, "quiet", 100000, 8);
	count = regress_pairs(&pairs, &base, &head);
	assert_int_equal(regress_judge(&regress, pairs, count, &options, &err), 0);
	/* as comparison_add_lines() does */
	regress.cases[30].gates = regress.cases[30].by_lines = true;
	regress.gating = regress.by_lines = 1;
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		char *bytes = NULL;
		size_t length = 0;
		FILE *stream = open_memstream(&bytes, &length);

		assert_int_equal(report_regress(stream, &report, formats[i].format, NULL, &err), 0);
		fclose(stream);
		for (size_t j = 0; j < ARRAY_SIZE(formats[i].wanted); j++)
			if (!strstr(bytes, formats[i].wanted[j]))
				fail_msg("\"%s\" is not in:\n%s", formats[i].wanted[j], bytes);
		free(bytes);
	}
	free(pairs);
	regress_release(&regress);
	run_release(&base);
	run_release(&head);
}

/* Runs without times, such as emulated ones: the counter that changed is not hidden. */
static void a_narrow_table_says_which_counter_changed(void **state)
{
	struct run base = run_of(1, "before", 0), head = run_of(2, "after", 1);
	struct regress_pair *pairs;
	struct regress regress;
	struct regress_differences none = {0};
	struct regress_options options = {.limits = change_limits_default};
	struct regress_report report = {
		.base = &base, .head = &head, .regress = &regress, .differences = &none};
	struct error err = {0};
	char *bytes = NULL;
	size_t length = 0, count;
	FILE *stream = open_memstream(&bytes, &length);

	(void)state;
	add(&base, "padded", 0, 8);
	add(&head, "padded", 0, 4096);
	count = regress_pairs(&pairs, &base, &head);
	assert_int_equal(regress_judge(&regress, pairs, count, &options, &err), 0);
	assert_int_equal(report_regress(stream, &report, REPORT_TEXT,
					&(struct report_options){.width = 80}, &err),
			 0);
	fclose(stream);
	assert_non_null(strstr(bytes, "\n    branch_targets_divergent from 8 to 4096\n"));
	for (char *line = bytes; *line; line += strcspn(line, "\n") + 1)
		assert_true(strcspn(line, "\n") <= 82); /* an ellipsis has 3 bytes */
	free(bytes);
	free(pairs);
	regress_release(&regress);
	run_release(&base);
	run_release(&head);
}

/* Cases of one variant that fail at one line have one row and one reason, unless --all asks for
 * each; a failure at another line has its own. */
static void one_cause_is_said_once(void **state)
{
	static const struct {
		const char *config, *reason;
	} failed[] = {
		{"block=64", "race on shared memory at k.cu:7: thread 33, with thread 1"},
		{"block=128", "race on shared memory at k.cu:7: thread 65, with thread 2"},
		{"block=256", "race on shared memory at k.cu:7: thread 97, with thread 3"},
		{"block=512", "race on shared memory at k.cu:9: thread 97, with thread 3"},
	};

	(void)state;
	for (int all = 0; all < 2; all++) {
		struct run base = run_of(1, "before", 0), head = run_of(2, "after", 1);
		struct regress_pair *pairs;
		struct regress regress;
		struct regress_differences none = {0};
		struct regress_options options = {.limits = change_limits_default};
		struct regress_report report = {.base = &base,
						.head = &head,
						.regress = &regress,
						.differences = &none,
						.all = all};
		struct error err = {0};
		char *bytes = NULL;
		size_t length = 0, count, reasons = 0;
		FILE *stream = open_memstream(&bytes, &length);

		for (size_t i = 0; i < ARRAY_SIZE(failed); i++) {
			struct trial *trial = add(&base, "racy", 1000, 8);

			free(trial->config);
			trial->config = xstrdup(failed[i].config);
			trial = add(&head, "racy", 1000, 8);
			free(trial->config);
			trial->config = xstrdup(failed[i].config);
			ends(trial, TRIAL_FAULT, failed[i].reason);
		}
		count = regress_pairs(&pairs, &base, &head);
		assert_int_equal(regress_judge(&regress, pairs, count, &options, &err), 0);
		assert_int_equal(report_regress(stream, &report, REPORT_TEXT, NULL, &err), 0);
		fclose(stream);
		for (const char *at = bytes; (at = strstr(at, "race on ")); at++)
			reasons++;
		assert_int_equal(reasons, all ? 4 : 2);
		assert_int_equal(strstr(bytes, "reduce/racy/block=64 and 2 more") != NULL, !all);
		assert_non_null(strstr(bytes, "k.cu:9"));
		assert_int_equal(strstr(bytes, "(--all shows every case)") != NULL, !all);
		assert_non_null(strstr(bytes, "4 failed"));
		free(bytes);
		free(pairs);
		regress_release(&regress);
		run_release(&base);
		run_release(&head);
	}
}

static void nothing_compared_is_said(void **state)
{
	struct run empty = run_of(1, "empty", 0);
	struct regress nothing = {0};
	struct regress_differences none = {0};
	struct regress_report report = {&empty, &empty, &nothing, &none, NULL, false, NULL};
	struct error err = {0};

	(void)state;
	for (int format = 0; format < REPORT_FORMAT_COUNT; format++) {
		char *bytes = NULL;
		size_t length = 0;
		FILE *stream;

		if (!report_format_applies((enum report_format)format, OF_REGRESS)) {
			assert_int_equal(report_regress(stdout, &report, (enum report_format)format,
							NULL, &err),
					 PL_EUSAGE);
			continue;
		}
		stream = open_memstream(&bytes, &length);
		assert_non_null(stream);
		assert_int_equal(
			report_regress(stream, &report, (enum report_format)format, NULL, &err), 0);
		fclose(stream);
		assert_true(length > 0);
		if (format == REPORT_TEXT || format == REPORT_MARKDOWN)
			assert_non_null(strstr(bytes, "no case"));
		free(bytes);
	}
	run_release(&empty);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_is_as_written),
		cmocka_unit_test(text_fits_80_columns_in_colour),
		cmocka_unit_test(json_is_as_written),
		cmocka_unit_test(markdown_is_as_written),
		cmocka_unit_test(junit_is_as_written),
		cmocka_unit_test(the_worst_comes_first),
		cmocka_unit_test(what_fails_by_its_lines_says_so),
		cmocka_unit_test(a_narrow_table_says_which_counter_changed),
		cmocka_unit_test(one_cause_is_said_once),
		cmocka_unit_test(nothing_compared_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
