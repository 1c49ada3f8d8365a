/* Cases over their runs in the format asked for: CSV, JSON, or many of them in one table. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/history/history.h"
#include "reports/table/escape.h"
#include "reports/table/json.h"
#include "reports/table/readable.h"
#include "reports/table/table.h"

/* ---- CSV ---- */

/* "ptx_barriers 4 8; ptx_branches 2 1": the values before and after; malloc'd. */
static char *changed_counters(const struct counter_step *step)
{
	struct text out = TEXT_INIT;

	for (size_t i = 0; step && i < step->counter_count; i++)
		text_addf(&out, "%s%s %.15g %.15g", i ? "; " : "", step->counters[i].metric,
			  step->counters[i].base, step->counters[i].head);
	return out.length ? text_detach(&out) : NULL;
}

static const char *const csv_columns[] = {
	"kernel",          "variant",  "config",           "device",     "uuid",
	"backend",         "run",      "run_uid",          "started",    "label",
	"revision",        "driver",   "toolkit",          "mark",       "status",
	"reason",          "samples",  "rounds",           "median_ns",  "session_low_ns",
	"session_high_ns", "step",     "change_point",     "change_low", "change_high",
	"origin",          "counters", "changed_counters",
};

static void add_history_rows(struct row_writer *writer, const struct history *history, size_t begin)
{
	static const struct effect unknown = {.change = NAN, .low = NAN, .high = NAN};

	for (size_t i = begin; i < history->count; i++) {
		const struct run *run = &history->runs[i];
		const struct trial *trial = &history->trials[i];
		const struct history_change *change = history_change_at(history, i);
		const struct counter_step *step = history_step_at(history, i);
		const struct effect *effect = change ? &change->change.effect : &unknown;
		bool timed = history_is_timed(history, i);
		char when[21], *changed = changed_counters(step);
		struct any_value values[] = {
			value_of_text(history->kernel),
			value_of_text(history->variant),
			value_of_text(history->config),
			value_of_text(run->device.name),
			value_of_text(run->device.uuid),
			value_of_text(run->backend),
			value_of_integer(run->id),
			value_of_text(run->uid),
			{0},
			value_of_text(run->label),
			value_of_text(run->source_revision),
			value_of_text(run->device.driver),
			value_of_text(run->device.toolkit),
			value_of_text(run->mark),
			value_of_text(trial_status_name(trial->status)),
			value_of_text(trial->reason),
			value_of_integer(trial->summary.count),
			value_of_integer((int64_t)trial->round_count),
			value_of_real(timed ? trial->summary.median_ns : NAN),
			value_of_real(timed ? trial->summary.session_low_ns : NAN),
			value_of_real(timed ? trial->summary.session_high_ns : NAN),
			value_of_real(history_step(history, i)),
			value_of_real(effect->change),
			value_of_real(effect->low),
			value_of_real(effect->high),
			value_of_text(history->origin),
			value_of_text(step ? counter_step_word(step) : NULL),
			value_of_text(changed),
		};

		_Static_assert(ARRAY_SIZE(values) == ARRAY_SIZE(csv_columns),
			       "a value for each column");
		format_utc(when, run->started_ns);
		values[8] = value_of_text(when);
		rows_add(writer, values);
		free(changed);
	}
}

static int histories_csv(FILE *out, const struct history *items, size_t count, size_t rows,
			 const struct report_options *options, struct error *err)
{
	struct row_writer *writer = NULL;
	int rc = rows_begin(&writer, out, REPORT_CSV, options, csv_columns, ARRAY_SIZE(csv_columns),
			    err);

	for (size_t i = 0; !rc && i < count; i++)
		add_history_rows(writer, &items[i], history_newest_from(&items[i], rows));
	return rows_end(writer, rc, err);
}

/* ---- JSON ---- */

static json_t *counters_json(const struct trial *trial)
{
	json_t *object = json_object();

	for (size_t i = 0; i < trial->counters.count; i++) {
		const struct counter_value *counter = &trial->counters.items[i];

		json_set_number(object, counter->metric, counter->has_value ? counter->value : NAN);
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
	json_set_integer(object, "run", run->id);
	json_set_text(object, "uid", run->uid);
	json_set_text(object, "started", when);
	json_set_text(object, "label", run->label);
	json_set_text(object, "revision", run->source_revision);
	json_object_set_new(object, "driver", report_json_known_text(run->device.driver));
	json_object_set_new(object, "toolkit", report_json_known_text(run->device.toolkit));
	json_set_text(object, "mark", run->mark);
	json_set_text(object, "status", trial_status_name(trial->status));
	json_set_text(object, "reason", trial->reason);
	json_set_integer(object, "samples", trial->summary.count);
	json_set_integer(object, "rounds", (int64_t)trial->round_count);
#define X(field) json_set_number(object, #field, timed ? trial->summary.field : NAN);
	X(median_ns)
	X(session_low_ns)
	X(session_high_ns)
#undef X
	json_set_number(object, "step", history_step(history, at));
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

	json_set_integer(object, "last_run", last->id);
	json_set_integer(object, "first_run", first->id);
	json_set_text(object, "last_revision", last->source_revision);
	json_set_text(object, "first_revision", first->source_revision);
	json_set_number(object, "change", change->change.effect.change);
	json_set_number(object, "low", change->change.effect.low);
	json_set_number(object, "high", change->change.effect.high);
	json_set_number(object, "before_ns", change->change.before_ns);
	json_set_number(object, "after_ns", change->change.after_ns);
	json_set_integer(object, "runs_before", (int64_t)change->change.before);
	json_set_integer(object, "runs_after", (int64_t)change->change.after);
	json_set_bool(object, "provisional", change->change.provisional);
	json_set_bool(object, "same_code", change->same_code);
	return object;
}

/* null without modes. */
static json_t *history_mode_json(const struct history *history)
{
	const struct history_mode *mode = &history->mode;
	json_t *object;

	if (!mode->mode.of)
		return json_null();
	object = json_object();
	json_set_integer(object, "first_run", history->runs[mode->first].id);
	json_set_integer(object, "newest_run", history->runs[mode->newest].id);
	json_set_number(object, "usual_ns", mode->mode.usual_ns);
	json_set_number(object, "other_ns", mode->mode.other_ns);
	json_set_integer(object, "runs", (int64_t)mode->mode.runs);
	json_set_integer(object, "of", (int64_t)mode->mode.of);
	return object;
}

/* A run with other counters than the run before it. */
static json_t *counter_step_json(const struct history *history, const struct counter_step *step)
{
	const struct run *last = &history->runs[step->last], *first = &history->runs[step->first];
	json_t *object = json_object(), *counters = json_array();

	json_set_integer(object, "last_run", last->id);
	json_set_integer(object, "first_run", first->id);
	json_set_text(object, "last_revision", last->source_revision);
	json_set_text(object, "first_revision", first->source_revision);
	json_object_set_new(object, "direction", json_string(counter_step_word(step)));
	json_set_bool(object, "same_code", step->same_code);
	json_object_set_new(object, "counters", counters);
	for (size_t i = 0; i < step->counter_count; i++) {
		const struct counter_change *change = &step->counters[i];
		json_t *item = json_object();

		json_set_text(item, "metric", change->metric);
		json_set_text(item, "unit", change->unit);
		json_set_number(item, "before", change->base);
		json_set_number(item, "after", change->head);
		json_set_bool(item, "worse", change->verdict > 0);
		json_set_bool(item, "better", change->verdict < 0);
		json_array_append_new(counters, item);
	}
	return object;
}

static void write_history(struct json_stream *stream, const struct history *history, size_t begin)
{
	const struct run *newest = &history->runs[history->count - 1];
	json_t *head = json_object();

	json_set_text(head, "kernel", history->kernel);
	json_set_text(head, "variant", history->variant);
	json_set_text(head, "config", history->config);
	json_set_text(head, "origin", history->origin);
	json_set_text(head, "device", newest->device.name);
	json_object_set_new(head, "uuid", report_json_known_text(newest->device.uuid));
	json_set_text(head, "backend", newest->backend);
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
	json_stream_value(stream, "mode", history_mode_json(history));
	if (history->emulated) {
		json_stream_open(stream, "counter_changes", '[');
		for (size_t i = 0; i < history->step_count; i++)
			json_stream_value(stream, NULL,
					  counter_step_json(history, &history->steps[i]));
		json_stream_close(stream, ']');
	}
	json_stream_close(stream, '}');
}

static int histories_json(FILE *out, const struct history *items, size_t count, size_t rows,
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

/* ---- many histories in one table ---- */

/* The rows of the table; more only if more cases changed. */
#define HISTORY_ROWS 30
#define HISTORY_ROWS_CHANGED 50

static bool history_changed(const struct history *history)
{
	return history->emulated ? history->step_count > 0 : history->change_count > 0;
}

/* "slower by 3.10 %, in run 12"; an emulated case: "worse: ptx_branches from 8 to 9, in run 12". */
static void add_newest_change(struct text *out, const struct history *history)
{
	const struct history_change *change;
	const struct change_mode *mode = &history->mode.mode;

	if (!history_changed(history)) {
		if (mode->of)
			text_addf(out, "none; two modes, %+.2f %% in %zu of %zu runs",
				  100 * (mode->other_ns / mode->usual_ns - 1), mode->runs,
				  mode->of);
		return;
	}
	if (history->emulated) {
		const struct counter_step *step = &history->steps[history->step_count - 1];
		const struct counter_change *most = &step->counters[0];

		for (size_t i = step->counter_count; i-- > 0;) {
			if (counter_step_has(step, &step->counters[i]))
				most = &step->counters[i];
		}
		text_addf(out, "%s: %s from %.15g to %.15g, in run %lld", counter_step_word(step),
			  most->metric, most->base, most->head,
			  (long long)history->runs[step->first].id);
		return;
	}
	change = &history->changes[history->change_count - 1];
	text_addf(out, "%s by %.2f %%, in run %lld",
		  change->change.effect.change > 0 ? "slower" : "faster",
		  100 * fabs(change->change.effect.change),
		  (long long)history->runs[change->first].id);
}

static void add_newest_time(struct text *out, const struct history *history)
{
	for (size_t i = history->count; i-- > 0;) {
		if (!history_is_timed(history, i))
			continue;
		format_value(out, history->trials[i].summary.median_ns, "ns");
		return;
	}
}

static void add_history_row(struct table *table, const struct history *history)
{
	struct row row = {0};

	row_addf(&row, "%s/%s/%s", history->kernel, history->variant, history->config);
	row_addf(&row, "%zu", history->count);
	add_newest_time(row_cell(&row), history);
	add_newest_change(row_cell(&row), history);
	row_end(&row, table, ROW_PLAIN);
}

static void histories_summary(FILE *out, const struct history *items, size_t count,
			      enum report_format format, const struct report_options *options)
{
	static const struct table_column columns[] = {
		{.name = "case"},
		{.name = "runs", .numeric = true},
		{.name = "median", .numeric = true},
		{.name = "change", .head = "newest change"},
	};
	struct table *table = table_new(columns, ARRAY_SIZE(columns));
	struct text text = TEXT_INIT;
	size_t changed = 0, hidden;

	for (size_t i = 0; i < count; i++)
		changed += history_changed(&items[i]);
	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < count; i++) {
			if (history_changed(&items[i]) == (pass == 0))
				add_history_row(table, &items[i]);
		}
	}
	hidden = table_truncate(table, changed > HISTORY_ROWS_CHANGED ? HISTORY_ROWS_CHANGED
				       : changed > HISTORY_ROWS       ? changed
								      : HISTORY_ROWS);
	table_drop_empty(table);
	text_addf(&text, "%zu cases on %s, backend %s: %zu changed", count,
		  items[0].runs[items[0].count - 1].device.name,
		  items[0].runs[items[0].count - 1].backend, changed);
	if (hidden)
		text_addf(&text, "; the first %zu", count - hidden);
	if (format == REPORT_MARKDOWN) {
		fputs("### ", out);
		write_prose(out, text.data, format, options);
		fputc('\n', out);
		table_write_markdown(out, table);
	} else {
		write_prose(out, text.data, format, options);
		table_write_text(out, table, options);
		write_prose(out,
			    "perflab history CASE shows one case with its runs, --all every one.",
			    format, options);
	}
	table_free(table);
	text_release(&text);
}

/* ---- the format ---- */

int report_history(FILE *out, const struct history *items, size_t count, enum report_format format,
		   size_t rows, const struct report_options *options, struct error *err)
{
	if (!report_format_applies(format, OF_HISTORY))
		return error_set(err, PL_EUSAGE, "a history cannot be written as %s",
				 report_format_name(format));
	if (format == REPORT_CSV)
		return histories_csv(out, items, count, rows, options, err);
	if (format == REPORT_JSON)
		return histories_json(out, items, count, rows, err);
	errno = 0;
	if (count > HISTORIES_IN_FULL &&
	    !(options && options->selection && options->selection->all)) {
		histories_summary(out, items, count, format, options);
		return stream_check(out, err);
	}
	for (size_t i = 0; i < count; i++) {
		if (i > 0)
			putc('\n', out);
		if (format == REPORT_TEXT)
			history_text(out, &items[i], rows, options);
		else
			history_markdown(out, &items[i], rows);
	}
	return stream_check(out, err);
}
