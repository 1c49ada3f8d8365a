/*
 * The tables of a run with numbers: the best configuration of each kernel, and the sweep. Each row
 * of a table of fields is one column, for text and Markdown. An emulated run has columns of its own
 * and none that a device measures.
 */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "metrics/analysis/speedup_text.h"
#include "reports/derived/derived.h"
#include "reports/run/run.h"
#include "reports/table/numbers.h"
#include "reports/table/table.h"

/* A column that each trial fills, either by `show` or with the value of `metric`. */
struct field {
	struct table_column column;
	void (*show)(struct text *out, const struct trial *trial);
	const char *metric;
};

static void show_kernel(struct text *out, const struct trial *trial)
{
	text_add(out, trial->kernel);
}

static void show_variant(struct text *out, const struct trial *trial)
{
	text_add(out, trial->variant);
}

static void show_config(struct text *out, const struct trial *trial)
{
	text_add(out, trial->config);
}

static void show_status(struct text *out, const struct trial *trial)
{
	text_add(out, trial_status_name(trial->status));
}

static void show_median(struct text *out, const struct trial *trial)
{
	if (isfinite(trial->summary.median_ns))
		format_value(out, trial->summary.median_ns, "ns");
}

static void show_interval(struct text *out, const struct trial *trial)
{
	double half_pct = trial_half_interval_pct(trial);

	if (isfinite(half_pct))
		text_addf(out, "±%.2f %%", half_pct);
}

static void show_speedup(struct text *out, const struct trial *trial)
{
	if (!trial->speedup.base_variant)
		return;
	if (trial->speedup.verdict != SPEEDUP_NOT_MEASURED) {
		speedup_number_text(out, &trial->speedup);
		text_add_char(out, ' ');
	}
	text_add(out, speedup_verdict_name(trial->speedup.verdict));
}

static void show_samples(struct text *out, const struct trial *trial)
{
	if (trial->summary.count > 0)
		text_addf(out, "%lld", (long long)trial->summary.count);
}

static void show_model_bandwidth(struct text *out, const struct trial *trial)
{
	double per_s = 1e9 * trial_model_gb_per_s(trial);

	if (isfinite(per_s))
		format_number(out, per_s, "byte/s");
}

static void show_model_flops(struct text *out, const struct trial *trial)
{
	double per_s = 1e9 * trial_model_gflop_per_s(trial);

	if (isfinite(per_s))
		format_number(out, per_s, "flop/s");
}

static void show_theoretical_occupancy(struct text *out, const struct trial *trial)
{
	double occupancy_pct = trial_theoretical_occupancy_pct(trial);

	if (isfinite(occupancy_pct))
		format_number(out, occupancy_pct, "percent");
}

static void show_limiter(struct text *out, const struct trial *trial)
{
	text_add(out, trial->facts.occupancy_limiter);
}

static void show_registers(struct text *out, const struct trial *trial)
{
	if (trial->facts.registers_per_thread >= 0)
		text_addf(out, "%lld", (long long)trial->facts.registers_per_thread);
}

static const struct field best_names[] = {
	{{"kernel", false, NULL, 0}, show_kernel, NULL},
	{{"variant", false, NULL, 0}, show_variant, NULL},
	{{"config", false, NULL, 0}, show_config, NULL},
};

/* Comes after best_names if any trial of the run is unverified. */
static const struct field best_status = {{"status", false, NULL, 0}, show_status, NULL};

static const struct field best_fields[] = {
	{{"median", true, NULL, 0}, show_median, NULL},
	{{"interval", true, "95 % CI", 5}, show_interval, NULL},
	{{"speedup", false, "speed-up", 1}, show_speedup, NULL},
	{{"model_bandwidth", true, "model GB/s", 2}, show_model_bandwidth, NULL},
	{{"model_flops", true, "model GFLOP/s", 7}, show_model_flops, NULL},
	{{"dram_bandwidth", true, "DRAM GB/s", 3}, NULL, "dram_bytes_per_s"},
	{{"achieved_occupancy", true, "occupancy %", 4}, NULL, "achieved_occupancy_pct"},
	{{"branch_efficiency", true, "branch eff %", 6}, NULL, "branch_efficiency_pct"},
};

/* The axes of the run come between these columns and sweep_fields. */
static const struct field sweep_names[] = {
	{{"kernel", false, NULL, 0}, show_kernel, NULL},
	{{"variant", false, NULL, 0}, show_variant, NULL},
};

static const struct field sweep_fields[] = {
	{{"status", false, NULL, 0}, show_status, NULL},
	{{"median", true, NULL, 0}, show_median, NULL},
	{{"interval", true, "95 % CI", 6}, show_interval, NULL},
	{{"speedup", false, "speed-up", 1}, show_speedup, NULL},
	{{"samples", true, NULL, 10}, show_samples, NULL},
	{{"model_bandwidth", true, "model GB/s", 2}, show_model_bandwidth, NULL},
	{{"model_flops", true, "model GFLOP/s", 8}, show_model_flops, NULL},
	{{"dram_bandwidth", true, "DRAM GB/s", 3}, NULL, "dram_bytes_per_s"},
	{{"branch_efficiency", true, "branch eff %", 5}, NULL, "branch_efficiency_pct"},
	{{"threads", true, "threads/inst", 9}, NULL, "threads_per_instruction"},
	{{"achieved_occupancy", true, "occupancy %", 4}, NULL, "achieved_occupancy_pct"},
	{{"theoretical_occupancy", true, "occ. limit %", 7}, show_theoretical_occupancy, NULL},
	{{"limiter", false, "limited by", 11}, show_limiter, NULL},
	{{"registers", true, "regs", 12}, show_registers, NULL},
};

static void show_blocks(struct text *out, const struct trial *trial)
{
	const struct counter_value *executed =
		counter_list_find(&trial->counters, "ptx_blocks_executed");
	const struct counter_value *total = counter_list_find(&trial->counters, "ptx_blocks_total");

	if (trial->status == TRIAL_SAMPLED && executed && executed->has_value && total &&
	    total->has_value)
		text_addf(out, "%.0f of %.0f", executed->value, total->value);
}

static const struct field emulated_fields[] = {
	{{"status", false, NULL, 0}, show_status, NULL},
	{{"blocks", true, "ptx blocks", 1}, show_blocks, NULL},
	{{"warp_efficiency", true, "ptx warp %", 2}, NULL, "ptx_warp_execution_efficiency_pct"},
	{{"branch_efficiency", true, "ptx branch %", 4}, NULL, "ptx_branch_efficiency_pct"},
	{{"load_sectors", true, "ptx ld sec/req", 3}, NULL, "ptx_load_sectors_per_request"},
	{{"store_sectors", true, "ptx st sec/req", 5}, NULL, "ptx_store_sectors_per_request"},
	{{"conflicts", true, "ptx conflicts", 6}, NULL, "ptx_shared_bank_conflicts"},
	{{"contention", true, "ptx queue", 9}, NULL, "ptx_atomic_contention"},
	{{"flop", true, "ptx flop", 8}, NULL, "ptx_f32_f64_flop"},
	{{"intensity", true, "ptx flop/B", 12}, NULL, "ptx_compulsory_intensity"},
	{{"occupancy", true, "ptx occ %", 7}, NULL, "ptx_theoretical_occupancy_pct"},
	{{"limiter", false, "limited by", 10}, show_limiter, NULL},
	{{"registers", true, "regs", 11}, show_registers, NULL},
};

/* The columns of a run after its axes. */
static const struct field *fields_of(const struct run *run, size_t *count)
{
	*count = run->traits.emulated ? ARRAY_SIZE(emulated_fields) : ARRAY_SIZE(sweep_fields);
	return run->traits.emulated ? emulated_fields : sweep_fields;
}

static void show_counter(struct text *out, const struct trial *trial, const char *metric,
			 bool with_unit)
{
	const struct counter_value *counter = counter_list_find(&trial->counters, metric);

	if (counter && counter->has_value && with_unit)
		format_value(out, counter->value, counter->unit);
	else if (counter && counter->has_value)
		format_number(out, counter->value, counter->unit);
}

static void show_field(struct text *out, const struct trial *trial, const struct field *field)
{
	if (field->show)
		field->show(out, trial);
	else
		show_counter(out, trial, field->metric, false);
}

/* Builds a row cell by cell; an empty cell means "not known". */
struct row_builder {
	char **cells;
	size_t count;
};

static void row_add(struct row_builder *row, struct text *cell)
{
	row->cells[row->count++] = cell->length ? text_detach(cell) : NULL;
}

static void row_finish(struct table *table, struct row_builder *row, enum row_style style)
{
	table_row_styled(table, (const char *const *)row->cells, style);
	for (size_t i = 0; i < row->count; i++)
		free(row->cells[i]);
	free(row->cells);
}

static bool run_has_unverified(const struct run *run)
{
	struct run_counts counts;

	run_count(&counts, run);
	return counts.by_status[TRIAL_UNVERIFIED] > 0;
}

/* Copies the columns that at least one trial has a value for, and those that are never dropped. */
static size_t add_fields(struct table_column *columns, const struct field **used,
			 const struct field *fields, size_t count, const struct run *run)
{
	size_t added = 0;

	for (size_t i = 0; i < count; i++) {
		bool wanted = fields[i].column.drop == 0;

		for (size_t j = 0; j < run->trial_count && !wanted; j++) {
			struct text cell = TEXT_INIT;

			show_field(&cell, &run->trials[j], &fields[i]);
			wanted = cell.length > 0;
			text_release(&cell);
		}
		if (!wanted)
			continue;
		columns[added] = fields[i].column;
		used[added++] = &fields[i];
	}
	return added;
}

struct table *run_table_best(const struct run *run, const struct report_options *options)
{
	struct table_column columns[ARRAY_SIZE(best_names) + 1 + ARRAY_SIZE(best_fields)];
	const struct field *used[ARRAY_SIZE(columns)];
	size_t count = add_fields(columns, used, best_names, ARRAY_SIZE(best_names), run);
	bool *best = run_best(run, options->ceilings);
	struct table *table = NULL;

	if (run_has_unverified(run))
		count += add_fields(columns + count, used + count, &best_status, 1, run);
	count += add_fields(columns + count, used + count, best_fields, ARRAY_SIZE(best_fields),
			    run);
	for (size_t i = 0; i < run->trial_count; i++) {
		struct row_builder row = {0};

		if (!best[i])
			continue;
		if (!table)
			table = table_new(columns, count);
		row.cells = xcalloc(count, sizeof(*row.cells));
		for (size_t j = 0; j < count; j++) {
			struct text cell = TEXT_INIT;

			show_field(&cell, &run->trials[i], used[j]);
			row_add(&row, &cell);
		}
		row_finish(table, &row, ROW_PLAIN);
	}
	free(best);
	return table;
}

static bool is_usual_counter(const struct run *run, const char *metric)
{
	size_t count;
	const struct field *fields = fields_of(run, &count);

	for (size_t i = 0; i < count; i++) {
		if (fields[i].metric && strcmp(fields[i].metric, metric) == 0)
			return true;
	}
	return false;
}

/* The counters that are not a column already, for --all-metrics. */
static void extra_counters(struct string_list *extra, const struct run *run)
{
	struct string_list all = {0};

	run_counter_names(&all, run);
	for (size_t i = 0; i < all.count; i++) {
		if (!is_usual_counter(run, all.items[i]))
			string_list_add(extra, all.items[i]);
	}
	string_list_release(&all);
}

static enum row_style trial_style(const struct run *run, const struct trial *trial,
				  const struct ceiling_list *ceilings, bool is_best)
{
	if (trial_status_is_failure(trial->status) || trial_is_above_roof(run, trial, ceilings))
		return ROW_BAD;
	if (!trial_status_counted(trial->status))
		return ROW_DIM;
	return is_best ? ROW_BEST : ROW_PLAIN;
}

struct table *run_table_sweep(const struct run *run, const struct report_options *options)
{
	struct string_list axes = {0}, extra = {0};
	size_t most;
	const struct field *all = fields_of(run, &most);
	const struct field *names[ARRAY_SIZE(sweep_names)],
		**fields = xcalloc(most, sizeof(*fields));
	struct table_column *columns;
	bool *best = run_best(run, options->ceilings);
	size_t name_count, field_count, count;
	struct table *table;

	run_axis_names(&axes, run);
	if (options->all_metrics)
		extra_counters(&extra, run);
	columns = xcalloc(ARRAY_SIZE(sweep_names) + axes.count + most + extra.count,
			  sizeof(*columns));
	name_count = add_fields(columns, names, sweep_names, ARRAY_SIZE(sweep_names), run);
	count = name_count;
	for (size_t i = 0; i < axes.count; i++)
		columns[count++] = (struct table_column){.name = axes.items[i], .numeric = true};
	field_count = add_fields(columns + count, fields, all, most, run);
	count += field_count;
	for (size_t i = 0; i < extra.count; i++)
		columns[count++] = (struct table_column){.name = extra.items[i],
							 .numeric = true,
							 .head = extra.items[i],
							 .drop = 20};
	table = table_new(columns, count);
	for (size_t i = 0; i < run->trial_count; i++) {
		const struct trial *trial = &run->trials[i];
		struct row_builder row = {.cells = xcalloc(count, sizeof(*row.cells))};
		struct text cell = TEXT_INIT;

		for (size_t j = 0; j < name_count; j++) {
			show_field(&cell, trial, names[j]);
			row_add(&row, &cell);
		}
		for (size_t j = 0; j < axes.count; j++) {
			const struct named_value *axis = trial_axis(trial, axes.items[j]);

			if (axis)
				text_addf(&cell, "%lld", (long long)axis->value);
			row_add(&row, &cell);
		}
		for (size_t j = 0; j < field_count; j++) {
			show_field(&cell, trial, fields[j]);
			row_add(&row, &cell);
		}
		for (size_t j = 0; j < extra.count; j++) {
			show_counter(&cell, trial, extra.items[j], true);
			row_add(&row, &cell);
		}
		row_finish(table, &row, trial_style(run, trial, options->ceilings, best[i]));
	}
	free(best);
	free(columns);
	free(fields);
	string_list_release(&axes);
	string_list_release(&extra);
	return table;
}
