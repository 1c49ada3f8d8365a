/*
 * The limiter of constructed cases with known answers, each slightly above or below a threshold.
 */
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

static void each_roof_binds_when_it_is_near(void **state)
{
	static const struct {
		struct number number;
		enum bound bound;
		double pct;
		const char *summary;
	} cases[] = {
		{{"dram_bytes", 372e6},
		 BOUND_DRAM,
		 93,
		 "DRAM-bound: 93 % of the measured 4.00 TB/s (dram_read)"},
		{{"l2_from_l1_bytes", 560e6},
		 BOUND_L2,
		 70,
		 "L2-bound: 70 % of the measured 8.00 TB/s (l2_read)"},
		{{"l1_bytes", 1200e6},
		 BOUND_L1,
		 75,
		 "L1-bound: 75 % of the measured 16.0 TB/s (l1_read)"},
		{{"flop_f32", 5.12e9},
		 BOUND_COMPUTE,
		 80,
		 "compute-bound: 80 % of the measured 64.0 TFLOP/s (fp32_fma)"},
		{{"flop_f64", 2.88e9},
		 BOUND_COMPUTE,
		 90,
		 "compute-bound: 90 % of the measured 32.0 TFLOP/s (fp64_fma)"},
		{{"dram_bytes", 240.1e6},
		 BOUND_DRAM,
		 60.025,
		 "DRAM-bound: 60 % of the measured 4.00 TB/s (dram_read), close to the limit of "
		 "60 %"},
		/* 60 % and more of the 96.5 us without the launch */
		{{"dram_bytes", 231.7e6},
		 BOUND_DRAM,
		 57.925,
		 "DRAM-bound: 58 % of the measured 4.00 TB/s (dram_read), or 60 % without the time "
		 "of "
		 "launching, close to the limit of 60 %"},
		{{"dram_bytes", 231.5e6},
		 BOUND_LATENCY,
		 57.875,
		 "latency-bound: no roof is near, the nearest roof (DRAM) at 58 %, close to the "
		 "limit of 60 %"},
	};
	struct ceiling_list roofs;

	(void)state;
	round_roofs(&roofs);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct verdict verdict;
		struct trial trial;

		waiting_trial(&trial);
		set_counter(&trial, cases[i].number.metric, cases[i].number.value);
		judge(&verdict, &trial, &roofs, &round_device);
		assert_string_equal(verdict.summary, cases[i].summary);
		assert_int_equal(verdict.bound, cases[i].bound);
		assert_true(fabs(verdict.roof_pct - cases[i].pct) < 1e-6);
		assert_null(verdict.above_roof);
		verdict_release(&verdict);
		trial_release(&trial);
	}
	ceiling_list_release(&roofs);
}

/* The highest ceiling is that of reading alone, which what also writes does not reach. */
static void a_mix_of_reads_and_writes_is_held_against_its_own(void **state)
{
	static const struct {
		double read, written;
		const char *summary, *advice;
	} cases[] = {
		{140e6, 140e6,
		 "DRAM-bound: 80 % of the 3.50 TB/s of the nearest mix of reads and writes "
		 "(dram_copy); 70 % of the measured 4.00 TB/s (dram_read)",
		 "more bytes in flight"},
		{170e6, 150e6,
		 "DRAM-bound: 91 % of the 3.50 TB/s of the nearest mix of reads and writes "
		 "(dram_copy); 80 % of the measured 4.00 TB/s (dram_read)",
		 "only fewer bytes help"},
		{250e6, 110e6,
		 "DRAM-bound: 103 % of the 3.50 TB/s of the nearest mix of reads and writes "
		 "(dram_copy), which it exceeds; 90 % of the measured 4.00 TB/s (dram_read)",
		 "only fewer bytes help"},
		{280e6, 0, "DRAM-bound: 70 % of the measured 4.00 TB/s (dram_read)",
		 "more bytes in flight"},
		{280e6, NAN, "DRAM-bound: 70 % of the measured 4.00 TB/s (dram_read)",
		 "more bytes in flight"},
	};
	struct ceiling_list roofs;

	(void)state;
	round_roofs(&roofs);
	for (size_t i = 0; i < roofs.count; i++) {
		roofs.items[i].read_bytes = strcmp(roofs.items[i].name, "dram_copy") == 0 ? 6 : 12;
		roofs.items[i].written_bytes = 12 - roofs.items[i].read_bytes;
	}
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct verdict verdict;
		struct trial trial;

		waiting_trial(&trial);
		set_counter(&trial, "dram_read_bytes", cases[i].read);
		if (!isnan(cases[i].written))
			set_counter(&trial, "dram_write_bytes", cases[i].written);
		set_counter(&trial, "dram_bytes", cases[i].read + fmax(cases[i].written, 0));
		set_work(&trial, 0, (int64_t)cases[i].read, (int64_t)fmax(cases[i].written, 0));
		judge(&verdict, &trial, &roofs, &round_device);
		assert_string_equal(verdict.summary, cases[i].summary);
		assert_int_equal(verdict.bound, BOUND_DRAM);
		/* a roof is the most that the level gives: that is not exceeded */
		assert_null(verdict.above_roof);
		assert_non_null(
			strstr(verdict.advice[verdict.advice_count - 1].text, cases[i].advice));
		verdict_release(&verdict);
		trial_release(&trial);
	}
	ceiling_list_release(&roofs);
}

static void shared_memory_binds(void **state)
{
	struct ceiling_list roofs;
	struct verdict verdict;
	struct trial trial;

	(void)state;
	round_roofs(&roofs);
	waiting_trial(&trial);
	/* 128 bytes per wavefront */
	counter_list_set(&trial.counters, "shared_bytes", "byte", "", 2.56e9);
	judge(&verdict, &trial, &roofs, &round_device);
	assert_int_equal(verdict.bound, BOUND_SHARED);
	assert_string_equal(verdict.summary,
			    "bound by shared memory: 80 % of the measured 32.0 TB/s (shared_read)");
	verdict_release(&verdict);
	trial_release(&trial);
	ceiling_list_release(&roofs);
}

static void the_nearest_roof_wins(void **state)
{
	struct ceiling_list roofs;
	struct verdict verdict;
	struct trial trial;

	(void)state;
	round_roofs(&roofs);
	waiting_trial(&trial);
	set_counter(&trial, "dram_bytes", 280e6);       /* 70 % */
	set_counter(&trial, "l2_from_l1_bytes", 640e6); /* 80 % */
	set_counter(&trial, "l1_bytes", 1200e6);        /* 75 % */
	judge(&verdict, &trial, &roofs, &round_device);
	assert_int_equal(verdict.bound, BOUND_L2);
	verdict_release(&verdict);
	trial_release(&trial);
	ceiling_list_release(&roofs);
}

/* 40 % of the roof, but each instruction for it has 16 lanes of 32. */
static void idle_lanes_are_seen_through(void **state)
{
	struct ceiling_list roofs;
	struct verdict verdict;
	struct trial trial;

	(void)state;
	round_roofs(&roofs);
	waiting_trial(&trial);
	set_counter(&trial, "flop_f32", 2.56e9);
	set_counter(&trial, "threads_per_instruction", 16);
	set_counter(&trial, "threads_per_instruction_pred_on", 16);
	set_counter(&trial, "branch_efficiency_pct", 50);
	judge(&verdict, &trial, &roofs, &round_device);
	assert_int_equal(verdict.bound, BOUND_COMPUTE);
	assert_true(fabs(verdict.roof_pct - 40) < 1e-6);
	assert_string_equal(verdict.summary, "compute-bound with idle lanes: 40 % of the measured "
					     "64.0 TFLOP/s (fp32_fma); with full warps the same "
					     "instructions would reach 80 %");
	assert_string_equal(note_of(&verdict, "divergence"),
			    "16.0 of 32 threads take part in an instruction; 50 % of the "
			    "branches are uniform");
	assert_string_equal(verdict.advice[0].rule, "divergence");
	verdict_release(&verdict);
	trial_release(&trial);
	ceiling_list_release(&roofs);
}

static void instructions_bind(void **state)
{
	struct device_info old = round_device;
	struct ceiling_list roofs;
	struct verdict verdict;
	struct trial trial;

	(void)state;
	round_roofs(&roofs);
	waiting_trial(&trial);
	/* 4 schedulers × 100 multiprocessors × 100 us × 2 GHz, 70 % of them used; the counted range
	 * was longer than the case, and its time shows in no share */
	set_counter(&trial, "gpu_time_ns", 140e3);
	set_counter(&trial, "sm_cycles", 280e3);
	set_counter(&trial, "instructions", 56e6);
	judge(&verdict, &trial, &roofs, &round_device);
	assert_int_equal(verdict.bound, BOUND_ISSUE);
	assert_true(fabs(verdict.roof_pct - 70) < 1e-6);
	assert_string_equal(verdict.summary, "bound by instructions: 70 % of what 100 "
					     "multiprocessors can issue");
	verdict_release(&verdict);
	/* this needs no measured roof */
	judge(&verdict, &trial, NULL, &round_device);
	assert_int_equal(verdict.bound, BOUND_ISSUE);
	verdict_release(&verdict);
	/* before Volta a multiprocessor had other schedulers */
	old.cc_major = 6;
	judge(&verdict, &trial, &roofs, &old);
	assert_int_equal(verdict.bound, BOUND_LATENCY);
	verdict_release(&verdict);
	judge(&verdict, &trial, &roofs, NULL);
	assert_int_equal(verdict.bound, BOUND_LATENCY);
	verdict_release(&verdict);
	/* the device was slower, so it could issue less in the same time */
	set_counter(&trial, "sm_cycles", 252e3);
	judge(&verdict, &trial, &roofs, &round_device);
	assert_true(fabs(verdict.roof_pct - 70 / 0.9) < 1e-6);
	verdict_release(&verdict);
	/* without the time of the range its clock is not known */
	counter_list_set_missing(&trial.counters, "gpu_time_ns", "ns", "", "not collected");
	judge(&verdict, &trial, &roofs, &round_device);
	assert_int_equal(verdict.bound, BOUND_LATENCY);
	verdict_release(&verdict);
	set_counter(&trial, "gpu_time_ns", 140e3);
	set_counter(&trial, "sm_cycles", 280e3);
	/* if most issued instructions are arithmetic, arithmetic is the limiter */
	set_counter(&trial, "flop_f32", 4.0e9);
	judge(&verdict, &trial, &roofs, &round_device);
	assert_int_equal(verdict.bound, BOUND_COMPUTE);
	verdict_release(&verdict);
	trial_release(&trial);
	ceiling_list_release(&roofs);
}

static void launching_binds(void **state)
{
	static const struct {
		double median_ns, launches, blocks;
		enum bound bound;
		const char *summary;
		double empty_ns; /* of an empty kernel, as a round measured it; 0: none did */
	} cases[] = {
		{4900, 1, 1000, BOUND_LAUNCH, "launch-bound: the case takes 4.90 us", 0},
		{5300, 1, 1000, BOUND_LATENCY, NULL, 0},
		/* without the cost of the events */
		{2900, 1, 1000, BOUND_LAUNCH, "launch-bound: the case takes 2.90 us", 2000},
		{3100, 1, 1000, BOUND_LATENCY, NULL, 2000},
		{98e3, 24, 1000, BOUND_LAUNCH, "launch-bound: 24 launches of 4.08 us on average",
		 0},
		{200e3, 24, 1000, BOUND_LATENCY, NULL, 0},
		{4900, NAN, NAN, BOUND_LAUNCH, NULL, 0},
		{100e3, 1, 95, BOUND_GRID, "bound by its grid: 95 blocks for 100 multiprocessors",
		 0},
		{100e3, 1, 1, BOUND_GRID, "bound by its grid: 1 block for 100 multiprocessors", 0},
		/* four that are idle cost 4 % */
		{100e3, 1, 96, BOUND_LATENCY, NULL, 0},
		{100e3, 1, 100, BOUND_LATENCY, NULL, 0},
	};
	struct ceiling_list roofs;

	(void)state;
	round_roofs(&roofs);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct verdict verdict;
		struct trial trial;

		waiting_trial(&trial);
		trial.summary.median_ns = cases[i].median_ns;
		if (cases[i].empty_ns > 0) {
			trial.rounds = xcalloc(1, sizeof(*trial.rounds));
			trial.round_count = 1;
			trial.rounds[0].state = device_state_unknown;
			trial.rounds[0].state.event_ns = 2100;
			trial.rounds[0].state.launch_ns = cases[i].empty_ns;
		}
		/* as far from the roofs as before */
		set_counter(&trial, "dram_bytes", 400 * cases[i].median_ns);
		set_counter(&trial, "l2_from_l1_bytes", 800 * cases[i].median_ns);
		set_counter(&trial, "l1_bytes", 1600 * cases[i].median_ns);
		counter_list_set(&trial.counters, "launches", "launch", "", cases[i].launches);
		counter_list_set(&trial.counters, "blocks", "block", "", cases[i].blocks);
		judge(&verdict, &trial, &roofs, &round_device);
		if (cases[i].summary)
			assert_string_equal(verdict.summary, cases[i].summary);
		assert_int_equal(verdict.bound, cases[i].bound);
		verdict_release(&verdict);
		trial_release(&trial);
	}
	ceiling_list_release(&roofs);
}

/* With as many warps ready as the scheduler can issue, nothing waits for memory. */
static void hidden_latency_is_no_limiter(void **state)
{
	struct ceiling_list roofs;
	struct verdict verdict;
	struct trial trial;

	(void)state;
	round_roofs(&roofs);
	waiting_trial(&trial);
	set_counter(&trial, "achieved_occupancy_pct", 50);
	set_counter(&trial, "eligible_warps_per_cycle", 0.99);
	judge(&verdict, &trial, &roofs, &round_device);
	assert_int_equal(verdict.bound, BOUND_LATENCY);
	assert_non_null(advice_of(&verdict, "occupancy_lost"));
	verdict_release(&verdict);
	set_counter(&trial, "eligible_warps_per_cycle", 1.5);
	set_counter(&trial, "dram_bytes", 80e6);
	judge(&verdict, &trial, &roofs, &round_device);
	assert_int_equal(verdict.bound, BOUND_UNKNOWN);
	assert_string_equal(
		verdict.summary,
		"not judged: 1.5 warps are ready per scheduler and cycle, so latency is "
		"hidden; the nearest roof (DRAM) is at 20 %");
	assert_null(advice_of(&verdict, "occupancy_lost"));
	assert_string_equal(verdict.advice[0].rule, "dram_waste");
	/* to look further is no advice beside that one */
	assert_int_equal(verdict.advice_count, 1);
	verdict_release(&verdict);
	trial_release(&trial);
	ceiling_list_release(&roofs);
}

/* 97 of 100 multiprocessors work, at 61 % of what they can do without the launch: 57 % of what
 * the device can. */
static void a_roof_of_multiprocessors_is_that_of_those_with_blocks(void **state)
{
	struct ceiling_list roofs;
	struct verdict verdict;
	struct trial trial;

	(void)state;
	round_roofs(&roofs);
	waiting_trial(&trial);
	set_counter(&trial, "flop_f32", 0.574 * 64e12 * 100e-6);
	set_counter(&trial, "blocks", 97);
	judge(&verdict, &trial, &roofs, &round_device);
	assert_int_equal(verdict.bound, BOUND_COMPUTE);
	assert_string_equal(verdict.summary, "compute-bound: 57 % of the measured 64.0 TFLOP/s "
					     "(fp32_fma), close to the limit of 60 %");
	verdict_release(&verdict);
	set_counter(&trial, "blocks", 100);
	judge(&verdict, &trial, &roofs, &round_device);
	assert_int_equal(verdict.bound, BOUND_LATENCY);
	assert_string_equal(
		verdict.summary,
		"latency-bound: no roof is near, the nearest roof (compute) at 57 %, close to "
		"the limit of 60 %");
	verdict_release(&verdict);
	trial_release(&trial);
	ceiling_list_release(&roofs);
}

/* Idle lanes count for what is near, but what is reported is reached. */
static void the_nearest_of_those_that_are_not_near_is_named(void **state)
{
	struct ceiling_list roofs;
	struct verdict verdict;
	struct trial trial;

	(void)state;
	round_roofs(&roofs);
	waiting_trial(&trial);
	set_counter(&trial, "flop_f32", 1.28e9);
	set_counter(&trial, "threads_per_instruction", 16);
	set_counter(&trial, "l2_from_l1_bytes", 240e6);
	judge(&verdict, &trial, &roofs, &round_device);
	/* with all lanes compute would be at 40 % */
	assert_string_equal(verdict.summary,
			    "latency-bound: no roof is near, the nearest roof (L2) at 30 %");
	assert_true(fabs(verdict.roof_pct - 30) < 1e-9);
	verdict_release(&verdict);
	trial_release(&trial);
	ceiling_list_release(&roofs);
}

static void bounds_have_names(void **state)
{
	(void)state;
	assert_string_equal(bound_name(BOUND_DRAM), "dram");
	for (int i = 0; i < BOUND_COUNT; i++)
		assert_true(bound_meaning((enum bound)i)[0] != '\0');
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_roof_binds_when_it_is_near),
		cmocka_unit_test(a_mix_of_reads_and_writes_is_held_against_its_own),
		cmocka_unit_test(shared_memory_binds),
		cmocka_unit_test(the_nearest_roof_wins),
		cmocka_unit_test(idle_lanes_are_seen_through),
		cmocka_unit_test(instructions_bind),
		cmocka_unit_test(launching_binds),
		cmocka_unit_test(hidden_latency_is_no_limiter),
		cmocka_unit_test(a_roof_of_multiprocessors_is_that_of_those_with_blocks),
		cmocka_unit_test(the_nearest_of_those_that_are_not_near_is_named),
		cmocka_unit_test(bounds_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
