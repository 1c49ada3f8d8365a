/*
 * A run as JSON: everything that is stored of it except the samples. An emulated run has no members
 * for times and no settings of timing.
 */
#include <math.h>
#include <string.h>

#include "metrics/analysis/statistics.h"
#include "reports/derived/derived.h"
#include "reports/gpus/gpus.h"
#include "reports/roofline/roofline.h"
#include "reports/run_writers.h"
#include "reports/selection/columns.h"
#include "reports/table/escape.h"
#include "reports/table/json.h"

#define JSON_FORMAT 1

static json_t *integer_or_null(int64_t value, bool known)
{
	return known ? json_integer(value) : json_null();
}

/* A name may hold bytes that are not UTF-8; jansson accepts only UTF-8 as a key. */
static void set_named(json_t *object, const char *name, json_t *value)
{
	struct text key = TEXT_INIT;

	escape_utf8(&key, name);
	json_object_set_new(object, key.data, value);
	text_release(&key);
}

static json_t *field_json(const struct field *field, const void *of)
{
	const struct field_value value = field_read(field, of);

	if (!value.known)
		return json_null();
	if (field->kind == FIELD_TEXT)
		return report_json_text(value.text);
	return field->kind == FIELD_REAL ? report_json_number(value.real)
					 : json_integer(value.integer);
}

static json_t *fields_json(const struct field_list *list, const void *of)
{
	json_t *object = json_object();

	for (size_t i = 0; i < list->count; i++)
		json_object_set_new(object, list->items[i].name, field_json(&list->items[i], of));
	return object;
}

static json_t *device_json(const struct device_info *device)
{
	json_t *object = fields_json(&device_fields, device);

	if (device->cc_major <= 0) {
		json_object_set_new(object, "cc_major", json_null());
		json_object_set_new(object, "cc_minor", json_null());
	}
	return object;
}

/* An imported trial may have a mean in place of samples. */
static json_t *trial_summary_json(const struct trial *trial)
{
	const struct summary *summary = &trial->summary;
	json_t *object = json_object();
	const double event_ns = round_clocks_of(trial->rounds, trial->round_count).event_ns;
	bool timed = summary->count > 0;

	json_set_integer(object, "samples", summary->count);
	for (size_t i = 0; i < summary_fields.count; i++)
		json_object_set_new(object, summary_fields.items[i].name,
				    timed ? field_json(&summary_fields.items[i], summary)
					  : json_null());
	if (trial->mean_ns > 0)
		json_set_number(object, "mean_ns", trial->mean_ns);
	if (isfinite(event_ns))
		json_set_number(object, "event_ns", event_ns); /* taken off the times */
	return object;
}

/* Skips counters of the other kind of backend, unless they were requested and have no value: those
 * show the reason. */
static json_t *trial_counters_json(const struct run *run, const struct counter_list *counters)
{
	json_t *array = json_array();

	for (size_t i = 0; i < counters->count; i++) {
		const struct counter_value *counter = &counters->items[i];
		json_t *object;

		if (counter->has_value && !run_may_show(run, counter->metric))
			continue;
		object = json_object();
		json_set_text(object, "metric", counter->metric);
		json_set_text(object, "unit", counter->unit);
		json_set_text(object, "source", counter->source);
		json_set_number(object, "value", counter->has_value ? counter->value : NAN);
		json_set_text(object, "reason", counter->reason);
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *trial_lines_json(const struct line_count_list *lines)
{
	json_t *array = json_array();

	for (size_t i = 0; i < lines->count; i++) {
		const struct line_count *line = &lines->items[i];
		json_t *object = json_object();

		/* null: it is a line of the PTX */
		json_set_text(object, "file", line->file);
#define X(field) json_set_integer(object, #field, line->field);
		X(line)
		X(instructions)
		X(lanes)
		X(branches)
		X(divergent)
		X(requests)
		X(sectors)
		X(shared_requests)
		X(wavefronts)
		X(conflicts)
#undef X
		json_array_append_new(array, object);
	}
	return array;
}

static void set_roofline(json_t *object, const struct run *run, const struct trial *trial,
			 const struct ceiling_list *ceilings)
{
	struct trial_roofline roofline;

	if (!trial_status_counted(trial->status)) {
		json_object_set_new(object, "roofline", json_null());
		json_object_set_new(object, "verdict", json_null());
		return;
	}
	trial_roofline_init(&roofline, run, trial, ceilings);
	json_object_set_new(object, "roofline", roofline_point_json(&roofline.point, trial));
	json_object_set_new(object, "verdict", verdict_json(&roofline.verdict));
	trial_roofline_release(&roofline);
}

/* null: the trial has no base case. */
static json_t *trial_speedup_json(const struct trial_speedup *speedup)
{
	json_t *object;

	if (!speedup->base_variant)
		return json_null();
	object = json_object();
	json_set_text(object, "base_variant", speedup->base_variant);
	json_set_text(object, "base_config", speedup->base_config);
	json_set_text(object, "verdict", speedup_verdict_name(speedup->verdict));
#define X(field) json_set_number(object, #field, speedup->field);
	X(speedup)
	X(low)
	X(high)
	X(p)
	X(base_median_ns)
#undef X
	json_object_set_new(object, "rounds",
			    integer_or_null(speedup->rounds, speedup->rounds > 0));
	json_object_set_new(object, "same_buffers",
			    speedup->same_buffers < 0 ? json_null()
						      : json_boolean(speedup->same_buffers));
	json_set_text(object, "why", speedup->why);
	return object;
}

/* What text and page call the fastest case; see struct ranks. */
static void set_best(json_t *object, const struct ranks *ranks, size_t at)
{
	json_set_bool(object, "best_of_problem", ranks->of_problem[at]);
	json_set_bool(object, "best_of_variant", ranks->of_variant[at]);
	json_set_bool(object, "best_of_kernel", ranks->of_kernel[at]);
}

static json_t *trial_json(const struct run *run, const struct trial *trial,
			  const struct ceiling_list *ceilings, const struct ranks *ranks)
{
	const struct run_gpu *gpu = trial_gpu(run, trial);
	const bool emulated = run->traits.emulated;
	json_t *object = json_object();
	json_t *axes = json_object();

	if (gpu)
		json_set_integer(object, "gpu", gpu->number);
	json_set_integer(object, "position", trial->position);
	json_set_text(object, "kernel", trial->kernel);
	json_set_text(object, "variant", trial->variant);
	json_set_text(object, "config", trial->config);
	for (size_t i = 0; i < trial->axis_count; i++)
		set_named(axes, trial->axes[i].name, json_integer(trial->axes[i].value));
	json_object_set_new(object, "axes", axes);
	json_set_text(object, "status", trial_status_name(trial->status));
	json_set_text(object, "reason", trial->reason);
	if (!emulated)
		json_set_integer(object, "rounds_done", trial->rounds_done);
	json_set_bool(object, "counted", trial->counted);
	json_object_set_new(object, "flop", integer_or_null(trial->flop, trial->has_work));
	json_object_set_new(object, "bytes_read",
			    integer_or_null(trial->bytes_read, trial->has_work));
	json_object_set_new(object, "bytes_written",
			    integer_or_null(trial->bytes_written, trial->has_work));
	if (!emulated) {
		json_set_number(object, "model_gb_per_s", trial_model_gb_per_s(trial));
		json_set_number(object, "model_gflop_per_s", trial_model_gflop_per_s(trial));
		json_object_set_new(object, "summary", trial_summary_json(trial));
		json_object_set_new(object, "speedup", trial_speedup_json(&trial->speedup));
		set_best(object, ranks, (size_t)(trial - run->trials));
	}
	json_object_set_new(object, "facts", fields_json(&launch_fields, &trial->facts));
	json_object_set_new(object, "counters", trial_counters_json(run, &trial->counters));
	json_object_set_new(object, "lines", trial_lines_json(&trial->lines));
	set_roofline(object, run, trial, ceilings);
	return object;
}

/* A trial with the chosen columns instead of everything. */
static json_t *chosen_json(const struct run *run, const struct trial *trial,
			   const struct chosen_columns *columns,
			   const struct ceiling_list *ceilings)
{
	json_t *object = json_object();
	struct case_facts facts;

	json_set_text(object, "kernel", trial->kernel);
	json_set_text(object, "variant", trial->variant);
	json_set_text(object, "config", trial->config);
	case_facts_init(&facts, run, trial, ceilings);
	for (size_t i = 0; i < columns->count; i++) {
		const struct chosen_column *column = &columns->items[i];

		if (chosen_names_case(column))
			continue;
		set_named(object, chosen_name(column),
			  chosen_is_numeric(column)
				  ? report_json_number(chosen_number(column, &facts))
				  : report_json_text(chosen_word(column, &facts)));
	}
	case_facts_release(&facts);
	return object;
}

static json_t *wall_time_json(int64_t wall_ns)
{
	char utc[21];

	if (wall_ns <= 0)
		return json_null();
	format_utc(utc, wall_ns);
	return report_json_text(utc);
}

static json_t *run_head_json(const struct run *run)
{
	json_t *object = json_object();
	json_t *environment = json_object();
	char seed[24];

	snprintf(seed, sizeof(seed), "%llu", (unsigned long long)run->seed);
	/* null: the cases are of several runs */
	json_object_set_new(object, "id", integer_or_null(run->id, !run->gpus));
	json_set_text(object, "uid", run->gpus ? NULL : run->uid);
	json_set_text(object, "label", run->label);
	json_set_text(object, "note", run->note);
	json_set_text(object, "command", run->command);
	json_set_text(object, "backend", run->backend);
	json_set_text(object, "version", run->version);
	json_set_text(object, "source_revision", run->source_revision);
	json_set_text(object, "origin", run->origin);
	json_set_text(object, "state", run_state_name(run->state));
	json_set_text(object, "seed", seed);
	if (!run->traits.emulated)
		json_set_integer(object, "rounds", run->rounds);
	json_object_set_new(object, "started", wall_time_json(run->started_ns));
	json_object_set_new(object, "finished", wall_time_json(run->finished_ns));
	json_object_set_new(object, "device", device_json(&run->device));
	json_object_set_new(object, "settings", run_settings_json(run));
	for (size_t i = 0; i < run->environment.count; i++)
		set_named(environment, run->environment.items[i].key,
			  report_json_text(run->environment.items[i].value));
	json_object_set_new(object, "environment", environment);
	return object;
}

int run_write_json(FILE *out, const struct run *run, const struct report_options *options,
		   struct error *err)
{
	const char *list = options->selection ? options->selection->columns : NULL;
	struct chosen_columns columns = {0};
	struct json_stream stream = {.out = out};
	struct ranks ranks;
	int rc = list ? columns_parse(&columns, run, list, err) : 0;

	if (rc) {
		columns_release(&columns);
		return rc;
	}
	json_stream_open(&stream, NULL, '{');
	json_stream_value(&stream, "format", json_integer(JSON_FORMAT));
	json_stream_value(&stream, "run", run_head_json(run));
	if (options->gpus)
		json_stream_value(&stream, "gpus", gpus_json(options->gpus));
	if (!run->traits.emulated && !list)
		json_stream_value(&stream, "ceilings", ceilings_json(options->ceilings));
	run_ranks(&ranks, run, options->ceilings);
	json_stream_open(&stream, "trials", '[');
	for (size_t i = 0; i < run->trial_count; i++) {
		const struct trial *trial = &run->trials[i];

		json_stream_value(&stream, NULL,
				  list ? chosen_json(run, trial, &columns, options->ceilings)
				       : trial_json(run, trial, options->ceilings, &ranks));
	}
	json_stream_close(&stream, ']');
	json_stream_close(&stream, '}');
	ranks_release(&ranks);
	columns_release(&columns);
	return json_stream_end(&stream, err);
}
