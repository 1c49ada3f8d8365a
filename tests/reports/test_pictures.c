/*
 * Pictures of rooflines: the scripts for gnuplot are compared with golden files, and nothing in
 * them may cover or be taken for something else.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "reports/table/escape.h"
#include "tests/reports/constructed_run.h"
#include "tests/reports/golden.h"
#include "tests/reports/rendered_roofline.h"

static void the_script_is_as_written(void **state)
{
	(void)state;
	expect_golden("roofline.svg.gp", REPORT_SVG, (struct report_options){0});
	expect_golden("roofline.png.gp", REPORT_PNG, (struct report_options){0});
	expect_golden("roofline.pdf.gp", REPORT_PDF, (struct report_options){0});
}

/* gnuplot draws labels at the back before the points, and others after them. */
static void names_of_roofs_are_behind_the_points(void **state)
{
	struct report_options options = {.selection = &everything};
	struct ceiling_list roofs;
	struct run run;
	size_t length, names = 0;
	char *script, *line, *rest = NULL;

	(void)state;
	constructed_roofs_init(&roofs);
	constructed_roofline_init(&run);
	options.ceilings = &roofs;
	script = golden_render(&run, REPORT_SVG, &options, &length);
	for (line = strtok_r(script, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		if (strncmp(line, "set label ", 10) != 0 || strstr(line, " at screen "))
			continue;
		names++;
		assert_non_null(strstr(line, " back"));
	}
	assert_true(names > 2);
	free(script);
	ceiling_list_release(&roofs);
	run_release(&run);
}

/* Names at nearly one height would cover each other. */
static void flat_roofs_of_one_height_share_a_name(void **state)
{
	struct report_options options = {.selection = &everything};
	struct ceiling_list roofs;
	struct run run;
	size_t length;
	char *script;

	(void)state;
	constructed_roofs_init(&roofs);
	constructed_roofline_init(&run);
	for (size_t i = 0; i < roofs.count; i++)
		if (!strcmp(roofs.items[i].name, "fp32_fma"))
			roofs.items[i].per_s = 99e12;
	options.ceilings = &roofs;
	script = golden_render(&run, REPORT_SVG, &options, &length);
	assert_non_null(strstr(script, "set label 'f16 100 TFLOP/s, f32 99.0 TFLOP/s' at "));
	assert_null(strstr(script, "fp32_fma"));
	assert_non_null(strstr(script, "set label 'f64 32.0 TFLOP/s (fp64_fma)' at "));
	free(script);
	ceiling_list_release(&roofs);
	run_release(&run);
}

#define MARKS_MOST 32

/* The entries of the legend: name, symbol and colour of each, as the script has them. Returns their
 * number. */
static size_t legend_read(char *script, char *names[MARKS_MOST], char *marks[MARKS_MOST])
{
	size_t count = 0;

	for (char *title = strstr(script, " title '"); title && count < MARKS_MOST;
	     title = strstr(title + 1, " title '")) {
		char *mark = title;

		while (strncmp(mark, "pointtype ", 10) != 0)
			mark--;
		marks[count] = xstrndup(mark, (size_t)(title - mark));
		names[count] = xstrndup(title, strcspn(title, "\n,"));
		count++;
	}
	return count;
}

static void legend_free(char **names, char **marks, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		free(names[i]);
		free(marks[i]);
	}
}

static void expect_entries_that_differ(char **names, char **marks, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		for (size_t j = i + 1; j < count; j++) {
			assert_string_not_equal(names[i], names[j]);
			assert_string_not_equal(marks[i], marks[j]);
		}
	}
}

/* Points of one variant at several sizes, names that are equal where they are cut, and as many
 * points as the legend has rows. */
static void entries_of_the_legend_differ(void **state)
{
	char *names[MARKS_MOST] = {0}, *marks[MARKS_MOST] = {0}, *script;
	struct run run;
	size_t length, count;

	(void)state;
	constructed_many_init(&run, 22);
	for (size_t i = 0; i < 8; i++) {
		struct trial *trial = &run.trials[i];

		free(trial->kernel);
		free(trial->config);
		trial->kernel = i < 5 ? xstrdup("tree")
				      : xasprintf("the_longest_name_that_anybody_ever_gave_%zu", i);
		trial->axes[1].value = 4096 << i;
		trial->config = xasprintf("block=256,n=%lld", (long long)trial->axes[1].value);
	}
	script = golden_render(&run, REPORT_SVG, NULL, &length);
	count = legend_read(script, names, marks);
	assert_int_equal(count, 22);
	assert_string_equal(names[0], " title 'tree/only n=4096  unknown'");
	assert_string_equal(names[6], " title 'the_longest_name_that_anybody_ever_… (2)'");
	expect_entries_that_differ(names, marks, count);
	legend_free(names, marks, count);
	free(script);
	run_release(&run);
}

/* With more points than rows there is an entry per kernel: 20 kernels, each with two sizes. */
static void many_points_are_named_by_kernel(void **state)
{
	char *names[MARKS_MOST] = {0}, *marks[MARKS_MOST] = {0}, *script;
	struct run run;
	size_t length, count;

	(void)state;
	constructed_many_init(&run, 40);
	for (size_t i = 0; i < 40; i++) {
		free(run.trials[i].kernel);
		run.trials[i].kernel = xasprintf("kernel_%zu", i / 2);
		run.trials[i].axes[1].value = 4096 << i % 2;
	}
	script = golden_render(&run, REPORT_SVG, NULL, &length);
	count = legend_read(script, names, marks);
	assert_int_equal(count, 20);
	assert_string_equal(names[0], " title 'kernel_0'");
	assert_string_equal(names[19], " title 'kernel_19'");
	assert_null(strstr(script, "$others"));
	assert_null(strstr(script, "grey"));
	/* a kernel has a point for each problem */
	assert_non_null(strstr(script, "Fastest case of each problem by DRAM bytes, marked by "
				       "kernel."));
	expect_entries_that_differ(names, marks, count);
	legend_free(names, marks, count);
	free(script);
	run_release(&run);
	/* more kernels than rows: the rest is grey and counted */
	constructed_many_init(&run, 30);
	script = golden_render(&run, REPORT_SVG, NULL, &length);
	assert_non_null(strstr(script, "$others << END"));
	assert_non_null(strstr(script, "grey: 8 more"));
	free(script);
	run_release(&run);
}

/* A run without counters whose kernels have no work models: nothing gives it a point. */
static void init_without_points(struct run *run)
{
	constructed_run_init(run);
	for (size_t i = 0; i < run->trial_count; i++)
		run->trials[i].has_work = false;
}

static void nothing_to_draw_is_said(void **state)
{
	static const struct ceiling_list none = {0};
	struct report_options options = {.ceilings = &none};
	struct run run;
	struct error err = {0};
	FILE *nowhere = fopen("/dev/null", "w");

	(void)state;
	init_without_points(&run);
	assert_int_equal(report_run(nowhere, &run, REPORT_SVG, &options, &err), PL_ENOENT);
	assert_non_null(strstr(err.text, "run 12 has nothing to draw"));
	run_release(&run);
	constructed_emulated_init(&run);
	assert_int_equal(report_run(nowhere, &run, REPORT_PNG, &options, &err), PL_ENOENT);
	assert_non_null(strstr(err.text, "run 13 was emulated"));
	run_release(&run);
	fclose(nowhere);
}

/* Roofs without points give a picture. So do points without roofs, which also says what is missing.
 */
static void half_a_picture_is_one(void **state)
{
	struct ceiling_list roofs;
	struct run uncounted, counted;
	size_t length;
	char *bytes;

	(void)state;
	constructed_roofs_init(&roofs);
	init_without_points(&uncounted);
	constructed_roofline_init(&counted);
	bytes = golden_render(&uncounted, REPORT_SVG, &(struct report_options){.ceilings = &roofs},
			      &length);
	assert_non_null(strstr(bytes, "DRAM 4.00 TB/s (dram_read)"));
	assert_non_null(strstr(bytes, "f32 64.0 TFLOP/s (fp32_fma)"));
	assert_null(strstr(bytes, "$point"));
	free(bytes);
	bytes = golden_render(&counted, REPORT_SVG, NULL, &length);
	assert_non_null(strstr(bytes, "No ceilings are stored for this device"));
	assert_non_null(strstr(bytes, "$point0"));
	free(bytes);
	run_release(&uncounted);
	run_release(&counted);
	ceiling_list_release(&roofs);
}

/* Slopes on one line: the first name is along the line, the others are in rows above its upper end.
 * The rows begin above the name of the highest rate if that reaches back to them, as 900 TFLOP/s
 * does and 100 TFLOP/s does not. */
static void names_of_near_slopes_are_apart(void **state)
{
	struct ceiling_list roofs;
	struct run run;
	size_t length;
	char *bytes;

	(void)state;
	constructed_roofs_init(&roofs);
	constructed_roofline_init(&run);
	for (size_t i = 0; i < roofs.count; i++) {
		if (strcmp(roofs.items[i].name, "l1_read") == 0)
			roofs.items[i].per_s = 25.6e12;
		if (strcmp(roofs.items[i].name, "l2_read") == 0)
			roofs.items[i].per_s = 25e12;
	}
	bytes = golden_render(&run, REPORT_SVG, &(struct report_options){.ceilings = &roofs},
			      &length);
	assert_non_null(strstr(bytes, "'shared 32.0 TB/s (shared_read)' at "));
	assert_non_null(strstr(bytes, "'L1 25.6 TB/s (l1_read)' at 35.15625,9e+14 left offset "
				      "character 0.5,1.9 "));
	assert_non_null(strstr(bytes, "'L2 25.0 TB/s (l2_read)' at 36,9e+14 left offset "
				      "character 0.5,3.1 "));
	free(bytes);
	roofs.count--; /* the last one is that of 900 TFLOP/s */
	bytes = golden_render(&run, REPORT_SVG, &(struct report_options){.ceilings = &roofs},
			      &length);
	assert_non_null(strstr(bytes, "'L1 25.6 TB/s (l1_read)' at 3.90625,1e+14 left offset "
				      "character 0.5,0.7 "));
	free(bytes);
	roofs.count++;
	run_release(&run);
	ceiling_list_release(&roofs);
}

/* Without points the steepest slopes meet 64 TFLOP/s left of the field, so they have no name. */
static void a_slope_outside_of_the_field_keeps_no_place(void **state)
{
	struct ceiling_list roofs;
	struct run run;
	size_t length;
	char *bytes;

	(void)state;
	constructed_roofs_init(&roofs);
	init_without_points(&run);
	for (size_t i = 0; i < roofs.count; i++) {
		if (strncmp(roofs.items[i].name, "dram_", 5) == 0)
			roofs.items[i].per_s = 1e12;
		if (strcmp(roofs.items[i].name, "l1_read") == 0)
			roofs.items[i].per_s = 22e12;
		if (strcmp(roofs.items[i].name, "l2_read") == 0)
			roofs.items[i].per_s = 20e12;
	}
	bytes = golden_render(&run, REPORT_SVG, &(struct report_options){.ceilings = &roofs},
			      &length);
	assert_null(strstr(bytes, "(shared_read)"));
	assert_null(strstr(bytes, "(l1_read)"));
	assert_non_null(strstr(bytes, "'L2 20.0 TB/s (l2_read)' at "));
	assert_null(strstr(bytes, "left offset"));
	free(bytes);
	run_release(&run);
	ceiling_list_release(&roofs);
}

static void untrusted_names_stay_in_their_quotes(void **state)
{
	static const struct {
		const char *name, *quoted;
	} cases[] = {
		{"", "''"},
		{"it's", "'it''s'"},
		{"''", "''''''"},
		{"a\nb", "'a\\nb'"},
		{"\\", "'\\'"},
		{"`id` $(id) @x %d {/Bold y}", "'`id` $(id) @x %d {/Bold y}'"},
		{"\xff\xe2\x80", "'\\xff\\xe2\\x80'"},
		{"\xe2\x80\xae", "'\\xe2\\x80\\xae'"}, /* it would reverse the line */
		{"\xc3\xa9", "'\xc3\xa9'"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct text quoted = TEXT_INIT;

		escape_gnuplot(&quoted, cases[i].name);
		assert_string_equal(quoted.data, cases[i].quoted);
		text_release(&quoted);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_script_is_as_written),
		cmocka_unit_test(names_of_roofs_are_behind_the_points),
		cmocka_unit_test(flat_roofs_of_one_height_share_a_name),
		cmocka_unit_test(entries_of_the_legend_differ),
		cmocka_unit_test(many_points_are_named_by_kernel),
		cmocka_unit_test(nothing_to_draw_is_said),
		cmocka_unit_test(half_a_picture_is_one),
		cmocka_unit_test(names_of_near_slopes_are_apart),
		cmocka_unit_test(a_slope_outside_of_the_field_keeps_no_place),
		cmocka_unit_test(untrusted_names_stay_in_their_quotes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
