/*
 * The position of a trial in the roofline: known answers, missing numbers, and counters of an H200.
 */
#include "metrics/analysis/ceilings.h"
#include "metrics/analysis/roofline.h"
#include "metrics/catalogue/catalogue.h"
#include "tests/metrics/roofline_support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#define MEBI 1048576.0

static void assert_near(double value, double expected)
{
	if (!(fabs(value - expected) <= 1e-9 * fabs(expected)))
		fail_msg("%.17g is not %.17g", value, expected);
}

static void assert_all_unknown(const struct roofline_point *point)
{
	assert_true(isnan(point->flop) && isnan(point->flop_per_s));
	assert_true(isnan(point->compute_roof_pct) && isnan(point->attainable_flop_per_s));
	assert_true(isnan(point->waste));
	for (int i = 0; i < MEMORY_LEVEL_COUNT; i++)
		assert_true(isnan(point->level[i].bytes) && isnan(point->level[i].bytes_per_s) &&
			    isnan(point->level[i].intensity) && isnan(point->level[i].roof_pct));
}

/* 2 flop of every 4 bytes read; the caches see more, shared memory less. */
static void counted_trial(struct trial *out)
{
	timed_trial(out, 100e3);
	set_work(out, 100 * 1000 * 1000, 200 * 1000 * 1000, 50 * 1000 * 1000);
	set_counter(out, "flop_f32", 100e6);
	set_counter(out, "flop_f64", 0);
	set_counter(out, "dram_bytes", 200e6);
	set_counter(out, "l2_from_l1_bytes", 400e6);
	set_counter(out, "l1_bytes", 800e6);
}

static void known_answers(void **state)
{
	struct ceiling_list roofs;
	struct roofline_point point;
	struct trial trial;

	(void)state;
	round_roofs(&roofs);
	counted_trial(&trial);
	roofline_point_of(&point, &trial, false, &roofs);
	assert_false(point.emulated);
	assert_int_equal(point.precision, PRECISION_F32);
	assert_near(point.flop, 100e6);
	assert_near(point.flop_per_s, 1e12);
	assert_near(point.level[LEVEL_DRAM].bytes_per_s, 2e12);
	assert_near(point.level[LEVEL_DRAM].intensity, 0.5);
	assert_near(point.level[LEVEL_L2].intensity, 0.25);
	assert_near(point.level[LEVEL_L1].intensity, 0.125);
	/* of the highest roof of the level, not of the first */
	assert_near(point.level[LEVEL_DRAM].roof_pct, 50);
	assert_near(point.level[LEVEL_L2].roof_pct, 50);
	assert_near(point.level[LEVEL_L1].roof_pct, 50);
	assert_near(point.compute_roof_pct, 100 * 1.0 / 64);
	/* every level allows as much here: 0.5 × 4 = 0.25 × 8 = 0.125 × 16 */
	assert_near(point.attainable_flop_per_s, 2e12);
	assert_near(point.needed_bytes, 250e6);
	assert_near(point.needed_flop, 100e6);
	assert_near(point.needed_intensity, 0.4);
	assert_near(point.waste, 0.8);
	/* shared memory was not counted */
	assert_true(isnan(point.level[LEVEL_SHARED].bytes));
	assert_true(isnan(point.level[LEVEL_SHARED].roof_pct));
	trial_release(&trial);
	ceiling_list_release(&roofs);
}

static void the_lowest_roof_is_what_can_be_had(void **state)
{
	static const struct {
		double dram, l2, l1, attainable;
	} cases[] = {
		{200e6, 400e6, 1600e6, 1e12},   /* L1: 0.0625 × 16 */
		{200e6, 1000e6, 800e6, 0.8e12}, /* L2: 0.1 × 8 */
		{1, 1, 1, 64e12},               /* far to the right: arithmetic */
	};
	struct ceiling_list roofs;

	(void)state;
	round_roofs(&roofs);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct roofline_point point;
		struct trial trial;

		counted_trial(&trial);
		set_counter(&trial, "dram_bytes", cases[i].dram);
		set_counter(&trial, "l2_from_l1_bytes", cases[i].l2);
		set_counter(&trial, "l1_bytes", cases[i].l1);
		roofline_point_of(&point, &trial, false, &roofs);
		assert_near(point.attainable_flop_per_s, cases[i].attainable);
		trial_release(&trial);
	}
	ceiling_list_release(&roofs);
}

static void nothing_is_known_without_numbers(void **state)
{
	static const enum trial_status unverified[] = {TRIAL_PENDING, TRIAL_MISMATCH, TRIAL_CRASHED,
						       TRIAL_SKIPPED};
	struct ceiling_list roofs;
	struct roofline_point point;
	struct trial trial;

	(void)state;
	round_roofs(&roofs);
	timed_trial(&trial, 100e3);
	roofline_point_of(&point, &trial, false, &roofs);
	assert_all_unknown(&point);
	assert_true(isnan(point.needed_bytes) && isnan(point.needed_flop));
	trial_release(&trial);

	/* an unverified trial has no position */
	for (size_t i = 0; i < ARRAY_SIZE(unverified); i++) {
		counted_trial(&trial);
		trial.status = unverified[i];
		roofline_point_of(&point, &trial, false, &roofs);
		assert_all_unknown(&point);
		trial_release(&trial);
	}
	ceiling_list_release(&roofs);
}

static void no_time_is_no_rate(void **state)
{
	static const double medians[] = {NAN, 0, -1};
	struct ceiling_list roofs;

	(void)state;
	round_roofs(&roofs);
	for (size_t i = 0; i < ARRAY_SIZE(medians); i++) {
		struct roofline_point point;
		struct trial trial;

		counted_trial(&trial);
		trial.summary.median_ns = medians[i];
		roofline_point_of(&point, &trial, false, &roofs);
		assert_near(point.level[LEVEL_DRAM].intensity, 0.5);
		assert_near(point.waste, 0.8);
		assert_true(isnan(point.flop_per_s));
		assert_true(isnan(point.level[LEVEL_DRAM].bytes_per_s));
		assert_true(isnan(point.level[LEVEL_DRAM].roof_pct));
		assert_true(isnan(point.compute_roof_pct));
		trial_release(&trial);
	}
	ceiling_list_release(&roofs);
}

static void no_roof_is_no_percent(void **state)
{
	static const struct ceiling_list none = {0};
	const struct ceiling_list *lists[] = {NULL, &none};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		struct roofline_point point;
		struct trial trial;

		counted_trial(&trial);
		roofline_point_of(&point, &trial, false, lists[i]);
		assert_near(point.flop_per_s, 1e12);
		assert_near(point.level[LEVEL_DRAM].bytes_per_s, 2e12);
		assert_true(isnan(point.level[LEVEL_DRAM].roof_pct));
		assert_true(isnan(point.compute_roof_pct));
		assert_true(isnan(point.attainable_flop_per_s));
		trial_release(&trial);
	}
}

/* A counter without a value is treated as missing. */
static void a_counter_with_a_reason_is_missing(void **state)
{
	struct roofline_point point;
	struct trial trial;

	(void)state;
	counted_trial(&trial);
	counter_list_set_missing(&trial.counters, "dram_bytes", "byte", "", "no permission");
	counter_list_set(&trial.counters, "l1_bytes", "byte", "", NAN);
	roofline_point_of(&point, &trial, false, NULL);
	assert_true(isnan(point.level[LEVEL_DRAM].bytes) && isnan(point.waste));
	assert_true(isnan(point.level[LEVEL_L1].bytes));
	assert_near(point.level[LEVEL_L2].bytes, 400e6);
	trial_release(&trial);
}

static void precision_is_that_of_most_operations(void **state)
{
	struct roofline_point point;
	struct trial trial;

	(void)state;
	counted_trial(&trial);
	set_counter(&trial, "flop_f64", 200e6);
	roofline_point_of(&point, &trial, false, NULL);
	assert_int_equal(point.precision, PRECISION_F64);
	assert_near(point.flop, 200e6);
	/* none counted is 0, which is known ... */
	set_counter(&trial, "flop_f64", 0);
	set_counter(&trial, "flop_f32", 0);
	roofline_point_of(&point, &trial, false, NULL);
	assert_int_equal(point.precision, PRECISION_F32);
	assert_true(point.flop == 0 && point.flop_per_s == 0);
	assert_true(point.level[LEVEL_DRAM].intensity == 0);
	assert_true(isnan(point.attainable_flop_per_s));
	/* ... but not of a precision that was not counted */
	counter_list_set_missing(&trial.counters, "flop_f64", "flop", "", "not asked for");
	roofline_point_of(&point, &trial, false, NULL);
	assert_true(isnan(point.flop) && isnan(point.level[LEVEL_DRAM].intensity));
	/* what was counted is known nevertheless */
	set_counter(&trial, "flop_f32", 5);
	roofline_point_of(&point, &trial, false, NULL);
	assert_near(point.flop, 5);
	trial_release(&trial);
}

/* Emulated counts and measured values are never mixed, nor shown under each other's names. */
static void emulated_has_intensities_and_no_height(void **state)
{
	static const struct emulated_value values[] = {
		{.name = "ptx_f16_flop", .value = 0},
		{.name = "ptx_f32_flop", .value = 6400},
		{.name = "ptx_f64_flop", .value = 64},
		{.name = "ptx_global_load_sectors", .value = 80},
		{.name = "ptx_global_store_sectors", .value = 10},
		{.name = "ptx_global_atomic_sectors", .value = 6},
		{.name = "ptx_global_reduction_sectors", .value = 4},
		{.name = "ptx_shared_load_wavefronts", .value = 30},
		{.name = "ptx_shared_store_wavefronts", .value = 20},
		{.name = "ptx_compulsory_read_bytes", .value = 1000},
		{.name = "ptx_compulsory_written_bytes", .value = 600},
	};
	struct ceiling_list roofs;
	struct roofline_point point;
	struct trial trial;

	(void)state;
	round_roofs(&roofs);
	timed_trial(&trial, NAN);
	set_work(&trial, 6464, 1000, 500);
	metric_emulated_counters(&trial.counters, values, ARRAY_SIZE(values), 4, 4);
	roofline_point_of(&point, &trial, true, &roofs);
	assert_true(point.emulated);
	assert_int_equal(point.precision, PRECISION_F32);
	assert_near(point.flop, 6400);
	assert_near(point.level[LEVEL_DRAM].bytes, 1600);
	assert_near(point.level[LEVEL_DRAM].intensity, 4);
	assert_near(point.level[LEVEL_L1].bytes, 3200);
	assert_near(point.level[LEVEL_L1].intensity, 2);
	assert_near(point.level[LEVEL_SHARED].bytes, 6400);
	assert_near(point.level[LEVEL_SHARED].intensity, 1);
	assert_true(isnan(point.level[LEVEL_L2].bytes));
	assert_true(isnan(point.flop_per_s) && isnan(point.compute_roof_pct));
	assert_true(isnan(point.attainable_flop_per_s));
	assert_true(isnan(point.level[LEVEL_DRAM].bytes_per_s));
	/* compulsory bytes are no traffic that could be wasteful */
	assert_true(isnan(point.waste));
	assert_near(point.needed_bytes, 1500);
	trial_release(&trial);
	ceiling_list_release(&roofs);
}

/* The engine moves bytes that are in no count of requests: these intensities would be too high. */
static void bulk_copies_leave_only_the_compulsory_intensity(void **state)
{
	static const struct emulated_value values[] = {
		{.name = "ptx_f32_flop", .value = 6400},
		{.name = "ptx_global_load_sectors", .value = 80},
		{.name = "ptx_global_store_sectors", .value = 0},
		{.name = "ptx_global_atomic_sectors", .value = 0},
		{.name = "ptx_global_reduction_sectors", .value = 0},
		{.name = "ptx_shared_load_wavefronts", .value = 30},
		{.name = "ptx_shared_store_wavefronts", .value = 20},
		{.name = "ptx_bulk_copies", .value = 1},
		{.name = "ptx_compulsory_read_bytes", .value = 1000},
		{.name = "ptx_compulsory_written_bytes", .value = 600},
	};
	struct ceiling_list roofs;
	struct roofline_point point;
	struct trial trial;

	(void)state;
	round_roofs(&roofs);
	timed_trial(&trial, NAN);
	metric_emulated_counters(&trial.counters, values, ARRAY_SIZE(values), 4, 4);
	roofline_point_of(&point, &trial, true, &roofs);
	assert_near(point.level[LEVEL_DRAM].intensity, 4);
	assert_true(isnan(point.level[LEVEL_L1].bytes) && isnan(point.level[LEVEL_L1].intensity));
	assert_true(isnan(point.level[LEVEL_SHARED].intensity));
	trial_release(&trial);
	ceiling_list_release(&roofs);
}

/* n = 2^24 floats on an H200, times of docs/results/sweep-h200.md. */
static void real_copy_and_reduction(void **state)
{
	struct roofline_point point;
	struct trial trial;

	(void)state;
	timed_trial(&trial, 50.5e3);
	set_work(&trial, 0, 64 * 1048576, 64 * 1048576);
	real_counters(&trial, "stream/copy_scalar/block=256,n=16777216");
	roofline_point_of(&point, &trial, false, NULL);
	assert_true(point.flop == 0);
	assert_near(point.level[LEVEL_DRAM].bytes, 112047104);
	/* each byte once through L1; a third of what is written stays in the L2 */
	assert_near(point.level[LEVEL_L1].bytes, 128 * MEBI);
	assert_near(point.waste, 112047104 / (128 * MEBI));
	assert_near(point.level[LEVEL_DRAM].bytes_per_s, 112047104 / 50.5e-6);
	/* recorded before L1's requests of the L2 were counted */
	assert_true(isnan(point.level[LEVEL_L2].bytes));
	trial_release(&trial);

	timed_trial(&trial, 169e3);
	set_work(&trial, 16777215, 64 * 1048576, 4);
	real_counters(&trial, "reduce/neighboured/block=256,n=16777216");
	roofline_point_of(&point, &trial, false, NULL);
	assert_near(point.level[LEVEL_DRAM].intensity,
		    counter_list_find(&trial.counters, "intensity_dram")->value);
	/* one addition for 4 bytes, within 2 % of the model */
	assert_true(fabs(point.level[LEVEL_DRAM].intensity / 0.25 - 1) < 0.02);
	assert_true(fabs(point.waste - 1) < 0.02);
	trial_release(&trial);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_answers),
		cmocka_unit_test(the_lowest_roof_is_what_can_be_had),
		cmocka_unit_test(nothing_is_known_without_numbers),
		cmocka_unit_test(no_time_is_no_rate),
		cmocka_unit_test(no_roof_is_no_percent),
		cmocka_unit_test(a_counter_with_a_reason_is_missing),
		cmocka_unit_test(precision_is_that_of_most_operations),
		cmocka_unit_test(emulated_has_intensities_and_no_height),
		cmocka_unit_test(bulk_copies_leave_only_the_compulsory_intensity),
		cmocka_unit_test(real_copy_and_reduction),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
