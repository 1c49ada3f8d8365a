/* The table of columns: what can be shown of a case; see columns.h. */
#include "reports/selection/columns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "metrics/analysis/speedup.h"
#include "metrics/analysis/statistics.h"
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

/* A word or a number of a case: the function of a column, from an expression of `trial` and
 * `facts`. */
#define WORD_OF(name, expression)                                      \
	static const char *word_##name(const struct case_facts *facts) \
	{                                                              \
		const struct trial *trial = facts->trial;              \
                                                                       \
		(void)trial;                                           \
		return expression;                                     \
	}
#define NUMBER_OF(name, expression)                                 \
	static double number_##name(const struct case_facts *facts) \
	{                                                           \
		const struct trial *trial = facts->trial;           \
                                                                    \
		(void)trial;                                        \
		return expression;                                  \
	}

WORD_OF(kernel, trial->kernel)
WORD_OF(variant, trial->variant)
WORD_OF(config, trial->config)
WORD_OF(case, facts->name)
WORD_OF(status, trial_status_name(trial->status))
WORD_OF(reason, trial->reason)
WORD_OF(limiter,
	trial_status_counted(trial->status) ? verdict_limiter_name(&facts->roofline.verdict) : NULL)
WORD_OF(verdict, trial_status_counted(trial->status) ? facts->roofline.verdict.summary : NULL)
WORD_OF(occupancy_limiter,
	trial->facts.occupancy_limiter[0] ? trial->facts.occupancy_limiter : NULL)
WORD_OF(finding, facts->findings.count ? facts->findings.items[0].text : NULL)
WORD_OF(advice,
	facts->roofline.verdict.advice_count ? facts->roofline.verdict.advice[0].remedy : NULL)
WORD_OF(remedy, facts->findings.count ? facts->findings.items[0].remedy : NULL)

NUMBER_OF(lost, facts->findings.count ? 100 * facts->findings.items[0].lost : NAN)
NUMBER_OF(roof, trial_status_counted(trial->status) ? facts->roofline.verdict.roof_pct : NAN)
NUMBER_OF(waste, facts->roofline.point.waste)
#define SUMMARY_NUMBER(field) \
	NUMBER_OF(field, trial->summary.count > 0 ? trial->summary.field : NAN)
SUMMARY_NUMBER(median_ns)
SUMMARY_NUMBER(mad_ns)
SUMMARY_NUMBER(session_low_ns)
SUMMARY_NUMBER(session_high_ns)
SUMMARY_NUMBER(min_ns)
SUMMARY_NUMBER(max_ns)
#undef SUMMARY_NUMBER
NUMBER_OF(events, round_clocks_of(trial->rounds, trial->round_count).event_ns)
NUMBER_OF(mean, trial->mean_ns > 0 ? trial->mean_ns : NAN)
NUMBER_OF(flop, trial->has_work ? (double)trial->flop : NAN)
NUMBER_OF(bytes_read, trial->has_work ? (double)trial->bytes_read : NAN)
NUMBER_OF(bytes_written, trial->has_work ? (double)trial->bytes_written : NAN)
NUMBER_OF(interval, trial_half_interval_pct(trial))
NUMBER_OF(speedup, trial->speedup.base_variant ? trial->speedup.speedup : NAN)
NUMBER_OF(samples, trial->summary.count > 0 ? (double)trial->summary.count : NAN)
NUMBER_OF(model_bandwidth, trial_model_gb_per_s(trial))
NUMBER_OF(model_flops, trial_model_gflop_per_s(trial))
NUMBER_OF(theoretical_occupancy, trial_theoretical_occupancy_pct(trial))
NUMBER_OF(registers,
	  trial->facts.registers_per_thread >= 0 ? (double)trial->facts.registers_per_thread : NAN)

static double blocks_counter(const struct case_facts *facts, const char *metric)
{
	const struct counter_value *value = counter_list_find(&facts->trial->counters, metric);

	return value && value->has_value ? value->value : NAN;
}

NUMBER_OF(blocks,
	  trial->status == TRIAL_SAMPLED ? blocks_counter(facts, "ptx_blocks_executed") : NAN)

static double number_gpu(const struct case_facts *facts)
{
	const struct run_gpu *gpu = trial_gpu(facts->run, facts->trial);

	return gpu ? gpu->number : NAN;
}

/* ---- numbers with words ---- */

static void show_interval(struct text *out, const struct case_facts *facts)
{
	text_addf(out, "±%.2f %%", number_interval(facts));
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

/* The tables show rates to three digits; CSV and JSON have units of 1e9 per second, too. */
static void show_model_bandwidth(struct text *out, const struct case_facts *facts)
{
	format_number(out, 1e9 * number_model_bandwidth(facts), "byte/s");
}

static void show_model_flops(struct text *out, const struct case_facts *facts)
{
	format_number(out, 1e9 * number_model_flops(facts), "flop/s");
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
const struct column column_table[] = {
	{"kernel", "kernel", "kernel", OF_ANY, 0, false, true, WORD(kernel), .names_case = true},
	{"variant", "variant", "variant", OF_ANY, 0, false, true, WORD(variant), .names_case = true},
	{"config", "config", "config", OF_ANY, 0, false, true, WORD(config), .names_case = true},
	{"case", "case", "case", OF_ANY, 0, false, true, WORD(case)},
	{"status", "status", "status", OF_ANY, 0, true, true, WORD(status)},
	{"median", "median_ns", "median", OF_MEASURED, 0, true, true, NUMBER(median_ns, "ns")},
	{"mean", "mean_ns", "mean", OF_MEASURED, 0, true, true, NUMBER(mean, "ns")}, /* of imported files without samples */
	/* a median means little without it: dropped last */
	{"interval", "interval_pct", "session CI", OF_MEASURED, 1, true, true, NUMBER(interval, "percent"), .show = show_interval},
	{"speedup", "speedup", "speed-up", OF_MEASURED, 2, true, false, NUMBER(speedup, ""), .show = show_speedup, .in_words = true},
	{"roof", "bound_pct", "roof %", OF_MEASURED, 0, true, false, NUMBER(roof, "percent")},
	{"limiter", "bound", "limiter", OF_MEASURED, 0, true, true, WORD(limiter)},
	{"try", "try", "try", OF_MEASURED, 3, true, false, WORD(advice), .in_words = true},
	{"lost", "lost_pct", "lost %", OF_EMULATED, 0, true, false, NUMBER(lost, "percent")},
	{"finding", "finding", "finding", OF_ANY, 0, false, true, WORD(finding)},
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
	{"low", "session_low_ns", "low", OF_MEASURED, 14, false, true, NUMBER(session_low_ns, "ns")},
	{"high", "session_high_ns", "high", OF_MEASURED, 14, false, true, NUMBER(session_high_ns, "ns")},
	{"min", "min_ns", "min", OF_MEASURED, 14, false, true, NUMBER(min_ns, "ns")},
	{"max", "max_ns", "max", OF_MEASURED, 14, false, true, NUMBER(max_ns, "ns")},
	{"events", "event_ns", "events added", OF_MEASURED, 14, false, false, NUMBER(events, "ns")}, /* taken off the median */
	{"model_flop", "flop", "model flop", OF_ANY, 14, false, false, NUMBER(flop, "")},
	{"bytes_read", "bytes_read", "model bytes read", OF_ANY, 14, false, false, NUMBER(bytes_read, "byte")},
	{"bytes_written", "bytes_written", "model bytes written", OF_ANY, 14, false, false, NUMBER(bytes_written, "byte")},
	{"reason", "reason", "reason", OF_ANY, 0, false, true, WORD(reason)},
	{0},
};
/* clang-format on */

bool column_applies(const struct column *column, const struct run *run)
{
	return (column->kinds & (run->traits.emulated ? OF_EMULATED : OF_MEASURED)) &&
	       (run->gpus || strcmp(column->name, GPU_COLUMN) != 0);
}
