/*
 * A run as CSV: one row a case, every axis and every counter a column. The
 * first column is the version of this format. An emulated run has no columns
 * of time, nor of what is made of it.
 */
#include <math.h>
#include <stdlib.h>

#include "metrics/analysis/ceilings.h"
#include "metrics/analysis/roofline.h"
#include "reports/report_parts.h"

#define CSV_FORMAT "1"

static void add_text(struct text *line, const char *value)
{
	text_add_char(line, ',');
	escape_csv(line, value);
}

static void add_integer(struct text *line, int64_t value, bool known)
{
	text_add_char(line, ',');
	if (known)
		text_addf(line, "%lld", (long long)value);
}

static void add_real(struct text *line, double value)
{
	text_add_char(line, ',');
	if (isfinite(value))
		text_addf(line, "%.15g", value);
}

static void add_head(struct text *line, const struct string_list *axes,
		     const struct string_list *counters, bool timed)
{
	text_add(line, "format,run_uid,label,device,backend,position,kernel,variant,config");
	for (size_t i = 0; i < axes->count; i++) {
		/* an axis may be called as a counter or a column is */
		char *name = xasprintf("axis_%s", axes->items[i]);

		add_text(line, name);
		free(name);
	}
	text_add(line, ",status,reason");
	if (timed)
		text_add(line, ",samples,median_ns,mad_ns,low_ns,high_ns,min_ns,max_ns");
	text_add(line, ",flop,bytes_read,bytes_written");
	if (timed)
		text_add(line, ",model_gb_per_s,model_gflop_per_s");
	text_add(line, ",registers_per_thread,shared_static_bytes,shared_dynamic_bytes"
		       ",local_bytes_per_thread,theoretical_occupancy_pct,occupancy_limiter"
		       ",code_hash,code_kind");
	for (size_t i = 0; i < counters->count; i++)
		add_text(line, counters->items[i]);
	/* at the end, so that whoever goes by position finds all before as it was */
	for (int i = 0; i < MEMORY_LEVEL_COUNT; i++) {
		const char *name = timed ? memory_level_name((enum memory_level)i)
					 : emulated_level_name((enum memory_level)i);

		if (!name)
			continue;
		text_addf(line, ",roofline_%s_intensity", name);
		if (timed)
			text_addf(line, ",roofline_%s_pct", name);
	}
	text_add(line, ",roofline_precision,roofline_needed_intensity");
	if (timed)
		text_add(line, ",roofline_compute_pct,roofline_attainable_flop_per_s"
			       ",roofline_dram_waste,bound,bound_pct,verdict,above_roof");
	text_add_char(line, '\n');
}

static void add_roofline(struct text *line, const struct run *run, const struct trial *trial,
			 const struct ceiling_list *ceilings)
{
	const bool emulated = run_is_emulated(run);
	struct trial_roofline roofline;
	const struct roofline_point *point = &roofline.point;

	trial_roofline_init(&roofline, run, trial, ceilings);
	for (int i = 0; i < MEMORY_LEVEL_COUNT; i++) {
		if (!emulated || emulated_level_name((enum memory_level)i))
			add_real(line, point->level[i].intensity);
		if (!emulated)
			add_real(line, point->level[i].roof_pct);
	}
	add_text(line, isnan(point->flop) ? NULL : precision_name(point->precision));
	add_real(line, point->needed_intensity);
	if (!emulated) {
		bool known = trial_roofline_is_known(trial);

		add_real(line, point->compute_roof_pct);
		add_real(line, point->attainable_flop_per_s);
		add_real(line, point->waste);
		add_text(line, known ? bound_name(roofline.verdict.bound) : NULL);
		add_real(line, roofline.verdict.roof_pct);
		add_text(line, known ? roofline.verdict.summary : NULL);
		add_text(line, roofline.verdict.above_roof);
	}
	trial_roofline_release(&roofline);
}

static void add_times(struct text *line, const struct summary *summary)
{
	bool timed = summary->count > 0;

	add_integer(line, summary->count, true);
	add_real(line, timed ? summary->median_ns : NAN);
	add_real(line, timed ? summary->mad_ns : NAN);
	add_real(line, timed ? summary->low_ns : NAN);
	add_real(line, timed ? summary->high_ns : NAN);
	add_real(line, timed ? summary->min_ns : NAN);
	add_real(line, timed ? summary->max_ns : NAN);
}

static void add_facts(struct text *line, const struct trial *trial)
{
	const struct launch_facts *facts = &trial->facts;

	add_integer(line, facts->registers_per_thread, facts->registers_per_thread >= 0);
	add_integer(line, facts->shared_static_bytes, facts->shared_static_bytes >= 0);
	add_integer(line, facts->shared_dynamic_bytes, facts->shared_dynamic_bytes >= 0);
	add_integer(line, facts->local_bytes_per_thread, facts->local_bytes_per_thread >= 0);
	add_real(line, trial_theoretical_occupancy_pct(trial));
	add_text(line, facts->occupancy_limiter);
	add_text(line, facts->code_hash);
	add_text(line, facts->code_kind);
}

static void add_trial(struct text *line, const struct run *run, const struct trial *trial,
		      const struct string_list *axes, const struct string_list *counters,
		      const struct ceiling_list *ceilings)
{
	const bool emulated = run_is_emulated(run);

	text_add(line, CSV_FORMAT);
	add_text(line, run->uid);
	add_text(line, run->label);
	add_text(line, run->device.name);
	add_text(line, run->backend);
	add_integer(line, trial->position, true);
	add_text(line, trial->kernel);
	add_text(line, trial->variant);
	add_text(line, trial->config);
	for (size_t i = 0; i < axes->count; i++) {
		const struct named_value *axis = trial_axis(trial, axes->items[i]);

		add_integer(line, axis ? axis->value : 0, axis != NULL);
	}
	add_text(line, trial_status_name(trial->status));
	add_text(line, trial->reason);
	if (!emulated)
		add_times(line, &trial->summary);
	add_integer(line, trial->flop, trial->has_work);
	add_integer(line, trial->bytes_read, trial->has_work);
	add_integer(line, trial->bytes_written, trial->has_work);
	if (!emulated) {
		add_real(line, trial_model_gb_per_s(trial));
		add_real(line, trial_model_gflop_per_s(trial));
	}
	add_facts(line, trial);
	for (size_t i = 0; i < counters->count; i++) {
		const struct counter_value *counter =
			counter_list_find(&trial->counters, counters->items[i]);

		add_real(line, counter && counter->has_value ? counter->value : NAN);
	}
	add_roofline(line, run, trial, ceilings);
	text_add_char(line, '\n');
}

void report_csv(FILE *out, const struct run *run, const struct report_options *options)
{
	struct string_list axes = {0}, counters = {0};
	struct text line = TEXT_INIT;

	run_axis_names(&axes, run);
	run_counter_names(&counters, run);
	add_head(&line, &axes, &counters, !run_is_emulated(run));
	for (size_t i = 0; i < run->trial_count; i++)
		add_trial(&line, run, &run->trials[i], &axes, &counters, options->ceilings);
	fwrite(line.data, 1, line.length, out);
	text_release(&line);
	string_list_release(&axes);
	string_list_release(&counters);
}
