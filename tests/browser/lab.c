/*
 * The lab's kernels and how they behave; see the header.
 */
#include "lab.h"
#include "metrics/analysis/ceilings.h"
#include "metrics/catalogue/catalogue.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define LAUNCH_NS 2600.0
#define N_UNUSED NAN

/* clang-format off */
const struct lab_kernel lab_kernels[] = {
	/* kernel, variant, flop, bytes, DRAM, L2, L1, shared, efficiency, block, registers, lanes, branches */
	{"stream", "copy_scalar", 0, 8, 0.84, 1.02, 1.0, 0, 0.62, 256, 8, 100, N_UNUSED, false},
	{"stream", "copy_float4", 0, 8, 0.82, 1.01, 1.0, 0, 0.88, 128, 14, 100, 100, false},
	{"stream", "copy_grid_stride", 0, 8, 0.82, 1.01, 1.0, 0, 0.81, 512, 32, 100, 100, false},
	{"stream", "scale_float4", 1, 8, 0.82, 1.01, 1.0, 0, 0.87, 256, 14, 100, 100, false},
	{"stream", "add_float4", 1, 12, 0.9, 1.01, 1.0, 0, 0.95, 64, 18, 100, 100, false},
	{"stream", "triad_scalar", 2, 12, 0.93, 1.01, 1.0, 0, 0.8, 256, 12, 100, N_UNUSED, false},
	{"stream", "triad_float4", 2, 12, 0.9, 1.01, 1.0, 0, 0.96, 1024, 18, 100, 100, false},
	{"reduce", "naive", 1, 4, 1.72, 2.6, 2.0, 0, 0.32, 256, 14, 99, N_UNUSED, false},
	{"reduce", "divergent", 1, 4, 1.02, 1.1, 1.3, 2.2, 0.18, 128, 14, 58, 71.5, false},
	{"reduce", "sequential", 1, 4, 1.01, 1.1, 1.2, 1.9, 0.23, 256, 12, 98, 100, false},
	{"reduce", "shuffle", 1, 4, 1.0, 1.05, 1.0, 0.06, 0.34, 128, 16, 98, 100, false},
	{"reduce", "grid_stride", 1, 4, 1.0, 1.0, 1.0, 0.02, 0.76, 512, 28, 99.7, 100, false},
	{"reduce", "last_block", 1, 4, 1.0, 1.0, 1.0, 0.02, 0.82, 1024, 32, 99, 99.7, false},
	{"reduce", "last_block_f64", 1, 8, 1.0, 1.0, 1.0, 0.02, 0.84, 512, 40, 99, 99.7, true},
	{"matmul", "naive", 2048, 12, 2.1, 330, 700, 0, 0.09, 256, 30, 100, 100, false},
	{"matmul", "tiled", 2048, 12, 1.3, 66, 130, 420, 0.17, 1024, 38, 100, 100, false},
	{"matmul", "register_tiled", 2048, 12, 1.1, 22, 36, 95, 0.71, 256, 128, 100, 100, false},
	{"divergence", "if_else", 72, 8, 1.0, 1.01, 1.0, 0, 0.41, 256, 16, 51, 50, false},
	{"divergence", "block_parity", 72, 8, 1.0, 1.01, 1.0, 0, 0.74, 128, 16, 100, 100, false},
	{"divergence", "switch_lane", 72, 8, 1.0, 1.01, 1.0, 0, 0.12, 256, 14, 20, 63.2, false},
};
/* clang-format on */
const size_t lab_kernel_count = ARRAY_SIZE(lab_kernels);

const struct lab_roof lab_roofs[] = {
	{"dram_read", 0.97 * LAB_DRAM_PER_S, false},
	{"dram_triad", LAB_DRAM_PER_S, false},
	{"l2_read", 9.4e12, false},
	{"l1_read", 3.1e13, false},
	{"shared_read", 2.7e13, false},
	{"f32_fma", LAB_F32_PER_S, true},
	{"f64_fma", LAB_F64_PER_S, true},
	{"tensor_f16", 6.6e14, true},
};
const size_t lab_roof_count = ARRAY_SIZE(lab_roofs);

double lab_random(uint64_t *seed)
{
	/* Knuth's MMIX constants; the upper bits */
	*seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (double)(*seed >> 11) / 9007199254740992.0;
}

static double block_factor(const struct lab_case *of)
{
	double away = fabs(log2((double)of->block / of->kernel->best_block));

	return 1 / (1 + 0.07 * away + 0.09 * away * away);
}

static double occupancy_limit_pct(const struct lab_case *of)
{
	double by_registers = floor(65536.0 / of->kernel->registers / (double)of->block);
	double blocks = floor(2048.0 / (double)of->block);

	if (by_registers < blocks)
		blocks = by_registers;
	if (blocks > 32)
		blocks = 32;
	return 100 * blocks * (double)of->block / 2048;
}

double lab_time_ns(const struct lab_case *of, double slower)
{
	const struct lab_kernel *kernel = of->kernel;
	double n = (double)of->n;
	double flop_ns = 1e9 * n * kernel->flop / (kernel->f64 ? LAB_F64_PER_S : LAB_F32_PER_S);
	double dram_ns = 1e9 * n * kernel->bytes * kernel->moved / LAB_DRAM_PER_S;
	double roof_ns = flop_ns > dram_ns ? flop_ns : dram_ns;

	return LAUNCH_NS + slower * roof_ns / kernel->efficiency / block_factor(of);
}

static void set(struct counter_list *out, const char *metric, double value)
{
	const struct metric *row = metric_find(metric);
	const char *counter = row ? metric_counter_on(row, "GH100") : NULL;
	char *source = counter ? xstrdup(counter) : xasprintf("derived: %s", row->formula);

	counter_list_set(out, metric, row->unit, source, value);
	free(source);
}

static void set_missing(struct counter_list *out, const char *metric, const char *reason)
{
	counter_list_set_missing(out, metric, metric_find(metric)->unit, "", reason);
}

static void count_work(struct counter_list *out, const struct lab_case *of)
{
	const struct lab_kernel *kernel = of->kernel;
	double n = (double)of->n, flop = n * kernel->flop;
	const char *own = kernel->f64 ? "flop_f64" : "flop_f32";
	const char *other = kernel->f64 ? "flop_f32" : "flop_f64";

	set(out, own, flop);
	set(out, other, 0);
	set(out, "flop_f32_f64", flop);
	set(out, "instructions", n / 32 * (6 + kernel->flop / 2));
	set(out, "thread_instructions", n * (6 + kernel->flop / 2) * kernel->threads_pct / 100);
	set(out, "threads_per_instruction", 0.32 * kernel->threads_pct);
	set(out, "threads_per_instruction_pred_on", 0.31 * kernel->threads_pct);
	set(out, "branch_targets", isnan(kernel->branch_pct) ? 0 : n / 16);
	if (isnan(kernel->branch_pct))
		set_missing(out, "branch_efficiency_pct", "the kernel executes no branches");
	else
		set(out, "branch_efficiency_pct", kernel->branch_pct);
}

void lab_count(struct counter_list *out, const struct lab_case *of, double time_ns, bool all)
{
	const struct lab_kernel *kernel = of->kernel;
	double bytes = (double)of->n * kernel->bytes;
	double limit = occupancy_limit_pct(of);

	set(out, "achieved_occupancy_pct", limit * (0.45 + 0.5 * block_factor(of)));
	set(out, "theoretical_occupancy_pct", limit);
	set(out, "dram_read_bytes", bytes * kernel->moved * 0.7);
	set(out, "dram_write_bytes", bytes * kernel->moved * 0.3);
	set(out, "dram_bytes", bytes * kernel->moved);
	set(out, "dram_bytes_per_s", 1e9 * bytes * kernel->moved / time_ns);
	count_work(out, of);
	if (!all)
		return;
	set(out, "l2_from_l1_sectors", bytes * kernel->l2 / 32);
	set(out, "l2_from_l1_bytes", bytes * kernel->l2);
	set(out, "l1_bytes", bytes * kernel->l1);
	set(out, "global_load_requests", bytes / 128);
	set(out, "global_load_sectors", bytes / 32 * kernel->l1);
	set(out, "global_load_sectors_per_request", 4 * kernel->l1);
	set(out, "shared_load_wavefronts", bytes * kernel->shared / 128 * 0.7);
	set(out, "shared_store_wavefronts", bytes * kernel->shared / 128 * 0.3);
	set(out, "shared_bytes", bytes * kernel->shared);
	set(out, "sm_cycles", (time_ns + 7000) * 1.755);
	set(out, "gpu_time_ns", time_ns + 7000);
	set(out, "eligible_warps_per_cycle", 2.4 * kernel->efficiency * block_factor(of));
	set(out, "shared_load_bank_conflicts",
	    kernel->shared > 1.5 ? bytes * kernel->shared / 128 * 0.2 : 0);
	set_missing(out, "shared_store_bank_conflicts", "the lab has no such counter");
}

struct run lab_run(const char *label, const char *command)
{
	struct run run = {
		.label = xstrdup(label),
		.note = xstrdup("constructed for tests: no number of this was measured"),
		.command = xstrdup(command),
		.backend = xstrdup("cuda"),
		.version = xstrdup("0.1.0"),
		.source_revision = xstrdup("c51c0df"),
		.traits = {.timed = true, .vendor = "NVIDIA", .warp_size = 32},
		.has_settings = true,
		.settings_known = SETTINGS_ALL,
		.settings = {.seed = 1,
			     .min_samples = 20,
			     .max_time_ns = INT64_C(2000000000),
			     .precision = 0.0025,
			     .rounds = 3,
			     .timeout_ns = INT64_C(60000000000)},
		.seed = 1,
		.rounds = 3,
		.started_ns = INT64_C(1763700000123456789),
		.device = {.name = "Constructed GPU (no hardware)",
			   .uuid = "GPU-none",
			   .chip = "GH100",
			   .cc_major = 9,
			   .sm_count = 132,
			   .max_threads_per_sm = 2048,
			   .max_threads_per_block = 1024,
			   .max_blocks_per_sm = 32,
			   .registers_per_sm = 65536,
			   .shared_bytes_per_sm = 233472,
			   .shared_bytes_per_block = 49152,
			   .l2_bytes = 62914560,
			   .memory_bytes = INT64_C(150000000000),
			   .sm_clock_max_hz = 1980000000,
			   .memory_clock_max_hz = 3201000000,
			   .memory_bus_bits = 6144,
			   .driver = "0.0",
			   .cuda_driver = "13.0",
			   .toolkit = "13.0",
			   .cupti = "13.0.1"},
	};

	key_value_set(&run.environment, "hostname", "nowhere");
	key_value_set(&run.environment, "persistence_mode", "on");
	key_value_set(&run.environment, "build_type", "RelWithDebInfo");
	return run;
}

static struct trial *add_case(struct run *run, const char *kernel, const char *variant,
			      int64_t block, int64_t n)
{
	struct trial *trial;

	run->trials = xrealloc(run->trials, (run->trial_count + 1) * sizeof(*run->trials));
	trial = &run->trials[run->trial_count];
	*trial = (struct trial){
		.position = (int64_t)run->trial_count,
		.kernel = xstrdup(kernel),
		.variant = xstrdup(variant),
		.config = xasprintf("block=%lld,n=%lld", (long long)block, (long long)n),
		.axes = xcalloc(2, sizeof(*trial->axes)),
		.axis_count = 2,
		.has_work = true,
		.facts = launch_facts_unknown,
	};
	trial->axes[0] = (struct named_value){.name = "block", .value = block};
	trial->axes[1] = (struct named_value){.name = "n", .value = n};
	run->trial_count++;
	return trial;
}

struct trial *lab_add(struct run *run, const struct lab_case *of)
{
	struct trial *trial =
		add_case(run, of->kernel->kernel, of->kernel->variant, of->block, of->n);

	trial->flop = (int64_t)((double)of->n * of->kernel->flop);
	trial->bytes_read = (int64_t)((double)of->n * of->kernel->bytes * 0.6);
	trial->bytes_written = (int64_t)((double)of->n * of->kernel->bytes * 0.4);
	trial->facts.registers_per_thread = of->kernel->registers;
	trial->facts.shared_static_bytes = of->kernel->shared > 0 ? 4096 : 0;
	trial->facts.shared_dynamic_bytes = 0;
	trial->facts.local_bytes_per_thread = 0;
	trial->facts.theoretical_occupancy_pct = occupancy_limit_pct(of);
	snprintf(trial->facts.occupancy_limiter, sizeof(trial->facts.occupancy_limiter), "%s",
		 of->kernel->registers > 32 ? "registers" : "warps");
	snprintf(trial->facts.code_hash, sizeof(trial->facts.code_hash), "00000000c0ffee00");
	snprintf(trial->facts.code_kind, sizeof(trial->facts.code_kind), "cubin sm_90");
	return trial;
}

double lab_add_roof(struct run *run, const struct lab_roof *roof)
{
	struct trial *trial = add_case(run, CEILINGS_KERNEL, roof->variant, 512, 1 << 28);
	double work = roof->flop ? 1e12 : 4294967296.0;

	trial->flop = roof->flop ? (int64_t)work : 0;
	trial->bytes_read = roof->flop ? 0 : (int64_t)work;
	return 1e9 * work / roof->per_s;
}
