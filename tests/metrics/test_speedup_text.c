/* Speed-ups in words. */
#include "metrics/analysis/speedup.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

/* A trial "new" beside "old"; nothing of it is owned. */
static struct trial beside_old(enum speedup_verdict verdict, double speedup, double low,
			       double high)
{
	struct trial trial = {.variant = "new", .speedup = trial_speedup_none};

	trial.speedup.base_variant = "old";
	trial.speedup.verdict = verdict;
	trial.speedup.speedup = speedup;
	trial.speedup.low = low;
	trial.speedup.high = high;
	return trial;
}

static void expect_sentence(const struct trial *trial, const char *sentence)
{
	struct text text = TEXT_INIT;

	speedup_text(&text, trial);
	assert_string_equal(text.data, sentence);
	text_release(&text);
}

static void one_sentence_each(void **state)
{
	static const struct {
		enum speedup_verdict verdict;
		double speedup, low, high;
		const char *sentence;
	} cases[] = {
		{SPEEDUP_FASTER, 1.0421, 1.0399, 1.0441,
		 "new is 1.042 times as fast as old (1.040 to 1.044): faster"},
		{SPEEDUP_SLOWER, 0.926, 0.92501, 0.9279,
		 "new is 0.926 times as fast as old (0.925 to 0.928): slower"},
		{SPEEDUP_SAME, 1.0002, 0.9996, 1.0008,
		 "new is 1.0002 times as fast as old (0.9996 to 1.0008): same"},
		{SPEEDUP_INCONCLUSIVE, 1.004, 0.95, 1.06,
		 "new is 1.00 times as fast as old (0.95 to 1.06): inconclusive"},
		{SPEEDUP_INCONCLUSIVE, 12.3, 0, INFINITY,
		 "new is 12.30 times as fast as old (no interval): inconclusive"},
	};
	struct trial missing = beside_old(SPEEDUP_NOT_MEASURED, NAN, NAN, NAN);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct trial trial =
			beside_old(cases[i].verdict, cases[i].speedup, cases[i].low, cases[i].high);

		expect_sentence(&trial, cases[i].sentence);
	}
	expect_sentence(&missing, "new: not measured: the run did not get there");
	missing.speedup.why = "old has no case with block=512";
	expect_sentence(&missing, "new: not measured: old has no case with block=512");
}

static void expect_run(struct trial *trials, size_t count, const char *words)
{
	const struct run run = {.trials = trials, .trial_count = count};
	struct text text = TEXT_INIT;

	speedups_text(&text, &run);
	assert_string_equal(text.length ? text.data : "", words);
	text_release(&text);
}

static void one_line_for_a_run(void **state)
{
	struct trial trials[] = {
		{.variant = "old", .speedup = trial_speedup_none},
		beside_old(SPEEDUP_FASTER, 1.0421, 1.0399, 1.0441),
		beside_old(SPEEDUP_NOT_MEASURED, NAN, NAN, NAN),
		beside_old(SPEEDUP_SLOWER, 0.9, 0.89, 0.91),
		beside_old(SPEEDUP_FASTER, 1.1, 1.05, 1.15),
	};

	const struct run emulated = {
		.trials = trials, .trial_count = 2, .traits = {.emulated = true}};
	struct text text = TEXT_INIT;

	(void)state;
	expect_run(trials, 1, "");
	expect_run(trials, 2, "new is 1.042 times as fast as old (1.040 to 1.044): faster");
	expect_run(trials, ARRAY_SIZE(trials), "2 faster, 1 slower, 1 not measured");
	/* nobody expects speed-ups of an emulator */
	speedups_text(&text, &emulated);
	assert_int_equal(text.length, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_sentence_each),
		cmocka_unit_test(one_line_for_a_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
