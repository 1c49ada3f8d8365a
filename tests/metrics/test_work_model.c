/* Operations of tensor cores, and the work model where no counter counts operations. */
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
#include <stdlib.h>
#include <string.h>

static const struct device_info h200 = {.name = "NVIDIA H200",
					.cc_major = 9,
					.sm_count = 132,
					.l2_bytes = 62914560,
					.max_threads_per_sm = 2048};

/* As `perflab ceilings` measured them: docs/results/tensor-h200.md. */
static void h200_roofs(struct ceiling_list *out)
{
	*out = (struct ceiling_list){0};
	add_roof(out, "dram_write", CEILING_BANDWIDTH, LEVEL_DRAM, 4.68e12);
	add_roof(out, "l2_read", CEILING_BANDWIDTH, LEVEL_L2, 10.0e12);
	add_roof(out, "l1_read", CEILING_BANDWIDTH, LEVEL_L1, 32.8e12);
	add_roof(out, "shared_read", CEILING_BANDWIDTH, LEVEL_SHARED, 33.1e12);
	add_roof(out, "f32_fma", CEILING_RATE, PRECISION_F32, 65.8e12);
	add_roof(out, "f64_fma", CEILING_RATE, PRECISION_F64, 33.1e12);
	add_roof(out, "f16_fma", CEILING_RATE, PRECISION_F16, 130.3e12);
	add_roof(out, "tensor_bf16_wgmma", CEILING_RATE, PRECISION_TENSOR_BF16, 946e12);
	add_roof(out, "tensor_f8_wgmma", CEILING_RATE, PRECISION_TENSOR_F8, 1852e12);
}

/* matmul/cublas_bf16/block=256,n=2048, as an H200 counted it. */
static void recorded_product(struct trial *out)
{
	timed_trial(out, 28096);
	set_work(out, 17179869184, 16777216, 16777216);
	set_counter(out, "dram_bytes", 16811520);
	set_counter(out, "l2_from_l1_bytes", 101914496);
	set_counter(out, "l1_bytes", 0);
	set_counter(out, "shared_bytes", 34827648);
	set_counter(out, "flop_f32", 0);
	set_counter(out, "flop_f64", 0);
	set_counter(out, "flop_tensor_bf16", 17179869184);
	set_counter(out, "model_flop_tensor_bf16", 17179869184);
	set_counter(out, "threads_per_instruction", 31.956);
}

/* precision/f16/block=256,n=1048576,steps=1024: the counters see 131,072 of 2.1e9 operations. */
static void recorded_half(struct trial *out)
{
	timed_trial(out, 26656);
	set_work(out, 2147483648, 4194304, 4194304);
	set_counter(out, "dram_bytes", 4206592);
	set_counter(out, "l2_from_l1_bytes", 8388608);
	set_counter(out, "l1_bytes", 8388608);
	set_counter(out, "shared_bytes", 0);
	set_counter(out, "flop_f32", 131072);
	set_counter(out, "flop_f64", 0);
	set_counter(out, "flop_tensor_f16", 0);
	set_counter(out, "launches", 1);
	set_counter(out, "blocks", 512);
	set_counter(out, "threads_per_instruction", 32);
}

static void counted_tensor_operations_are_judged(void **state)
{
	struct roofline_point point;
	struct ceiling_list roofs;
	struct verdict verdict;
	struct trial trial;

	(void)state;
	h200_roofs(&roofs);
	recorded_product(&trial);
	roofline_point_of(&point, &trial, false, &roofs);
	assert_int_equal(point.precision, PRECISION_TENSOR_BF16);
	assert_false(point.model.used);
	assert_null(roofline_no_place(&point, &trial));
	judge(&verdict, &trial, &roofs, &h200);
	assert_string_equal(
		verdict.summary,
		"bound by tensor cores: 65 % of the measured 946 TFLOP/s (tensor_bf16_wgmma)");
	assert_false(verdict.from_model);
	assert_null(note_of(&verdict, "flop_uncounted"));
	/* it uses tensor cores already */
	assert_null(strstr(advice_of(&verdict, "compute"), "tensor"));
	verdict_release(&verdict);
	trial_release(&trial);
	ceiling_list_release(&roofs);
}

/* A chip without counters of tensor cores, or a run from before they were counted. */
static void uncounted_tensor_operations_come_from_the_work_model(void **state)
{
	struct roofline_point point;
	struct ceiling_list roofs;
	struct verdict verdict;
	struct trial trial;

	(void)state;
	h200_roofs(&roofs);
	recorded_product(&trial);
	counter_list_set_missing(&trial.counters, "flop_tensor_bf16", "flop", "",
				 "the chip has no such counter");
	roofline_point_of(&point, &trial, false, &roofs);
	assert_true(point.model.used);
	/* no measured quantity has the number of the model */
	assert_true(point.flop == 0 && point.flop_per_s == 0);
	assert_true(point.model.flop == 17179869184);
	assert_float_equal(point.model.intensity[LEVEL_DRAM], 1021.9, 0.1);
	assert_false(point.model.needed_bytes_used);
	assert_float_equal(point.model.compute_roof_pct, 64.6, 0.1);
	assert_null(roofline_no_place(&point, &trial));
	judge(&verdict, &trial, &roofs, &h200);
	assert_int_equal(verdict.bound, BOUND_TENSOR);
	assert_string_equal(
		verdict.summary,
		"bound by tensor cores: 65 % of the measured 946 TFLOP/s (tensor_bf16_wgmma), "
		"from the work model");
	assert_true(verdict.from_model);
	assert_non_null(strstr(note_of(&verdict, "flop_uncounted"), "(tensor_bf16)"));
	verdict_release(&verdict);
	trial_release(&trial);
	ceiling_list_release(&roofs);
}

static void half_precision_comes_from_the_work_model(void **state)
{
	struct roofline_point point;
	struct ceiling_list roofs;
	struct verdict verdict;
	struct trial trial;

	(void)state;
	h200_roofs(&roofs);
	recorded_half(&trial);
	/* the work model does not name its precision: no roof */
	judge(&verdict, &trial, &roofs, &h200);
	assert_int_equal(verdict.bound, BOUND_UNKNOWN);
	assert_false(verdict.from_model);
	assert_non_null(strstr(note_of(&verdict, "flop_uncounted"), "does not name its precision"));
	verdict_release(&verdict);
	/* yet it has a point */
	roofline_point_of(&point, &trial, false, &roofs);
	assert_null(roofline_no_place(&point, &trial));

	set_counter(&trial, "model_flop_f16", 2147483648);
	judge(&verdict, &trial, &roofs, &h200);
	assert_string_equal(
		verdict.summary,
		"compute-bound: 62 % of the measured 130 TFLOP/s (f16_fma), from the work model");
	assert_float_equal(verdict.roof_pct, 61.8, 0.1);
	verdict_release(&verdict);

	/* far from that roof, and near no other */
	trial.summary = (struct summary){
		.count = 20, .median_ns = 80000, .session_low_ns = 79900, .session_high_ns = 80100};
	judge(&verdict, &trial, &roofs, &h200);
	assert_string_equal(
		verdict.summary,
		"latency-bound: no roof is near, the nearest roof (compute) at 21 %; compute "
		"is judged from the work model");
	assert_true(verdict.from_model);
	verdict_release(&verdict);
	trial_release(&trial);
	ceiling_list_release(&roofs);
}

/* Without permission to read counters, a copy still has a lower bound of its DRAM bytes. */
static void without_counters_the_needed_bytes_are_a_lower_bound(void **state)
{
	struct roofline_point point;
	struct ceiling_list roofs;
	struct verdict verdict;
	struct trial trial;

	(void)state;
	h200_roofs(&roofs);
	timed_trial(&trial, 127.3e3);
	set_work(&trial, 0, 268435456, 268435456);
	judge(&verdict, &trial, &roofs, &h200);
	/* 60 MiB of the writes may stay in the L2: 474 of 537 MB */
	assert_string_equal(verdict.summary,
			    "DRAM-bound: at least 80 % of the measured 4.68 TB/s (dram_write), "
			    "from the work model");
	assert_true(verdict.from_model);
	verdict_release(&verdict);
	roofline_point_of(&point, &trial, false, &roofs);
	assert_true(isnan(point.level[LEVEL_DRAM].bytes));
	assert_string_equal(roofline_no_place(&point, &trial),
			    "its operations were not counted, and the work model has none");

	/* an operation with both is a point by its work model alone */
	trial.flop = 67108864;
	roofline_point_of(&point, &trial, false, &roofs);
	assert_true(point.model.used && point.model.needed_bytes_used);
	assert_float_equal(point.model.intensity[LEVEL_DRAM], 0.125, 1e-9);
	assert_null(roofline_no_place(&point, &trial));
	trial_release(&trial);
	ceiling_list_release(&roofs);
}

static void a_counted_kernel_does_not_use_its_work_model(void **state)
{
	struct roofline_point point;
	struct trial trial;

	(void)state;
	waiting_trial(&trial);
	/* predicated or clever: three quarters of the operations */
	set_counter(&trial, "flop_f32", 30e6);
	roofline_point_of(&point, &trial, false, NULL);
	assert_false(point.model.used);
	assert_true(isnan(point.model.flop));
	/* no measured operations and none in the work model: a copy has a share of roofs, no point
	 */
	set_counter(&trial, "flop_f32", 0);
	trial.flop = 0;
	roofline_point_of(&point, &trial, false, NULL);
	assert_false(point.model.used);
	assert_non_null(strstr(roofline_no_place(&point, &trial), "no floating-point operations"));
	trial_release(&trial);
}

static void every_precision_has_a_row_for_its_work_model(void **state)
{
	(void)state;
	for (int i = 0; i < PRECISION_COUNT; i++) {
		char *name = xasprintf(MODEL_FLOP_PREFIX "%s", precision_name((enum precision)i));

		assert_non_null(metric_find(name));
		free(name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counted_tensor_operations_are_judged),
		cmocka_unit_test(uncounted_tensor_operations_come_from_the_work_model),
		cmocka_unit_test(half_precision_comes_from_the_work_model),
		cmocka_unit_test(without_counters_the_needed_bytes_are_a_lower_bound),
		cmocka_unit_test(a_counted_kernel_does_not_use_its_work_model),
		cmocka_unit_test(every_precision_has_a_row_for_its_work_model),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
