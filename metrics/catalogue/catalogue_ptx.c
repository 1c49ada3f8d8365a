/*
 * The metrics of the backend ptx, which executes PTX on the host. One row a
 * metric, apart from the catalogue of devices: PTX is not the machine code
 * that a GPU runs, so these have names of their own, no device is ever asked
 * for them, and none is derived from a device's counters.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "metrics/catalogue/catalogue.h"
#include "metrics/catalogue/catalogue_table.h"

#define PTX (1u << METRIC_SET_PTX)
#define LANES_PER_WARP 32

static double ratio(double numerator, double denominator)
{
	return denominator > 0 ? numerator / denominator : NAN;
}

static double derive_warp_execution_efficiency(const double *inputs)
{
	return 100 * ratio(inputs[0], LANES_PER_WARP * inputs[1]);
}

static double derive_branch_efficiency(const double *inputs)
{
	return 100 * ratio(inputs[0] - inputs[1], inputs[0]);
}

static double derive_ratio(const double *inputs)
{
	return ratio(inputs[0], inputs[1]);
}

static double derive_over_sum_of_3(const double *inputs)
{
	return ratio(inputs[0], inputs[1] + inputs[2] + inputs[3]);
}

static double derive_sum_of_2(const double *inputs)
{
	return inputs[0] + inputs[1];
}

const struct metric catalogue_ptx[] = {
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
		.meaning = "blocks that were executed, of all launches of the operation",
		.sets = PTX,
		.emulated = true,
	},
	{
		.name = "ptx_blocks_total",
		.unit = "block",
		.meaning = "blocks of all launches of the operation",
		.sets = PTX,
		.exact = true,
		.emulated = true,
	},
	{
		.name = "ptx_compulsory_read_bytes",
		.unit = "byte",
		.meaning = "global memory read before it was written, each 32-byte sector once: "
			   "no cache can do with less",
		.sets = PTX,
		.exact = true,
		.worse = WORSE_MORE,
		.emulated = true,
	},
	{
		.name = "ptx_compulsory_written_bytes",
		.unit = "byte",
		.meaning = "global memory written, each 32-byte sector once",
		.sets = PTX,
		.exact = true,
		.worse = WORSE_MORE,
		.emulated = true,
	},
	{
		.name = "ptx_theoretical_occupancy_pct",
		.unit = "percent",
		.meaning = "warps that block size, registers and shared memory allow, of the most "
			   "an SM of the chosen chip can hold",
		.sets = PTX,
		.exact = true,
		.emulated = true,
		.from_launch = true,
		.formula = "occupancy calculator",
	},
	{
		.name = "ptx_relative_error",
		.unit = "1",
		.meaning =
			"largest difference of a floating-point result from the CPU oracle, over "
			"the largest result expected; what verification allowed",
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
		.meaning = "lanes that take part in an instruction, of the 32 of a warp; lanes "
			   "whose guard is false do not",
		.sets = PTX,
		.worse = WORSE_LESS,
		.emulated = true,
		.formula = "100 * ptx_lane_instructions / (32 * ptx_warp_instructions)",
		.inputs = {"ptx_lane_instructions", "ptx_warp_instructions"},
		.derive = derive_warp_execution_efficiency,
		.undefined = "the kernel executed no instruction",
	},
	{
		.name = "ptx_branch_efficiency_pct",
		.unit = "percent",
		.meaning = "conditional branches on which the warp stayed together; those of the "
			   "PTX: machine code predicates many of them away",
		.sets = PTX,
		.worse = WORSE_LESS,
		.emulated = true,
		.formula = "100 * (ptx_branches - ptx_divergent_branches) / ptx_branches",
		.inputs = {"ptx_branches", "ptx_divergent_branches"},
		.derive = derive_branch_efficiency,
		.undefined = "the kernel executed no conditional branch",
	},
	{
		.name = "ptx_load_sectors_per_request",
		.unit = "sector/request",
		.meaning = "sectors a warp's global load touches; 4 is ideal for 4-byte elements",
		.sets = PTX,
		.worse = WORSE_MORE,
		.emulated = true,
		.formula = "ptx_global_load_sectors / ptx_global_load_requests",
		.inputs = {"ptx_global_load_sectors", "ptx_global_load_requests"},
		.derive = derive_ratio,
		.undefined = "the kernel loaded nothing from global memory",
	},
	{
		.name = "ptx_store_sectors_per_request",
		.unit = "sector/request",
		.meaning = "sectors a warp's global store touches; 4 is ideal for 4-byte elements",
		.sets = PTX,
		.worse = WORSE_MORE,
		.emulated = true,
		.formula = "ptx_global_store_sectors / ptx_global_store_requests",
		.inputs = {"ptx_global_store_sectors", "ptx_global_store_requests"},
		.derive = derive_ratio,
		.undefined = "the kernel stored nothing to global memory",
	},
	{
		.name = "ptx_shared_conflicts_per_request",
		.unit = "wavefront/request",
		.meaning = "passes beyond need of a warp's access to shared memory; 0 is free of "
			   "bank conflicts",
		.sets = PTX,
		.worse = WORSE_MORE,
		.emulated = true,
		.formula = "ptx_shared_bank_conflicts / (ptx_shared_load_requests + "
			   "ptx_shared_store_requests + ptx_shared_atomic_requests)",
		.inputs = {"ptx_shared_bank_conflicts", "ptx_shared_load_requests",
			   "ptx_shared_store_requests", "ptx_shared_atomic_requests"},
		.derive = derive_over_sum_of_3,
		.undefined = "the kernel accessed no shared memory",
	},
	{
		.name = "ptx_atomic_contention",
		.unit = "instruction/request",
		.meaning = "lanes of a warp that queue at one address in an atomic, at the "
			   "longest queue; 1 is free of contention, 32 the worst",
		.sets = PTX,
		.worse = WORSE_MORE,
		.emulated = true,
		.formula = "ptx_atomic_serialised / (ptx_global_atomic_requests + "
			   "ptx_global_reduction_requests + ptx_shared_atomic_requests)",
		.inputs = {"ptx_atomic_serialised", "ptx_global_atomic_requests",
			   "ptx_global_reduction_requests", "ptx_shared_atomic_requests"},
		.derive = derive_over_sum_of_3,
		.undefined = "the kernel executed no atomic",
	},
	{
		.name = "ptx_f32_f64_flop",
		.unit = "flop",
		.meaning = "single- and double-precision operations of the PTX; divisions, roots "
			   "and transcendentals are not in it",
		.sets = PTX,
		.emulated = true,
		.formula = "ptx_f32_flop + ptx_f64_flop",
		.inputs = {"ptx_f32_flop", "ptx_f64_flop"},
		.derive = derive_sum_of_2,
		.undefined = "the sum is not finite",
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
		.derive = derive_sum_of_2,
		.undefined = "the sum is not finite",
	},
	{
		.name = "ptx_compulsory_intensity",
		.unit = "flop/byte",
		.meaning = "single- and double-precision operations a compulsory byte: the most "
			   "that a perfect cache allows",
		.sets = PTX,
		.worse = WORSE_LESS,
		.emulated = true,
		.formula = "ptx_f32_f64_flop / ptx_compulsory_bytes",
		.inputs = {"ptx_f32_f64_flop", "ptx_compulsory_bytes"},
		.derive = derive_ratio,
		.undefined = "the kernel touched no global memory",
	},
};
const size_t catalogue_ptx_count = ARRAY_SIZE(catalogue_ptx);

static const struct emulated_value *find_value(const struct emulated_value *values, size_t count,
					       const char *name)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(values[i].name, name) == 0)
			return &values[i];
	}
	return NULL;
}

static void set_base(struct counter_list *counters, const struct metric *metric,
		     const struct emulated_value *value, const char *source)
{
	if (!value)
		counter_list_set_missing(counters, metric->name, metric->unit, source,
					 "the emulator did not count it");
	else if (value->reason)
		counter_list_set_missing(counters, metric->name, metric->unit, source,
					 value->reason);
	else
		counter_list_set(counters, metric->name, metric->unit, source, value->value);
}

void metric_emulated_counters(struct counter_list *out, const struct emulated_value *values,
			      size_t count, int64_t blocks_executed, int64_t blocks_total)
{
	const struct emulated_value blocks[] = {
		{.name = "ptx_blocks_executed", .value = (double)blocks_executed},
		{.name = "ptx_blocks_total", .value = (double)blocks_total},
	};
	char *note = blocks_executed < blocks_total
			     ? xasprintf(", sampled: %lld of %lld blocks",
					 (long long)blocks_executed, (long long)blocks_total)
			     : xstrdup("");
	char *source = xasprintf("emulated PTX%s", note);

	for (size_t i = 0; i < catalogue_ptx_count; i++) {
		const struct metric *metric = &catalogue_ptx[i];
		const struct emulated_value *value = find_value(values, count, metric->name);

		if (!value)
			value = find_value(blocks, ARRAY_SIZE(blocks), metric->name);
		if (metric->derive)
			metric_derive_one(out, metric, NAN, note);
		else
			set_base(out, metric, value, metric->formula ? metric->formula : source);
	}
	free(source);
	free(note);
}
