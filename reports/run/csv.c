/*
 * A run as CSV: one row per case, one column per axis and per counter, or the columns that were
 * chosen. The first column is the version of this format. An emulated run has no columns of times
 * or of values computed from them.
 */
#include <math.h>
#include <stdlib.h>

#include "reports/derived/derived.h"
#include "reports/run_writers.h"
#include "reports/selection/columns.h"
#include "reports/table/escape.h"

#define CSV_FORMAT "1"

static void csv_text(struct text *line, const char *value)
{
	text_add_char(line, ',');
	escape_csv(line, value);
}

static void csv_integer(struct text *line, int64_t value, bool known)
{
	text_add_char(line, ',');
	if (known)
		text_addf(line, "%lld", (long long)value);
}

static void csv_real(struct text *line, double value)
{
	text_add_char(line, ',');
	if (isfinite(value))
		text_addf(line, "%.15g", value);
}

/* Whether the file of an imported run states a mean in place of samples. */
static bool run_has_means(const struct run *run)
{
	for (size_t i = 0; i < run->trial_count; i++)
		if (run->trials[i].mean_ns > 0)
			return true;
	return false;
}

static void csv_field_names(struct text *line, const struct field_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		text_addf(line, ",%s", list->items[i].name);
}

static void csv_head(struct text *line, const struct string_list *axes,
		     const struct string_list *counters, bool timed, bool means, bool gpus)
{
	text_add(line, "format,run_uid,label,device,backend,position,kernel,variant,config");
	for (size_t i = 0; i < axes->count; i++) {
		/* an axis may have the name of a counter or of a column */
		char *name = xasprintf("axis_%s", axes->items[i]);

		csv_text(line, name);
		free(name);
	}
	text_add(line, ",status,reason");
	if (timed)
		text_add(line, ",samples");
	if (timed)
		csv_field_names(line, &summary_fields);
	text_add(line, ",flop,bytes_read,bytes_written");
	if (timed)
		text_add(line, ",model_gb_per_s,model_gflop_per_s");
	csv_field_names(line, &launch_fields);
	for (size_t i = 0; i < counters->count; i++)
		csv_text(line, counters->items[i]);
	/* at the end, so that the positions of all earlier columns stay the same */
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
			       ",roofline_dram_waste,bound,bound_pct,verdict,above_roof"
			       ",base_variant,base_config,speedup_verdict,speedup,speedup_low"
			       ",speedup_high,speedup_p,base_median_ns,speedup_rounds"
			       ",same_buffers,speedup_why,model_precision,model_operations"
			       ",model_operations_per_s,model_dram_intensity"
			       ",model_compute_roof_pct,verdict_from_model,not_in_plot");
	if (means)
		text_add(line, ",mean_ns");
	if (gpus)
		text_add(line, ",gpu,gpu_uuid");
	text_add_char(line, '\n');
}

static void csv_roofline(struct text *line, const struct trial *trial,
			 const struct trial_roofline *roofline, bool emulated)
{
	const struct roofline_point *point = &roofline->point;

	for (int i = 0; i < MEMORY_LEVEL_COUNT; i++) {
		if (!emulated || emulated_level_name((enum memory_level)i))
			csv_real(line, point->level[i].intensity);
		if (!emulated)
			csv_real(line, point->level[i].roof_pct);
	}
	csv_text(line, isnan(point->flop) ? NULL : precision_name(point->precision));
	csv_real(line, point->needed_intensity);
	if (!emulated) {
		bool known = trial_status_counted(trial->status);

		csv_real(line, point->compute_roof_pct);
		csv_real(line, point->attainable_flop_per_s);
		csv_real(line, point->waste);
		csv_text(line, known ? bound_name(roofline->verdict.bound) : NULL);
		csv_real(line, roofline->verdict.roof_pct);
		csv_text(line, known ? roofline->verdict.summary : NULL);
		csv_text(line, roofline->verdict.above_roof);
	}
}

/* Empty for a trial without a base case. */
static void csv_speedup(struct text *line, const struct trial *trial)
{
	const struct trial_speedup *speedup =
		trial->speedup.base_variant ? &trial->speedup : &trial_speedup_none;

	csv_text(line, speedup->base_variant);
	csv_text(line, speedup->base_config);
	csv_text(line, speedup->base_variant ? speedup_verdict_name(speedup->verdict) : NULL);
	csv_real(line, speedup->speedup);
	csv_real(line, speedup->low);
	csv_real(line, speedup->high);
	csv_real(line, speedup->p);
	csv_real(line, speedup->base_median_ns);
	csv_integer(line, speedup->rounds, speedup->rounds > 0);
	csv_integer(line, speedup->same_buffers, speedup->same_buffers >= 0);
	csv_text(line, speedup->why);
}

/* What stands in for operations that no counter counted; empty if they were counted. */
static void csv_model(struct text *line, const struct trial *trial,
		      const struct trial_roofline *roofline)
{
	bool known = trial_status_counted(trial->status);
	const struct roofline_model *model = &roofline->point.model;

	csv_text(line,
		 model->used && model->has_precision ? precision_name(model->precision) : NULL);
	csv_real(line, model->flop);
	csv_real(line, model->flop_per_s);
	csv_real(line, model->intensity[LEVEL_DRAM]);
	csv_real(line, model->compute_roof_pct);
	csv_integer(line, roofline->verdict.from_model, known);
	csv_text(line, known ? roofline_no_place(&roofline->point, trial) : NULL);
}

static void csv_times(struct text *line, const struct summary *summary)
{
	bool timed = summary->count > 0;

	csv_integer(line, summary->count, true);
	for (size_t i = 0; i < summary_fields.count; i++)
		csv_real(line, timed ? field_read(&summary_fields.items[i], summary).real : NAN);
}

static void csv_facts(struct text *line, const struct trial *trial)
{
	const struct launch_facts facts = trial_launch_facts(trial);

	for (size_t i = 0; i < launch_fields.count; i++) {
		const struct field *field = &launch_fields.items[i];
		const struct field_value value = field_read(field, &facts);

		if (field->kind == FIELD_TEXT)
			csv_text(line, value.text);
		else if (field->kind == FIELD_REAL)
			csv_real(line, value.real);
		else
			csv_integer(line, value.integer, value.known);
	}
}

static void csv_trial(struct text *line, const struct run *run, const struct trial *trial,
		      const struct string_list *axes, const struct string_list *counters,
		      const struct ceiling_list *ceilings, bool means)
{
	const bool emulated = run->traits.emulated;
	const struct run_gpu *gpu = trial_gpu(run, trial);
	struct trial_roofline roofline;

	text_add(line, CSV_FORMAT);
	csv_text(line, gpu ? gpu->run_uid : run->uid);
	csv_text(line, run->label);
	csv_text(line, gpu ? gpu->device : run->device.name);
	csv_text(line, run->backend);
	csv_integer(line, trial->position, true);
	csv_text(line, trial->kernel);
	csv_text(line, trial->variant);
	csv_text(line, trial->config);
	for (size_t i = 0; i < axes->count; i++) {
		const struct named_value *axis = trial_axis(trial, axes->items[i]);

		csv_integer(line, axis ? axis->value : 0, axis != NULL);
	}
	csv_text(line, trial_status_name(trial->status));
	csv_text(line, trial->reason);
	if (!emulated)
		csv_times(line, &trial->summary);
	csv_integer(line, trial->flop, trial->has_work);
	csv_integer(line, trial->bytes_read, trial->has_work);
	csv_integer(line, trial->bytes_written, trial->has_work);
	if (!emulated) {
		csv_real(line, trial_model_gb_per_s(trial));
		csv_real(line, trial_model_gflop_per_s(trial));
	}
	csv_facts(line, trial);
	for (size_t i = 0; i < counters->count; i++) {
		const struct counter_value *counter =
			counter_list_find(&trial->counters, counters->items[i]);

		csv_real(line, counter && counter->has_value ? counter->value : NAN);
	}
	trial_roofline_init(&roofline, run, trial, ceilings);
	csv_roofline(line, trial, &roofline, emulated);
	if (!emulated) {
		csv_speedup(line, trial);
		csv_model(line, trial, &roofline);
	}
	trial_roofline_release(&roofline);
	if (means)
		csv_real(line, trial->mean_ns > 0 ? trial->mean_ns : NAN);
	if (gpu) {
		csv_integer(line, gpu->number, true);
		csv_text(line, gpu->uuid);
	}
	text_add_char(line, '\n');
}

/* ---- chosen columns ---- */

static void csv_chosen_head(struct text *line, const struct chosen_columns *columns)
{
	text_add(line, "format,kernel,variant,config");
	for (size_t i = 0; i < columns->count; i++) {
		if (!chosen_names_case(&columns->items[i]))
			csv_text(line, chosen_name(&columns->items[i]));
	}
	text_add_char(line, '\n');
}

static void csv_chosen(struct text *line, const struct chosen_columns *columns,
		       const struct case_facts *facts)
{
	text_add(line, CSV_FORMAT);
	csv_text(line, facts->trial->kernel);
	csv_text(line, facts->trial->variant);
	csv_text(line, facts->trial->config);
	for (size_t i = 0; i < columns->count; i++) {
		if (chosen_names_case(&columns->items[i]))
			continue;
		if (chosen_is_numeric(&columns->items[i]))
			csv_real(line, chosen_number(&columns->items[i], facts));
		else
			csv_text(line, chosen_word(&columns->items[i], facts));
	}
	text_add_char(line, '\n');
}

static int write_chosen(FILE *out, const struct run *run, const struct report_options *options,
			struct error *err)
{
	struct chosen_columns columns = {0};
	struct text line = TEXT_INIT;
	int rc = columns_parse(&columns, run, options->selection->columns, err);

	if (!rc)
		csv_chosen_head(&line, &columns);
	for (size_t i = 0; !rc && i < run->trial_count; i++) {
		struct case_facts facts;

		case_facts_init(&facts, run, &run->trials[i], options->ceilings);
		csv_chosen(&line, &columns, &facts);
		case_facts_release(&facts);
	}
	fwrite(line.data, 1, line.length, out);
	text_release(&line);
	columns_release(&columns);
	return rc;
}

int run_write_csv(FILE *out, const struct run *run, const struct report_options *options,
		  struct error *err)
{
	const bool means = run_has_means(run);
	struct string_list axes = {0}, counters = {0};
	struct text line = TEXT_INIT;

	if (options->selection && options->selection->columns)
		return write_chosen(out, run, options, err);
	run_axis_names(&axes, run);
	run_counter_names(&counters, run);
	csv_head(&line, &axes, &counters, !run->traits.emulated, means, run->gpus != NULL);
	for (size_t i = 0; i < run->trial_count; i++)
		csv_trial(&line, run, &run->trials[i], &axes, &counters, options->ceilings, means);
	fwrite(line.data, 1, line.length, out);
	text_release(&line);
	string_list_release(&axes);
	string_list_release(&counters);
	return 0;
}
