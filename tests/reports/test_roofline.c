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

#include "tests/reports/constructed_run.h"
#include "tests/reports/rendered_roofline.h"

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
		char *bytes = roofline_render(REPORT_TEXT,
					      (struct report_options){.width = widths[i]}, &length);
		char *begin = strstr(bytes, "\nRoofline\n");
		char *end = strstr(bytes, "\nNot measured\n");
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
	char *bytes = roofline_render(REPORT_TEXT, (struct report_options){.ascii = true}, &length);

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
		char *bytes = roofline_render(formats[i], (struct report_options){0}, &length);

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
		free(bytes);
		bytes = golden_render(&counted, formats[i],
				      &(struct report_options){.selection = &everything}, &length);
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
	bytes = golden_render(
		&run, REPORT_TEXT,
		&(struct report_options){.ceilings = &roofs, .selection = &everything}, &length);
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
			char *bytes =
				golden_render(&run, formats[j],
					      &(struct report_options){.ceilings = &roofs,
								       .selection = &everything},
					      &length);

			char *begin = strstr(bytes, "Roofline"), *end;

			assert_non_null(begin);
			end = strstr(begin, "\nNot measured\n");
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

/* ---- the work model ---- */

/* No counter counts half precision, so its point is of the work model and says so everywhere. */
static void a_point_of_the_work_model_is_labelled(void **state)
{
	size_t length;
	char *bytes = roofline_render(REPORT_TEXT, (struct report_options){0}, &length);

	(void)state;
	assert_non_null(strstr(bytes, "compute-bound: 75 % of the measured 100 TFLOP/s "
				      "(f16_fma), from the work model"));
	assert_non_null(strstr(bytes, "by the work model: 75.0 TFLOP/s (f16), 375 flop/B of DRAM"));
	free(bytes);
	bytes = roofline_render(REPORT_SVG, (struct report_options){0}, &length);
	assert_non_null(strstr(bytes, "half/packed (model)"));
	assert_non_null(strstr(bytes, "Large and hollow: operations of the work model"));
	free(bytes);
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
		cmocka_unit_test(a_point_of_the_work_model_is_labelled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
