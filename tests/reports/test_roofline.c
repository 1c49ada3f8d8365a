/*
 * Rooflines and verdicts in reports: compares a constructed run with golden files, and checks what
 * the reports say about missing data.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "metrics/analysis/ceilings.h"
#include "reports/derived/derived.h"
#include "reports/reports.h"
#include "reports/roofline/picture.h"
#include "reports/table/escape.h"
#include "tests/reports/constructed_roofline.h"
#include "tests/reports/constructed_run.h"
#include "tests/reports/golden.h"

static char *render(enum report_format format, struct report_options options, size_t *length)
{
	struct ceiling_list roofs;
	struct run run;
	char *bytes;

	constructed_roofs_init(&roofs);
	constructed_roofline_init(&run);
	options.ceilings = &roofs;
	bytes = golden_render(&run, format, &options, length);
	ceiling_list_release(&roofs);
	run_release(&run);
	return bytes;
}

static void expect_golden(const char *name, enum report_format format,
			  struct report_options options)
{
	size_t length;
	char *bytes = render(format, options, &length);

	golden_compare(name, bytes, length);
	free(bytes);
}

static void reports_are_as_written(void **state)
{
	(void)state;
	expect_golden("roofline.txt", REPORT_TEXT, (struct report_options){0});
	expect_golden("roofline-80-ascii.txt", REPORT_TEXT,
		      (struct report_options){.width = 80, .ascii = true});
	expect_golden("roofline-120-colour.txt", REPORT_TEXT,
		      (struct report_options){.width = 120, .colour = true});
	expect_golden("roofline.md", REPORT_MARKDOWN, (struct report_options){0});
	expect_golden("roofline.csv", REPORT_CSV, (struct report_options){0});
	expect_golden("roofline.json", REPORT_JSON, (struct report_options){0});
}

static void lines_of_the_plot_fit(void **state)
{
	static const int widths[] = {20, 40, 80, 100, 300};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(widths); i++) {
		int width = widths[i] < 40 ? 40 : widths[i]; /* no report is narrower */
		size_t length;
		char *bytes =
			render(REPORT_TEXT, (struct report_options){.width = widths[i]}, &length);
		char *begin = strstr(bytes, "\nRoofline\n");
		char *end = strstr(bytes, "\nAbove a measured roof\n");
		int column = 0;

		assert_non_null(begin);
		assert_non_null(end);
		for (char *c = begin; c < end; c++) {
			column = *c == '\n' ? 0 : column + (((unsigned char)*c & 0xc0) != 0x80);
			if (column > width)
				fail_msg("wider than %d: %.60s", width, c - 50);
		}
		free(bytes);
	}
}

static void ascii_is_ascii(void **state)
{
	size_t length;
	char *bytes = render(REPORT_TEXT, (struct report_options){.ascii = true}, &length);

	(void)state;
	assert_non_null(strstr(bytes, "flop per byte of DRAM"));
	assert_non_null(strstr(bytes, " ~0.10 %"));
	for (char *c = bytes; *c; c++)
		assert_true((unsigned char)*c < 0x80);
	free(bytes);
}

static void no_byte_commands_the_terminal(void **state)
{
	static const enum report_format formats[] = {REPORT_TEXT, REPORT_MARKDOWN, REPORT_JSON};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		size_t length;
		char *bytes = render(formats[i], (struct report_options){0}, &length);

		for (size_t j = 0; j < length; j++)
			assert_true(bytes[j] == '\n' || (unsigned char)bytes[j] >= ' ');
		free(bytes);
	}
}

/* Reports say what is missing and make nothing up. */
static void what_is_missing_is_said(void **state)
{
	static const enum report_format formats[] = {REPORT_TEXT, REPORT_MARKDOWN};
	struct ceiling_list roofs;
	struct run counted, uncounted;

	(void)state;
	constructed_roofs_init(&roofs);
	constructed_roofline_init(&counted);
	constructed_run_init(&uncounted);
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		size_t length;
		char *bytes = golden_render(&counted, formats[i], NULL, &length);

		assert_non_null(strstr(bytes, "no ceilings are stored for this device: `perflab "
					      "ceilings` measures them"));
		assert_null(strstr(bytes, "flop per byte of DRAM"));
		assert_non_null(strstr(bytes, "not judged: no ceilings are stored"));
		free(bytes);
		bytes = golden_render(&uncounted, formats[i],
				      &(struct report_options){.ceilings = &roofs}, &length);
		assert_non_null(
			strstr(bytes, "nothing was counted: run `perflab sweep --metrics core`"));
		assert_null(strstr(bytes, "flop per byte of DRAM"));
		free(bytes);
		bytes = golden_render(&uncounted, formats[i], NULL, &length);
		assert_non_null(strstr(bytes, "and nothing was counted"));
		assert_null(strstr(bytes, "not judged"));
		free(bytes);
		bytes = golden_render(
			&counted, formats[i],
			&(struct report_options){.ceilings = &roofs, .no_roofline = true}, &length);
		assert_null(strstr(bytes, "Roofline"));
		assert_null(strstr(bytes, "DRAM-bound"));
		free(bytes);
	}
	run_release(&counted);
	run_release(&uncounted);
	ceiling_list_release(&roofs);
}

/* No emulated number under a roof, whatever the database holds. */
static void emulated_runs_have_no_roofline(void **state)
{
	struct ceiling_list roofs;
	struct run run;
	size_t length;
	char *bytes;

	(void)state;
	constructed_roofs_init(&roofs);
	constructed_emulated_init(&run);
	counter_list_set(&run.trials[3].counters, "dram_bytes", "byte", "stray", 1e6);
	run.trials[3].status = TRIAL_OK;
	bytes = golden_render(&run, REPORT_TEXT, &(struct report_options){.ceilings = &roofs},
			      &length);
	assert_null(strstr(bytes, "TB/s"));
	free(bytes);
	bytes = golden_render(&run, REPORT_JSON, &(struct report_options){.ceilings = &roofs},
			      &length);
	assert_null(strstr(bytes, "\"ceilings\""));
	assert_null(strstr(bytes, "\"dram\""));
	assert_null(strstr(bytes, "\"flop_per_s\""));
	free(bytes);
	run_release(&run);
	ceiling_list_release(&roofs);
}

static void more_kernels_than_letters(void **state)
{
	struct ceiling_list roofs;
	struct run run;
	size_t length;
	char *bytes;

	(void)state;
	constructed_roofs_init(&roofs);
	constructed_many_init(&run, 200);
	bytes = golden_render(&run, REPORT_TEXT, &(struct report_options){.ceilings = &roofs},
			      &length);
	assert_non_null(strstr(bytes, "\nz  kernel_51/only block=256,n=4096\n"));
	assert_non_null(strstr(bytes, "\n*  kernel_52/only block=256,n=4096\n"));
	free(bytes);
	/* a picture names 22 points and draws all others in grey with one plot */
	bytes = golden_render(&run, REPORT_SVG, &(struct report_options){.ceilings = &roofs},
			      &length);
	assert_non_null(strstr(bytes, "$point21 << END\n"));
	assert_null(strstr(bytes, "$point22"));
	assert_non_null(strstr(bytes, "$others << END\n"));
	assert_non_null(strstr(bytes, "'grey: 178 more'"));
	free(bytes);
	run_release(&run);
	ceiling_list_release(&roofs);
}

/* The work of a tree per block depends on the block size, so all four are the best of their
 * problem. */
static void one_block_size_of_a_variant_is_drawn(void **state)
{
	static const int64_t blocks[] = {64, 128, 256, 512};
	struct ceiling_list roofs;
	struct run run;
	size_t length;
	char *bytes, *table;

	(void)state;
	constructed_roofs_init(&roofs);
	constructed_many_init(&run, ARRAY_SIZE(blocks) + 1);
	for (size_t i = 0; i < ARRAY_SIZE(blocks) + 1; i++) {
		struct trial *trial = &run.trials[i];
		int64_t block = blocks[i % ARRAY_SIZE(blocks)];

		free(trial->kernel);
		free(trial->config);
		trial->kernel = xstrdup("tree");
		trial->axes[0].value = block;
		trial->axes[1].value =
			i < ARRAY_SIZE(blocks) ? 4096 : 8192; /* a different problem */
		trial->config = xasprintf("block=%d,n=%d", (int)block, (int)trial->axes[1].value);
		trial->flop += block;
		trial->summary.median_ns = block == 128 ? 5e3 : 10e3;
	}
	bytes = golden_render(&run, REPORT_TEXT, &(struct report_options){.ceilings = &roofs},
			      &length);
	table = strstr(bytes, "\nRoofline\n");
	assert_non_null(table);
	assert_non_null(strstr(table, "\nA  tree/only block=128,n=4096\n"));
	assert_non_null(strstr(table, "\nB  tree/only block=64,n=8192\n"));
	assert_null(strstr(table, "\nC  tree/only"));
	free(bytes);
	run_release(&run);
	ceiling_list_release(&roofs);
}

/* Impossible roofs and numbers still give a picture, and quickly. */
static void numbers_beyond_reason(void **state)
{
	static const double values[] = {1e-300, 5e-324, 1e-12, 1, 1e300, INFINITY, NAN, 0, -1};
	static const enum report_format formats[] = {REPORT_TEXT, REPORT_SVG};
	static const char *const words[] = {"nan", "inf"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(values) * ARRAY_SIZE(values); i++) {
		double a = values[i % ARRAY_SIZE(values)], b = values[i / ARRAY_SIZE(values)];
		struct ceiling_list roofs;
		struct run run;

		constructed_roofs_init(&roofs);
		constructed_roofline_init(&run);
		for (size_t j = 0; j < 2; j++)
			roofs.items[j].per_s = b;
		roofs.items[5].per_s = a;
		counter_list_set(&run.trials[1].counters, "flop_f32", "flop", "", a);
		counter_list_set(&run.trials[2].counters, "dram_bytes", "byte", "", b);
		run.trials[3].summary.median_ns = a;
		for (size_t j = 0; j < ARRAY_SIZE(formats); j++) {
			size_t length;
			char *bytes = golden_render(&run, formats[j],
						    &(struct report_options){.ceilings = &roofs},
						    &length);

			char *begin = strstr(bytes, "Roofline"), *end;

			assert_non_null(begin);
			end = strstr(begin, "\nSweep\n");
			if (end)
				*end = '\0';
			for (size_t k = 0; k < ARRAY_SIZE(words); k++) {
				if (strstr(begin, words[k]))
					fail_msg("%g, %g: %.160s", a, b,
						 strstr(begin, words[k]) - 80);
			}
			free(bytes);
		}
		run_release(&run);
		ceiling_list_release(&roofs);
	}
}

/* ---- gnuplot ---- */

static void the_script_is_as_written(void **state)
{
	(void)state;
	expect_golden("roofline.svg.gp", REPORT_SVG, (struct report_options){0});
	expect_golden("roofline.png.gp", REPORT_PNG, (struct report_options){0});
	expect_golden("roofline.pdf.gp", REPORT_PDF, (struct report_options){0});
}

static void nothing_to_draw_is_said(void **state)
{
	static const struct ceiling_list none = {0};
	struct report_options options = {.ceilings = &none};
	struct run run;
	struct error err = {0};
	FILE *nowhere = fopen("/dev/null", "w");

	(void)state;
	constructed_run_init(&run);
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
	constructed_run_init(&uncounted);
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

/* Slopes on one line: the first name is along the line, the others are in rows above its upper end,
 * where it meets 64 TFLOP/s. */
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
	assert_non_null(strstr(bytes, "'shared 32.0 TB/s (shared_read)' at 0.0145892413,"));
	assert_non_null(strstr(bytes, "'L1 25.6 TB/s (l1_read)' at 2.5,6.4e+13 left offset "
				      "character 0.5,0.7 "));
	assert_non_null(strstr(bytes, "'L2 25.0 TB/s (l2_read)' at 2.56,6.4e+13 left offset "
				      "character 0.5,1.9 "));
	free(bytes);
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
	constructed_run_init(&run);
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
		cmocka_unit_test(reports_are_as_written),
		cmocka_unit_test(lines_of_the_plot_fit),
		cmocka_unit_test(ascii_is_ascii),
		cmocka_unit_test(no_byte_commands_the_terminal),
		cmocka_unit_test(what_is_missing_is_said),
		cmocka_unit_test(emulated_runs_have_no_roofline),
		cmocka_unit_test(more_kernels_than_letters),
		cmocka_unit_test(one_block_size_of_a_variant_is_drawn),
		cmocka_unit_test(numbers_beyond_reason),
		cmocka_unit_test(the_script_is_as_written),
		cmocka_unit_test(nothing_to_draw_is_said),
		cmocka_unit_test(half_a_picture_is_one),
		cmocka_unit_test(names_of_near_slopes_are_apart),
		cmocka_unit_test(a_slope_outside_of_the_field_keeps_no_place),
		cmocka_unit_test(untrusted_names_stay_in_their_quotes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
