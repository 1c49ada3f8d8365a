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
#include "metrics/catalogue/metric_tables.h"

#define BASIC (1u << METRIC_SET_BASIC)
#define CORE (1u << METRIC_SET_CORE)
#define MEMORY (1u << METRIC_SET_MEMORY)
#define FLOPS (1u << METRIC_SET_FLOPS)
#define DIVERGENCE (1u << METRIC_SET_DIVERGENCE)
#define OCCUPANCY (1u << METRIC_SET_OCCUPANCY)
#define CLOCKS (1u << METRIC_SET_CLOCKS)

/* clang-format off */
#define EVERY_CHIP(name) {{"", name}}
/* Integrated GPUs have no DRAM counters. GB202 and the other chips GB20x renamed the counters. */
#define DRAM_BYTES(operation)                                                                 \
	{{"GA10B", NULL}, {"GB10B", NULL}, {"GB20B", NULL},                                   \
	 {"GB20", "dram__bytes_op_" operation ".sum"}, {"", "dram__bytes_" operation ".sum"}}

/* A count of one floating-point instruction over all threads with a true predicate. */
#define THREAD_COUNTER(metric, member_of, operation, describes) \
	METRIC(metric, "instruction", member_of, describes), .exact = true, \
	.aliases = EVERY_CHIP("smsp__sass_thread_inst_executed_op_" operation "_pred_on.sum")

/* Operations that tensor cores executed, by the type of the operands. Each needs one or two passes
 * of its own on GH100. A chip without an alias counts no such operations, or only together with
 * those of another type. Found on GH100: equal to the work model, and a multiply-add is two, except
 * that mma.sync on 8-bit floats counts a quarter, as half precision (docs/results/tensor-h200.md).
 */
#define TENSOR_COUNTER(metric, unit_of, describes, ...) \
	METRIC(metric, unit_of, CORE | FLOPS, \
	       "operations of tensor cores on " describes "; a multiply-add counts as two"), \
	.exact = true, .only_if = "tensor_instructions", .aliases = {__VA_ARGS__}
/* Operations that the work model states. */
#define MODEL_FLOP(precision)                                                                      \
	{METRIC("model_flop_" precision, "flop", 0,                                                \
		"operations of the work model, which are of the precision " precision              \
		"; not counted"),                                                                  \
	 .exact = true, .modelled = true, .from_launch = true, .formula = "work model"}

const struct metric hardware_metrics[] = {
	/* ---- time ---- */
	{METRIC("gpu_time_ns", "ns", BASIC | CORE | OCCUPANCY,
		"time of the counted range on the GPU, some microseconds longer than the case "
		"itself, which the samples time"),
	 .worse = WORSE_MORE, .aliases = EVERY_CHIP("gpu__time_duration.sum")},
	{METRIC("median_time_ns", "ns", 0,
		"median of the timed samples; not a counter, but the time that rates are divided "
		"by"),
	 .from_samples = true, .formula = "median of the samples"},
	{METRIC("sm_cycles", "cycle", BASIC | CORE | OCCUPANCY,
		"cycles of the counted range, of the SM with the most; some microseconds longer "
		"than the case itself, so no rate is divided by it"),
	 .worse = WORSE_MORE, .aliases = EVERY_CHIP("sm__cycles_elapsed.max")},
	/* ---- other clocks: docs/clocks.md ---- */
	{METRIC("clock_events_ns", "ns", CLOCKS,
		"median of what two events around the case read in the first round, with what they add"),
	 .from_launch = true, .formula = "CUDA events"},
	{METRIC("clock_records_ns", "ns", CLOCKS,
		"median time from the first start to the last end of the kernels of the case, as CUPTI "
		"records them"),
	 .from_launch = true, .formula = "CUPTI records"},
	{METRIC("clock_row_ns", "ns", CLOCKS,
		"time of an execution in a row of up to 100, with a hot cache"),
	 .from_launch = true, .formula = "row of launches"},
	{METRIC("clock_graph_ns", "ns", CLOCKS,
		"time of an execution in a CUDA graph of up to 100, with a hot cache"),
	 .from_launch = true, .formula = "CUDA graph"},
	{METRIC("clock_ncu_ns", "ns", 0,
		"Nsight Compute's gpu__time_duration of the kernels of the case; `perflab import --run` "
		"adds it to a run"),
	 .from_launch = true, .formula = "Nsight Compute"},
	/* ---- results ---- */
	{METRIC("relative_error", "1", 0,
		"largest difference of a floating-point result from the expected one, divided by "
		"the largest expected result; verification compares it with the tolerance"),
	 .worse = WORSE_MORE, .from_launch = true, .formula = "verification"},
	/* ---- launches ---- */
	{METRIC("launches", "launch", BASIC | CORE | OCCUPANCY,
		"launches of the case, one after another"),
	 .exact = true, .from_launch = true, .formula = "plan"},
	{METRIC("blocks", "block", BASIC | CORE | OCCUPANCY,
		"blocks of the launch with the most blocks"),
	 .exact = true, .from_launch = true, .formula = "plan"},
	{METRIC("threads_per_block", "thread/block", BASIC | CORE | OCCUPANCY,
		"threads of a block of that launch"),
	 .exact = true, .from_launch = true, .formula = "plan"},
	/* ---- occupancy ---- */
	{METRIC("theoretical_occupancy_pct", "percent", BASIC | CORE | OCCUPANCY,
		"warps that block size, registers and shared memory allow on an SM, relative to "
		"the most that it can hold"),
	 .exact = true, .from_launch = true, .formula = "occupancy calculator"},
	{METRIC("achieved_occupancy_pct", "percent", BASIC | CORE | OCCUPANCY,
		"warps resident on an active SM, relative to the most that it can hold"),
	 .aliases = EVERY_CHIP("sm__warps_active.avg.pct_of_peak_sustained_active")},
	{METRIC("eligible_warps_per_cycle", "warp/cycle", CORE | OCCUPANCY,
		"warps ready to issue per scheduler and active cycle; below 1 the scheduler idles"),
	 .aliases = EVERY_CHIP("smsp__warps_eligible.avg.per_cycle_active")},
	{METRIC("sm_active_cycles_mean", "cycle", CORE | OCCUPANCY,
		"cycles in which an SM had a warp, in the mean over all SMs"),
	 .aliases = EVERY_CHIP("sm__cycles_active.avg")},
	{METRIC("sm_active_cycles_most", "cycle", CORE | OCCUPANCY,
		"cycles in which an SM had a warp, of the SM with the most"),
	 .aliases = EVERY_CHIP("sm__cycles_active.max")},
	/* ---- branches and divergence ---- */
	{METRIC("branch_targets", "branch_target", BASIC | CORE | DIVERGENCE,
		"branch targets taken, summed over warps"),
	 .exact = true, .aliases = EVERY_CHIP("smsp__sass_branch_targets.sum")},
	{METRIC("branch_targets_uniform", "branch_target", BASIC | CORE | DIVERGENCE,
		"branches on which all active threads of a warp chose the same target"),
	 .exact = true, .aliases = EVERY_CHIP("smsp__sass_branch_targets_threads_uniform.sum")},
	{METRIC("branch_targets_divergent", "branch_target", BASIC | CORE | DIVERGENCE,
		"branches on which active threads of a warp chose different targets"),
	 .exact = true, .worse = WORSE_MORE,
	 .aliases = EVERY_CHIP("smsp__sass_branch_targets_threads_divergent.sum")},
	{METRIC("branch_efficiency_pct", "percent", BASIC | CORE | DIVERGENCE,
		"uniform branch targets, relative to all; predicated code has no branch, so read "
		"threads_per_instruction too"),
	 .worse = WORSE_LESS, .formula = "100 * branch_targets_uniform / branch_targets",
	 .inputs = {"branch_targets_uniform", "branch_targets"}, .derive = FORMULA_PERCENT,
	 .undefined = "the kernel executed no branch"},
	/* ---- instructions ---- */
	{METRIC("instructions", "instruction", BASIC | CORE | DIVERGENCE,
		"instructions executed, counted once per warp"),
	 .exact = true, .aliases = EVERY_CHIP("smsp__inst_executed.sum")},
	{METRIC("thread_instructions", "instruction", BASIC | CORE | DIVERGENCE,
		"instructions executed, counted once per thread, predicated off or on"),
	 .exact = true, .aliases = EVERY_CHIP("smsp__thread_inst_executed.sum")},
	{METRIC("thread_instructions_pred_on", "instruction", BASIC | CORE | DIVERGENCE,
		"instructions executed, counted once per thread with a true predicate"),
	 .exact = true, .aliases = EVERY_CHIP("smsp__thread_inst_executed_pred_on.sum")},
	{METRIC("threads_per_instruction", "thread/instruction", BASIC | CORE | DIVERGENCE,
		"threads of a warp that take part in an instruction; 32 is a full warp"),
	 .worse = WORSE_LESS,
	 RATIO("thread_instructions", "instructions", "the kernel executed no instruction")},
	{METRIC("threads_per_instruction_pred_on", "thread/instruction", BASIC | CORE | DIVERGENCE,
		"threads of a warp that take part with a true predicate; 32 is a full warp"),
	 .worse = WORSE_LESS,
	 RATIO("thread_instructions_pred_on", "instructions",
	     "the kernel executed no instruction")},
	/* ---- device memory ---- */
	{METRIC("dram_read_bytes", "byte", BASIC | CORE | MEMORY, "bytes read from device memory"),
	 .worse = WORSE_MORE, .aliases = DRAM_BYTES("read")},
	{METRIC("dram_write_bytes", "byte", BASIC | CORE | MEMORY,
		"bytes written to device memory"),
	 .worse = WORSE_MORE, .aliases = DRAM_BYTES("write")},
	{METRIC("dram_bytes", "byte", BASIC | CORE | MEMORY,
		"bytes read from and written to device memory"),
	 .worse = WORSE_MORE, SUM("dram_read_bytes", "dram_write_bytes")},
	{METRIC("dram_bytes_per_s", "byte/s", BASIC | CORE | MEMORY,
		"device-memory bandwidth: bytes counted, divided by the median time"),
	 RATE("dram_bytes")},
	{METRIC("dram_throughput_pct", "percent", MEMORY,
		"device-memory throughput over the counted range, relative to its peak, as CUPTI "
		"defines it; low for cases of a few microseconds"),
	 .aliases = {{"GA10B", NULL}, {"GB10B", NULL}, {"GB20B", NULL},
		     {"", "dram__throughput.avg.pct_of_peak_sustained_elapsed"}}},
	/* ---- caches ---- */
	{METRIC("l2_bytes", "byte", CORE | MEMORY,
		"bytes that all units requested from the L2 cache"),
	 .worse = WORSE_MORE, .aliases = EVERY_CHIP("lts__t_bytes.sum")},
	{METRIC("l2_from_l1_sectors", "sector", CORE | MEMORY,
		"32-byte sectors that the L1 caches requested from the L2 cache"),
	 .worse = WORSE_MORE, .aliases = EVERY_CHIP("lts__t_sectors_srcunit_tex.sum")},
	/* Found on GH100: for a copy that reads each byte once, l2_bytes are 1.5 times l1_bytes. */
	{METRIC("l2_from_l1_bytes", "byte", CORE | MEMORY,
		"bytes between L1 and L2; unlike l2_bytes it excludes traffic between the two "
		"parts that some L2 caches have"),
	 .worse = WORSE_MORE, .formula = "32 * l2_from_l1_sectors",
	 .inputs = {"l2_from_l1_sectors"}, .derive = FORMULA_SECTOR_BYTES,
	 .undefined = "the product is not finite"},
	{METRIC("l2_atomic_sectors", "sector", CORE | MEMORY,
		"sectors of atomics with a used result that the L2 cache served"),
	 .aliases = EVERY_CHIP("lts__t_sectors_op_atom.sum")},
	{METRIC("l2_reduction_sectors", "sector", CORE | MEMORY,
		"sectors of atomics without one that the L2 cache served"),
	 .aliases = EVERY_CHIP("lts__t_sectors_op_red.sum")},
	{METRIC("l1_bytes", "byte", CORE | MEMORY, "bytes requested from the L1 caches"),
	 .exact = true, .worse = WORSE_MORE, .aliases = EVERY_CHIP("l1tex__t_bytes.sum")},
	/* ---- global memory as a warp sees it ---- */
	{METRIC("global_load_sectors", "sector", CORE | MEMORY,
		"32-byte sectors that global loads requested from L1"),
	 .exact = true, .worse = WORSE_MORE,
	 .aliases = EVERY_CHIP("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum")},
	{METRIC("global_load_requests", "request", CORE | MEMORY,
		"global load instructions of warps with at least one thread predicated on"),
	 .aliases = EVERY_CHIP("smsp__inst_executed_op_global_ld_pred_on_any.sum")},
	{METRIC("global_load_sectors_per_request", "sector/request", CORE | MEMORY,
		"sectors that a warp's global load touches; 4 is ideal for 4-byte elements"),
	 .worse = WORSE_MORE,
	 SECTORS("global_load_sectors", "global_load_requests",
	     "the kernel loaded nothing from global memory, or only asynchronously")},
	{METRIC("global_store_sectors", "sector", CORE | MEMORY,
		"32-byte sectors that global stores sent through L1"),
	 .exact = true, .worse = WORSE_MORE,
	 .aliases = EVERY_CHIP("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum")},
	{METRIC("global_store_requests", "request", CORE | MEMORY,
		"global store instructions of warps with at least one thread predicated on"),
	 .exact = true, .aliases = EVERY_CHIP("smsp__inst_executed_op_global_st_pred_on_any.sum")},
	{METRIC("global_store_sectors_per_request", "sector/request", CORE | MEMORY,
		"sectors that a warp's global store touches; 4 is ideal for 4-byte elements"),
	 .worse = WORSE_MORE,
	 SECTORS("global_store_sectors", "global_store_requests",
	     "the kernel stored nothing to global memory")},
	/* ---- shared memory ---- */
	{METRIC("shared_load_bank_conflicts", "conflict", CORE | MEMORY,
		"additional wavefronts that shared-memory loads needed because of bank conflicts"),
	 .worse = WORSE_MORE,
	 .aliases = EVERY_CHIP("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum")},
	{METRIC("shared_store_bank_conflicts", "conflict", CORE | MEMORY,
		"additional wavefronts that shared-memory stores needed because of bank conflicts"),
	 .worse = WORSE_MORE,
	 .aliases = EVERY_CHIP("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum")},
	{METRIC("shared_load_wavefronts", "wavefront", CORE | MEMORY,
		"wavefronts that shared-memory loads needed"),
	 .worse = WORSE_MORE,
	 .aliases = EVERY_CHIP("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum")},
	/* Found on GH100: for a transpose without conflicts, the hardware counter shows 6 % more
	 * wavefronts than loads, and this counter shows as many. It is not in core: it would
	 * need no further pass, but its cost in the patched pass was not measured. */
	{METRIC("shared_load_wavefronts_exact", "wavefront", MEMORY,
		"wavefronts of the shared-memory loads alone, without ldmatrix; patched code "
		"counts them in a pass of its own"),
	 .exact = true, .worse = WORSE_MORE,
	 .aliases = EVERY_CHIP("smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum")},
	{METRIC("shared_load_requests", "request", MEMORY,
		"shared-memory load instructions of warps, without ldmatrix"),
	 .exact = true, .aliases = EVERY_CHIP("smsp__sass_inst_executed_op_shared_ld.sum")},
	{METRIC("shared_load_wavefronts_per_request", "wavefront/request", MEMORY,
		"wavefronts that a warp's shared-memory load needs; 1 means no bank conflict for "
		"4-byte elements"),
	 .worse = WORSE_MORE,
	 RATIO("shared_load_wavefronts_exact", "shared_load_requests",
	     "the kernel loaded nothing from shared memory except by ldmatrix")},
	{METRIC("shared_store_wavefronts", "wavefront", CORE | MEMORY,
		"wavefronts that shared-memory stores needed"),
	 .worse = WORSE_MORE,
	 .aliases = EVERY_CHIP("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum")},
	{METRIC("local_instructions", "instruction", CORE,
		"accesses of warps to local memory: spills and arrays on the stack"),
	 .exact = true, .worse = WORSE_MORE,
	 .aliases = EVERY_CHIP("smsp__sass_inst_executed_op_local.sum")},
	{METRIC("shared_atomic_wavefronts", "wavefront", CORE,
		"wavefronts that atomics on shared memory needed"),
	 .worse = WORSE_MORE,
	 .aliases = EVERY_CHIP("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum")},
	{METRIC("shared_bytes", "byte", CORE | MEMORY,
		"bytes that the wavefronts of shared memory could carry, 128 each: the used part "
		"of its bandwidth"),
	 .worse = WORSE_MORE, .formula = "128 * (shared_load_wavefronts + shared_store_wavefronts)",
	 .inputs = {"shared_load_wavefronts", "shared_store_wavefronts"},
	 .derive = FORMULA_WAVEFRONT_BYTES, .undefined = "the sum is not finite"},
	/* ---- floating-point operations: threads whose predicate was true ---- */
	{THREAD_COUNTER("f32_add", BASIC | CORE | FLOPS, "fadd",
			"single-precision additions (FADD), counted once per thread")},
	{THREAD_COUNTER("f32_mul", BASIC | CORE | FLOPS, "fmul",
			"single-precision multiplications (FMUL), counted once per thread")},
	{THREAD_COUNTER("f32_fma", BASIC | CORE | FLOPS, "ffma",
			"single-precision fused multiply-adds (FFMA), counted once per thread")},
	{THREAD_COUNTER("f64_add", CORE | FLOPS, "dadd",
			"double-precision additions (DADD), counted once per thread")},
	{THREAD_COUNTER("f64_mul", CORE | FLOPS, "dmul",
			"double-precision multiplications (DMUL), counted once per thread")},
	{THREAD_COUNTER("f64_fma", CORE | FLOPS, "dfma",
			"double-precision fused multiply-adds (DFMA), counted once per thread")},
	{THREAD_COUNTER("f16_add", CORE | FLOPS, "hadd",
			"half-precision additions (HADD), counted once per thread, as CUPTI "
			"counts them")},
	{THREAD_COUNTER("f16_mul", CORE | FLOPS, "hmul",
			"half-precision multiplications (HMUL), counted once per thread, as "
			"CUPTI counts them")},
	/* Found on GH100: 16.8 million in a float reduction of 16.8 million elements. */
	{THREAD_COUNTER("f16_fma", CORE | FLOPS, "hfma",
			"half-precision fused multiply-adds (HFMA2), counted once per thread; "
			"the compiler also loads constants with them, so they do not measure "
			"arithmetic")},
	{METRIC("flop_f32", "flop", BASIC | CORE | FLOPS,
		"single-precision operations; an FMA counts as two; without tensor cores"),
	 .formula = "f32_add + f32_mul + 2 * f32_fma", .inputs = {"f32_add", "f32_mul", "f32_fma"},
	 .derive = FORMULA_FLOP, .undefined = "the sum is not finite"},
	{METRIC("flop_f64", "flop", CORE | FLOPS,
		"double-precision operations; an FMA counts as two; without tensor cores"),
	 .formula = "f64_add + f64_mul + 2 * f64_fma", .inputs = {"f64_add", "f64_mul", "f64_fma"},
	 .derive = FORMULA_FLOP, .undefined = "the sum is not finite"},
	{METRIC("flop_f32_f64", "flop", CORE | FLOPS,
		"single- and double-precision operations; half precision is not included, see "
		"f16_fma"),
	 SUM("flop_f32", "flop_f64")},
	{METRIC("tensor_cycles", "cycle", CORE | FLOPS,
		"cycles in which the pipe of the tensor cores was active, summed over the "
		"multiprocessors; some chips load constants through it (HFMA2.MMA)"),
	 .aliases = {{"TU11", NULL}, {"AD", "sm__pipe_tensor_cycles_active_v2.sum"},
		     {"", "sm__pipe_tensor_cycles_active.sum"}}},
	{METRIC("tensor_pipe_pct", "percent", CORE | FLOPS,
		"cycles in which the pipe of the tensor cores was active, of the cycles in which "
		"its SM had a warp"),
	 .aliases = {{"TU11", NULL},
		     {"AD", "sm__pipe_tensor_cycles_active_v2.avg.pct_of_peak_sustained_active"},
		     {"", "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active"}}},
	{METRIC("special_pipe_pct", "percent", CORE | FLOPS,
		"instructions of the special-function pipe (sin, exp, roots, conversions), of those "
		"that it can take while its SM has a warp"),
	 .aliases = EVERY_CHIP("sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_active")},
	{METRIC("tensor_pipe_instructions", "instruction", CORE | FLOPS,
		"instructions that the pipe of the tensor cores executed, counted once per warp"),
	 .exact = true, .only_if = "tensor_cycles",
	 .aliases = {{"TU11", NULL}, {"AD", "sm__inst_executed_pipe_tensor_v2.sum"},
		     {"", "sm__inst_executed_pipe_tensor.sum"}}},
	{METRIC("tensor_pipe_hfma2", "instruction", CORE | FLOPS,
		"of these, multiply-adds of half precision (HFMA2.MMA), which also load "
		"constants; two chips execute them in that pipe"),
	 .exact = true, .only_if = "tensor_cycles",
	 .aliases = {{"GV", NULL}, {"TU", NULL},
		     {"GA100", "sm__inst_executed_pipe_tensor_op_hmma_type_hfma2.sum"},
		     {"GA", NULL}, {"AD", NULL}, {"GB", NULL},
		     {"", "sm__inst_executed_pipe_tensor_op_hmma_type_hfma2.sum"}}},
	{METRIC("tensor_instructions", "instruction", CORE | FLOPS,
		"products of matrices by tensor cores, counted once per warp"),
	 .only_if = "tensor_cycles", .formula = "tensor_pipe_instructions - tensor_pipe_hfma2",
	 .inputs = {"tensor_pipe_instructions", "tensor_pipe_hfma2"}, .derive = FORMULA_DIFFERENCE,
	 .undefined = "the difference is not finite"},
	{TENSOR_COUNTER("flop_tensor_f64", "flop", "doubles", {"GV", NULL}, {"TU", NULL},
			{"", "sm__ops_path_tensor_src_fp64.sum"})},
	{TENSOR_COUNTER("flop_tensor_tf32", "flop", "tf32", {"GV", NULL}, {"TU", NULL},
			{"", "sm__ops_path_tensor_src_tf32_dst_fp32.sum"})},
	{TENSOR_COUNTER("flop_tensor_f16", "flop", "half precision", {"TU11", NULL},
			{"TU", "sm__ops_path_tensor_src_fp16_bf16_tf32_dst_fp32.sum"},
			{"GH", "sm__ops_path_tensor_src_fp16.sum"},
			{"", "sm__ops_path_tensor_src_fp16_dst_fp32.sum"})},
	{TENSOR_COUNTER("flop_tensor_bf16", "flop", "bfloat16", {"GV", NULL}, {"TU", NULL},
			{"", "sm__ops_path_tensor_src_bf16_dst_fp32.sum"})},
	/* GB10x counts them together with operations on 4 and 6 bits. */
	{TENSOR_COUNTER("flop_tensor_f8", "flop", "8-bit floats", {"GV", NULL}, {"TU", NULL},
			{"GA", NULL}, {"GB10", NULL},
			{"GB", "sm__ops_path_tensor_src_fp8_dst_fp32.sum"},
			{"", "sm__ops_path_tensor_src_fp8.sum"})},
	{TENSOR_COUNTER("op_tensor_i8", "operation", "8-bit integers", {"GV", NULL}, {"TU11", NULL},
			{"", "sm__ops_path_tensor_src_int8.sum"})},
	{METRIC("flop_per_s", "flop/s", CORE | FLOPS,
		"single- and double-precision operations counted, divided by the median time"),
	 RATE("flop_f32_f64")},
	{METRIC("intensity_dram", "flop/byte", CORE,
		"arithmetic intensity: single- and double-precision operations per byte of "
		"device-memory traffic"),
	 RATIO("flop_f32_f64", "dram_bytes", "no byte was moved to or from device memory")},
	/* ---- operations of the work model: stated, not counted ---- */
	MODEL_FLOP("f64"),
	MODEL_FLOP("f32"),
	MODEL_FLOP("f16"),
	MODEL_FLOP("bf16"),
	MODEL_FLOP("tensor_f64"),
	MODEL_FLOP("tensor_tf32"),
	MODEL_FLOP("tensor_f16"),
	MODEL_FLOP("tensor_bf16"),
	MODEL_FLOP("tensor_f8"),
};
/* clang-format on */
const size_t hardware_metric_count = ARRAY_SIZE(hardware_metrics);
