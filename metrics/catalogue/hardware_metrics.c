/*
 * The hardware metrics, one row each. To add a metric, add a row. If the metric
 * joins a set, the set may need a new bound in passes.def.
 *
 * The cost of counting depends on which counters share a pass; passes.def has
 * the findings. The hardware counters of one unit compete for passes. All
 * smsp__sass_* counters run patched code in a pass of their own, and its cost
 * grows with the number of instructions that it watches. One more hardware pass
 * over all cases is cheap in comparison. Therefore instruction counts come from
 * hardware counters, and requests are counted as instructions: these share a
 * pass with bank conflicts, and l1tex__t_requests would need two more passes.
 */
#include "metrics/catalogue/catalogue.h"
#include "metrics/catalogue/formulas.h"
#include "metrics/catalogue/metric_tables.h"

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
/* Integrated GPUs have no DRAM counters. GB202 and the other chips GB20x renamed the counters. */
#define DRAM_BYTES(operation)                                         \
	{                                                             \
		{"GA10B", NULL}, {"GB10B", NULL}, {"GB20B", NULL},    \
			{"GB20", "dram__bytes_op_" operation ".sum"}, \
		{                                                     \
			"", "dram__bytes_" operation ".sum"           \
		}                                                     \
	}
const struct metric hardware_metrics[] = {
	/* ---- time ---- */
	{
		.name = "gpu_time_ns",
		.unit = "ns",
		.meaning = "time of the counted range on the GPU, some microseconds longer than "
			   "the case itself, which the samples time",
		.sets = BASIC | CORE | OCCUPANCY,
		.worse = WORSE_MORE,
		.aliases = EVERY_CHIP("gpu__time_duration.sum"),
	},
	{
		.name = "median_time_ns",
		.unit = "ns",
		.meaning = "median of the timed samples; not a counter, but the time that rates "
			   "are divided by",
		.from_samples = true,
		.formula = "median of the samples",
	},
	{
		.name = "sm_cycles",
		.unit = "cycle",
		.meaning = "cycles of the counted range, of the SM with the most; some "
			   "microseconds longer than the case itself, so no rate is divided by it",
		.sets = BASIC | CORE | OCCUPANCY,
		.worse = WORSE_MORE,
		.aliases = EVERY_CHIP("sm__cycles_elapsed.max"),
	},
	/* ---- results ---- */
	{
		.name = "relative_error",
		.unit = "1",
		.meaning = "largest difference of a floating-point result from the expected one, "
			   "divided by the largest expected result; verification compares it with "
			   "the tolerance",
		.worse = WORSE_MORE,
		.from_launch = true,
		.formula = "verification",
	},
	/* ---- launches ---- */
	{
		.name = "launches",
		.unit = "launch",
		.meaning = "launches of the case, one after another",
		.sets = BASIC | CORE | OCCUPANCY,
		.exact = true,
		.from_launch = true,
		.formula = "plan",
	},
	{
		.name = "blocks",
		.unit = "block",
		.meaning = "blocks of the launch with the most blocks",
		.sets = BASIC | CORE | OCCUPANCY,
		.exact = true,
		.from_launch = true,
		.formula = "plan",
	},
	/* ---- occupancy ---- */
	{
		.name = "theoretical_occupancy_pct",
		.unit = "percent",
		.meaning = "warps that block size, registers and shared memory allow on an SM, "
			   "relative to the most that it can hold",
		.sets = BASIC | CORE | OCCUPANCY,
		.exact = true,
		.from_launch = true,
		.formula = "occupancy calculator",
	},
	{
		.name = "achieved_occupancy_pct",
		.unit = "percent",
		.meaning = "warps resident on an active SM, relative to the most that it can hold",
		.sets = BASIC | CORE | OCCUPANCY,
		.aliases = EVERY_CHIP("sm__warps_active.avg.pct_of_peak_sustained_active"),
	},
	{
		.name = "eligible_warps_per_cycle",
		.unit = "warp/cycle",
		.meaning = "warps ready to issue per scheduler and active cycle; below 1 the "
			   "scheduler idles",
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
		.meaning = "branches on which all active threads of a warp chose the same target",
		.sets = BASIC | CORE | DIVERGENCE,
		.exact = true,
		.aliases = EVERY_CHIP("smsp__sass_branch_targets_threads_uniform.sum"),
	},
	{
		.name = "branch_targets_divergent",
		.unit = "branch_target",
		.meaning = "branches on which active threads of a warp chose different targets",
		.sets = BASIC | CORE | DIVERGENCE,
		.exact = true,
		.worse = WORSE_MORE,
		.aliases = EVERY_CHIP("smsp__sass_branch_targets_threads_divergent.sum"),
	},
	{
		.name = "branch_efficiency_pct",
		.unit = "percent",
		.meaning = "uniform branch targets, relative to all; predicated code has no "
			   "branch, so read threads_per_instruction too",
		.sets = BASIC | CORE | DIVERGENCE,
		.worse = WORSE_LESS,
		.formula = "100 * branch_targets_uniform / branch_targets",
		.inputs = {"branch_targets_uniform", "branch_targets"},
		.derive = formula_percent,
		.undefined = "the kernel executed no branch",
	},
	/* ---- instructions ---- */
	{
		.name = "instructions",
		.unit = "instruction",
		.meaning = "instructions executed, counted once per warp",
		.sets = BASIC | CORE | DIVERGENCE,
		.exact = true,
		.aliases = EVERY_CHIP("smsp__inst_executed.sum"),
	},
	{
		.name = "thread_instructions",
		.unit = "instruction",
		.meaning = "instructions executed, counted once per thread, predicated off or on",
		.sets = BASIC | CORE | DIVERGENCE,
		.exact = true,
		.aliases = EVERY_CHIP("smsp__thread_inst_executed.sum"),
	},
	{
		.name = "thread_instructions_pred_on",
		.unit = "instruction",
		.meaning = "instructions executed, counted once per thread with a true predicate",
		.sets = BASIC | CORE | DIVERGENCE,
		.exact = true,
		.aliases = EVERY_CHIP("smsp__thread_inst_executed_pred_on.sum"),
	},
	{
		.name = "threads_per_instruction",
		.unit = "thread/instruction",
		.meaning = "threads of a warp that take part in an instruction; 32 is a full warp",
		.sets = BASIC | CORE | DIVERGENCE,
		.worse = WORSE_LESS,
		.formula = "thread_instructions / instructions",
		.inputs = {"thread_instructions", "instructions"},
		.derive = formula_ratio,
		.undefined = "the kernel executed no instruction",
	},
	{
		.name = "threads_per_instruction_pred_on",
		.unit = "thread/instruction",
		.meaning =
			"threads of a warp that take part with a true predicate; 32 is a full warp",
		.sets = BASIC | CORE | DIVERGENCE,
		.worse = WORSE_LESS,
		.formula = "thread_instructions_pred_on / instructions",
		.inputs = {"thread_instructions_pred_on", "instructions"},
		.derive = formula_ratio,
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
		.derive = formula_sum,
		.undefined = "the sum is not finite",
	},
	{
		.name = "dram_bytes_per_s",
		.unit = "byte/s",
		.meaning = "device-memory bandwidth: bytes counted, divided by the median time",
		.sets = BASIC | CORE | MEMORY,
		.formula = "1e9 * dram_bytes / median_time_ns",
		.inputs = {"dram_bytes", "median_time_ns"},
		.derive = formula_per_second,
		.undefined = "the median time is zero",
	},
	{
		.name = "dram_throughput_pct",
		.unit = "percent",
		.meaning = "device-memory throughput over the counted range, relative to its peak, "
			   "as CUPTI defines it; low for cases of a few microseconds",
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
		.meaning = "bytes that all units requested from the L2 cache",
		.sets = CORE | MEMORY,
		.worse = WORSE_MORE,
		.aliases = EVERY_CHIP("lts__t_bytes.sum"),
	},
	{
		.name = "l2_from_l1_sectors",
		.unit = "sector",
		.meaning = "32-byte sectors that the L1 caches requested from the L2 cache",
		.sets = CORE | MEMORY,
		.worse = WORSE_MORE,
		.aliases = EVERY_CHIP("lts__t_sectors_srcunit_tex.sum"),
	},
	{
		.name = "l2_from_l1_bytes",
		.unit = "byte",
		/* Found on GH100: for a copy that reads each byte once, l2_bytes are 1.5 times
		 * l1_bytes. */
		.meaning = "bytes between L1 and L2; unlike l2_bytes it excludes traffic between "
			   "the two parts that some L2 caches have",
		.sets = CORE | MEMORY,
		.worse = WORSE_MORE,
		.formula = "32 * l2_from_l1_sectors",
		.inputs = {"l2_from_l1_sectors"},
		.derive = formula_sector_bytes,
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
		.meaning = "32-byte sectors that global loads requested from L1",
		.sets = CORE | MEMORY,
		.exact = true,
		.worse = WORSE_MORE,
		.aliases = EVERY_CHIP("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"),
	},
	{
		.name = "global_load_requests",
		.unit = "request",
		.meaning =
			"global load instructions of warps with at least one thread predicated on",
		.sets = CORE | MEMORY,
		.aliases = EVERY_CHIP("smsp__inst_executed_op_global_ld_pred_on_any.sum"),
	},
	{
		.name = "global_load_sectors_per_request",
		.unit = "sector/request",
		.meaning =
			"sectors that a warp's global load touches; 4 is ideal for 4-byte elements",
		.sets = CORE | MEMORY,
		.worse = WORSE_MORE,
		.formula = "global_load_sectors / global_load_requests",
		.inputs = {"global_load_sectors", "global_load_requests"},
		.derive = formula_ratio,
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
		.meaning =
			"global store instructions of warps with at least one thread predicated on",
		.sets = CORE | MEMORY,
		.exact = true,
		.aliases = EVERY_CHIP("smsp__inst_executed_op_global_st_pred_on_any.sum"),
	},
	{
		.name = "global_store_sectors_per_request",
		.unit = "sector/request",
		.meaning = "sectors that a warp's global store touches; 4 is ideal for 4-byte "
			   "elements",
		.sets = CORE | MEMORY,
		.worse = WORSE_MORE,
		.formula = "global_store_sectors / global_store_requests",
		.inputs = {"global_store_sectors", "global_store_requests"},
		.derive = formula_ratio,
		.undefined = "the kernel stored nothing to global memory",
	},
	/* ---- shared memory ---- */
	{
		.name = "shared_load_bank_conflicts",
		.unit = "conflict",
		.meaning = "additional wavefronts that shared-memory loads needed because of bank "
			   "conflicts",
		.sets = CORE | MEMORY,
		.worse = WORSE_MORE,
		.aliases = EVERY_CHIP("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"),
	},
	{
		.name = "shared_store_bank_conflicts",
		.unit = "conflict",
		.meaning = "additional wavefronts that shared-memory stores needed because of bank "
			   "conflicts",
		.sets = CORE | MEMORY,
		.worse = WORSE_MORE,
		.aliases = EVERY_CHIP("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum"),
	},
	{
		.name = "shared_load_wavefronts",
		.unit = "wavefront",
		.meaning = "wavefronts that shared-memory loads needed",
		.sets = CORE | MEMORY,
		.worse = WORSE_MORE,
		.aliases = EVERY_CHIP("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"),
	},
	{
		/* Found on GH100: for a transpose without conflicts, the hardware counter shows 6 %
		 * more wavefronts than loads, and this counter shows as many. It is not in core: it
		 * would need no further pass, but its cost in the patched pass was not measured. */
		.name = "shared_load_wavefronts_exact",
		.unit = "wavefront",
		.meaning = "wavefronts of the shared-memory loads alone, without ldmatrix; patched "
			   "code counts them in a pass of its own",
		.sets = MEMORY,
		.exact = true,
		.worse = WORSE_MORE,
		.aliases = EVERY_CHIP(
			"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"),
	},
	{
		.name = "shared_load_requests",
		.unit = "request",
		.meaning = "shared-memory load instructions of warps, without ldmatrix",
		.sets = MEMORY,
		.exact = true,
		.aliases = EVERY_CHIP("smsp__sass_inst_executed_op_shared_ld.sum"),
	},
	{
		.name = "shared_load_wavefronts_per_request",
		.unit = "wavefront/request",
		.meaning = "wavefronts that a warp's shared-memory load needs; 1 means no bank "
			   "conflict for 4-byte elements",
		.sets = MEMORY,
		.worse = WORSE_MORE,
		.formula = "shared_load_wavefronts_exact / shared_load_requests",
		.inputs = {"shared_load_wavefronts_exact", "shared_load_requests"},
		.derive = formula_ratio,
		.undefined = "the kernel loaded nothing from shared memory except by ldmatrix",
	},
	{
		.name = "shared_store_wavefronts",
		.unit = "wavefront",
		.meaning = "wavefronts that shared-memory stores needed",
		.sets = CORE | MEMORY,
		.worse = WORSE_MORE,
		.aliases = EVERY_CHIP("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"),
	},
	{
		.name = "shared_bytes",
		.unit = "byte",
		.meaning = "bytes that the wavefronts of shared memory could carry, 128 each: the "
			   "used part of its bandwidth",
		.sets = CORE | MEMORY,
		.worse = WORSE_MORE,
		.formula = "128 * (shared_load_wavefronts + shared_store_wavefronts)",
		.inputs = {"shared_load_wavefronts", "shared_store_wavefronts"},
		.derive = formula_wavefront_bytes,
		.undefined = "the sum is not finite",
	},
/* ---- operations ---- */
#include "metrics/catalogue/operation_metrics.def"
};
const size_t hardware_metric_count = ARRAY_SIZE(hardware_metrics);
