/*
 * The catalogue: one row a metric. A new metric is a new row here (and, if it
 * joins a set, perhaps a new bound in passes.def).
 *
 * Which counters share a pass decides what counting costs; see passes.def for
 * what was found. In short: the hardware counters of one unit compete, every
 * smsp__sass_* counter runs patched code in a pass of its own whose cost grows
 * with the instructions it watches, and a pass through all cases is cheap
 * next to that. So instruction counts come from hardware, and requests are
 * counted as instructions, which share a pass with bank conflicts, while
 * l1tex__t_requests would need two passes more.
 */
#include "metrics/catalogue/catalogue_table.h"
#include "metrics/catalogue/catalogue.h"

#include <math.h>

#define BASIC (1u << METRIC_SET_BASIC)
#define CORE (1u << METRIC_SET_CORE)
#define MEMORY (1u << METRIC_SET_MEMORY)
#define FLOPS (1u << METRIC_SET_FLOPS)
#define DIVERGENCE (1u << METRIC_SET_DIVERGENCE)
#define OCCUPANCY (1u << METRIC_SET_OCCUPANCY)

#define EVERY_CHIP(name)         \
	{                        \
		{                \
			"", name \
		}                \
	}
/* Integrated GPUs have no DRAM of their own to count; GB202 and its kin renamed the counters. */
#define DRAM_BYTES(operation)                                         \
	{                                                             \
		{"GA10B", NULL}, {"GB10B", NULL}, {"GB20B", NULL},    \
			{"GB20", "dram__bytes_op_" operation ".sum"}, \
		{                                                     \
			"", "dram__bytes_" operation ".sum"           \
		}                                                     \
	}
#define THREAD_OPERATION(name) EVERY_CHIP("smsp__sass_thread_inst_executed_op_" name "_pred_on.sum")

/* 0 / 0 and x / 0 are undefined here, and come out as NAN. */
static double ratio(double numerator, double denominator)
{
	return denominator > 0 ? numerator / denominator : NAN;
}

static double derive_ratio(const double *inputs)
{
	return ratio(inputs[0], inputs[1]);
}

static double derive_percent(const double *inputs)
{
	return 100 * ratio(inputs[0], inputs[1]);
}

static double derive_per_second(const double *inputs)
{
	return 1e9 * ratio(inputs[0], inputs[1]);
}

static double derive_sum_of_2(const double *inputs)
{
	return inputs[0] + inputs[1];
}

static double derive_sector_bytes(const double *inputs)
{
	return 32 * inputs[0];
}

static double derive_wavefront_bytes(const double *inputs)
{
	return 128 * (inputs[0] + inputs[1]);
}

static double derive_flop(const double *inputs)
{
	return inputs[0] + inputs[1] + 2 * inputs[2];
}

const struct metric catalogue_table[] = {
	/* ---- time ---- */
	{
		.name = "gpu_time_ns",
		.unit = "ns",
		.meaning = "time on the GPU of the counted range: some microseconds more than the "
			   "operation, whose time is in the samples",
		.sets = BASIC | CORE | OCCUPANCY,
		.worse = WORSE_MORE,
		.aliases = EVERY_CHIP("gpu__time_duration.sum"),
	},
	{
		.name = "median_time_ns",
		.unit = "ns",
		.meaning =
			"median of the timed samples; not a counter, but what rates are taken over",
		.from_samples = true,
		.formula = "median of the samples",
	},
	{
		.name = "sm_cycles",
		.unit = "cycle",
		.meaning = "cycles elapsed, of the SM that counted most",
		.sets = BASIC | CORE | OCCUPANCY,
		.worse = WORSE_MORE,
		.aliases = EVERY_CHIP("sm__cycles_elapsed.max"),
	},
	/* ---- results ---- */
	{
		.name = "relative_error",
		.unit = "1",
		.meaning =
			"largest difference of a floating-point result from the CPU oracle, over "
			"the largest result expected; what verification allowed",
		.worse = WORSE_MORE,
		.from_launch = true,
		.formula = "verification",
	},
	/* ---- launches ---- */
	{
		.name = "launches",
		.unit = "launch",
		.meaning = "kernels that the operation launches, one after another",
		.sets = BASIC | CORE | OCCUPANCY,
		.exact = true,
		.from_launch = true,
		.formula = "plan",
	},
	{
		.name = "blocks",
		.unit = "block",
		.meaning = "blocks of the launch that has the most",
		.sets = BASIC | CORE | OCCUPANCY,
		.exact = true,
		.from_launch = true,
		.formula = "plan",
	},
	/* ---- occupancy ---- */
	{
		.name = "theoretical_occupancy_pct",
		.unit = "percent",
		.meaning = "warps that the launch's block size, registers and shared memory allow, "
			   "of the most an SM can hold",
		.sets = BASIC | CORE | OCCUPANCY,
		.exact = true,
		.from_launch = true,
		.formula = "occupancy calculator",
	},
	{
		.name = "achieved_occupancy_pct",
		.unit = "percent",
		.meaning = "warps in flight on an active SM, of the most it can hold",
		.sets = BASIC | CORE | OCCUPANCY,
		.aliases = EVERY_CHIP("sm__warps_active.avg.pct_of_peak_sustained_active"),
	},
	{
		.name = "eligible_warps_per_cycle",
		.unit = "warp/cycle",
		.meaning =
			"warps ready to issue per scheduler and active cycle; under 1 it starves",
		.sets = CORE | OCCUPANCY,
		.aliases = EVERY_CHIP("smsp__warps_eligible.avg.per_cycle_active"),
	},
	/* ---- branches and divergence ---- */
	{
		.name = "branch_targets",
		.unit = "branch_target",
		.meaning = "branch targets taken, summed over warps",
		.sets = BASIC | CORE | DIVERGENCE,
		.exact = true,
		.aliases = EVERY_CHIP("smsp__sass_branch_targets.sum"),
	},
	{
		.name = "branch_targets_uniform",
		.unit = "branch_target",
		.meaning = "branches where all active threads of the warp chose the same target",
		.sets = BASIC | CORE | DIVERGENCE,
		.exact = true,
		.aliases = EVERY_CHIP("smsp__sass_branch_targets_threads_uniform.sum"),
	},
	{
		.name = "branch_targets_divergent",
		.unit = "branch_target",
		.meaning = "branches where active threads of the warp chose different targets",
		.sets = BASIC | CORE | DIVERGENCE,
		.exact = true,
		.worse = WORSE_MORE,
		.aliases = EVERY_CHIP("smsp__sass_branch_targets_threads_divergent.sum"),
	},
	{
		.name = "branch_efficiency_pct",
		.unit = "percent",
		.meaning = "uniform branch targets of all; predicated code has no branch to count, "
			   "so read threads_per_instruction too",
		.sets = BASIC | CORE | DIVERGENCE,
		.worse = WORSE_LESS,
		.formula = "100 * branch_targets_uniform / branch_targets",
		.inputs = {"branch_targets_uniform", "branch_targets"},
		.derive = derive_percent,
		.undefined = "the kernel executed no branch",
	},
	/* ---- instructions ---- */
	{
		.name = "instructions",
		.unit = "instruction",
		.meaning = "warp instructions executed",
		.sets = BASIC | CORE | DIVERGENCE,
		.exact = true,
		.aliases = EVERY_CHIP("smsp__inst_executed.sum"),
	},
	{
		.name = "thread_instructions",
		.unit = "instruction",
		.meaning = "thread instructions executed, predicated off or on",
		.sets = BASIC | CORE | DIVERGENCE,
		.exact = true,
		.aliases = EVERY_CHIP("smsp__thread_inst_executed.sum"),
	},
	{
		.name = "thread_instructions_pred_on",
		.unit = "instruction",
		.meaning = "thread instructions executed whose predicate was true",
		.sets = BASIC | CORE | DIVERGENCE,
		.exact = true,
		.aliases = EVERY_CHIP("smsp__thread_inst_executed_pred_on.sum"),
	},
	{
		.name = "threads_per_instruction",
		.unit = "thread/instruction",
		.meaning = "threads of a warp that take part in an instruction; 32 is full",
		.sets = BASIC | CORE | DIVERGENCE,
		.worse = WORSE_LESS,
		.formula = "thread_instructions / instructions",
		.inputs = {"thread_instructions", "instructions"},
		.derive = derive_ratio,
		.undefined = "the kernel executed no instruction",
	},
	{
		.name = "threads_per_instruction_pred_on",
		.unit = "thread/instruction",
		.meaning = "the same without threads that are predicated off; 32 is full",
		.sets = BASIC | CORE | DIVERGENCE,
		.worse = WORSE_LESS,
		.formula = "thread_instructions_pred_on / instructions",
		.inputs = {"thread_instructions_pred_on", "instructions"},
		.derive = derive_ratio,
		.undefined = "the kernel executed no instruction",
	},
	/* ---- device memory ---- */
	{
		.name = "dram_read_bytes",
		.unit = "byte",
		.meaning = "bytes read from device memory",
		.sets = BASIC | CORE | MEMORY,
		.worse = WORSE_MORE,
		.aliases = DRAM_BYTES("read"),
	},
	{
		.name = "dram_write_bytes",
		.unit = "byte",
		.meaning = "bytes written to device memory",
		.sets = BASIC | CORE | MEMORY,
		.worse = WORSE_MORE,
		.aliases = DRAM_BYTES("write"),
	},
	{
		.name = "dram_bytes",
		.unit = "byte",
		.meaning = "bytes read from and written to device memory",
		.sets = BASIC | CORE | MEMORY,
		.worse = WORSE_MORE,
		.formula = "dram_read_bytes + dram_write_bytes",
		.inputs = {"dram_read_bytes", "dram_write_bytes"},
		.derive = derive_sum_of_2,
		.undefined = "the sum is not finite",
	},
	{
		.name = "dram_bytes_per_s",
		.unit = "byte/s",
		.meaning = "device-memory bandwidth: bytes counted, over the median time",
		.sets = BASIC | CORE | MEMORY,
		.formula = "1e9 * dram_bytes / median_time_ns",
		.inputs = {"dram_bytes", "median_time_ns"},
		.derive = derive_per_second,
		.undefined = "the median time is zero",
	},
	{
		.name = "dram_throughput_pct",
		.unit = "percent",
		.meaning = "device-memory throughput of its peak over the counted range, as CUPTI "
			   "defines it: low for operations of a few microseconds",
		.sets = MEMORY,
		.aliases = {{"GA10B", NULL},
			    {"GB10B", NULL},
			    {"GB20B", NULL},
			    {"", "dram__throughput.avg.pct_of_peak_sustained_elapsed"}},
	},
	/* ---- caches ---- */
	{
		.name = "l2_bytes",
		.unit = "byte",
		.meaning = "bytes requested from the L2 cache, by every unit",
		.sets = CORE | MEMORY,
		.worse = WORSE_MORE,
		.aliases = EVERY_CHIP("lts__t_bytes.sum"),
	},
	{
		.name = "l2_from_l1_sectors",
		.unit = "sector",
		.meaning = "32-byte sectors that the L1 caches asked of the L2 cache",
		.sets = CORE | MEMORY,
		.worse = WORSE_MORE,
		.aliases = EVERY_CHIP("lts__t_sectors_srcunit_tex.sum"),
	},
	{
		.name = "l2_from_l1_bytes",
		.unit = "byte",
		/* Seen on GH100: l2_bytes of a copy that reads all once are 1.5 times l1_bytes. */
		.meaning = "bytes between L1 and L2; l2_bytes also counts what goes from one part "
			   "of the L2 to another, where a chip has two",
		.sets = CORE | MEMORY,
		.worse = WORSE_MORE,
		.formula = "32 * l2_from_l1_sectors",
		.inputs = {"l2_from_l1_sectors"},
		.derive = derive_sector_bytes,
		.undefined = "the product is not finite",
	},
	{
		.name = "l1_bytes",
		.unit = "byte",
		.meaning = "bytes requested from the L1 caches",
		.sets = CORE | MEMORY,
		.exact = true,
		.worse = WORSE_MORE,
		.aliases = EVERY_CHIP("l1tex__t_bytes.sum"),
	},
	/* ---- global memory as a warp sees it ---- */
	{
		.name = "global_load_sectors",
		.unit = "sector",
		.meaning = "32-byte sectors that global loads asked L1 for",
		.sets = CORE | MEMORY,
		.exact = true,
		.worse = WORSE_MORE,
		.aliases = EVERY_CHIP("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"),
	},
	{
		.name = "global_load_requests",
		.unit = "request",
		.meaning = "global load instructions of a warp with a thread predicated on",
		.sets = CORE | MEMORY,
		.aliases = EVERY_CHIP("smsp__inst_executed_op_global_ld_pred_on_any.sum"),
	},
	{
		.name = "global_load_sectors_per_request",
		.unit = "sector/request",
		.meaning = "sectors a warp's load touches; 4 is ideal for 4-byte elements",
		.sets = CORE | MEMORY,
		.worse = WORSE_MORE,
		.formula = "global_load_sectors / global_load_requests",
		.inputs = {"global_load_sectors", "global_load_requests"},
		.derive = derive_ratio,
		.undefined = "the kernel loaded nothing from global memory",
	},
	{
		.name = "global_store_sectors",
		.unit = "sector",
		.meaning = "32-byte sectors that global stores sent through L1",
		.sets = CORE | MEMORY,
		.exact = true,
		.worse = WORSE_MORE,
		.aliases = EVERY_CHIP("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"),
	},
	{
		.name = "global_store_requests",
		.unit = "request",
		.meaning = "global store instructions of a warp with a thread predicated on",
		.sets = CORE | MEMORY,
		.exact = true,
		.aliases = EVERY_CHIP("smsp__inst_executed_op_global_st_pred_on_any.sum"),
	},
	{
		.name = "global_store_sectors_per_request",
		.unit = "sector/request",
		.meaning = "sectors a warp's store touches; 4 is ideal for 4-byte elements",
		.sets = CORE | MEMORY,
		.worse = WORSE_MORE,
		.formula = "global_store_sectors / global_store_requests",
		.inputs = {"global_store_sectors", "global_store_requests"},
		.derive = derive_ratio,
		.undefined = "the kernel stored nothing to global memory",
	},
	/* ---- shared memory ---- */
	{
		.name = "shared_load_bank_conflicts",
		.unit = "conflict",
		.meaning = "extra passes that shared-memory loads needed for bank conflicts",
		.sets = CORE | MEMORY,
		.worse = WORSE_MORE,
		.aliases = EVERY_CHIP("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"),
	},
	{
		.name = "shared_store_bank_conflicts",
		.unit = "conflict",
		.meaning = "extra passes that shared-memory stores needed for bank conflicts",
		.sets = CORE | MEMORY,
		.worse = WORSE_MORE,
		.aliases = EVERY_CHIP("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum"),
	},
	{
		.name = "shared_load_wavefronts",
		.unit = "wavefront",
		.meaning = "passes that shared-memory loads took in all",
		.sets = CORE | MEMORY,
		.worse = WORSE_MORE,
		.aliases = EVERY_CHIP("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"),
	},
	{
		/* Seen on GH100: of a transpose without conflicts the hardware counts 6 % more
		 * wavefronts than loads, this as many. Not in core, of which it would be no pass
		 * more: what it adds to the patched one was not measured. */
		.name = "shared_load_wavefronts_exact",
		.unit = "wavefront",
		.meaning = "the same, of the accesses alone: counted by patched code, in a pass of "
			   "its own",
		.sets = MEMORY,
		.exact = true,
		.worse = WORSE_MORE,
		.aliases = EVERY_CHIP(
			"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"),
	},
	{
		.name = "shared_load_requests",
		.unit = "request",
		.meaning = "shared-memory load instructions of a warp",
		.sets = MEMORY,
		.exact = true,
		.aliases = EVERY_CHIP("smsp__sass_inst_executed_op_shared_ld.sum"),
	},
	{
		.name = "shared_load_wavefronts_per_request",
		.unit = "wavefront/request",
		.meaning =
			"passes a warp's load of shared memory takes; 1 is without conflicts for "
			"4-byte elements",
		.sets = MEMORY,
		.worse = WORSE_MORE,
		.formula = "shared_load_wavefronts_exact / shared_load_requests",
		.inputs = {"shared_load_wavefronts_exact", "shared_load_requests"},
		.derive = derive_ratio,
		.undefined = "the kernel loaded nothing from shared memory",
	},
	{
		.name = "shared_store_wavefronts",
		.unit = "wavefront",
		.meaning = "passes that shared-memory stores took in all",
		.sets = CORE | MEMORY,
		.worse = WORSE_MORE,
		.aliases = EVERY_CHIP("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"),
	},
	{
		.name = "shared_bytes",
		.unit = "byte",
		.meaning =
			"bytes that those passes of shared memory could carry, 128 each: what its "
			"bandwidth is used up by",
		.sets = CORE | MEMORY,
		.worse = WORSE_MORE,
		.formula = "128 * (shared_load_wavefronts + shared_store_wavefronts)",
		.inputs = {"shared_load_wavefronts", "shared_store_wavefronts"},
		.derive = derive_wavefront_bytes,
		.undefined = "the sum is not finite",
	},
	/* ---- floating-point operations: threads whose predicate was true ---- */
	{
		.name = "f32_add",
		.unit = "instruction",
		.meaning = "single-precision additions (FADD), by thread",
		.sets = BASIC | CORE | FLOPS,
		.exact = true,
		.aliases = THREAD_OPERATION("fadd"),
	},
	{
		.name = "f32_mul",
		.unit = "instruction",
		.meaning = "single-precision multiplications (FMUL), by thread",
		.sets = BASIC | CORE | FLOPS,
		.exact = true,
		.aliases = THREAD_OPERATION("fmul"),
	},
	{
		.name = "f32_fma",
		.unit = "instruction",
		.meaning = "single-precision fused multiply-adds (FFMA), by thread",
		.sets = BASIC | CORE | FLOPS,
		.exact = true,
		.aliases = THREAD_OPERATION("ffma"),
	},
	{
		.name = "f64_add",
		.unit = "instruction",
		.meaning = "double-precision additions (DADD), by thread",
		.sets = CORE | FLOPS,
		.exact = true,
		.aliases = THREAD_OPERATION("dadd"),
	},
	{
		.name = "f64_mul",
		.unit = "instruction",
		.meaning = "double-precision multiplications (DMUL), by thread",
		.sets = CORE | FLOPS,
		.exact = true,
		.aliases = THREAD_OPERATION("dmul"),
	},
	{
		.name = "f64_fma",
		.unit = "instruction",
		.meaning = "double-precision fused multiply-adds (DFMA), by thread",
		.sets = CORE | FLOPS,
		.exact = true,
		.aliases = THREAD_OPERATION("dfma"),
	},
	{
		.name = "f16_add",
		.unit = "instruction",
		.meaning = "half-precision additions (HADD), by thread, as CUPTI counts them",
		.sets = CORE | FLOPS,
		.exact = true,
		.aliases = THREAD_OPERATION("hadd"),
	},
	{
		.name = "f16_mul",
		.unit = "instruction",
		.meaning = "half-precision multiplications (HMUL), by thread, as CUPTI counts them",
		.sets = CORE | FLOPS,
		.exact = true,
		.aliases = THREAD_OPERATION("hmul"),
	},
	{
		.name = "f16_fma",
		.unit = "instruction",
		/* Seen on GH100: 16.8 million of them in a float reduction of as many elements. */
		.meaning =
			"half-precision fused multiply-adds (HFMA2), by thread; the compiler also "
			"loads constants with them, so they are no count of operations",
		.sets = CORE | FLOPS,
		.exact = true,
		.aliases = THREAD_OPERATION("hfma"),
	},
	{
		.name = "flop_f32",
		.unit = "flop",
		.meaning = "single-precision operations, an FMA being two; no tensor cores",
		.sets = BASIC | CORE | FLOPS,
		.formula = "f32_add + f32_mul + 2 * f32_fma",
		.inputs = {"f32_add", "f32_mul", "f32_fma"},
		.derive = derive_flop,
		.undefined = "the sum is not finite",
	},
	{
		.name = "flop_f64",
		.unit = "flop",
		.meaning = "double-precision operations, an FMA being two; no tensor cores",
		.sets = CORE | FLOPS,
		.formula = "f64_add + f64_mul + 2 * f64_fma",
		.inputs = {"f64_add", "f64_mul", "f64_fma"},
		.derive = derive_flop,
		.undefined = "the sum is not finite",
	},
	{
		.name = "flop_f32_f64",
		.unit = "flop",
		.meaning = "single- and double-precision operations; half precision stays apart, "
			   "see f16_fma",
		.sets = CORE | FLOPS,
		.formula = "flop_f32 + flop_f64",
		.inputs = {"flop_f32", "flop_f64"},
		.derive = derive_sum_of_2,
		.undefined = "the sum is not finite",
	},
	{
		.name = "flop_per_s",
		.unit = "flop/s",
		.meaning = "single- and double-precision operations counted, a second of the "
			   "median time",
		.sets = CORE | FLOPS,
		.formula = "1e9 * flop_f32_f64 / median_time_ns",
		.inputs = {"flop_f32_f64", "median_time_ns"},
		.derive = derive_per_second,
		.undefined = "the median time is zero",
	},
	{
		.name = "intensity_dram",
		.unit = "flop/byte",
		.meaning =
			"arithmetic intensity: single- and double-precision operations a byte of "
			"device-memory traffic",
		.sets = CORE,
		.formula = "flop_f32_f64 / dram_bytes",
		.inputs = {"flop_f32_f64", "dram_bytes"},
		.derive = derive_ratio,
		.undefined = "no byte was moved to or from device memory",
	},
};
const size_t catalogue_table_count = ARRAY_SIZE(catalogue_table);
