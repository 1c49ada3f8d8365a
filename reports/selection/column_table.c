/* The table of columns: what can be shown of a case; see columns.h. */
#include "reports/selection/columns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "metrics/analysis/speedup.h"
#include "reports/table/readable.h"

/* ---- a case ---- */

void case_facts_init(struct case_facts *out, const struct run *run, const struct trial *trial,
		     const struct ceiling_list *ceilings)
{
	const struct verdict_context context = verdict_context_of(run, ceilings);

	*out = (struct case_facts){.run = run, .trial = trial, .name = trial_case_name(trial)};
	trial_roofline_init(&out->roofline, run, trial, ceilings);
	trial_findings_of(&out->findings, trial, &out->roofline.point, &context);
}

void case_facts_release(struct case_facts *facts)
{
	trial_roofline_release(&facts->roofline);
	trial_findings_release(&facts->findings);
	free(facts->name);
	facts->name = NULL;
}

/* ---- values ---- */

static const char *word_kernel(const struct case_facts *facts)
{
	return facts->trial->kernel;
}

static const char *word_variant(const struct case_facts *facts)
{
	return facts->trial->variant;
}

static const char *word_config(const struct case_facts *facts)
{
	return facts->trial->config;
}

static const char *word_case(const struct case_facts *facts)
{
	return facts->name;
}

static const char *word_status(const struct case_facts *facts)
{
	return trial_status_name(facts->trial->status);
}

static const char *word_reason(const struct case_facts *facts)
{
	return facts->trial->reason;
}

static const char *word_limiter(const struct case_facts *facts)
{
	return trial_status_counted(facts->trial->status)
		       ? verdict_limiter_name(&facts->roofline.verdict)
		       : NULL;
}

static const char *word_verdict(const struct case_facts *facts)
{
	return trial_status_counted(facts->trial->status) ? facts->roofline.verdict.summary : NULL;
}

static const char *word_occupancy_limiter(const struct case_facts *facts)
{
	return facts->trial->facts.occupancy_limiter[0] ? facts->trial->facts.occupancy_limiter
							: NULL;
}

static const char *word_finding(const struct case_facts *facts)
{
	return facts->findings.count ? facts->findings.items[0].text : NULL;
}

static const char *word_remedy(const struct case_facts *facts)
{
	return facts->findings.count ? facts->findings.items[0].remedy : NULL;
}

static double number_lost(const struct case_facts *facts)
{
	return facts->findings.count ? 100 * facts->findings.items[0].lost : NAN;
}

static double number_roof(const struct case_facts *facts)
{
	return trial_status_counted(facts->trial->status) ? facts->roofline.verdict.roof_pct : NAN;
}

static double number_waste(const struct case_facts *facts)
{
	return facts->roofline.point.waste;
}

#define SUMMARY_NUMBER(field)                                                               \
	static double number_##field(const struct case_facts *facts)                        \
	{                                                                                   \
		return facts->trial->summary.count > 0 ? facts->trial->summary.field : NAN; \
	}
SUMMARY_NUMBER(median_ns)
SUMMARY_NUMBER(mad_ns)
SUMMARY_NUMBER(low_ns)
SUMMARY_NUMBER(high_ns)
SUMMARY_NUMBER(min_ns)
SUMMARY_NUMBER(max_ns)
#undef SUMMARY_NUMBER

static double number_mean(const struct case_facts *facts)
{
	return facts->trial->mean_ns > 0 ? facts->trial->mean_ns : NAN;
}

#define WORK_NUMBER(field)                                                         \
	static double number_##field(const struct case_facts *facts)               \
	{                                                                          \
		return facts->trial->has_work ? (double)facts->trial->field : NAN; \
	}
WORK_NUMBER(flop)
WORK_NUMBER(bytes_read)
WORK_NUMBER(bytes_written)
#undef WORK_NUMBER

static double number_interval(const struct case_facts *facts)
{
	return trial_half_interval_pct(facts->trial);
}

static void show_interval(struct text *out, const struct case_facts *facts)
{
	text_addf(out, "±%.2f %%", trial_half_interval_pct(facts->trial));
}

static double number_speedup(const struct case_facts *facts)
{
	return facts->trial->speedup.base_variant ? facts->trial->speedup.speedup : NAN;
}

static void show_speedup(struct text *out, const struct case_facts *facts)
{
	const struct trial_speedup *speedup = &facts->trial->speedup;

	if (!speedup->base_variant)
		return;
	if (speedup->verdict != SPEEDUP_NOT_MEASURED) {
		speedup_number_text(out, speedup);
		text_add_char(out, ' ');
	}
	text_add(out, speedup_verdict_name(speedup->verdict));
}

static double number_samples(const struct case_facts *facts)
{
	return facts->trial->summary.count > 0 ? (double)facts->trial->summary.count : NAN;
}

static double number_model_bandwidth(const struct case_facts *facts)
{
	return trial_model_gb_per_s(facts->trial);
}

static double number_model_flops(const struct case_facts *facts)
{
	return trial_model_gflop_per_s(facts->trial);
}

/* The tables show rates to three digits; CSV and JSON have units of 1e9 per second, too. */
static void show_model_bandwidth(struct text *out, const struct case_facts *facts)
{
	format_number(out, 1e9 * number_model_bandwidth(facts), "byte/s");
}

static void show_model_flops(struct text *out, const struct case_facts *facts)
{
	format_number(out, 1e9 * number_model_flops(facts), "flop/s");
}

static double number_theoretical_occupancy(const struct case_facts *facts)
{
	return trial_theoretical_occupancy_pct(facts->trial);
}

static double number_registers(const struct case_facts *facts)
{
	return facts->trial->facts.registers_per_thread >= 0
		       ? (double)facts->trial->facts.registers_per_thread
		       : NAN;
}

static double blocks_counter(const struct case_facts *facts, const char *metric)
{
	const struct counter_value *value = counter_list_find(&facts->trial->counters, metric);

	return value && value->has_value ? value->value : NAN;
}

static double number_blocks(const struct case_facts *facts)
{
	return facts->trial->status == TRIAL_SAMPLED ? blocks_counter(facts, "ptx_blocks_executed")
						     : NAN;
}

static double number_gpu(const struct case_facts *facts)
{
	const struct run_gpu *gpu = trial_gpu(facts->run, facts->trial);

	return gpu ? gpu->number : NAN;
}

static void show_blocks(struct text *out, const struct case_facts *facts)
{
	text_addf(out, "%.0f of %.0f", number_blocks(facts),
		  blocks_counter(facts, "ptx_blocks_total"));
}

/* ---- the table ---- */

#define GPU_COLUMN "gpu" /* only of a sweep on several GPUs */

/* clang-format off */
#define NUMBER(f, u) .number = number_##f, .unit = u
#define WORD(f) .word = word_##f
static const struct column table[] = {
	{"kernel", "kernel", "kernel", OF_ANY, 0, false, true, WORD(kernel), .names_case = true},
	{"variant", "variant", "variant", OF_ANY, 0, false, true, WORD(variant), .names_case = true},
	{"config", "config", "config", OF_ANY, 0, false, true, WORD(config), .names_case = true},
	{"case", "case", "case", OF_ANY, 0, false, true, WORD(case)},
	{"status", "status", "status", OF_ANY, 0, true, true, WORD(status)},
	{"median", "median_ns", "median", OF_MEASURED, 0, true, true, NUMBER(median_ns, "ns")},
	{"mean", "mean_ns", "mean", OF_MEASURED, 0, true, true, NUMBER(mean, "ns")}, /* of imported files without samples */
	/* a median means little without it: dropped last */
	{"interval", "interval_pct", "95 % CI", OF_MEASURED, 1, true, true, NUMBER(interval, "percent"), .show = show_interval},
	{"speedup", "speedup", "speed-up", OF_MEASURED, 2, true, false, NUMBER(speedup, ""), .show = show_speedup, .in_words = true},
	{"roof", "bound_pct", "roof %", OF_MEASURED, 0, true, false, NUMBER(roof, "percent")},
	{"limiter", "bound", "limiter", OF_MEASURED, 0, true, true, WORD(limiter)},
	{"lost", "lost_pct", "lost %", OF_EMULATED, 0, true, false, NUMBER(lost, "percent")},
	{"finding", "finding", "finding", OF_EMULATED, 0, false, true, WORD(finding)},
	{"try", "try", "try", OF_EMULATED, 1, false, true, WORD(remedy)},
	{"blocks", "ptx_blocks_executed", "ptx blocks", OF_EMULATED, 8, true, false, NUMBER(blocks, ""), .show = show_blocks},
	{"dram_bandwidth", "dram_bytes_per_s", "DRAM GB/s", OF_MEASURED, 3, true, false, .metric = "dram_bytes_per_s"},
	{"occupancy", "achieved_occupancy_pct", "occupancy %", OF_MEASURED, 4, true, false, .metric = "achieved_occupancy_pct"},
	{"model_bandwidth", "model_gb_per_s", "model GB/s", OF_MEASURED, 6, true, false, NUMBER(model_bandwidth, ""), .show = show_model_bandwidth},
	{"model_flops", "model_gflop_per_s", "model GFLOP/s", OF_MEASURED, 7, true, false, NUMBER(model_flops, ""), .show = show_model_flops},
	{"branch_efficiency", "branch_efficiency_pct", "branch eff %", OF_MEASURED, 8, true, false, .metric = "branch_efficiency_pct"},
	{"threads", "threads_per_instruction", "threads/inst", OF_MEASURED, 9, true, false, .metric = "threads_per_instruction"},
	{"samples", "samples", "samples", OF_MEASURED, 13, true, false, NUMBER(samples, "")},
	{"warp_efficiency", "ptx_warp_execution_efficiency_pct", "ptx warp %", OF_EMULATED, 2, true, true, .metric = "ptx_warp_execution_efficiency_pct"},
	{"branch_efficiency", "ptx_branch_efficiency_pct", "ptx branch %", OF_EMULATED, 6, true, true, .metric = "ptx_branch_efficiency_pct"},
	{"load_sectors", "ptx_load_sectors_per_request", "ptx ld sec/req", OF_EMULATED, 3, true, false, .metric = "ptx_load_sectors_per_request"},
	{"store_sectors", "ptx_store_sectors_per_request", "ptx st sec/req", OF_EMULATED, 5, true, false, .metric = "ptx_store_sectors_per_request"},
	{"conflicts", "ptx_shared_bank_conflicts", "ptx conflicts", OF_EMULATED, 4, true, false, .metric = "ptx_shared_bank_conflicts"},
	{"contention", "ptx_atomic_contention", "ptx queue", OF_EMULATED, 9, true, false, .metric = "ptx_atomic_contention"},
	{"flop", "ptx_flop", "ptx flop", OF_EMULATED, 10, true, false, .metric = "ptx_flop"},
	{"intensity", "ptx_compulsory_intensity", "ptx flop/B", OF_EMULATED, 13, true, false, .metric = "ptx_compulsory_intensity"},
	{"occupancy", "ptx_theoretical_occupancy_pct", "ptx occ %", OF_EMULATED, 7, true, true, .metric = "ptx_theoretical_occupancy_pct"},
	{"occupancy_limit", "theoretical_occupancy_pct", "occ. limit %", OF_MEASURED, 10, true, true, NUMBER(theoretical_occupancy, "percent")},
	{"occupancy_limiter", "occupancy_limiter", "occ. limiter", OF_ANY, 11, true, true, WORD(occupancy_limiter)},
	{"registers", "registers_per_thread", "regs", OF_ANY, 12, true, false, NUMBER(registers, "")},
	{GPU_COLUMN, GPU_COLUMN, GPU_COLUMN, OF_MEASURED, 0, true, true, NUMBER(gpu, "")},
	{"verdict", "verdict", "verdict", OF_MEASURED, 0, false, true, WORD(verdict)},
	{"waste", "roofline_dram_waste", "DRAM bytes / needed", OF_MEASURED, 14, false, false, NUMBER(waste, "")},
	{"mad", "mad_ns", "mad", OF_MEASURED, 14, false, true, NUMBER(mad_ns, "ns")},
	{"low", "low_ns", "low", OF_MEASURED, 14, false, true, NUMBER(low_ns, "ns")},
	{"high", "high_ns", "high", OF_MEASURED, 14, false, true, NUMBER(high_ns, "ns")},
	{"min", "min_ns", "min", OF_MEASURED, 14, false, true, NUMBER(min_ns, "ns")},
	{"max", "max_ns", "max", OF_MEASURED, 14, false, true, NUMBER(max_ns, "ns")},
	{"model_flop", "flop", "model flop", OF_ANY, 14, false, false, NUMBER(flop, "")},
	{"bytes_read", "bytes_read", "model bytes read", OF_ANY, 14, false, false, NUMBER(bytes_read, "byte")},
	{"bytes_written", "bytes_written", "model bytes written", OF_ANY, 14, false, false, NUMBER(bytes_written, "byte")},
	{"reason", "reason", "reason", OF_ANY, 0, false, true, WORD(reason)},
};
/* clang-format on */

const struct column *column_all(size_t *count)
{
	*count = ARRAY_SIZE(table);
	return table;
}

bool column_applies(const struct column *column, const struct run *run)
{
	return (column->kinds & (run->traits.emulated ? OF_EMULATED : OF_MEASURED)) &&
	       (run->gpus || strcmp(column->name, GPU_COLUMN) != 0);
}
