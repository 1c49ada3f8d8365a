/* Verdicts on what an H200 gave. */
#include "metrics/analysis/ceilings.h"
#include "metrics/analysis/roofline.h"
#include "metrics/analysis/verdict.h"
#include "tests/metrics/verdict_support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

/*
 * Roofs: the best reduction of docs/results/bench-roof.md, and what the best
 * arithmetic of docs/results/sweep-h200.md reached (no ceiling of f32 was
 * measured that day). Times and counters as that sweep and the recorded image
 * have them.
 */
static void h200_roofs(struct ceiling_list *out)
{
	*out = (struct ceiling_list){0};
	add_roof(out, "reduce", CEILING_BANDWIDTH, LEVEL_DRAM, 4.557e12);
	add_roof(out, "divergence", CEILING_RATE, PRECISION_F32, 50.648e12);
}

static const struct device_info h200 = {.name = "NVIDIA H200", .cc_major = 9, .sm_count = 132};

static void real_recorded_cases(void **state)
{
	struct ceiling_list roofs;
	struct verdict verdict;
	struct trial trial;

	(void)state;
	h200_roofs(&roofs);
	/* one float a thread: 49 % of the roof, a third of a warp ready, nothing else in its way;
	 * but of the caches no roof was measured that day */
	timed_trial(&trial, 50.5e3);
	set_work(&trial, 0, 1 << 26, 1 << 26);
	trial.facts.theoretical_occupancy_pct = 100;
	real_counters(&trial, "stream/copy_scalar/block=256,n=16777216");
	judge(&verdict, &trial, &roofs, &h200);
	assert_int_equal(verdict.bound, BOUND_UNKNOWN);
	assert_string_equal(verdict.summary,
			    "not judged: the nearest known roof (DRAM) is at 49 %");
	assert_string_equal(note_of(&verdict, "not_judged"),
			    "not judged: L2, shared memory (not counted); L1 (no measured roof)");
	assert_string_equal(
		note_of(&verdict, "starved"),
		"0.32 warps are ready per scheduler and cycle; the scheduler can issue one");
	assert_null(note_of(&verdict, "sectors"));
	assert_null(note_of(&verdict, "divergence"));
	assert_null(note_of(&verdict, "predication"));
	assert_null(note_of(&verdict, "dram_waste"));
	assert_null(note_of(&verdict, "flop_uncounted"));
	assert_string_equal(verdict.advice[0].text, "count it: perflab sweep --metrics core; "
						    "measure the roofs: perflab ceilings");
	assert_string_equal(verdict.advice[1].rule, "occupancy_lost"); /* 71 % */
	verdict_release(&verdict);
	trial_release(&trial);

	/* the modulo of the neighboured reduction: 9 % of DRAM, its instructions bind, a quarter of
	 * its lanes are predicated off though no branch diverges */
	timed_trial(&trial, 169e3);
	set_work(&trial, 16777215, 1 << 26, 4);
	trial.facts.theoretical_occupancy_pct = 100;
	real_counters(&trial, "reduce/neighboured/block=256,n=16777216");
	judge(&verdict, &trial, &roofs, &h200);
	assert_int_equal(verdict.bound, BOUND_ISSUE);
	assert_string_equal(verdict.summary, "bound by instructions: 75 % of what 132 "
					     "multiprocessors can issue");
	assert_string_equal(note_of(&verdict, "predication"),
			    "only 24.2 of 32 lanes do work; 7.6 more are predicated off");
	assert_null(note_of(&verdict, "divergence"));
	assert_null(note_of(&verdict, "bank_conflicts"));
	assert_string_equal(verdict.advice[0].rule, "predication");
	verdict_release(&verdict);
	trial_release(&trial);
	ceiling_list_release(&roofs);
}

/* Rows of docs/results/sweep-h200.md. */
static void real_swept_cases(void **state)
{
	static const struct {
		const char *name;
		double median_ns, dram_gb_per_s, gflop_per_s, branch_pct, threads, occupancy_pct;
		double launches;
		enum bound bound;
		const char *note;
	} rows[] = {
		{"reduce/last_block/1024", 21.4e3, 3132, 783, 99.7, 31.9, 97.4, 1, BOUND_DRAM,
		 NULL},
		{"stream/add_float4/64", 46.7e3, 3842, 359, 100, 32, 81.5, 1, BOUND_DRAM, NULL},
		{"stream/copy_scalar/64", 162e3, 700, 0, NAN, 32, 25.3, 1, BOUND_UNKNOWN,
		 "occupancy_lost"},
		{"reduce/naive/256", 98.2e3, 1179, 171, NAN, 32, 68.1, 24, BOUND_LAUNCH,
		 "dram_waste"},
		{"divergence/warp_parity_long/128", 42.7e3, 393, 50269, 100, 32, 88.4, 1,
		 BOUND_COMPUTE, NULL},
		{"divergence/thread_parity_long/128", 74.7e3, 225, 28753, 50, 16.8, 90.9, 1,
		 BOUND_COMPUTE, "divergence"},
		{"divergence/switch_lane/256, 32 ways", 306e3, 54.8, 1753, 59.2, 1.72, 96.2, 1,
		 BOUND_COMPUTE, "divergence"},
		{"matmul/tiled/1024", 353e3, 23.8, 6078, 100, 32, 93.8, 1, BOUND_UNKNOWN, NULL},
	};
	struct ceiling_list roofs;

	(void)state;
	h200_roofs(&roofs);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct verdict verdict;
		struct trial trial;

		timed_trial(&trial, rows[i].median_ns);
		set_counter(&trial, "dram_bytes", rows[i].dram_gb_per_s * rows[i].median_ns);
		set_counter(&trial, "flop_f32", rows[i].gflop_per_s * rows[i].median_ns);
		set_counter(&trial, "flop_f64", 0);
		counter_list_set(&trial.counters, "branch_efficiency_pct", "percent", "",
				 rows[i].branch_pct);
		set_counter(&trial, "threads_per_instruction", rows[i].threads);
		set_counter(&trial, "threads_per_instruction_pred_on", rows[i].threads);
		set_counter(&trial, "achieved_occupancy_pct", rows[i].occupancy_pct);
		set_counter(&trial, "launches", rows[i].launches);
		trial.facts.theoretical_occupancy_pct = 100;
		if (rows[i].note && strcmp(rows[i].note, "dram_waste") == 0)
			set_work(&trial, 16777215, 1 << 26, 4);
		judge(&verdict, &trial, &roofs, &h200);
		if (verdict.bound != rows[i].bound)
			fail_msg("%s: %s", rows[i].name, verdict.summary);
		if (rows[i].note && !note_of(&verdict, rows[i].note))
			fail_msg("%s: no note of %s", rows[i].name, rows[i].note);
		if (!rows[i].note &&
		    (note_of(&verdict, "divergence") || note_of(&verdict, "occupancy_lost") ||
		     note_of(&verdict, "dram_waste")))
			fail_msg("%s: a note too many", rows[i].name);
		assert_null(verdict.above_roof);
		verdict_release(&verdict);
		trial_release(&trial);
	}
	ceiling_list_release(&roofs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(real_recorded_cases),
		cmocka_unit_test(real_swept_cases),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
