/*
 * Verdicts on cases whose answer is known: constructed ones, each a little to
 * either side of a threshold, and what an H200 gave. And docs/verdicts.md
 * against the table.
 */
#include "tests/metrics/roofline_support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PAGE "docs/verdicts.md"
#define MICROSECOND 1e3

struct number {
	const char *metric;
	double value;
};

static void judge(struct verdict *out, const struct trial *trial,
		  const struct ceiling_list *ceilings, const struct device_info *device)
{
	struct roofline_point point;

	roofline_point_of(&point, trial, ceilings);
	verdict_of(out, trial, &point, ceilings, device);
	assert_non_null(out->summary);
	assert_null(strstr(out->summary, "nan"));
	assert_true(out->advice_count <= 2);
	for (size_t i = 0; i < out->note_count; i++)
		assert_null(strstr(out->notes[i].text, "nan"));
	for (size_t i = 0; i < out->advice_count; i++)
		assert_true(out->advice[i].text[0] != '\0');
}

static const char *said(const struct verdict_note *notes, size_t count, const char *rule)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(notes[i].rule, rule) == 0)
			return notes[i].text;
	}
	return NULL;
}

static const char *note_of(const struct verdict *verdict, const char *rule)
{
	return said(verdict->notes, verdict->note_count, rule);
}

static const char *advice_of(const struct verdict *verdict, const char *rule)
{
	return said(verdict->advice, verdict->advice_count, rule);
}

/* A case of 100 us with no roof near: 10 % of DRAM, L2, L1, little arithmetic, enough blocks. */
static void waiting_trial(struct trial *out)
{
	timed_trial(out, 100 * MICROSECOND);
	set_work(out, 40 * 1000 * 1000, 36 * 1000 * 1000, 4 * 1000 * 1000);
	set_counter(out, "dram_bytes", 40e6);
	set_counter(out, "l2_from_l1_bytes", 80e6);
	set_counter(out, "l1_bytes", 160e6);
	counter_list_set(&out->counters, "shared_bytes", "byte", "", 0);
	set_counter(out, "flop_f32", 40e6);
	set_counter(out, "flop_f64", 0);
	set_counter(out, "launches", 1);
	set_counter(out, "blocks", 1000);
	set_counter(out, "threads_per_instruction", 32);
	set_counter(out, "threads_per_instruction_pred_on", 31);
	out->facts.theoretical_occupancy_pct = 100;
	set_counter(out, "achieved_occupancy_pct", 95);
}

/* ---- what binds ---- */

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
		 "DRAM-bound: 60 % of the measured 4.00 TB/s (dram_read)"},
		{{"dram_bytes", 239.9e6},
		 BOUND_LATENCY,
		 59.975,
		 "latency-bound: no roof is near, the nearest (DRAM) at 59 %"},
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
		 "DRAM-bound: 70 % of the measured 4.00 TB/s (dram_read), 80 % of the 3.50 TB/s of "
		 "the "
		 "nearest mix of reads and writes (dram_copy)",
		 "more bytes in flight"},
		{170e6, 150e6,
		 "DRAM-bound: 80 % of the measured 4.00 TB/s (dram_read), 91 % of the 3.50 TB/s of "
		 "the "
		 "nearest mix of reads and writes (dram_copy)",
		 "only fewer bytes help"},
		{250e6, 110e6,
		 "DRAM-bound: 90 % of the measured 4.00 TB/s (dram_read), 103 % of the 3.50 TB/s "
		 "of "
		 "the nearest mix of reads and writes (dram_copy), which it exceeds",
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
	/* 128 bytes a wavefront, whoever adds the derived metric */
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
					     "64.0 TFLOP/s (fp32_fma), and the instructions for "
					     "80 % of it");
	assert_string_equal(note_of(&verdict, "divergence"),
			    "16.0 of 32 threads take part in an instruction; the warp stays "
			    "together on 50 % of its branches");
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
	/* 4 schedulers × 100 multiprocessors × 200000 cycles, 70 % of them used */
	set_counter(&trial, "sm_cycles", 200e3);
	set_counter(&trial, "instructions", 56e6);
	judge(&verdict, &trial, &roofs, &round_device);
	assert_int_equal(verdict.bound, BOUND_ISSUE);
	assert_true(fabs(verdict.roof_pct - 70) < 1e-6);
	assert_string_equal(verdict.summary, "bound by instructions: 70 % of those that 100 "
					     "multiprocessors can issue");
	verdict_release(&verdict);
	/* it takes no measured roof to say so */
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
	/* where most of what is issued is arithmetic, arithmetic binds */
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
	} cases[] = {
		{4900, 1, 1000, BOUND_LAUNCH, "launch-bound: it takes 4.90 us in all"},
		{5100, 1, 1000, BOUND_LATENCY, NULL},
		{98e3, 24, 1000, BOUND_LAUNCH, "launch-bound: 24 launches of 4.08 us in the mean"},
		{200e3, 24, 1000, BOUND_LATENCY, NULL},
		{4900, NAN, NAN, BOUND_LAUNCH, NULL},
		{100e3, 1, 99, BOUND_LAUNCH, "launch-bound: 99 blocks for 100 multiprocessors"},
		{100e3, 1, 1, BOUND_LAUNCH, "launch-bound: 1 block for 100 multiprocessors"},
		{100e3, 1, 100, BOUND_LATENCY, NULL},
	};
	struct ceiling_list roofs;

	(void)state;
	round_roofs(&roofs);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct verdict verdict;
		struct trial trial;

		waiting_trial(&trial);
		trial.summary.median_ns = cases[i].median_ns;
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
			    "latency-bound: no roof is near, the nearest (L2) at 30 %");
	assert_true(fabs(verdict.roof_pct - 30) < 1e-9);
	verdict_release(&verdict);
	trial_release(&trial);
	ceiling_list_release(&roofs);
}

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

	judge(&verdict, &trial, &no_dram, &round_device);
	assert_int_equal(verdict.bound, BOUND_UNKNOWN);
	verdict_release(&verdict);

	/* it could be the L1 that binds */
	counter_list_set_missing(&trial.counters, "l1_bytes", "byte", "", "not asked for");
	judge(&verdict, &trial, &roofs, &round_device);
	assert_int_equal(verdict.bound, BOUND_UNKNOWN);
	assert_string_equal(
		verdict.summary,
		"not judged: of the roofs that are known the nearest (DRAM) is at 10 %");
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

/* ---- above a roof ---- */

static void above_a_roof_is_a_finding(void **state)
{
	struct ceiling_list roofs, vague = {0};
	struct verdict verdict;
	struct trial trial;

	(void)state;
	round_roofs(&roofs);
	waiting_trial(&trial);
	/* both are known to 1 %: 2 % above may be chance, 2.5 % is not */
	set_counter(&trial, "dram_bytes", 408e6);
	judge(&verdict, &trial, &roofs, &round_device);
	assert_null(verdict.above_roof);
	assert_null(note_of(&verdict, "above_roof"));
	verdict_release(&verdict);
	set_counter(&trial, "dram_bytes", 410e6);
	judge(&verdict, &trial, &roofs, &round_device);
	assert_string_equal(
		verdict.above_roof,
		"DRAM: 4.10 TB/s (95 %: 4.06 TB/s to 4.14 TB/s) is above the measured 4.00 TB/s "
		"(95 %: 3.96 TB/s to 4.04 TB/s) of dram_read: the ceiling or the counter is wrong");
	assert_string_equal(note_of(&verdict, "above_roof"), verdict.above_roof);
	assert_string_equal(verdict.advice[0].rule, "above_roof");
	verdict_release(&verdict);

	/* without an interval, 10 % */
	add_roof(&vague, "dram_read", CEILING_BANDWIDTH, LEVEL_DRAM, 4e12);
	vague.items[0].low_per_s = vague.items[0].high_per_s = NAN;
	judge(&verdict, &trial, &vague, &round_device);
	assert_null(verdict.above_roof);
	verdict_release(&verdict);
	set_counter(&trial, "dram_bytes", 450e6);
	judge(&verdict, &trial, &vague, &round_device);
	assert_non_null(strstr(verdict.above_roof, "(no interval) of dram_read"));
	verdict_release(&verdict);
	trial_release(&trial);
	ceiling_list_release(&roofs);
	ceiling_list_release(&vague);
}

/* ---- notes and advice ---- */

/* Each note a little to both sides of its threshold, on a case that waits. */
static void notes_hold_from_their_thresholds_on(void **state)
{
	static const struct {
		const char *rule;
		struct number other, below, above;
		bool advises;
	} cases[] = {
		{"dram_waste", {0}, {"dram_bytes", 49.9e6}, {"dram_bytes", 50.1e6}, true},
		{"divergence",
		 {"threads_per_instruction_pred_on", 28},
		 {"threads_per_instruction", 29},
		 {"threads_per_instruction", 28.7},
		 true},
		{"predication",
		 {0},
		 {"threads_per_instruction_pred_on", 27.3},
		 {"threads_per_instruction_pred_on", 27.1},
		 true},
		{"bank_conflicts",
		 {"shared_load_wavefronts", 1000},
		 {"shared_load_bank_conflicts", 99},
		 {"shared_load_bank_conflicts", 101},
		 true},
		{"occupancy_lost",
		 {0},
		 {"achieved_occupancy_pct", 75.1},
		 {"achieved_occupancy_pct", 74.9},
		 true},
		{"starved",
		 {0},
		 {"eligible_warps_per_cycle", 1.1},
		 {"eligible_warps_per_cycle", 0.9},
		 false},
		{"sectors",
		 {"global_load_sectors", 1e9},
		 {"global_load_sectors_per_request", 4.1},
		 {"global_load_sectors_per_request", 5},
		 true},
		/* of 16-byte elements 16 are ideal */
		{"sectors",
		 {"global_load_sectors", 1e9},
		 {"global_load_sectors_per_request", 16},
		 {"global_load_sectors_per_request", 17},
		 true},
		/* bytes that are needed are not wasted, however they are asked for */
		{"sectors",
		 {"global_store_sectors_per_request", 6},
		 {"global_store_sectors", 4e6 / 32},
		 {"global_store_sectors", 6e6 / 32},
		 true},
	};
	struct ceiling_list roofs;

	(void)state;
	round_roofs(&roofs);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		for (int above = 0; above < 2; above++) {
			const struct number *number = above ? &cases[i].above : &cases[i].below;
			struct verdict verdict;
			struct trial trial;

			waiting_trial(&trial);
			set_counter(&trial, "shared_store_wavefronts", 0);
			set_counter(&trial, "shared_store_bank_conflicts", 0);
			if (cases[i].other.metric)
				set_counter(&trial, cases[i].other.metric, cases[i].other.value);
			set_counter(&trial, number->metric, number->value);
			judge(&verdict, &trial, &roofs, &round_device);
			if ((note_of(&verdict, cases[i].rule) != NULL) != above ||
			    (advice_of(&verdict, cases[i].rule) != NULL) !=
				    (above && cases[i].advises))
				fail_msg("%s at %s = %g", cases[i].rule, number->metric,
					 number->value);
			verdict_release(&verdict);
			trial_release(&trial);
		}
	}
	ceiling_list_release(&roofs);
}

static void wide_elements_are_waste_where_memory_moves_more(void **state)
{
	struct ceiling_list roofs;
	struct verdict verdict;
	struct trial trial;

	(void)state;
	round_roofs(&roofs);
	waiting_trial(&trial);
	set_counter(&trial, "global_load_sectors", 1e9);
	set_counter(&trial, "global_load_sectors_per_request", 8);
	judge(&verdict, &trial, &roofs, &round_device);
	assert_null(note_of(&verdict, "sectors"));
	verdict_release(&verdict);
	set_counter(&trial, "dram_bytes", 80e6);
	judge(&verdict, &trial, &roofs, &round_device);
	assert_string_equal(note_of(&verdict, "sectors"),
			    "8.0 sectors a load of a warp, where elements of 4 bytes need 4, of "
			    "8 bytes 8, of 16 bytes 16");
	/* of three that have something to say, the first two do */
	assert_string_equal(verdict.advice[0].rule, "dram_waste");
	assert_string_equal(verdict.advice[1].rule, "sectors");
	assert_string_equal(note_of(&verdict, "dram_waste"),
			    "DRAM moved 76.3 MiB where 38.1 MiB are needed: 2.00 times as much");
	verdict_release(&verdict);
	trial_release(&trial);
	ceiling_list_release(&roofs);
}

static void what_limits_occupancy_is_named(void **state)
{
	static const struct {
		const char *limiter, *note, *advice;
		double allowed_pct;
	} cases[] = {
		{"registers",
		 "the launch allows 25 % occupancy, limited by registers (128 a thread)",
		 "fewer registers", 25},
		{"shared memory",
		 "the launch allows 25 % occupancy, limited by shared memory (40960 bytes a block)",
		 "less shared memory", 25},
		{"blocks", "the launch allows 25 % occupancy, limited by blocks",
		 "another block size", 25},
		{"registers",
		 "the launch allows 75 % occupancy, limited by registers (128 a thread)", NULL, 75},
		{"none", NULL, NULL, 100},
	};
	struct ceiling_list roofs;

	(void)state;
	round_roofs(&roofs);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct verdict verdict;
		struct trial trial;

		waiting_trial(&trial);
		set_counter(&trial, "achieved_occupancy_pct", cases[i].allowed_pct);
		trial.facts = (struct launch_facts){.registers_per_thread = 128,
						    .shared_static_bytes = 8192,
						    .shared_dynamic_bytes = 32768,
						    .local_bytes_per_thread = 0};
		trial.facts.theoretical_occupancy_pct = cases[i].allowed_pct;
		strcpy(trial.facts.occupancy_limiter, cases[i].limiter);
		judge(&verdict, &trial, &roofs, &round_device);
		if (cases[i].note)
			assert_string_equal(note_of(&verdict, "occupancy_limit"), cases[i].note);
		else
			assert_null(note_of(&verdict, "occupancy_limit"));
		if (cases[i].advice)
			assert_non_null(
				strstr(advice_of(&verdict, "occupancy_limit"), cases[i].advice));
		else
			assert_null(advice_of(&verdict, "occupancy_limit"));
		verdict_release(&verdict);
		trial_release(&trial);
	}
	ceiling_list_release(&roofs);
}

/* Hiding latency is no use at a roof; fewer bytes are. */
static void at_a_roof_only_less_work_helps(void **state)
{
	struct ceiling_list roofs;
	struct verdict verdict;
	struct trial trial;

	(void)state;
	round_roofs(&roofs);
	waiting_trial(&trial);
	set_counter(&trial, "achieved_occupancy_pct", 50);
	trial.bytes_read = 300 * 1000 * 1000;
	set_counter(&trial, "dram_bytes", 300e6); /* 75 % */
	judge(&verdict, &trial, &roofs, &round_device);
	assert_string_equal(verdict.advice[0].rule, "occupancy_lost");
	assert_string_equal(verdict.advice[1].text,
			    "more bytes in flight: wider loads, several a thread");
	verdict_release(&verdict);
	set_counter(&trial, "dram_bytes", 370e6); /* 92.5 % */
	judge(&verdict, &trial, &roofs, &round_device);
	assert_int_equal(verdict.advice_count, 1);
	assert_non_null(strstr(verdict.advice[0].text, "it is at the roof: only fewer bytes"));
	assert_non_null(note_of(&verdict, "occupancy_lost"));
	verdict_release(&verdict);
	trial_release(&trial);
	ceiling_list_release(&roofs);
}

static void spills_are_said(void **state)
{
	struct ceiling_list roofs;
	struct verdict verdict;
	struct trial trial;

	(void)state;
	round_roofs(&roofs);
	waiting_trial(&trial);
	trial.facts.local_bytes_per_thread = 48;
	judge(&verdict, &trial, &roofs, &round_device);
	assert_string_equal(note_of(&verdict, "spills"), "48 bytes of local memory a thread");
	assert_non_null(advice_of(&verdict, "spills"));
	verdict_release(&verdict);
	trial_release(&trial);
	ceiling_list_release(&roofs);
}

static void emulated_is_told_what_needs_no_clock(void **state)
{
	static const struct emulated_value values[] = {
		{.name = "ptx_warp_instructions", .value = 1000},
		{.name = "ptx_lane_instructions", .value = 16000},
		{.name = "ptx_branches", .value = 40},
		{.name = "ptx_divergent_branches", .value = 10},
		{.name = "ptx_global_load_requests", .value = 10},
		{.name = "ptx_global_load_sectors", .value = 320},
		{.name = "ptx_global_load_bytes", .value = 1280},
		{.name = "ptx_global_store_requests", .value = 10},
		{.name = "ptx_global_store_sectors", .value = 160},
		{.name = "ptx_global_store_bytes", .value = 5120},
		{.name = "ptx_shared_load_wavefronts", .value = 64},
		{.name = "ptx_shared_store_wavefronts", .value = 2},
		{.name = "ptx_shared_bank_conflicts", .value = 62},
		{.name = "ptx_theoretical_occupancy_pct", .value = 75},
	};
	struct ceiling_list roofs;
	struct verdict verdict;
	struct trial trial;

	(void)state;
	round_roofs(&roofs);
	timed_trial(&trial, NAN);
	metric_emulated_counters(&trial.counters, values, ARRAY_SIZE(values), 4, 4);
	judge(&verdict, &trial, &roofs, &round_device);
	assert_int_equal(verdict.bound, BOUND_UNKNOWN);
	assert_string_equal(verdict.summary,
			    "emulated: there is no time to tell what would bind it");
	assert_string_equal(note_of(&verdict, "divergence"),
			    "16.0 of 32 threads take part in an instruction; the warp stays "
			    "together on 75 % of its branches");
	/* the stores of 16 bytes a lane are as they should be */
	assert_string_equal(note_of(&verdict, "sectors"),
			    "32.0 sectors a load of a warp, where elements of 4 bytes need 4, of "
			    "8 bytes 8, of 16 bytes 16");
	assert_non_null(note_of(&verdict, "bank_conflicts"));
	assert_non_null(note_of(&verdict, "occupancy_limit"));
	assert_null(note_of(&verdict, "not_judged"));
	verdict_release(&verdict);
	trial_release(&trial);
	ceiling_list_release(&roofs);
}

/* ---- an H200 ---- */

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
	assert_string_equal(
		verdict.summary,
		"not judged: of the roofs that are known the nearest (DRAM) is at 49 %");
	assert_string_equal(note_of(&verdict, "not_judged"),
			    "not judged: L2, shared memory (not counted); L1 (no measured roof)");
	assert_string_equal(note_of(&verdict, "starved"),
			    "0.32 warps a cycle are ready for a scheduler that can issue one");
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
	assert_string_equal(verdict.summary, "bound by instructions: 69 % of those that 132 "
					     "multiprocessors can issue");
	assert_string_equal(note_of(&verdict, "predication"),
			    "of the 31.8 threads that take part 24.2 have a true predicate");
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

/* ---- the page ---- */

static void documented_as_they_are(void **state)
{
	struct string_list lines = {0};
	struct error err = {0};
	size_t length, rule = 0;
	char *page;

	(void)state;
	if (read_file(&page, &length, PAGE, 1 << 20, &err))
		fail_msg("%s", err.text);
	string_list_split(&lines, page, '\n');
	for (size_t i = 0; i < lines.count; i++) {
		const struct verdict_rule *words = verdict_rule_at(rule);
		char *row;

		if (strncmp(lines.items[i], "| `", 3) != 0)
			continue;
		if (!words)
			fail_msg(PAGE " has a rule that there is not: %s", lines.items[i]);
		row = xasprintf("| `%s` | %s | %s |", words->name, words->condition,
				words->advice[0] ? words->advice : "-");
		if (strcmp(lines.items[i], row) != 0)
			fail_msg(PAGE " lacks or misplaces this row:\n%s\nit has:\n%s", row,
				 lines.items[i]);
		free(row);
		rule++;
	}
	if (verdict_rule_at(rule))
		fail_msg(PAGE " lacks the rule %s", verdict_rule_at(rule)->name);
	assert_true(rule > 20);
	string_list_release(&lines);
	free(page);
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
		cmocka_unit_test(the_nearest_of_those_that_are_not_near_is_named),
		cmocka_unit_test(numbers_beyond_a_double_are_not_measured),
		cmocka_unit_test(missing_numbers_are_no_verdict),
		cmocka_unit_test(uncounted_operations_are_no_latency),
		cmocka_unit_test(above_a_roof_is_a_finding),
		cmocka_unit_test(notes_hold_from_their_thresholds_on),
		cmocka_unit_test(wide_elements_are_waste_where_memory_moves_more),
		cmocka_unit_test(what_limits_occupancy_is_named),
		cmocka_unit_test(at_a_roof_only_less_work_helps),
		cmocka_unit_test(spills_are_said),
		cmocka_unit_test(emulated_is_told_what_needs_no_clock),
		cmocka_unit_test(real_recorded_cases),
		cmocka_unit_test(real_swept_cases),
		cmocka_unit_test(documented_as_they_are),
		cmocka_unit_test(bounds_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
