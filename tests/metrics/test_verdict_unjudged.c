/*
 * Verdicts where a number is missing or cannot be right: what is not known is
 * not judged.
 */
#include "metrics/analysis/ceilings.h"
#include "metrics/analysis/roofline.h"
#include "metrics/analysis/statistics.h"
#include "metrics/analysis/verdict.h"
#include "tests/metrics/verdict_support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

/* A database may hold any number: what is made of them is finite or not known. */
static void numbers_beyond_a_double_are_not_measured(void **state)
{
	static const char *const counters[] = {
		"dram_bytes",
		"l2_from_l1_bytes",
		"l1_bytes",
		"flop_f32",
		"shared_load_wavefronts",
		"shared_store_wavefronts",
		"shared_load_bank_conflicts",
		"shared_store_bank_conflicts",
	};
	struct ceiling_list roofs;
	struct verdict verdict;
	struct trial trial;

	(void)state;
	round_roofs(&roofs);
	waiting_trial(&trial);
	for (size_t i = 0; i < ARRAY_SIZE(counters); i++)
		set_counter(&trial, counters[i], 1e308);
	trial.facts.theoretical_occupancy_pct = INFINITY;
	judge(&verdict, &trial, &roofs, &round_device);
	assert_int_equal(verdict.bound, BOUND_UNKNOWN);
	assert_null(verdict.above_roof);
	for (size_t i = 0; i < verdict.note_count; i++)
		assert_null(strstr(verdict.notes[i].text, "inf"));
	verdict_release(&verdict);
	trial_release(&trial);
	ceiling_list_release(&roofs);
}

/* Google Benchmark times processors. A short time is no short launch then. */
static void a_processor_launches_nothing(void **state)
{
	const struct device_info host = {.name = "host bench-01"};
	struct verdict verdict;
	struct trial trial;

	(void)state;
	timed_trial(&trial, 131);
	judge(&verdict, &trial, NULL, &host);
	assert_int_equal(verdict.bound, BOUND_UNKNOWN);
	assert_null(strstr(verdict.summary, "launch"));
	verdict_release(&verdict);
	trial_release(&trial);
}

/* Too little is known to say that nothing binds. */
static void missing_numbers_are_no_verdict(void **state)
{
	struct ceiling_list roofs, no_dram = {0};
	struct verdict verdict;
	struct trial trial;

	(void)state;
	round_roofs(&roofs);
	add_roof(&no_dram, "fp32_fma", CEILING_RATE, PRECISION_F32, 64e12);

	timed_trial(&trial, 100 * MICROSECOND);
	judge(&verdict, &trial, &roofs, &round_device);
	assert_int_equal(verdict.bound, BOUND_UNKNOWN);
	assert_true(isnan(verdict.roof_pct));
	assert_string_equal(verdict.summary, "not judged: nothing was counted");
	assert_string_equal(advice_of(&verdict, "unknown"),
			    "count it: perflab sweep --metrics core");
	verdict_release(&verdict);
	trial_release(&trial);

	waiting_trial(&trial);
	judge(&verdict, &trial, NULL, &round_device);
	assert_int_equal(verdict.bound, BOUND_UNKNOWN);
	assert_string_equal(verdict.summary, "not judged: no ceilings are stored for this device");
	assert_string_equal(advice_of(&verdict, "unknown"), "measure the roofs: perflab ceilings");
	assert_string_equal(note_of(&verdict, "not_judged"),
			    "not judged: DRAM, L2, L1, compute (no measured roof)");
	verdict_release(&verdict);

	/* 5 % of the instructions that could be issued say nothing of the roofs */
	set_counter(&trial, "instructions", 4e6);
	set_counter(&trial, "sm_cycles", 200e3);
	set_counter(&trial, "gpu_time_ns", 100e3);
	judge(&verdict, &trial, NULL, &round_device);
	assert_int_equal(verdict.bound, BOUND_UNKNOWN);
	assert_true(isnan(verdict.roof_pct));
	verdict_release(&verdict);

	judge(&verdict, &trial, &no_dram, &round_device);
	assert_int_equal(verdict.bound, BOUND_UNKNOWN);
	verdict_release(&verdict);

	/* it could be the L1 that binds */
	counter_list_set_missing(&trial.counters, "l1_bytes", "byte", "", "not asked for");
	judge(&verdict, &trial, &roofs, &round_device);
	assert_int_equal(verdict.bound, BOUND_UNKNOWN);
	assert_string_equal(verdict.summary,
			    "not judged: the nearest known roof (DRAM) is at 10 %");
	assert_string_equal(note_of(&verdict, "not_judged"), "not judged: L1 (not counted)");
	assert_string_equal(verdict.advice[0].text, "count it: perflab sweep --metrics core");
	verdict_release(&verdict);
	judge(&verdict, &trial, &no_dram, &round_device);
	assert_string_equal(note_of(&verdict, "not_judged"),
			    "not judged: L1 (not counted); DRAM, L2 (no measured roof)");
	verdict_release(&verdict);

	trial.summary = summarise(NULL, 0);
	judge(&verdict, &trial, &roofs, &round_device);
	assert_string_equal(verdict.summary, "not judged: no time was measured");
	assert_int_equal(verdict.advice_count, 0);
	verdict_release(&verdict);

	trial.status = TRIAL_MISMATCH;
	judge(&verdict, &trial, &roofs, &round_device);
	assert_string_equal(verdict.summary, "not judged: the case is mismatch");
	assert_int_equal(verdict.note_count, 0);
	verdict_release(&verdict);
	trial_release(&trial);
	ceiling_list_release(&roofs);
	ceiling_list_release(&no_dram);
}

/* Tensor cores and half precision are in no counter: such a kernel may be at a roof unseen. */
static void uncounted_operations_are_no_latency(void **state)
{
	struct ceiling_list roofs;
	struct verdict verdict;
	struct trial trial;

	(void)state;
	round_roofs(&roofs);
	waiting_trial(&trial);
	set_counter(&trial, "flop_f32", 0);
	judge(&verdict, &trial, &roofs, &round_device);
	assert_int_equal(verdict.bound, BOUND_UNKNOWN);
	assert_non_null(note_of(&verdict, "flop_uncounted"));
	verdict_release(&verdict);
	/* a copy has none */
	trial.flop = 0;
	judge(&verdict, &trial, &roofs, &round_device);
	assert_int_equal(verdict.bound, BOUND_LATENCY);
	assert_null(note_of(&verdict, "flop_uncounted"));
	verdict_release(&verdict);
	trial_release(&trial);
	ceiling_list_release(&roofs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_beyond_a_double_are_not_measured),
		cmocka_unit_test(a_processor_launches_nothing),
		cmocka_unit_test(missing_numbers_are_no_verdict),
		cmocka_unit_test(uncounted_operations_are_no_latency),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
