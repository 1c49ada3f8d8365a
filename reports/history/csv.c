/* Histories as CSV: one row per run of a case. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/history/counters.h"
#include "reports/history/history.h"

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
	"kernel",   "variant",  "config",           "device",     "uuid",
	"backend",  "run",      "run_uid",          "started",    "label",
	"revision", "driver",   "toolkit",          "mark",       "status",
	"reason",   "samples",  "rounds",           "median_ns",  "low_ns",
	"high_ns",  "step",     "change_point",     "change_low", "change_high",
	"origin",   "counters", "changed_counters",
};

static void add_history_rows(struct row_writer *writer, const struct history *history, size_t begin)
{
	for (size_t i = begin; i < history->count; i++) {
		const struct run *run = &history->runs[i];
		const struct trial *trial = &history->trials[i];
		const struct history_change *change = history_change_at(history, i);
		const struct counter_step *step = history_step_at(history, i);
		bool timed = history_is_timed(history, i);
		char when[21], *changed = changed_counters(step);
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
			text_value(history->origin),
			text_value(step ? counter_step_word(step) : NULL),
			text_value(changed),
		};

		_Static_assert(ARRAY_SIZE(values) == ARRAY_SIZE(csv_columns),
			       "a value for each column");
		format_utc(when, run->started_ns);
		values[8] = text_value(when);
		rows_add(writer, values);
		free(changed);
	}
}

int histories_csv(FILE *out, const struct history *items, size_t count, size_t rows,
		  const struct report_options *options, struct error *err)
{
	struct row_writer *writer = NULL;
	int rc = rows_begin(&writer, out, REPORT_CSV, options, csv_columns, ARRAY_SIZE(csv_columns),
			    err);

	for (size_t i = 0; !rc && i < count; i++)
		add_history_rows(writer, &items[i], history_newest_from(&items[i], rows));
	return rows_end(writer, rc, err);
}
