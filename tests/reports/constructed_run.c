#include "tests/reports/constructed_run.h"
#include "metrics/analysis/statistics.h"
#include "metrics/catalogue/catalogue.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONG_NAME_LENGTH 500

static struct trial *add_trial(struct run *run, const char *kernel, const char *variant,
			       int64_t block, int64_t n)
{
	struct trial *trial;

	run->trials = xrealloc(run->trials, (run->trial_count + 1) * sizeof(*run->trials));
	trial = &run->trials[run->trial_count];
	*trial = (struct trial){
		.id = (int64_t)run->trial_count + 1,
		.position = (int64_t)run->trial_count,
		.kernel = xstrdup(kernel),
		.variant = xstrdup(variant),
		.config = xasprintf("block=%lld,n=%lld", (long long)block, (long long)n),
		.axes = xcalloc(2, sizeof(*trial->axes)),
		.axis_count = 2,
		.facts = launch_facts_unknown,
		.summary = summarise(NULL, 0),
	};
	trial->axes[0] = (struct named_value){"block", block};
	trial->axes[1] = (struct named_value){"n", n};
	run->trial_count++;
	return trial;
}

static void set_work(struct trial *trial, int64_t flop, int64_t read, int64_t written)
{
	trial->has_work = true;
	trial->flop = flop;
	trial->bytes_read = read;
	trial->bytes_written = written;
}

static void set_time(struct trial *trial, double median_ns, double half_ns, int64_t samples)
{
	trial->status = TRIAL_OK;
	trial->rounds_done = 3;
	trial->summary = (struct summary){
		.count = samples,
		.median_ns = median_ns,
		.mad_ns = half_ns,
		.session_low_ns = samples >= 6 ? median_ns - half_ns : NAN,
		.session_high_ns = samples >= 6 ? median_ns + half_ns : NAN,
		.min_ns = median_ns - 3 * half_ns,
		.max_ns = median_ns + 5 * half_ns,
	};
}

static void set_facts(struct trial *trial, int64_t registers, double occupancy_pct,
		      const char *limiter)
{
	trial->facts.registers_per_thread = registers;
	trial->facts.shared_static_bytes = 0;
	trial->facts.shared_dynamic_bytes = 1024;
	trial->facts.local_bytes_per_thread = 0;
	trial->facts.theoretical_occupancy_pct = occupancy_pct;
	snprintf(trial->facts.occupancy_limiter, sizeof(trial->facts.occupancy_limiter), "%s",
		 limiter);
	snprintf(trial->facts.code_hash, sizeof(trial->facts.code_hash), "0123456789abcdef");
	snprintf(trial->facts.code_kind, sizeof(trial->facts.code_kind), "cubin sm_90");
}

static void set_counters(struct trial *trial, double dram_bytes_per_s, double efficiency_pct)
{
	trial->counted = true;
	counter_list_set(&trial->counters, "dram_read_bytes", "byte", "dram__bytes_read.sum",
			 67109888);
	counter_list_set(&trial->counters, "dram_bytes_per_s", "byte/s",
			 "derived: 1e9 * dram_bytes / median_time_ns", dram_bytes_per_s);
	counter_list_set(&trial->counters, "achieved_occupancy_pct", "percent",
			 "sm__warps_active.avg.pct_of_peak_sustained_active", 91.26);
	if (isnan(efficiency_pct))
		counter_list_set_missing(&trial->counters, "branch_efficiency_pct", "percent",
					 "derived: 100 * uniform / all",
					 "the kernel executes no branches");
	else
		counter_list_set(&trial->counters, "branch_efficiency_pct", "percent",
				 "derived: 100 * uniform / all", efficiency_pct);
	counter_list_set_missing(&trial->counters, "l2_bytes", "byte", "",
				 "GH100 has no such counter");
}

static void add_long_and_hostile(struct run *run)
{
	char long_name[LONG_NAME_LENGTH + 1];
	struct trial *trial;

	memset(long_name, 'k', LONG_NAME_LENGTH);
	long_name[LONG_NAME_LENGTH] = '\0';
	trial = add_trial(run, HOSTILE_NAME, long_name, 32, 100);
	set_time(trial, 912.5, 40, 3);
	trial = add_trial(run, HOSTILE_NAME, "aborts", 32, 100);
	trial->status = TRIAL_CRASHED;
	trial->reason = xstrdup("the worker died of SIGABRT: \"assert(x < y | z)\"\nsecond line");
}

/* Adds unverified trials of two problems. One has a slower, verified configuration, the other has
 * none. */
static void add_unverified(struct run *run)
{
	static const char why[] = "the kernel's file says `verify none`";
	struct trial *trial = add_trial(run, "reduce", "shuffle", 512, 16777216);

	set_work(trial, 16777215, 67108864, 4);
	set_time(trial, 10240.0, 31.5, 20);
	trial->status = TRIAL_UNVERIFIED;
	trial->reason = xstrdup(why);
	trial = add_trial(run, "mine", "saxpy", 256, 4096);
	set_work(trial, 8192, 32768, 16384);
	set_time(trial, 3072, 16, 20);
	set_facts(trial, 16, 100, "warps");
	trial->status = TRIAL_UNVERIFIED;
	trial->reason = xstrdup(why);
}

static void set_settings(struct run *run)
{
	run->settings = measure_settings_default;
	run->settings.seed = run->seed;
	run->settings.precision = 0.005;
	run->settings.rounds = run->rounds;
}

void constructed_run_init(struct run *run)
{
	struct trial *trial;

	*run = (struct run){
		.id = 12,
		.uid = "00112233445566778899aabbccddeeff",
		.label = xstrdup("before <the> \"change\", | really"),
		.command = xstrdup("perflab sweep reduce --block-sizes 64..256"),
		.backend = xstrdup("cuda"),
		.version = xstrdup("0.1.0"),
		.source_revision = xstrdup("1a2b3c4d5e6f"),
		.traits = {.timed = true, .vendor = "NVIDIA", .warp_size = 32},
		.has_settings = true,
		.settings_known = SETTINGS_ALL,
		.state = RUN_INTERRUPTED,
		.seed = UINT64_C(18446744073709551615),
		.rounds = 3,
		.started_ns = INT64_C(1795229445000000000),
		.finished_ns = INT64_C(1795229458250000000),
	};
	set_settings(run);
	string_list_add(&run->settings.metrics, "dram_bytes_per_s");
	snprintf(run->device.name, sizeof(run->device.name), "NVIDIA H200");
	snprintf(run->device.chip, sizeof(run->device.chip), "GH100");
	snprintf(run->device.driver, sizeof(run->device.driver), "580.159.04");
	snprintf(run->device.toolkit, sizeof(run->device.toolkit), "13.0");
	run->device.cc_major = 9;
	run->device.sm_count = 132;
	key_value_set(&run->environment, "build_type", "Debug");
	key_value_set(&run->environment, "host", "lab\"1\"");

	trial = add_trial(run, "reduce", "shuffle", 64, 16777216);
	set_work(trial, 16777215, 67108864, 4);
	set_time(trial, 31210.0, 60, 42);
	set_facts(trial, 24, 100, "warps");
	set_counters(trial, 2.15e12, 98.5);
	trial = add_trial(run, "reduce", "shuffle", 256, 16777216);
	set_work(trial, 16777215, 67108864, 4);
	set_time(trial, 20480.0, 31.5, 20);
	set_facts(trial, 24, 100, "warps");
	set_counters(trial, 3.2769e12, NAN);
	trial = add_trial(run, "reduce", "shuffle", 96, 16777216);
	set_work(trial, 16777215, 67108864, 4);
	trial->status = TRIAL_SKIPPED;
	trial->reason = xstrdup("the block must be a power of two");
	trial = add_trial(run, "reduce", "divergent", 256, 16777216);
	set_work(trial, 16777215, 67108864, 4);
	trial->status = TRIAL_MISMATCH;
	trial->reason = xstrdup("out[0] is nan, expected 8388610.5");
	trial = add_trial(run, "reduce", "divergent", 128, 16777216);
	set_work(trial, 16777215, 67108864, 4);
	trial = add_trial(run, "stream", "copy", 256, 1024);
	set_work(trial, 0, 4096, 4096);
	set_time(trial, 2048, 0, 20);
	add_long_and_hostile(run);
	add_unverified(run);
}

/* ---- emulated ---- */

static void set_emulated(struct trial *trial, int64_t executed, int64_t total, double branches,
			 double divergent)
{
	const struct emulated_value values[] = {
		{.name = "ptx_warp_instructions", .value = 1000},
		{.name = "ptx_lane_instructions", .value = 24000},
		{.name = "ptx_branches", .value = branches},
		{.name = "ptx_divergent_branches", .value = divergent},
		{.name = "ptx_global_load_requests", .value = 16},
		{.name = "ptx_global_load_sectors", .value = 520},
		{.name = "ptx_global_store_requests", .value = 16},
		{.name = "ptx_global_store_sectors", .value = 64},
		{.name = "ptx_shared_load_requests", .value = 0},
		{.name = "ptx_shared_store_requests", .value = 0},
		{.name = "ptx_shared_atomic_requests", .value = 0},
		{.name = "ptx_shared_bank_conflicts", .value = 0},
		{.name = "ptx_f32_flop", .value = 2147483648.0},
		{.name = "ptx_f64_flop", .value = 0},
		{.name = "ptx_f16_flop", .value = 0},
		{.name = "ptx_tensor_f64_flop", .value = 0},
		{.name = "ptx_tensor_tf32_flop", .value = 0},
		{.name = "ptx_tensor_f16_flop", .value = 0},
		{.name = "ptx_tensor_bf16_flop", .value = 0},
		{.name = "ptx_tensor_f8_flop", .value = 0},
		{.name = "ptx_special_operations", .value = 0},
		{.name = "ptx_compulsory_read_bytes", .value = 4096},
		{.name = "ptx_compulsory_written_bytes",
		 .reason = executed < total ? "blocks that did not run write too" : NULL,
		 .value = 4096},
		{.name = "ptx_theoretical_occupancy_pct", .value = 75},
	};

	trial->status = TRIAL_OK;
	trial->counted = true;
	metric_emulated_counters(&trial->counters, values, ARRAY_SIZE(values), executed, total);
}

static void add_line(struct trial *trial, const char *file, const struct line_count *counts)
{
	struct line_count *line = line_count_list_add(&trial->lines, file, counts->line);
	char *own = line->file;

	*line = *counts;
	line->file = own;
}

void constructed_emulated_init(struct run *run)
{
	static const char source[] = "/somebody's/tree/lab/divergent.cu";
	struct trial *trial;

	*run = (struct run){
		.id = 13,
		.uid = "ffeeddccbbaa99887766554433221100",
		.command = xstrdup("perflab sweep lab --backend ptx"),
		.backend = xstrdup("ptx"),
		.version = xstrdup("0.1.0"),
		.traits = {.emulated = true, .vendor = "NVIDIA", .warp_size = 32},
		.has_settings = true,
		.settings_known = SETTINGS_ALL,
		.state = RUN_FINISHED,
		.seed = 7,
		.rounds = 1,
		.started_ns = INT64_C(1795229445000000000),
		.finished_ns = INT64_C(1795229446000000000),
	};
	set_settings(run);
	snprintf(run->device.name, sizeof(run->device.name), "PTX emulator (GH100 limits)");
	snprintf(run->device.chip, sizeof(run->device.chip), "GH100");
	run->device.cc_major = 9;

	trial = add_trial(run, "lab", "divergent", 64, 1024);
	set_work(trial, 1024, 4096, 4096);
	set_facts(trial, 24, 75, "registers");
	set_emulated(trial, 16, 16, 40, 10);
	add_line(trial, source, &(struct line_count){.line = 4, .instructions = 32, .lanes = 1024});
	add_line(trial, source,
		 &(struct line_count){.line = 6,
				      .instructions = 64,
				      .lanes = 2048,
				      .branches = 32,
				      .divergent = 32});
	add_line(trial, source,
		 &(struct line_count){.line = 7,
				      .instructions = INT64_C(1) << 40,
				      .lanes = INT64_C(1) << 44,
				      .requests = 64,
				      .sectors = 1056,
				      .shared_requests = 32,
				      .wavefronts = 1024,
				      .conflicts = 992});
	add_line(trial, "/usr/include/" HOSTILE_NAME,
		 &(struct line_count){.line = 12, .instructions = 2, .lanes = 3});
	trial = add_trial(run, "lab", "divergent", 64, 4194304);
	set_facts(trial, 24, 75, "registers");
	set_emulated(trial, 5, 65536, 0, 0);
	trial->status = TRIAL_SAMPLED;
	trial->reason = xstrdup("5 of 65536 blocks: control flow | depends on data");
	add_line(trial, NULL, &(struct line_count){.line = 3, .instructions = 5, .lanes = 160});
	add_line(trial, NULL,
		 &(struct line_count){.line = 4, .instructions = 5, .requests = 5, .sectors = 21});
	trial = add_trial(run, "lab", HOSTILE_NAME, 64, 1024);
	trial->status = TRIAL_FAULT;
	trial->reason = xstrdup("out of bounds in lab, block (0,0,0) thread (31,0,0)\n\033[31m");
	trial = add_trial(run, "lab", "tensor", 64, 1024);
	trial->status = TRIAL_SKIPPED;
	trial->reason = xstrdup("the emulator does not know wmma.mma.sync");
}
