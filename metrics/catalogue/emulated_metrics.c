/*
 * The metrics of the emulator, one row each. Rows of counts come from
 * EMULATED_COUNT_LIST of emulator/counts.h; the other rows are below.
 *
 * This table is separate from the hardware metrics, because the emulator
 * executes PTX and not the machine code of a GPU. Its metrics have names of their
 * own ("ptx_..."), perflab never requests them from a device, and no metric is
 * derived from both tables.
 */
#include "metrics/catalogue/metric_tables.h"

/* clang-format off */
#define EMULATED(name, unit, meaning) \
	METRIC(name, unit, 1u << METRIC_SET_PTX, meaning), .emulated = true

const struct metric emulated_metrics[] = {
#define X(field, name, unit, meaning, metric_worse) \
	{EMULATED(name, unit, meaning), .exact = true, .worse = metric_worse},
	EMULATED_COUNT_LIST(X)
#undef X
	{EMULATED("ptx_blocks_executed", "block",
		"blocks that the emulator executed, of all launches of the case")},
	{EMULATED("ptx_blocks_total", "block", "blocks of all launches of the case"),
	 .exact = true},
	{EMULATED("ptx_compulsory_read_bytes", "byte",
		"global memory that is read before it is written, each 32-byte sector once: the "
		"least that any cache must read"),
	 .exact = true, .worse = WORSE_MORE},
	{EMULATED("ptx_compulsory_written_bytes", "byte",
		"global memory that is written, each 32-byte sector once"),
	 .exact = true, .worse = WORSE_MORE},
	{EMULATED("ptx_theoretical_occupancy_pct", "percent",
		"warps that block size, registers and shared memory allow on an SM of the chosen "
		"chip, relative to the most that it can hold"),
	 .exact = true, .from_launch = true, .formula = "occupancy calculator"},
	{EMULATED("ptx_relative_error", "1",
		"largest difference of a floating-point result from the expected one, divided by "
		"the largest expected result; verification compares it with the tolerance"),
	 .exact = true, .worse = WORSE_MORE, .from_launch = true, .formula = "verification"},
	{EMULATED("ptx_warp_execution_efficiency_pct", "percent",
		"lanes that take part in an instruction, relative to the 32 of a warp; lanes "
		"with a false guard take part in branches only"),
	 .worse = WORSE_LESS,
	 .formula = "100 * ptx_lane_instructions / (32 * ptx_warp_instructions)",
	 .inputs = {"ptx_lane_instructions", "ptx_warp_instructions"},
	 .derive = FORMULA_PERCENT_OF_LANES, .undefined = "the kernel executed no instruction"},
	{EMULATED("ptx_branch_efficiency_pct", "percent",
		"conditional branches on which the warp did not diverge; these are branches of "
		"the PTX; machine code replaces many of them by predicates"),
	 .worse = WORSE_LESS,
	 .formula = "100 * (ptx_branches - ptx_divergent_branches) / ptx_branches",
	 .inputs = {"ptx_branches", "ptx_divergent_branches"}, .derive = FORMULA_PERCENT_REMAINING,
	 .undefined = "the kernel executed no conditional branch"},
	{EMULATED("ptx_load_sectors_per_request", "sector/request",
		"sectors that a warp's global load touches; 4 is ideal for 4-byte elements"),
	 .worse = WORSE_MORE,
	 RATIO("ptx_global_load_sectors", "ptx_global_load_requests",
	     "the kernel loaded nothing from global memory")},
	{EMULATED("ptx_store_sectors_per_request", "sector/request",
		"sectors that a warp's global store touches; 4 is ideal for 4-byte elements"),
	 .worse = WORSE_MORE,
	 RATIO("ptx_global_store_sectors", "ptx_global_store_requests",
	     "the kernel stored nothing to global memory")},
	{EMULATED("ptx_shared_conflicts_per_request", "wavefront/request",
		"wavefronts beyond the needed ones that a warp's access to shared memory takes; "
		"0 means no bank conflict"),
	 .worse = WORSE_MORE,
	 .formula =
	     "ptx_shared_bank_conflicts / (ptx_shared_load_requests + ptx_shared_store_requests "
	     "+ ptx_shared_atomic_requests)",
	 .inputs = {"ptx_shared_bank_conflicts", "ptx_shared_load_requests",
	            "ptx_shared_store_requests", "ptx_shared_atomic_requests"},
	 .derive = FORMULA_RATIO_TO_SUM, .undefined = "the kernel accessed no shared memory"},
	{EMULATED("ptx_atomic_contention", "instruction/request",
		"lanes in the longest queue of a warp's atomic, if lanes with one address take "
		"turns; 1 means no contention, 32 is the worst"),
	 .worse = WORSE_MORE,
	 .formula =
	     "ptx_atomic_serialised / (ptx_global_atomic_requests + "
	     "ptx_global_reduction_requests + ptx_shared_atomic_requests)",
	 .inputs = {"ptx_atomic_serialised", "ptx_global_atomic_requests",
	            "ptx_global_reduction_requests", "ptx_shared_atomic_requests"},
	 .derive = FORMULA_RATIO_TO_SUM, .undefined = "the kernel executed no atomic"},
	{EMULATED("ptx_f32_f64_flop", "flop",
		"single- and double-precision operations of the PTX; divisions, roots and "
		"transcendental functions are not included"),
	 SUM("ptx_f32_flop", "ptx_f64_flop")},
	{EMULATED("ptx_tensor_flop", "flop",
		"operations of matrix products of the PTX on floats of all types"),
	 .formula =
	     "ptx_tensor_f64_flop + ptx_tensor_tf32_flop + ptx_tensor_f16_flop + "
	     "ptx_tensor_bf16_flop + ptx_tensor_f8_flop",
	 .inputs = {"ptx_tensor_f64_flop", "ptx_tensor_tf32_flop", "ptx_tensor_f16_flop",
	            "ptx_tensor_bf16_flop", "ptx_tensor_f8_flop"}, .derive = FORMULA_SUM_OF_FIVE,
	 .undefined = "the sum is not finite"},
	{EMULATED("ptx_flop", "flop",
		"floating-point operations of the PTX of all types; divisions, roots and "
		"transcendental functions are not included"),
	 .formula =
	     "ptx_f16_flop + ptx_f32_flop + ptx_f64_flop + ptx_tensor_flop, unless there are "
	     "only ptx_special_operations",
	 .inputs = {"ptx_f16_flop", "ptx_f32_flop", "ptx_f64_flop", "ptx_tensor_flop",
	            "ptx_special_operations"}, .derive = FORMULA_COUNTABLE_FLOP,
	 .undefined =
	     "the kernel's floating-point operations are divisions, roots or transcendental "
	     "functions, which expand to an unknown number"},
	{EMULATED("ptx_compulsory_bytes", "byte", "compulsory bytes read and written"),
	 .worse = WORSE_MORE, SUM("ptx_compulsory_read_bytes", "ptx_compulsory_written_bytes")},
	{EMULATED("ptx_compulsory_intensity", "flop/byte",
		"floating-point operations per compulsory byte: the highest intensity, with a "
		"perfect cache"),
	 .worse = WORSE_LESS,
	 RATIO("ptx_flop", "ptx_compulsory_bytes", "the kernel touched no global memory")},
};
/* clang-format on */
const size_t emulated_metric_count = ARRAY_SIZE(emulated_metrics);
