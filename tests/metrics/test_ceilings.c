/* Roofs: the peaks of devices by their datasheets, and the rates of trials of the family
 * `ceilings`. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "metrics/analysis/ceilings.h"
#include "metrics/analysis/statistics.h"
#include "roofline_support.h"

/* The facts that drivers report for these devices. */
static const struct device_info h200 = {.cc_major = 9,
					.sm_count = 132,
					.sm_clock_max_hz = 1980000000,
					.memory_clock_max_hz = 3201000000,
					.memory_bus_bits = 6144};
static const struct device_info a100 = {.cc_major = 8,
					.sm_count = 108,
					.sm_clock_max_hz = 1410000000,
					.memory_clock_max_hz = 1215000000,
					.memory_bus_bits = 5120};
static const struct device_info v100 = {.cc_major = 7,
					.sm_count = 80,
					.sm_clock_max_hz = 1530000000,
					.memory_clock_max_hz = 877000000,
					.memory_bus_bits = 4096};
static const struct device_info rtx_3090 = {.cc_major = 8,
					    .cc_minor = 6,
					    .sm_count = 82,
					    .sm_clock_max_hz = 1695000000,
					    .memory_clock_max_hz = 9751000000,
					    .memory_bus_bits = 384};

/* Datasheets round, and state tensor rates at clocks of their own. */
static void assert_near(double value, double stated, double tolerance)
{
	if (!(fabs(value / stated - 1) <= tolerance))
		fail_msg("%g, and the datasheet has %g", value, stated);
}

static void rates_are_those_of_datasheets(void **state)
{
	static const struct {
		const struct device_info *device;
		enum precision precision;
		double stated, tolerance;
	} rows[] = {
		{&h200, PRECISION_F64, 34e12, 0.02},
		{&h200, PRECISION_F32, 67e12, 0.01},
		{&h200, PRECISION_F16, 133.8e12, 0.01},
		{&h200, PRECISION_BF16, 133.8e12, 0.01},
		{&h200, PRECISION_TENSOR_F64, 67e12, 0.01},
		/* stated at 1.83 GHz, where other rates are at 1.98 GHz */
		{&h200, PRECISION_TENSOR_TF32, 494.7e12 * 1.98 / 1.83, 0.01},
		{&h200, PRECISION_TENSOR_F16, 989.4e12 * 1.98 / 1.83, 0.01},
		{&h200, PRECISION_TENSOR_BF16, 989.4e12 * 1.98 / 1.83, 0.01},
		{&h200, PRECISION_TENSOR_F8, 1978.9e12 * 1.98 / 1.83, 0.01},
		{&a100, PRECISION_F64, 9.7e12, 0.01},
		{&a100, PRECISION_F32, 19.5e12, 0.01},
		{&a100, PRECISION_F16, 78e12, 0.01},
		{&a100, PRECISION_BF16, 39e12, 0.01},
		{&a100, PRECISION_TENSOR_F64, 19.5e12, 0.01},
		{&a100, PRECISION_TENSOR_TF32, 156e12, 0.01},
		{&a100, PRECISION_TENSOR_F16, 312e12, 0.01},
		{&v100, PRECISION_F32, 15.7e12, 0.01},
		{&v100, PRECISION_TENSOR_F16, 125e12, 0.01},
		{&rtx_3090, PRECISION_F32, 35.6e12, 0.01},
		{&rtx_3090, PRECISION_F64, 0.556e12, 0.01},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_near(device_peak_rate(rows[i].device, rows[i].precision), rows[i].stated,
			    rows[i].tolerance);
}

static void bandwidths_are_those_of_datasheets(void **state)
{
	(void)state;
	assert_near(device_peak_bandwidth(&h200, LEVEL_DRAM), 4.8e12, 0.03);
	assert_near(device_peak_bandwidth(&a100, LEVEL_DRAM), 1555e9, 0.01);
	assert_near(device_peak_bandwidth(&v100, LEVEL_DRAM), 900e9, 0.01);
	assert_near(device_peak_bandwidth(&rtx_3090, LEVEL_DRAM), 936e9, 0.01);
	assert_near(device_peak_bandwidth(&a100, LEVEL_L2), 5120 * 1.41e9, 1e-9);
	assert_near(device_peak_bandwidth(&h200, LEVEL_L1), 132 * 128 * 1.98e9, 1e-9);
	assert_near(device_peak_bandwidth(&h200, LEVEL_SHARED), 132 * 128 * 1.98e9, 1e-9);
}

/* Unknown facts give no peak. */
static void what_is_not_stated_is_not_known(void **state)
{
	const struct device_info none = {.cc_major = 0};
	const struct device_info future = {.cc_major = 99, .sm_count = 500, .sm_clock_max_hz = 3};

	(void)state;
	assert_true(isnan(device_peak_rate(&a100, PRECISION_TENSOR_F8)));
	assert_true(isnan(device_peak_rate(&v100, PRECISION_BF16)));
	assert_true(isnan(device_peak_rate(&rtx_3090, PRECISION_TENSOR_F16)));
	assert_true(isnan(device_peak_bandwidth(&h200, LEVEL_L2)));
	for (int p = 0; p < PRECISION_COUNT; p++) {
		assert_true(isnan(device_peak_rate(&none, (enum precision)p)));
		assert_true(isnan(device_peak_rate(&future, (enum precision)p)));
	}
	for (int l = 0; l < MEMORY_LEVEL_COUNT; l++)
		assert_true(isnan(device_peak_bandwidth(&none, (enum memory_level)l)));
	assert_true(isnan(device_peak_bandwidth(&future, LEVEL_DRAM)));
}

static void ceiling_trial(struct trial *out, const char *variant, double median_ns)
{
	timed_trial(out, median_ns);
	free(out->kernel);
	free(out->variant);
	out->kernel = xstrdup("ceilings");
	out->variant = xstrdup(variant);
	if (!out->config)
		out->config = xstrdup("block=256");
	set_work(out, 8000000, 4000000, 2000000);
}

static void a_name_says_what_it_is_a_roof_of(void **state)
{
	static const struct {
		const char *variant, *of, *unit;
	} rows[] = {
		{"dram_copy", "dram", "byte/s"},
		{"l2_read", "l2", "byte/s"},
		{"l1_read", "l1", "byte/s"},
		{"shared_read", "shared", "byte/s"},
		{"f64_fma", "f64", "flop/s"},
		{"bf16_fma", "bf16", "flop/s"},
		{"tensor_f16", "tensor_f16", "flop/s"},
		{"tensor_f8_wgmma", "tensor_f8", "flop/s"},
		{"tensor_f64_deep", "tensor_f64", "flop/s"},
	};
	static const char *const none[] = {"dramatic", "tensor_f6", "tensor", "", "f641_fma"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows) + ARRAY_SIZE(none); i++) {
		bool is = i < ARRAY_SIZE(rows);
		struct trial trial = {0};
		struct ceiling found;

		ceiling_trial(&trial, is ? rows[i].variant : none[i - ARRAY_SIZE(rows)], 1000);
		if (ceiling_of_trial(&found, &trial, &h200) != is)
			fail_msg("%s", trial.variant);
		if (is) {
			assert_string_equal(ceiling_of_name(&found), rows[i].of);
			assert_string_equal(ceiling_unit(&found), rows[i].unit);
			assert_string_equal(found.name, rows[i].variant);
			/* 6 MB or 8 Mflop in a microsecond, known to 1 % */
			assert_near(found.per_s, found.kind == CEILING_RATE ? 8e12 : 6e12, 1e-9);
			assert_true(found.low_per_s < found.per_s &&
				    found.per_s < found.high_per_s);
			assert_near(found.high_per_s / found.low_per_s, 1.02, 0.001);
			assert_true(isnan(found.sm_clock_hz));
		}
		trial_release(&trial);
	}
}

static void the_best_of_each_variant_is_the_roof(void **state)
{
	struct trial trials[8] = {0};
	struct run run = {.id = 7,
			  .started_ns = 5,
			  .device = h200,
			  .trials = trials,
			  .trial_count = ARRAY_SIZE(trials)};
	struct ceiling_list list = {0};

	(void)state;
	ceiling_trial(&trials[0], "dram_read", 1000);
	ceiling_trial(&trials[1], "dram_read", 500); /* the best */
	ceiling_trial(&trials[2], "dram_read", 250);
	trials[2].status = TRIAL_MISMATCH; /* fast and wrong */
	trials[2].reason = xstrdup("wrong");
	ceiling_trial(&trials[3], "dram_copy", 2000);
	ceiling_trial(&trials[4], "f32_fma", 1000);
	set_work(&trials[4], 0, 4, 4); /* no operations: no rate */
	ceiling_trial(&trials[5], "l2_read", 0);
	trials[5].summary = summarise(NULL, 0); /* of an emulator */
	ceiling_trial(&trials[6], "l1_read", 1000);
	free(trials[6].kernel);
	trials[6].kernel = xstrdup("stream"); /* another family's */
	ceiling_trial(&trials[7], "shared_read", 1000);
	trials[7].summary.session_low_ns = trials[7].summary.session_high_ns = NAN;
	for (size_t i = 0; i < ARRAY_SIZE(trials); i++)
		trials[i].id = 100 + (int64_t)i;

	for (size_t i = 0; i < run.trial_count; i++) {
		struct ceiling found;

		if (!ceiling_of_trial(&found, &trials[i], &run.device))
			continue;
		found.run_id = run.id;
		found.time_ns = run.started_ns;
		ceiling_list_offer(&list, &found);
	}
	assert_int_equal(list.count, 3);
	assert_int_equal(list.items[0].trial_id, 101);
	assert_int_equal(list.items[0].run_id, 7);
	assert_int_equal(list.items[0].time_ns, 5);
	assert_near(list.items[0].per_s, 12e12, 1e-9);
	assert_near(list.items[0].peak_per_s, 4.8e12, 0.03);
	assert_int_equal(list.items[1].trial_id, 103);
	assert_int_equal(list.items[2].trial_id, 107);
	assert_true(isnan(list.items[2].low_per_s) && isnan(list.items[2].high_per_s));
	assert_string_equal(ceiling_of_level(&list, LEVEL_DRAM)->name, "dram_read");
	assert_null(ceiling_of_level(&list, LEVEL_L2));
	assert_null(ceiling_of_precision(&list, PRECISION_F32));
	ceiling_list_release(&list);
	for (size_t i = 0; i < ARRAY_SIZE(trials); i++)
		trial_release(&trials[i]);
}

/* A kernel is compared with the ceiling that has the nearest mix of reads and writes. */
static void the_roof_of_a_mix_is_the_nearest(void **state)
{
	static const struct {
		const char *name;
		int64_t read, written;
		double median_ns;
	} measured[] = {{"dram_read", 12, 0, 1000}, {"dram_write", 0, 12, 990},
			{"dram_copy", 6, 6, 1200},  {"dram_triad", 8, 4, 1100},
			{"dram_third", 4, 8, 1300}, {"l2_read", 7, 5, 100}};
	static const struct {
		double share;
		const char *name;
	} wanted[] = {{0, "dram_write"},   {0.1, "dram_write"}, {0.3, "dram_third"},
		      {0.5, "dram_copy"},  {0.55, "dram_copy"}, {0.6, "dram_triad"},
		      {0.8, "dram_triad"}, {0.9, "dram_read"},  {1, "dram_read"}};
	struct ceiling_list list = {0};

	(void)state;
	assert_null(ceiling_of_mix(&list, LEVEL_DRAM, 0.5));
	for (size_t i = 0; i < ARRAY_SIZE(measured); i++) {
		struct ceiling found;
		struct trial trial;

		ceiling_trial(&trial, measured[i].name, measured[i].median_ns);
		set_work(&trial, 0, measured[i].read, measured[i].written);
		assert_true(ceiling_of_trial(&found, &trial, &h200));
		ceiling_list_offer(&list, &found);
		trial_release(&trial);
	}
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++)
		assert_string_equal(ceiling_of_mix(&list, LEVEL_DRAM, wanted[i].share)->name,
				    wanted[i].name);
	assert_null(ceiling_of_mix(&list, LEVEL_DRAM, NAN));
	assert_null(ceiling_of_mix(&list, LEVEL_L1, 0.5));
	ceiling_list_release(&list);
}

/* Runs come newest first: an older one only adds what the newer lacks. */
static void the_first_run_offered_wins(void **state)
{
	struct ceiling_list list = {0};

	(void)state;
	ceiling_list_offer(&list, &(struct ceiling){.name = "dram_copy", .per_s = 4, .run_id = 2});
	ceiling_list_offer(&list, &(struct ceiling){.name = "dram_copy", .per_s = 3, .run_id = 2});
	ceiling_list_offer(&list, &(struct ceiling){.name = "dram_copy", .per_s = 5, .run_id = 1});
	ceiling_list_offer(&list, &(struct ceiling){.name = "f32_fma", .per_s = 6, .run_id = 1});
	assert_int_equal(list.count, 2);
	assert_true(list.items[0].per_s == 4 && list.items[0].run_id == 2);
	assert_true(list.items[1].per_s == 6);
	ceiling_list_release(&list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rates_are_those_of_datasheets),
		cmocka_unit_test(the_roof_of_a_mix_is_the_nearest),
		cmocka_unit_test(bandwidths_are_those_of_datasheets),
		cmocka_unit_test(what_is_not_stated_is_not_known),
		cmocka_unit_test(a_name_says_what_it_is_a_roof_of),
		cmocka_unit_test(the_best_of_each_variant_is_the_roof),
		cmocka_unit_test(the_first_run_offered_wins),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
