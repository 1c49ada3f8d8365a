/*
 * The metrics of the emulator, one row each. Rows of counts come from
 * EMULATED_COUNT_LIST of emulator/counts.h; the other rows are below.
 *
 * This table is separate from the hardware metrics, because the emulator
 * executes PTX and not the machine code of a GPU. Its metrics have names of their
 * own ("ptx_..."), perflab never requests them from a device, and no metric is
 * derived from both tables.
 */
#include "metrics/catalogue/catalogue.h"
#include "metrics/catalogue/formulas.h"
#include "metrics/catalogue/metric_tables.h"

#define PTX (1u << METRIC_SET_PTX)

const struct metric emulated_metrics[] = {
/* clang-format off */
#define X(field, metric_name, metric_unit, metric_meaning, metric_worse) \
	{.name = metric_name, .unit = metric_unit, .meaning = metric_meaning, .sets = PTX, \
	 .emulated = true, .exact = true, .worse = metric_worse},
	EMULATED_COUNT_LIST(X)
#undef X
	/* clang-format on */
	{
		.name = "ptx_blocks_executed",
		.unit = "block",
		.meaning = "blocks that the emulator executed, of all launches of the case",
		.sets = PTX,
		.emulated = true,
	},
	{
		.name = "ptx_blocks_total",
		.unit = "block",
		.meaning = "blocks of all launches of the case",
		.sets = PTX,
		.exact = true,
		.emulated = true,
	},
	{
		.name = "ptx_compulsory_read_bytes",
		.unit = "byte",
		.meaning = "global memory that is read before it is written, each 32-byte sector "
			   "once: the least that any cache must read",
		.sets = PTX,
		.exact = true,
		.worse = WORSE_MORE,
		.emulated = true,
	},
	{
		.name = "ptx_compulsory_written_bytes",
		.unit = "byte",
		.meaning = "global memory that is written, each 32-byte sector once",
		.sets = PTX,
		.exact = true,
		.worse = WORSE_MORE,
		.emulated = true,
	},
	{
		.name = "ptx_theoretical_occupancy_pct",
		.unit = "percent",
		.meaning = "warps that block size, registers and shared memory allow on an SM of "
			   "the chosen chip, relative to the most that it can hold",
		.sets = PTX,
		.exact = true,
		.emulated = true,
		.from_launch = true,
		.formula = "occupancy calculator",
	},
	{
		.name = "ptx_relative_error",
		.unit = "1",
		.meaning = "largest difference of a floating-point result from the expected one, "
			   "divided by the largest expected result; verification compares it with "
			   "the tolerance",
		.sets = PTX,
		.exact = true,
		.worse = WORSE_MORE,
		.emulated = true,
		.from_launch = true,
		.formula = "verification",
	},
	{
		.name = "ptx_warp_execution_efficiency_pct",
		.unit = "percent",
		.meaning = "lanes that take part in an instruction, relative to the 32 of a warp; "
			   "lanes with a false guard do not take part",
		.sets = PTX,
		.worse = WORSE_LESS,
		.emulated = true,
		.formula = "100 * ptx_lane_instructions / (32 * ptx_warp_instructions)",
		.inputs = {"ptx_lane_instructions", "ptx_warp_instructions"},
		.derive = formula_percent_of_lanes,
		.undefined = "the kernel executed no instruction",
	},
	{
		.name = "ptx_branch_efficiency_pct",
		.unit = "percent",
		.meaning = "conditional branches on which the warp did not diverge; these are "
			   "branches of the PTX; machine code replaces many of them by predicates",
		.sets = PTX,
		.worse = WORSE_LESS,
		.emulated = true,
		.formula = "100 * (ptx_branches - ptx_divergent_branches) / ptx_branches",
		.inputs = {"ptx_branches", "ptx_divergent_branches"},
		.derive = formula_percent_remaining,
		.undefined = "the kernel executed no conditional branch",
	},
	{
		.name = "ptx_load_sectors_per_request",
		.unit = "sector/request",
		.meaning =
			"sectors that a warp's global load touches; 4 is ideal for 4-byte elements",
		.sets = PTX,
		.worse = WORSE_MORE,
		.emulated = true,
		.formula = "ptx_global_load_sectors / ptx_global_load_requests",
		.inputs = {"ptx_global_load_sectors", "ptx_global_load_requests"},
		.derive = formula_ratio,
		.undefined = "the kernel loaded nothing from global memory",
	},
	{
		.name = "ptx_store_sectors_per_request",
		.unit = "sector/request",
		.meaning = "sectors that a warp's global store touches; 4 is ideal for 4-byte "
			   "elements",
		.sets = PTX,
		.worse = WORSE_MORE,
		.emulated = true,
		.formula = "ptx_global_store_sectors / ptx_global_store_requests",
		.inputs = {"ptx_global_store_sectors", "ptx_global_store_requests"},
		.derive = formula_ratio,
		.undefined = "the kernel stored nothing to global memory",
	},
	{
		.name = "ptx_shared_conflicts_per_request",
		.unit = "wavefront/request",
		.meaning = "wavefronts beyond the needed ones that a warp's access to shared "
			   "memory takes; 0 means no bank conflict",
		.sets = PTX,
		.worse = WORSE_MORE,
		.emulated = true,
		.formula = "ptx_shared_bank_conflicts / (ptx_shared_load_requests + "
			   "ptx_shared_store_requests + ptx_shared_atomic_requests)",
		.inputs = {"ptx_shared_bank_conflicts", "ptx_shared_load_requests",
			   "ptx_shared_store_requests", "ptx_shared_atomic_requests"},
		.derive = formula_ratio_to_sum,
		.undefined = "the kernel accessed no shared memory",
	},
	{
		.name = "ptx_atomic_contention",
		.unit = "instruction/request",
		.meaning = "lanes in the longest queue of a warp's atomic, if lanes with one "
			   "address take turns; 1 means no contention, 32 is the worst",
		.sets = PTX,
		.worse = WORSE_MORE,
		.emulated = true,
		.formula = "ptx_atomic_serialised / (ptx_global_atomic_requests + "
			   "ptx_global_reduction_requests + ptx_shared_atomic_requests)",
		.inputs = {"ptx_atomic_serialised", "ptx_global_atomic_requests",
			   "ptx_global_reduction_requests", "ptx_shared_atomic_requests"},
		.derive = formula_ratio_to_sum,
		.undefined = "the kernel executed no atomic",
	},
	{
		.name = "ptx_f32_f64_flop",
		.unit = "flop",
		.meaning = "single- and double-precision operations of the PTX; divisions, roots "
			   "and transcendental functions are not included",
		.sets = PTX,
		.emulated = true,
		.formula = "ptx_f32_flop + ptx_f64_flop",
		.inputs = {"ptx_f32_flop", "ptx_f64_flop"},
		.derive = formula_sum,
		.undefined = "the sum is not finite",
	},
	{
		.name = "ptx_tensor_flop",
		.unit = "flop",
		.meaning = "operations of matrix products of the PTX on floats of all types",
		.sets = PTX,
		.emulated = true,
		.formula = "ptx_tensor_f64_flop + ptx_tensor_tf32_flop + ptx_tensor_f16_flop + "
			   "ptx_tensor_bf16_flop + ptx_tensor_f8_flop",
		.inputs = {"ptx_tensor_f64_flop", "ptx_tensor_tf32_flop", "ptx_tensor_f16_flop",
			   "ptx_tensor_bf16_flop", "ptx_tensor_f8_flop"},
		.derive = formula_sum_of_five,
		.undefined = "the sum is not finite",
	},
	{
		.name = "ptx_flop",
		.unit = "flop",
		.meaning = "floating-point operations of the PTX of all types; divisions, roots "
			   "and transcendental functions are not included",
		.sets = PTX,
		.emulated = true,
		.formula = "ptx_f16_flop + ptx_f32_flop + ptx_f64_flop + ptx_tensor_flop, unless "
			   "there are only ptx_special_operations",
		.inputs = {"ptx_f16_flop", "ptx_f32_flop", "ptx_f64_flop", "ptx_tensor_flop",
			   "ptx_special_operations"},
		.derive = formula_countable_flop,
		.undefined = "the kernel's floating-point operations are divisions, roots or "
			     "transcendental functions, which expand to an unknown number",
	},
	{
		.name = "ptx_compulsory_bytes",
		.unit = "byte",
		.meaning = "compulsory bytes read and written",
		.sets = PTX,
		.worse = WORSE_MORE,
		.emulated = true,
		.formula = "ptx_compulsory_read_bytes + ptx_compulsory_written_bytes",
		.inputs = {"ptx_compulsory_read_bytes", "ptx_compulsory_written_bytes"},
		.derive = formula_sum,
		.undefined = "the sum is not finite",
	},
	{
		.name = "ptx_compulsory_intensity",
		.unit = "flop/byte",
		.meaning = "floating-point operations per compulsory byte: the highest "
			   "intensity, with a perfect cache",
		.sets = PTX,
		.worse = WORSE_LESS,
		.emulated = true,
		.formula = "ptx_flop / ptx_compulsory_bytes",
		.inputs = {"ptx_flop", "ptx_compulsory_bytes"},
		.derive = formula_ratio,
		.undefined = "the kernel touched no global memory",
	},
};
const size_t emulated_metric_count = ARRAY_SIZE(emulated_metrics);
