/*
 * What a verdict adds to what binds: notes, each a little to both sides of its
 * threshold, and what it advises.
 */
#include "metrics/analysis/ceilings.h"
#include "metrics/analysis/roofline.h"
#include "metrics/analysis/verdict.h"
#include "metrics/catalogue/catalogue.h"
#include "tests/metrics/verdict_support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

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
			counter_list_set(&trial.counters, "shared_bytes", "byte", "", 320e6);
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
			    "8.0 sectors per load of a warp; ideal: 4 (float), 8 (float2), "
			    "16 (float4)");
	/* of three that have something to say, the first two do */
	assert_string_equal(verdict.advice[0].rule, "dram_waste");
	assert_string_equal(verdict.advice[1].rule, "sectors");
	assert_string_equal(note_of(&verdict, "dram_waste"),
			    "DRAM moved 76.3 MiB, 2.00 times the 38.1 MiB that are needed");
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
		 "the launch allows 25 % occupancy, limited by registers (128 per thread)",
		 "fewer registers", 25},
		{"shared memory",
		 "the launch allows 25 % occupancy, limited by shared memory (40960 bytes per "
		 "block)",
		 "less shared memory", 25},
		{"blocks", "the launch allows 25 % occupancy, limited by blocks",
		 "another block size", 25},
		{"registers",
		 "the launch allows 75 % occupancy, limited by registers (128 per thread)", NULL,
		 75},
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
			    "keep more bytes in flight: wider loads, several loads per thread: at "
			    "most 1.3 times as fast (up to the roof)");
	verdict_release(&verdict);
	set_counter(&trial, "dram_bytes", 370e6); /* 92.5 % */
	judge(&verdict, &trial, &roofs, &round_device);
	assert_int_equal(verdict.advice_count, 1);
	assert_non_null(strstr(verdict.advice[0].text, "at the roof only fewer bytes"));
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
	assert_string_equal(note_of(&verdict, "spills"), "48 bytes of local memory per thread");
	assert_non_null(advice_of(&verdict, "spills"));
	verdict_release(&verdict);
	trial_release(&trial);
	ceiling_list_release(&roofs);
}

/* Spills move bytes, so they come before the bytes. */
static void a_cause_comes_before_its_effect(void **state)
{
	struct ceiling_list roofs;
	struct verdict verdict;
	struct trial trial;

	(void)state;
	round_roofs(&roofs);
	waiting_trial(&trial);
	trial.facts.local_bytes_per_thread = 48;
	set_counter(&trial, "dram_bytes", 80e6);
	judge(&verdict, &trial, &roofs, &round_device);
	assert_string_equal(verdict.advice[0].rule, "spills");
	assert_string_equal(verdict.advice[1].rule, "dram_waste");
	verdict_release(&verdict);
	trial_release(&trial);
	ceiling_list_release(&roofs);
}

/* A fact stays where following its advice would win next to nothing, or cannot be followed. */
static void no_advice_about_what_costs_nothing(void **state)
{
	struct ceiling_list roofs;
	struct verdict verdict;
	struct trial trial;

	(void)state;
	round_roofs(&roofs);
	waiting_trial(&trial);
	trial.bytes_read = 4 * 1000 * 1000;
	set_counter(&trial, "dram_bytes", 0.049 * 4e12 * 100e-6);
	set_counter(&trial, "shared_load_wavefronts", 1000);
	set_counter(&trial, "shared_store_wavefronts", 0);
	set_counter(&trial, "shared_load_bank_conflicts", 400);
	set_counter(&trial, "shared_store_bank_conflicts", 0);
	counter_list_set(&trial.counters, "shared_bytes", "byte", "", 0.049 * 32e12 * 100e-6);
	judge(&verdict, &trial, &roofs, &round_device);
	assert_non_null(note_of(&verdict, "dram_waste"));
	assert_non_null(note_of(&verdict, "bank_conflicts"));
	assert_null(advice_of(&verdict, "dram_waste"));
	assert_null(advice_of(&verdict, "bank_conflicts"));
	verdict_release(&verdict);
	set_counter(&trial, "dram_bytes", 0.051 * 4e12 * 100e-6);
	counter_list_set(&trial.counters, "shared_bytes", "byte", "", 0.051 * 32e12 * 100e-6);
	judge(&verdict, &trial, &roofs, &round_device);
	assert_non_null(advice_of(&verdict, "dram_waste"));
	assert_non_null(advice_of(&verdict, "bank_conflicts"));
	verdict_release(&verdict);
	/* the code of a library has no registers that perflab knows */
	strcpy(trial.facts.code_kind, "cuBLAS 13.1");
	trial.facts.registers_per_thread = -1;
	judge(&verdict, &trial, &roofs, &round_device);
	assert_non_null(note_of(&verdict, "dram_waste"));
	assert_int_equal(verdict.advice_count, 0);
	verdict_release(&verdict);
	trial_release(&trial);
	ceiling_list_release(&roofs);
}

/* The warps of a matrix product on tensor cores need their registers. */
static void tensor_cores_keep_their_registers(void **state)
{
	struct ceiling_list roofs;
	struct verdict verdict;
	struct trial trial;

	(void)state;
	round_roofs(&roofs);
	add_roof(&roofs, "tensor_f16", CEILING_RATE, PRECISION_TENSOR_F16, 900e12);
	waiting_trial(&trial);
	trial.facts.theoretical_occupancy_pct = 12.5;
	trial.facts.registers_per_thread = 212;
	strcpy(trial.facts.occupancy_limiter, "registers");
	judge(&verdict, &trial, &roofs, &round_device);
	assert_non_null(advice_of(&verdict, "occupancy_limit"));
	verdict_release(&verdict);
	set_counter(&trial, "flop_f32", 0);
	set_counter(&trial, "flop_tensor_f16", 0.4 * 900e12 * 100e-6);
	judge(&verdict, &trial, &roofs, &round_device);
	assert_non_null(note_of(&verdict, "occupancy_limit"));
	assert_null(advice_of(&verdict, "occupancy_limit"));
	verdict_release(&verdict);
	trial_release(&trial);
	ceiling_list_release(&roofs);
}

static void emulated_is_advised_what_needs_no_clock(void **state)
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
	static const struct {
		const char *rule;
		double lost;
	} by_waste[] = {{"sectors", 280.0 / 480},
			{"divergence", 0.5},
			{"bank_conflicts", 62.0 / 1062},
			{"occupancy_limit", NAN}};
	struct ceiling_list roofs;
	struct verdict verdict;
	struct trial trial;

	(void)state;
	round_roofs(&roofs);
	timed_trial(&trial, NAN);
	metric_emulated_counters(&trial.counters, values, ARRAY_SIZE(values), 4, 4);
	judge(&verdict, &trial, &roofs, &round_device);
	assert_int_equal(verdict.bound, BOUND_UNKNOWN);
	assert_string_equal(verdict.summary, "not judged: an emulated run has no times");
	assert_string_equal(note_of(&verdict, "divergence"),
			    "16.0 of 32 threads take part in an instruction; 75 % of the "
			    "branches are uniform");
	/* the stores of 16 bytes a lane are as they should be */
	assert_string_equal(note_of(&verdict, "sectors"),
			    "32.0 sectors per load of a warp; ideal: 4 (float), 8 "
			    "(float2), 16 (float4)");
	assert_non_null(note_of(&verdict, "bank_conflicts"));
	assert_non_null(note_of(&verdict, "occupancy_limit"));
	assert_null(note_of(&verdict, "not_judged"));
	/* the largest waste first */
	assert_int_equal(verdict.note_count, ARRAY_SIZE(by_waste));
	for (size_t i = 0; i < verdict.note_count; i++) {
		assert_string_equal(verdict.notes[i].rule, by_waste[i].rule);
		assert_true(isnan(by_waste[i].lost)
				    ? isnan(verdict.notes[i].lost)
				    : fabs(verdict.notes[i].lost - by_waste[i].lost) < 1e-9);
	}
	assert_int_equal(verdict.advice_count, 2);
	assert_string_equal(verdict.advice[0].rule, "sectors");
	assert_string_equal(verdict.advice[1].rule, "divergence");
	verdict_release(&verdict);
	trial_release(&trial);
	ceiling_list_release(&roofs);
}

/* 9 atomics of full warps on one address among 1000 instructions: 9 * 31 steps wait. */
static void queues_at_atomics_are_said(void **state)
{
	static const int64_t steps[] = {9 * 32, 9 * 2 - 1};
	struct ceiling_list roofs;

	(void)state;
	round_roofs(&roofs);
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		const struct emulated_value values[] = {
			{.name = "ptx_warp_instructions", .value = 1000},
			{.name = "ptx_lane_instructions", .value = 32000},
			{.name = "ptx_global_atomic_requests", .value = 4},
			{.name = "ptx_global_reduction_requests", .value = 2},
			{.name = "ptx_shared_atomic_requests", .value = 3},
			{.name = "ptx_atomic_serialised", .value = steps[i]},
		};
		struct verdict verdict;
		struct trial trial;

		timed_trial(&trial, NAN);
		metric_emulated_counters(&trial.counters, values, ARRAY_SIZE(values), 4, 4);
		judge(&verdict, &trial, &roofs, &round_device);
		if (i == 0) {
			assert_string_equal(
				note_of(&verdict, "atomics"),
				"32.0 lanes of a warp queue for one address in an atomic");
			assert_true(fabs(verdict.notes[0].lost - 279.0 / 1279) < 1e-9);
			assert_non_null(advice_of(&verdict, "atomics"));
		} else {
			assert_null(note_of(&verdict, "atomics"));
		}
		verdict_release(&verdict);
		trial_release(&trial);
	}
	ceiling_list_release(&roofs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(notes_hold_from_their_thresholds_on),
		cmocka_unit_test(wide_elements_are_waste_where_memory_moves_more),
		cmocka_unit_test(what_limits_occupancy_is_named),
		cmocka_unit_test(at_a_roof_only_less_work_helps),
		cmocka_unit_test(spills_are_said),
		cmocka_unit_test(a_cause_comes_before_its_effect),
		cmocka_unit_test(no_advice_about_what_costs_nothing),
		cmocka_unit_test(tensor_cores_keep_their_registers),
		cmocka_unit_test(queues_at_atomics_are_said),
		cmocka_unit_test(emulated_is_advised_what_needs_no_clock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
