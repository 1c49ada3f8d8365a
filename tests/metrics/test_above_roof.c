/* The finding above_roof: a trial that was faster than its device can be. */
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
#include <stdlib.h>
#include <string.h>

#define MB INT64_C(1000000)
#define MEANING_OF_COUNTED                                                                  \
	": the ceiling or the counter is wrong, or the timed executions did less than the " \
	"counted ones"
#define MEANING_OF_MODEL                                                                     \
	": the work model counts too much, the kernel left out work while it was timed, or " \
	"the ceiling is wrong"

/* An L2 of 40 MB. */
static struct device_info device_with_l2(void)
{
	struct device_info device = round_device;

	device.l2_bytes = 40 * MB;
	return device;
}

/* The finding for the trial, malloc'd; NULL: none. The short question has the same answer. */
static char *found(const struct trial *trial, const struct verdict_context *context)
{
	struct roofline_point point;
	struct verdict verdict;
	char *text;

	roofline_point_of(&point, trial, false, context->ceilings);
	verdict_of(&verdict, trial, &point, context);
	assert_true(verdict_is_above_roof(trial, &point, context) == (verdict.above_roof != NULL));
	text = verdict.above_roof ? xstrdup(verdict.above_roof) : NULL;
	verdict_release(&verdict);
	return text;
}

static void expect_found(const struct trial *trial, const struct verdict_context *context,
			 const char *part)
{
	char *text = found(trial, context);

	if (!text || !strstr(text, part))
		fail_msg("expected: %s\nfound: %s", part, text ? text : "nothing");
	free(text);
}

static void expect_nothing(const struct trial *trial, const struct verdict_context *context)
{
	char *text = found(trial, context);

	if (text)
		fail_msg("found: %s", text);
}

static void counted_rates(void **state)
{
	struct ceiling_list roofs, vague = {0};
	struct verdict verdict;
	struct trial trial;

	(void)state;
	round_roofs(&roofs);
	waiting_trial(&trial);
	/* both are known to 1 %, and 3 % more may be another session: 5.0 % is none, 5.2 % is one
	 */
	set_counter(&trial, "dram_bytes", 420e6);
	judge(&verdict, &trial, &roofs, &round_device);
	assert_null(verdict.above_roof);
	assert_null(note_of(&verdict, "above_roof"));
	verdict_release(&verdict);
	set_counter(&trial, "dram_bytes", 421e6);
	judge(&verdict, &trial, &roofs, &round_device);
	assert_string_equal(
		verdict.above_roof,
		"DRAM: 4.21 TB/s (95 %: 4.17 TB/s to 4.25 TB/s) is above the measured 4.00 TB/s "
		"(95 %: 3.96 TB/s to 4.04 TB/s) of dram_read" MEANING_OF_COUNTED);
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

/* 100 us at 4 TB/s are 400 MB. */
static void bytes_of_the_work_model(void **state)
{
	struct device_info device = device_with_l2();
	struct verdict_context context = {.device = &device, .flushed = true};
	struct ceiling_list roofs;
	struct trial trial;

	(void)state;
	round_roofs(&roofs);
	context.ceilings = &roofs;
	timed_trial(&trial, 100 * MICROSECOND);
	set_work(&trial, 0, 420 * MB, 0);
	expect_nothing(&trial, &context);
	set_work(&trial, 0, 430 * MB, 0);
	expect_found(&trial, &context,
		     "work model, DRAM: 4.30 TB/s (95 %: 4.26 TB/s to 4.34 TB/s) is above the "
		     "measured 4.00 TB/s (95 %: 3.96 TB/s to 4.04 TB/s) of "
		     "dram_read" MEANING_OF_MODEL);
	/* no verification can excuse it */
	trial.status = TRIAL_UNVERIFIED;
	expect_found(&trial, &context, "work model, DRAM");
	trial.status = TRIAL_MISMATCH;
	expect_nothing(&trial, &context);
	trial.status = TRIAL_OK;

	/* the last 40 MB that are written may stay in the L2 */
	set_work(&trial, 0, 400 * MB, 60 * MB);
	expect_nothing(&trial, &context);
	set_work(&trial, 0, 400 * MB, 70 * MB);
	expect_found(&trial, &context, "work model, DRAM: 4.30 TB/s");

	/* in a cache that is not flushed, each line may spare a read and a write */
	context.flushed = false;
	expect_nothing(&trial, &context);
	set_work(&trial, 0, 400 * MB, 110 * MB);
	expect_found(&trial, &context, "work model, DRAM: 4.30 TB/s");
	set_work(&trial, 0, 60 * MB, 0);
	expect_nothing(&trial, &context);

	/* of an unknown size, it may hold everything */
	set_work(&trial, 0, 600 * MB, 600 * MB);
	device.l2_bytes = 0;
	expect_nothing(&trial, &context);
	context.flushed = true;
	expect_found(&trial, &context, "work model, DRAM: 6.00 TB/s");
	trial_release(&trial);
	ceiling_list_release(&roofs);
}

/* What fits into the L2 must still cross it. */
static void cached_bytes_of_the_work_model(void **state)
{
	struct device_info device = device_with_l2();
	struct verdict_context context = {.device = &device};
	struct ceiling_list roofs;
	struct trial trial;

	(void)state;
	round_roofs(&roofs);
	context.ceilings = &roofs;
	timed_trial(&trial, 2 * MICROSECOND);
	/* 8 TB/s: 16 MB each way */
	set_work(&trial, 0, 16 * MB, 16 * MB);
	expect_nothing(&trial, &context);
	set_work(&trial, 0, 18 * MB, 2 * MB);
	expect_found(&trial, &context, "work model, L2: 9.00 TB/s");
	set_work(&trial, 0, 2 * MB, 18 * MB);
	expect_found(&trial, &context, "work model, L2: 9.00 TB/s");

	/* the work model of a ceiling has the bytes of its own level */
	free(trial.kernel);
	trial.kernel = xstrdup(CEILINGS_KERNEL);
	expect_nothing(&trial, &context);
	trial_release(&trial);
	ceiling_list_release(&roofs);
}

static void operations_of_the_work_model(void **state)
{
	struct device_info device = device_with_l2();
	struct verdict_context context = {.device = &device, .flushed = true};
	struct ceiling_list roofs;
	struct trial trial;

	(void)state;
	round_roofs(&roofs);
	context.ceilings = &roofs;
	timed_trial(&trial, 100 * MICROSECOND);
	/* 200 TFLOP/s; f32 has 64, but they may be of tensor cores */
	set_work(&trial, 20 * 1000 * MB, 0, 0);
	expect_nothing(&trial, &context);
	add_roof(&roofs, "tensor_f16", CEILING_RATE, PRECISION_TENSOR_F16, 100e12);
	expect_nothing(&trial, &context);
	/* with the fastest type of Hopper measured, it is above all of them */
	add_roof(&roofs, "tensor_f8", CEILING_RATE, PRECISION_TENSOR_F8, 180e12);
	expect_found(&trial, &context,
		     "work model, compute: 200 TFLOP/s (95 %: 198 TFLOP/s to 202 TFLOP/s) is "
		     "above the measured 180 TFLOP/s");
	set_work(&trial, 18 * 1000 * MB, 0, 0);
	expect_nothing(&trial, &context);
	/* Ampere has no tensor cores for 8-bit floats */
	set_work(&trial, 20 * 1000 * MB, 0, 0);
	device.cc_major = 8;
	roofs.count--;
	expect_found(&trial, &context, "of tensor_f16");
	device.cc_major = 0;
	expect_nothing(&trial, &context);
	context.device = NULL;
	expect_nothing(&trial, &context);
	trial_release(&trial);
	ceiling_list_release(&roofs);
}

static void counted_and_modelled(void **state)
{
	struct device_info device = device_with_l2();
	struct verdict_context context = {.device = &device, .flushed = true};
	struct ceiling_list roofs;
	struct trial trial;
	char *text;

	(void)state;
	round_roofs(&roofs);
	context.ceilings = &roofs;
	timed_trial(&trial, 100 * MICROSECOND);
	set_work(&trial, 0, 450 * MB, 0);
	set_counter(&trial, "dram_bytes", 450e6);
	text = found(&trial, &context);
	assert_non_null(text);
	assert_non_null(strstr(text, MEANING_OF_COUNTED "; work model, DRAM: "));
	assert_non_null(strstr(text, MEANING_OF_MODEL));
	free(text);
	context.ceilings = NULL;
	expect_nothing(&trial, &context);
	trial_release(&trial);
	ceiling_list_release(&roofs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counted_rates),
		cmocka_unit_test(bytes_of_the_work_model),
		cmocka_unit_test(cached_bytes_of_the_work_model),
		cmocka_unit_test(operations_of_the_work_model),
		cmocka_unit_test(counted_and_modelled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
