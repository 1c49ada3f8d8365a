#include "tests/reports/constructed_roofline.h"
#include "metrics/analysis/ceilings.h"
#include "metrics/analysis/statistics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/reports/constructed_run.h"

static void add_roof(struct ceiling_list *list, const char *name, enum ceiling_kind kind, int of,
		     double per_s)
{
	struct ceiling *added;

	list->items = xgrow(list->items, &list->capacity, list->count + 1, sizeof(*list->items));
	added = &list->items[list->count++];
	*added = (struct ceiling){
		.kind = kind,
		.per_s = per_s,
		.low_per_s = 0.99 * per_s,
		.high_per_s = 1.01 * per_s,
		.sm_clock_hz = 1.98e9,
		.peak_per_s = 1.1 * per_s,
		.config = "block=256,n=16777216",
		.run_id = 3,
		.trial_id = (int64_t)list->count,
	};
	if (kind == CEILING_BANDWIDTH)
		added->of.level = (enum memory_level)of;
	else
		added->of.precision = (enum precision)of;
	snprintf(added->name, sizeof(added->name), "%s", name);
}

void constructed_roofs_init(struct ceiling_list *out)
{
	*out = (struct ceiling_list){0};
	add_roof(out, "dram_copy", CEILING_BANDWIDTH, LEVEL_DRAM, 3.6e12);
	add_roof(out, "dram_read", CEILING_BANDWIDTH, LEVEL_DRAM, 4e12);
	add_roof(out, "l2_read", CEILING_BANDWIDTH, LEVEL_L2, 8e12);
	add_roof(out, "l1_read", CEILING_BANDWIDTH, LEVEL_L1, 16e12);
	add_roof(out, "shared_read", CEILING_BANDWIDTH, LEVEL_SHARED, 32e12);
	add_roof(out, "fp32_fma", CEILING_RATE, PRECISION_F32, 64e12);
	add_roof(out, "f16_fma", CEILING_RATE, PRECISION_F16, 100e12);
	add_roof(out, "fp64_fma", CEILING_RATE, PRECISION_F64, 32e12);
	add_roof(out, "tensor_f16", CEILING_RATE, PRECISION_TENSOR_F16, 900e12);
}

/* The counters of a case; its time is 100 us unless given. */
struct counts {
	const char *kernel, *variant;
	double median_ns, flop_f32, flop_f64, dram_bytes, l2_bytes, l1_bytes, shared_bytes;
	int64_t needed_flop, needed_bytes;
	double threads, occupancy_pct;
	double flop_tensor_f16, model_flop_f16; /* 0: the trial has no such counter */
};

static struct trial *add_trial(struct run *run, const char *kernel, const char *variant)
{
	struct trial *trial;

	run->trials = xrealloc(run->trials, (run->trial_count + 1) * sizeof(*run->trials));
	trial = &run->trials[run->trial_count];
	*trial = (struct trial){
		.id = (int64_t)run->trial_count + 1,
		.position = (int64_t)run->trial_count,
		.kernel = xstrdup(kernel),
		.variant = xstrdup(variant),
		.config = xstrdup("block=256,n=4096"),
		.axes = xcalloc(2, sizeof(*trial->axes)),
		.axis_count = 2,
		.facts = launch_facts_unknown,
		.summary = summarise(NULL, 0),
	};
	trial->axes[0] = (struct named_value){"block", 256};
	trial->axes[1] = (struct named_value){"n", 4096};
	run->trial_count++;
	return trial;
}

static void set(struct trial *trial, const char *metric, const char *unit, double value)
{
	counter_list_set(&trial->counters, metric, unit, "counter", value);
}

static void add_counted(struct run *run, const struct counts *counts)
{
	struct trial *trial = add_trial(run, counts->kernel, counts->variant);
	double median_ns = counts->median_ns > 0 ? counts->median_ns : 100e3;

	trial->status = TRIAL_OK;
	trial->counted = true;
	trial->rounds_done = 3;
	trial->summary = (struct summary){
		.count = 30,
		.median_ns = median_ns,
		.mad_ns = 0.002 * median_ns,
		.session_low_ns = 0.999 * median_ns,
		.session_high_ns = 1.001 * median_ns,
		.min_ns = 0.99 * median_ns,
		.max_ns = 1.05 * median_ns,
	};
	trial->has_work = true;
	trial->flop = counts->needed_flop;
	trial->bytes_read = counts->needed_bytes;
	trial->facts.theoretical_occupancy_pct = 100;
	set(trial, "flop_f32", "flop", counts->flop_f32);
	set(trial, "flop_f64", "flop", counts->flop_f64);
	if (counts->flop_tensor_f16 > 0)
		set(trial, "flop_tensor_f16", "flop", counts->flop_tensor_f16);
	if (counts->model_flop_f16 > 0)
		set(trial, "model_flop_f16", "flop", counts->model_flop_f16);
	set(trial, "dram_bytes", "byte", counts->dram_bytes);
	set(trial, "l2_from_l1_bytes", "byte", counts->l2_bytes);
	set(trial, "l1_bytes", "byte", counts->l1_bytes);
	set(trial, "shared_bytes", "byte", counts->shared_bytes);
	set(trial, "launches", "launch", 1);
	set(trial, "blocks", "block", 1000);
	set(trial, "threads_per_instruction", "thread/instruction",
	    counts->threads > 0 ? counts->threads : 32);
	set(trial, "threads_per_instruction_pred_on", "thread/instruction",
	    counts->threads > 0 ? counts->threads : 32);
	set(trial, "achieved_occupancy_pct", "percent",
	    counts->occupancy_pct > 0 ? counts->occupancy_pct : 95);
}

/* One that is faster than the verified one of its problem, and one that is alone in its problem. */
static void add_unverified_counts(struct run *run)
{
	static const struct counts counted[] = {
		{.kernel = "reduce",
		 .variant = "unchecked",
		 .median_ns = 90e3,
		 .flop_f32 = 75e6,
		 .dram_bytes = 300e6,
		 .l2_bytes = 300e6,
		 .l1_bytes = 300e6,
		 .needed_flop = 75000000,
		 .needed_bytes = 300000000},
		{.kernel = "mine",
		 .variant = "saxpy",
		 .flop_f32 = 50e6,
		 .dram_bytes = 290e6,
		 .l2_bytes = 300e6,
		 .l1_bytes = 300e6,
		 .needed_flop = 50000000,
		 .needed_bytes = 290000000},
	};

	for (size_t i = 0; i < ARRAY_SIZE(counted); i++) {
		struct trial *trial;

		add_counted(run, &counted[i]);
		trial = &run->trials[run->trial_count - 1];
		trial->status = TRIAL_UNVERIFIED;
		trial->reason = xstrdup("the kernel's file says `verify none`");
	}
}

static void init(struct run *run)
{
	*run = (struct run){
		.id = 21,
		.uid = "0123456789abcdef0123456789abcdef",
		.command = xstrdup("perflab sweep"),
		.backend = xstrdup("cuda"),
		.version = xstrdup("0.1.0"),
		.traits = {.timed = true, .vendor = "NVIDIA", .warp_size = 32},
		.has_settings = true,
		.settings_known = SETTINGS_ALL,
		.settings = measure_settings_default,
		.state = RUN_FINISHED,
		.seed = 1,
		.rounds = 3,
		.started_ns = INT64_C(1795229445000000000),
		.finished_ns = INT64_C(1795229458250000000),
	};
	snprintf(run->device.name, sizeof(run->device.name), "Round GPU");
	snprintf(run->device.chip, sizeof(run->device.chip), "GH100");
	run->device.cc_major = 9;
	run->device.sm_count = 100;
}

void constructed_roofline_init(struct run *run)
{
	static const struct counts counted[] = {
		{.kernel = "stream",
		 .variant = "copy",
		 .dram_bytes = 372e6,
		 .l2_bytes = 400e6,
		 .l1_bytes = 400e6,
		 .needed_bytes = 400000000,
		 .occupancy_pct = 59},
		{.kernel = "reduce",
		 .variant = "last_block",
		 .flop_f32 = 75e6,
		 .dram_bytes = 300e6,
		 .l2_bytes = 300e6,
		 .l1_bytes = 300e6,
		 .shared_bytes = 1e6,
		 .needed_flop = 75000000,
		 .needed_bytes = 300000000},
		{.kernel = "matmul",
		 .variant = "tiled",
		 .median_ns = 350e3,
		 .flop_f32 = 2.147e9,
		 .dram_bytes = 8.4e6,
		 .l2_bytes = 150e6,
		 .l1_bytes = 150e6,
		 .shared_bytes = 8.96e9,
		 .needed_flop = 2147483648,
		 .needed_bytes = 12582912},
		{.kernel = "divergence",
		 .variant = "long",
		 .flop_f32 = 2.56e9,
		 .dram_bytes = 20e6,
		 .l2_bytes = 40e6,
		 .l1_bytes = 40e6,
		 .needed_flop = 2560000000,
		 .needed_bytes = 20000000,
		 .threads = 16},
		{.kernel = "gemm64",
		 .variant = "registers",
		 .flop_f64 = 2.88e9,
		 .dram_bytes = 50e6,
		 .l2_bytes = 100e6,
		 .l1_bytes = 200e6,
		 .needed_flop = 2880000000,
		 .needed_bytes = 30000000},
		{.kernel = "half",
		 .variant = "packed",
		 .flop_f32 = 1000,
		 .dram_bytes = 20e6,
		 .l2_bytes = 40e6,
		 .l1_bytes = 40e6,
		 .needed_flop = 7500000000,
		 .needed_bytes = 20000000,
		 .model_flop_f16 = 7.5e9},
		{.kernel = "product",
		 .variant = "tensor",
		 .flop_tensor_f16 = 60e9,
		 .dram_bytes = 30e6,
		 .l2_bytes = 60e6,
		 .l1_bytes = 60e6,
		 .needed_flop = 60000000000,
		 .needed_bytes = 20000000},
		{.kernel = "waits",
		 .variant = "alone",
		 .flop_f32 = 1e6,
		 .dram_bytes = 40e6,
		 .l2_bytes = 40e6,
		 .l1_bytes = 40e6,
		 .needed_flop = 1000000,
		 .needed_bytes = 20000000,
		 .occupancy_pct = 40},
		{.kernel = "too_fast",
		 .variant = "to_be_true",
		 .flop_f32 = 100e6,
		 .dram_bytes = 450e6,
		 .l2_bytes = 450e6,
		 .l1_bytes = 450e6,
		 .needed_flop = 100000000,
		 .needed_bytes = 450000000},
		/* the fastest of its problem, but no device can be so fast */
		{.kernel = "reduce",
		 .variant = "of_half",
		 .median_ns = 60e3,
		 .flop_f32 = 75e6,
		 .dram_bytes = 150e6,
		 .l2_bytes = 150e6,
		 .l1_bytes = 150e6,
		 .needed_flop = 75000000,
		 .needed_bytes = 300000000},
		{.kernel = HOSTILE_NAME,
		 .variant = "it's </script> %d `id` @x\\n",
		 .flop_f32 = 100e6,
		 .dram_bytes = 10e6,
		 .l2_bytes = 10e6,
		 .l1_bytes = 10e6,
		 .needed_flop = 100000000,
		 .needed_bytes = 10000000},
	};
	char long_name[501];
	struct trial *trial;

	init(run);
	for (size_t i = 0; i < ARRAY_SIZE(counted); i++)
		add_counted(run, &counted[i]);
	memset(long_name, 'k', sizeof(long_name) - 1);
	long_name[sizeof(long_name) - 1] = '\0';
	trial = add_trial(run, "uncounted", long_name);
	trial->status = TRIAL_OK;
	trial->summary = (struct summary){.count = 3,
					  .median_ns = 50e3,
					  .mad_ns = 1,
					  .session_low_ns = NAN,
					  .session_high_ns = NAN,
					  .min_ns = 49e3,
					  .max_ns = 51e3};
	add_unverified_counts(run);
	trial = add_trial(run, "reduce", "wrong");
	trial->status = TRIAL_MISMATCH;
	trial->reason = xstrdup("out[0] is 7, expected 1");
	set(trial, "dram_bytes", "byte", 1e9);
}

void constructed_many_init(struct run *run, size_t kernels)
{
	init(run);
	for (size_t i = 0; i < kernels; i++) {
		char name[32];
		double bytes = 1e6 * pow(1.05, (double)(i % 100));
		struct counts counts = {
			.kernel = name,
			.variant = "only",
			.median_ns = 1e6 + (double)i,
			.flop_f32 = 1e6 * pow(1.1, (double)(i % 90)),
			.dram_bytes = bytes,
			.l2_bytes = 2 * bytes,
			.l1_bytes = 4 * bytes,
			.needed_flop = 1000000,
			.needed_bytes = 1000000,
		};

		snprintf(name, sizeof(name), "kernel_%zu", i);
		add_counted(run, &counts);
	}
}
