/*
 * The history of cases: the formats of programs here, those for people in
 * history_people.c.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "metrics/analysis/history.h"
#include "reports/history_parts.h"
#include "reports/json_write.h"

/* ---- values ---- */

static struct any_value text_value(const char *text)
{
	if (!text || !*text)
		return (struct any_value){.kind = VALUE_NONE};
	return (struct any_value){.kind = VALUE_TEXT, .bytes = text, .length = strlen(text)};
}

static struct any_value integer_value(int64_t value)
{
	return (struct any_value){.kind = VALUE_INTEGER, .integer = value};
}

static struct any_value real_value(double value)
{
	if (!isfinite(value))
		return (struct any_value){.kind = VALUE_NONE};
	return (struct any_value){.kind = VALUE_REAL, .real = value};
}

static double change_of(const struct history_change *change)
{
	return change ? change->change.effect.change : NAN;
}

static double low_of(const struct history_change *change)
{
	return change ? change->change.effect.low : NAN;
}

static double high_of(const struct history_change *change)
{
	return change ? change->change.effect.high : NAN;
}

/* ---- CSV ---- */

static const char *const csv_columns[] = {
	"kernel",  "variant",      "config",     "device",      "uuid",      "backend", "run",
	"run_uid", "started",      "label",      "revision",    "driver",    "toolkit", "mark",
	"status",  "reason",       "samples",    "rounds",      "median_ns", "low_ns",  "high_ns",
	"step",    "change_point", "change_low", "change_high",
};

static void csv_history(struct row_writer *writer, const struct history *history, size_t begin)
{
	for (size_t i = begin; i < history->count; i++) {
		const struct run *run = &history->runs[i];
		const struct trial *trial = &history->trials[i];
		const struct history_change *change = history_change_at(history, i);
		bool timed = history_is_timed(history, i);
		char when[21];
		struct any_value values[] = {
			text_value(history->kernel),
			text_value(history->variant),
			text_value(history->config),
			text_value(run->device.name),
			text_value(run->device.uuid),
			text_value(run->backend),
			integer_value(run->id),
			text_value(run->uid),
			{0},
			text_value(run->label),
			text_value(run->source_revision),
			text_value(run->device.driver),
			text_value(run->device.toolkit),
			text_value(run->mark),
			text_value(trial_status_name(trial->status)),
			text_value(trial->reason),
			integer_value(trial->summary.count),
			integer_value((int64_t)trial->round_count),
			real_value(timed ? trial->summary.median_ns : NAN),
			real_value(timed ? trial->summary.low_ns : NAN),
			real_value(timed ? trial->summary.high_ns : NAN),
			real_value(history_step(history, i)),
			real_value(change_of(change)),
			real_value(low_of(change)),
			real_value(high_of(change)),
		};

		_Static_assert(ARRAY_SIZE(values) == ARRAY_SIZE(csv_columns),
			       "a value for each column");
		format_utc(when, run->started_ns);
		values[8] = text_value(when);
		rows_add(writer, values);
	}
}

/* ---- JSON ---- */

static json_t *run_json(const struct history *history, size_t at)
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
	json_object_set_new(object, "driver",
			    report_json_text(run->device.driver[0] ? run->device.driver : NULL));
	json_object_set_new(object, "toolkit",
			    report_json_text(run->device.toolkit[0] ? run->device.toolkit : NULL));
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
	return object;
}

static json_t *change_json(const struct history *history, const struct history_change *change)
{
	const struct run *last = &history->runs[change->last];
	const struct run *first = &history->runs[change->first];
	json_t *object = json_object();

	json_object_set_new(object, "last_run", json_integer(last->id));
	json_object_set_new(object, "first_run", json_integer(first->id));
	json_object_set_new(object, "last_revision", report_json_text(last->source_revision));
	json_object_set_new(object, "first_revision", report_json_text(first->source_revision));
	json_object_set_new(object, "change", report_json_number(change_of(change)));
	json_object_set_new(object, "low", report_json_number(low_of(change)));
	json_object_set_new(object, "high", report_json_number(high_of(change)));
	json_object_set_new(object, "before_ns", report_json_number(change->change.before_ns));
	json_object_set_new(object, "after_ns", report_json_number(change->change.after_ns));
	json_object_set_new(object, "runs_before", json_integer((json_int_t)change->change.before));
	json_object_set_new(object, "runs_after", json_integer((json_int_t)change->change.after));
	json_object_set_new(object, "provisional", json_boolean(change->change.provisional));
	json_object_set_new(object, "same_code", json_boolean(change->same_code));
	return object;
}

static json_t *history_json(const struct history *history, size_t begin)
{
	const struct run *newest = &history->runs[history->count - 1];
	json_t *object = json_object(), *runs = json_array(), *changes = json_array();

	json_object_set_new(object, "kernel", report_json_text(history->kernel));
	json_object_set_new(object, "variant", report_json_text(history->variant));
	json_object_set_new(object, "config", report_json_text(history->config));
	json_object_set_new(object, "device", report_json_text(newest->device.name));
	json_object_set_new(object, "uuid",
			    report_json_text(newest->device.uuid[0] ? newest->device.uuid : NULL));
	json_object_set_new(object, "backend", report_json_text(newest->backend));
	json_object_set_new(object, "runs", runs);
	json_object_set_new(object, "change_points", changes);
	for (size_t i = begin; i < history->count; i++)
		json_array_append_new(runs, run_json(history, i));
	for (size_t i = 0; i < history->change_count; i++)
		json_array_append_new(changes, change_json(history, &history->changes[i]));
	return object;
}

/* ---- the whole ---- */

static size_t begin_of(const struct history *history, size_t rows)
{
	return rows > 0 && history->count > rows ? history->count - rows : 0;
}

static int write_csv(FILE *out, const struct history *items, size_t count, size_t rows,
		     const struct report_options *options, struct error *err)
{
	struct row_writer *writer = NULL;
	int rc = rows_begin(&writer, out, REPORT_CSV, options, csv_columns, ARRAY_SIZE(csv_columns),
			    err);

	for (size_t i = 0; !rc && i < count; i++)
		csv_history(writer, &items[i], begin_of(&items[i], rows));
	return rows_end(writer, rc, err);
}

static int write_json(FILE *out, const struct history *items, size_t count, size_t rows,
		      struct error *err)
{
	json_t *root = json_object(), *list = json_array();

	json_object_set_new(root, "format", json_integer(1));
	json_object_set_new(root, "histories", list);
	for (size_t i = 0; i < count; i++)
		json_array_append_new(list, history_json(&items[i], begin_of(&items[i], rows)));
	return report_json_write(out, root, err);
}

int report_history(FILE *out, const struct history *items, size_t count, enum report_format format,
		   size_t rows, const struct report_options *options, struct error *err)
{
	if (format == REPORT_CSV)
		return write_csv(out, items, count, rows, options, err);
	if (format == REPORT_JSON)
		return write_json(out, items, count, rows, err);
	if (format != REPORT_TEXT && format != REPORT_MARKDOWN)
		return error_set(err, PL_EUSAGE, "a history does not come as %s",
				 report_format_name(format));
	errno = 0;
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
