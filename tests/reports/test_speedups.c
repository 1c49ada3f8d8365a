/* Speed-ups over a base variant in reports: golden files, and what a reader must be told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "metrics/analysis/ceilings.h"
#include "reports/reports.h"
#include "tests/reports/constructed_speedups.h"
#include "tests/reports/golden.h"

static void expect_golden(const char *name, enum report_format format,
			  struct report_options options)
{
	struct run run;
	size_t length;
	char *bytes;

	constructed_speedups_init(&run);
	bytes = golden_render(&run, format, &options, &length);
	run_release(&run);
	golden_compare(name, bytes, length);
	free(bytes);
}

static void reports_are_as_written(void **state)
{
	(void)state;
	expect_golden("speedups.txt", REPORT_TEXT, (struct report_options){0});
	expect_golden("speedups-80-colour.txt", REPORT_TEXT,
		      (struct report_options){.width = 80, .colour = true});
	expect_golden("speedups.md", REPORT_MARKDOWN, (struct report_options){0});
	expect_golden("speedups.csv", REPORT_CSV, (struct report_options){0});
	expect_golden("speedups.json", REPORT_JSON, (struct report_options){0});
}

/* Fails unless the words come in this order. */
static void expect_order(const char *text, const char *const *words, size_t count)
{
	const char *from = text;

	for (size_t i = 0; i < count; i++) {
		const char *found = strstr(from, words[i]);

		if (!found)
			fail_msg("\"%s\" is missing or too early in:\n%s", words[i], text);
		from = found;
	}
}

static void the_best_comes_first(void **state)
{
	static const char *const order[] = {
		"\nSpeed-up over the base variant\n",
		"new is 1.042 times as fast as old (1.040 to 1.044): faster\n",
		"new is 1.0002 times as fast as old (0.9996 to 1.0008): same\n",
		"slow is 1.00 times as fast as old (0.95 to 1.06): inconclusive; on other buffers",
		"slow is 0.926 times as fast as old (0.924 to 0.928): slower\n",
		"trusted is 2.00 times as fast as old (1.90 to 2.10): faster; unverified",
		"\nsaxpy (n=16777216): ",
		"no speed-up      2  ",
		"the case is mismatch",
		"old has no case with block=512",
		"the run did not get there",
	};
	struct run run;
	size_t length;
	char *bytes;

	(void)state;
	constructed_speedups_init(&run);
	bytes = golden_render(&run, REPORT_TEXT, &(struct report_options){0}, &length);
	expect_order(bytes, order, ARRAY_SIZE(order));
	free(bytes);
	run_release(&run);
}

static void above_a_roof_comes_last(void **state)
{
	static const char *const order[] = {
		"slow is 0.926 times as fast as old",
		"trusted is 2.00 times as fast as old",
		"new is 1.042 times as fast as old",
		": faster; above a measured roof",
	};
	struct ceiling roof = {.name = "dram_read",
			       .kind = CEILING_BANDWIDTH,
			       .per_s = 4e12,
			       .low_per_s = 4e12,
			       .high_per_s = 4e12};
	struct ceiling_list roofs = {.items = &roof, .count = 1};
	struct run run;
	size_t length;
	char *bytes;

	(void)state;
	roof.of.level = LEVEL_DRAM;
	constructed_speedups_init(&run);
	for (size_t i = 0; i < run.trial_count; i++) {
		struct trial *trial = &run.trials[i];

		if (strcmp(trial->variant, "new") == 0 && trial->axes[0].value == 128)
			trial->bytes_read = INT64_C(1) << 30;
	}
	bytes = golden_render(&run, REPORT_TEXT, &(struct report_options){.ceilings = &roofs},
			      &length);
	expect_order(bytes, order, ARRAY_SIZE(order));
	free(bytes);
	run_release(&run);
}

/* Many pairs do not push the rest of the report away. */
static void the_block_is_short(void **state)
{
	static const char first[] = "times as fast as old";
	struct run run;
	size_t length, shown = 0;
	char *bytes;

	(void)state;
	constructed_speedups_many(&run, 60);
	bytes = golden_render(&run, REPORT_TEXT, &(struct report_options){0}, &length);
	for (const char *at = strstr(bytes, first); at; at = strstr(at + 1, first))
		shown++;
	assert_int_equal(shown, 20);
	assert_non_null(strstr(bytes, "over the base variant: the first 20 of 60; --all shows"));
	free(bytes);
	run_release(&run);
}

/* A run without a base variant has neither the block nor the columns. */
static void nothing_without_a_base_variant(void **state)
{
	static const enum report_format formats[] = {REPORT_TEXT, REPORT_MARKDOWN};
	struct run run;

	(void)state;
	constructed_speedups_init(&run);
	for (size_t i = 0; i < run.trial_count; i++)
		trial_speedup_release(&run.trials[i].speedup);
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		size_t length;
		char *bytes = golden_render(&run, formats[i], &(struct report_options){0}, &length);

		assert_null(strstr(bytes, "peed-up"));
		assert_null(strstr(bytes, "peedup"));
		free(bytes);
	}
	run_release(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reports_are_as_written),
		cmocka_unit_test(the_best_comes_first),
		cmocka_unit_test(above_a_roof_comes_last),
		cmocka_unit_test(the_block_is_short),
		cmocka_unit_test(nothing_without_a_base_variant),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
