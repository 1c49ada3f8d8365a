/* Compares reports of a constructed run with golden files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "reports/reports.h"
#include "tests/reports/constructed_run.h"
#include "tests/reports/golden.h"

static void expect_golden(const char *name, enum report_format format,
			  const struct report_options *options)
{
	struct run run;
	size_t length;
	char *bytes;

	constructed_run_init(&run);
	bytes = golden_render(&run, format, options, &length);
	run_release(&run);
	golden_compare(name, bytes, length);
	free(bytes);
}

static void text_is_as_written(void **state)
{
	(void)state;
	expect_golden("run.txt", REPORT_TEXT, NULL);
}

/* Settings that the run does not have are left out of its heading. */
static void heading_names_what_is_known(void **state)
{
	static const struct {
		unsigned known;
		const char *line;
	} cases[] = {
		{0, "  method    3 rounds\n"},
		{SETTING_CACHE, "  method    cold cache, 3 rounds, seed 18446744073709551615\n"},
		{SETTING_PRECISION, "  method    3 rounds, seed 18446744073709551615, until the "
				    "median is known to ±0.5 %\n"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct run run;
		size_t length;
		char *bytes;

		constructed_run_init(&run);
		run.has_settings = false;
		run.settings_known = cases[i].known;
		bytes = golden_render(&run, REPORT_TEXT, NULL, &length);
		assert_non_null(strstr(bytes, cases[i].line));
		free(bytes);
		run_release(&run);
	}
}

static void text_fits_80_columns(void **state)
{
	(void)state;
	expect_golden("run-80.txt", REPORT_TEXT, &(struct report_options){.width = 80});
}

static void text_shows_every_counter_and_colour(void **state)
{
	(void)state;
	expect_golden("run-all-colour.txt", REPORT_TEXT,
		      &(struct report_options){.colour = true, .all_metrics = true});
}

/* A build without pages offers none. */
static void next_commands_offer_what_the_build_has(void **state)
{
	struct run run;
	size_t length;
	char *bytes;

	(void)state;
	constructed_run_init(&run);
	bytes = golden_render(&run, REPORT_TEXT, &(struct report_options){.no_page = true},
			      &length);
	assert_non_null(
		strstr(bytes, "\nNext\n  continue    perflab sweep --resume 12\n  one kernel"));
	assert_null(strstr(bytes, "html"));
	free(bytes);
	run_release(&run);
}

static void csv_is_as_written(void **state)
{
	(void)state;
	expect_golden("run.csv", REPORT_CSV, NULL);
}

/* The name of an axis is untrusted too. */
static void csv_quotes_its_head(void **state)
{
	struct run run;
	size_t length;
	char *bytes;

	(void)state;
	constructed_run_init(&run);
	snprintf(run.trials[0].axes[1].name, sizeof(run.trials[0].axes[1].name), "a,\"b\n");
	bytes = golden_render(&run, REPORT_CSV, &(struct report_options){0}, &length);
	assert_non_null(strstr(bytes, ",\"axis_a,\"\"b\n\","));
	free(bytes);
	run_release(&run);
}

static void json_is_as_written(void **state)
{
	(void)state;
	expect_golden("run.json", REPORT_JSON, NULL);
}

static void markdown_is_as_written(void **state)
{
	(void)state;
	expect_golden("run.md", REPORT_MARKDOWN, NULL);
}

/* A run that was interrupted before its first case is still reported. */
static void expect_times(const char *text, const char *part, size_t times)
{
	size_t found = 0;

	for (const char *c = text; (c = strstr(c, part)); c += strlen(part))
		found++;
	if (found != times)
		fail_msg("\"%s\" %zu times, expected %zu, in:\n%s", part, found, times, text);
}

/* A file that does not compile fails all of its cases: its reason is told once, with their number.
 */
static void failures_with_one_reason_are_one_row(void **state)
{
	static const struct {
		enum report_format format;
		size_t times;
		const char *row;
	} formats[] = {{REPORT_TEXT, 1, "\n    3  "},
		       {REPORT_MARKDOWN, 1, "\n| 3 | "},
		       {REPORT_CSV, 3, NULL},
		       {REPORT_JSON, 3, NULL}};
	struct run run;

	(void)state;
	constructed_run_init(&run);
	assert_true(run.trial_count > 4);
	for (size_t i = 0; i < 4; i++) {
		free(run.trials[i].reason);
		run.trials[i].reason = xstrdup("k cu does not compile");
		run.trials[i].status = i == 2 ? TRIAL_CRASHED : TRIAL_FAILED;
	}
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		const size_t of_others = 1; /* the case with another status has its own row */
		size_t length;
		char *text = golden_render(&run, formats[i].format, NULL, &length);

		expect_times(text, "k cu does not compile", formats[i].times + of_others);
		if (formats[i].row)
			expect_times(text, formats[i].row, 1);
		free(text);
	}
	run_release(&run);
}

static void empty_run_in_every_format(void **state)
{
	struct run run = {.id = 1, .uid = "00", .rounds = 1};

	(void)state;
	for (int format = REPORT_TEXT; format <= REPORT_MARKDOWN; format++) {
		size_t length;
		char *bytes = golden_render(&run, (enum report_format)format, NULL, &length);

		assert_true(length > 0);
		assert_null(strstr(bytes, "nan"));
		free(bytes);
	}
}

/* No untrusted byte may reach the terminal as a control byte. */
static void no_control_byte_in_text(void **state)
{
	static const enum report_format formats[] = {REPORT_TEXT, REPORT_MARKDOWN, REPORT_JSON};
	struct run run;

	(void)state;
	constructed_run_init(&run);
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		size_t length;
		char *bytes = golden_render(&run, formats[i], NULL, &length);

		for (size_t j = 0; j < length; j++)
			assert_true(bytes[j] == '\n' || (unsigned char)bytes[j] >= ' ');
		free(bytes);
	}
	run_release(&run);
}

static void narrow_lines_are_narrow(void **state)
{
	struct run run;
	size_t length, width = 0;
	bool in_table = false;
	char *bytes;

	(void)state;
	constructed_run_init(&run);
	bytes = golden_render(&run, REPORT_TEXT, &(struct report_options){.width = 100}, &length);
	for (char *c = bytes; *c; c++) {
		if (*c == '\n') {
			assert_true(!in_table || width <= 100);
			width = 0;
			continue;
		}
		width += ((unsigned char)*c & 0xc0) != 0x80;
		/* the prose below a table is wrapped by the terminal itself */
		if (width == 1)
			in_table = !strchr(" To(\"", *c);
	}
	free(bytes);
	run_release(&run);
}

static void full_disk_is_an_error(void **state)
{
	struct run run;
	FILE *full = fopen("/dev/full", "w");

	(void)state;
	assert_non_null(full);
	constructed_run_init(&run);
	for (int format = REPORT_TEXT; format <= REPORT_MARKDOWN; format++) {
		struct error err = {0};

		assert_int_equal(report_run(full, &run, (enum report_format)format, NULL, &err),
				 PL_EIO);
		assert_non_null(strstr(err.text, "No space left"));
		clearerr(full);
	}
	fclose(full);
	run_release(&run);
}

static void formats_have_names(void **state)
{
	(void)state;
	assert_string_equal(report_format_name(REPORT_MARKDOWN), "md");
	assert_string_equal(report_format_name(REPORT_CSV), "csv");
	for (int i = 0; i < REPORT_FORMAT_COUNT; i++) {
		assert_true(*report_format_meaning((enum report_format)i));
		for (int other = 0; other < i; other++)
			assert_string_not_equal(report_format_name((enum report_format)i),
						report_format_name((enum report_format)other));
	}
}

/* The index of a word is the format, so gaps stand for the formats that do not apply. */
static void words_name_the_formats_that_apply(void **state)
{
	static const struct {
		enum report_subject subject;
		const char *const *words;
		const char *all;
	} lists[] = {
		{OF_TABLE, table_format_words, "text csv json md "},
		{OF_RUN, run_format_words, "text csv json md html svg png pdf "},
		{OF_REGRESS, regress_format_words, "text json md junit "},
		{OF_HISTORY, history_format_words, "text csv json md "},
		{OF_STUDY, study_format_words, "text json md "},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		struct text all = TEXT_INIT;

		for (int j = 0; j < REPORT_FORMAT_COUNT; j++) {
			bool applies =
				report_format_applies((enum report_format)j, lists[i].subject);

			assert_string_equal(lists[i].words[j],
					    applies ? report_format_name((enum report_format)j)
						    : "");
			if (applies)
				text_addf(&all, "%s ", lists[i].words[j]);
		}
		assert_null(lists[i].words[REPORT_FORMAT_COUNT]);
		assert_string_equal(all.data, lists[i].all);
		text_release(&all);
	}
}

static void a_run_is_refused_in_formats_of_other_reports(void **state)
{
	struct run run;
	struct error err = {0};

	(void)state;
	constructed_run_init(&run);
	for (int i = 0; i < REPORT_FORMAT_COUNT; i++) {
		if (!report_format_applies((enum report_format)i, OF_RUN))
			assert_int_equal(
				report_run(stdout, &run, (enum report_format)i, NULL, &err),
				PL_EUSAGE);
	}
	run_release(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_is_as_written),
		cmocka_unit_test(heading_names_what_is_known),
		cmocka_unit_test(text_fits_80_columns),
		cmocka_unit_test(text_shows_every_counter_and_colour),
		cmocka_unit_test(next_commands_offer_what_the_build_has),
		cmocka_unit_test(csv_is_as_written),
		cmocka_unit_test(csv_quotes_its_head),
		cmocka_unit_test(json_is_as_written),
		cmocka_unit_test(markdown_is_as_written),
		cmocka_unit_test(failures_with_one_reason_are_one_row),
		cmocka_unit_test(empty_run_in_every_format),
		cmocka_unit_test(no_control_byte_in_text),
		cmocka_unit_test(narrow_lines_are_narrow),
		cmocka_unit_test(full_disk_is_an_error),
		cmocka_unit_test(formats_have_names),
		cmocka_unit_test(words_name_the_formats_that_apply),
		cmocka_unit_test(a_run_is_refused_in_formats_of_other_reports),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
