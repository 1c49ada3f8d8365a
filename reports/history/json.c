/* Histories as JSON: the runs of each case and its change points. */
#include <math.h>

#include "reports/history/counters.h"
#include "reports/history/history.h"
#include "reports/table/json_stream.h"

static json_t *counters_json(const struct trial *trial)
{
	json_t *object = json_object();

	for (size_t i = 0; i < trial->counters.count; i++) {
		const struct counter_value *counter = &trial->counters.items[i];

		json_object_set_new(object, counter->metric,
				    report_json_number(counter->has_value ? counter->value : NAN));
	}
	return object;
}

static json_t *history_run_json(const struct history *history, size_t at)
{
	const struct run *run = &history->runs[at];
	const struct trial *trial = &history->trials[at];
	bool timed = history_is_timed(history, at);
	json_t *object = json_object();
	char when[21];

	format_utc(when, run->started_ns);
	json_object_set_new(object, "run", json_integer(run->id));
	json_object_set_new(object, "uid", report_json_text(run->uid));
	json_object_set_new(object, "started", report_json_text(when));
	json_object_set_new(object, "label", report_json_text(run->label));
	json_object_set_new(object, "revision", report_json_text(run->source_revision));
	json_object_set_new(object, "driver", report_json_known_text(run->device.driver));
	json_object_set_new(object, "toolkit", report_json_known_text(run->device.toolkit));
	json_object_set_new(object, "mark", report_json_text(run->mark));
	json_object_set_new(object, "status", report_json_text(trial_status_name(trial->status)));
	json_object_set_new(object, "reason", report_json_text(trial->reason));
	json_object_set_new(object, "samples", json_integer(trial->summary.count));
	json_object_set_new(object, "rounds", json_integer((json_int_t)trial->round_count));
#define X(field) \
	json_object_set_new(object, #field, report_json_number(timed ? trial->summary.field : NAN));
	X(median_ns)
	X(low_ns)
	X(high_ns)
#undef X
	json_object_set_new(object, "step", report_json_number(history_step(history, at)));
	if (history->emulated)
		json_object_set_new(object, "counters", counters_json(trial));
	return object;
}

static json_t *history_change_json(const struct history *history,
				   const struct history_change *change)
{
	const struct run *last = &history->runs[change->last];
	const struct run *first = &history->runs[change->first];
	json_t *object = json_object();

	json_object_set_new(object, "last_run", json_integer(last->id));
	json_object_set_new(object, "first_run", json_integer(first->id));
	json_object_set_new(object, "last_revision", report_json_text(last->source_revision));
	json_object_set_new(object, "first_revision", report_json_text(first->source_revision));
	json_object_set_new(object, "change", report_json_number(change->change.effect.change));
	json_object_set_new(object, "low", report_json_number(change->change.effect.low));
	json_object_set_new(object, "high", report_json_number(change->change.effect.high));
	json_object_set_new(object, "before_ns", report_json_number(change->change.before_ns));
	json_object_set_new(object, "after_ns", report_json_number(change->change.after_ns));
	json_object_set_new(object, "runs_before", json_integer((json_int_t)change->change.before));
	json_object_set_new(object, "runs_after", json_integer((json_int_t)change->change.after));
	json_object_set_new(object, "provisional", json_boolean(change->change.provisional));
	json_object_set_new(object, "same_code", json_boolean(change->same_code));
	return object;
}

/* A run with other counters than the run before it. */
static json_t *counter_step_json(const struct history *history, const struct counter_step *step)
{
	const struct run *last = &history->runs[step->last], *first = &history->runs[step->first];
	json_t *object = json_object(), *counters = json_array();

	json_object_set_new(object, "last_run", json_integer(last->id));
	json_object_set_new(object, "first_run", json_integer(first->id));
	json_object_set_new(object, "last_revision", report_json_text(last->source_revision));
	json_object_set_new(object, "first_revision", report_json_text(first->source_revision));
	json_object_set_new(object, "direction", json_string(counter_step_word(step)));
	json_object_set_new(object, "same_code", json_boolean(step->same_code));
	json_object_set_new(object, "counters", counters);
	for (size_t i = 0; i < step->counter_count; i++) {
		const struct counter_change *change = &step->counters[i];
		json_t *item = json_object();

		json_object_set_new(item, "metric", report_json_text(change->metric));
		json_object_set_new(item, "unit", report_json_text(change->unit));
		json_object_set_new(item, "before", report_json_number(change->base));
		json_object_set_new(item, "after", report_json_number(change->head));
		json_object_set_new(item, "worse", json_boolean(change->verdict > 0));
		json_object_set_new(item, "better", json_boolean(change->verdict < 0));
		json_array_append_new(counters, item);
	}
	return object;
}

static void write_history(struct json_stream *stream, const struct history *history, size_t begin)
{
	const struct run *newest = &history->runs[history->count - 1];
	json_t *head = json_object();

	json_object_set_new(head, "kernel", report_json_text(history->kernel));
	json_object_set_new(head, "variant", report_json_text(history->variant));
	json_object_set_new(head, "config", report_json_text(history->config));
	json_object_set_new(head, "origin", report_json_text(history->origin));
	json_object_set_new(head, "device", report_json_text(newest->device.name));
	json_object_set_new(head, "uuid", report_json_known_text(newest->device.uuid));
	json_object_set_new(head, "backend", report_json_text(newest->backend));
	json_stream_open(stream, NULL, '{');
	json_stream_members(stream, head);
	json_stream_open(stream, "runs", '[');
	for (size_t i = begin; i < history->count; i++)
		json_stream_value(stream, NULL, history_run_json(history, i));
	json_stream_close(stream, ']');
	json_stream_open(stream, "change_points", '[');
	for (size_t i = 0; i < history->change_count; i++)
		json_stream_value(stream, NULL, history_change_json(history, &history->changes[i]));
	json_stream_close(stream, ']');
	if (history->emulated) {
		json_stream_open(stream, "counter_changes", '[');
		for (size_t i = 0; i < history->step_count; i++)
			json_stream_value(stream, NULL,
					  counter_step_json(history, &history->steps[i]));
		json_stream_close(stream, ']');
	}
	json_stream_close(stream, '}');
}

int histories_json(FILE *out, const struct history *items, size_t count, size_t rows,
		   struct error *err)
{
	struct json_stream stream = {.out = out};

	json_stream_open(&stream, NULL, '{');
	json_stream_value(&stream, "format", json_integer(1));
	json_stream_open(&stream, "histories", '[');
	for (size_t i = 0; i < count; i++)
		write_history(&stream, &items[i], history_newest_from(&items[i], rows));
	json_stream_close(&stream, ']');
	json_stream_close(&stream, '}');
	return json_stream_end(&stream, err);
}
