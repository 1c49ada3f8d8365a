/* Many histories in one table: a line for each case, those that changed first. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/history/history.h"
#include "reports/table/escape.h"
#include "reports/table/table.h"
#include "reports/table/wrap.h"

/* The rows of the table; more only if more cases changed. */
#define HISTORY_ROWS 30
#define HISTORY_ROWS_CHANGED 50

static bool history_changed(const struct history *history)
{
	return history->emulated ? history->step_count > 0 : history->change_count > 0;
}

/* "slower by 3.10 %, in run 12"; an emulated case: "worse: ptx_branches from 8 to 9, in run 12". */
static char *newest_change(const struct history *history)
{
	const struct history_change *change;

	if (!history_changed(history))
		return NULL;
	if (history->emulated) {
		const struct counter_step *step = &history->steps[history->step_count - 1];
		const struct counter_change *most = &step->counters[0];

		for (size_t i = step->counter_count; i-- > 0;) {
			if (counter_step_has(step, &step->counters[i]))
				most = &step->counters[i];
		}
		return xasprintf("%s: %s from %.15g to %.15g, in run %lld", counter_step_word(step),
				 most->metric, most->base, most->head,
				 (long long)history->runs[step->first].id);
	}
	change = &history->changes[history->change_count - 1];
	return xasprintf("%s by %.2f %%, in run %lld",
			 change->change.effect.change > 0 ? "slower" : "faster",
			 100 * fabs(change->change.effect.change),
			 (long long)history->runs[change->first].id);
}

static char *newest_time(const struct history *history)
{
	char shown[32];

	for (size_t i = history->count; i-- > 0;) {
		if (!history_is_timed(history, i))
			continue;
		format_duration(shown, history->trials[i].summary.median_ns);
		return xstrdup(shown);
	}
	return NULL;
}

static void add_history_row(struct table *table, const struct history *history)
{
	char *name = xasprintf("%s/%s/%s", history->kernel, history->variant, history->config);
	char *runs = xasprintf("%zu", history->count), *median = newest_time(history);
	char *change = newest_change(history);

	table_row(table, (const char *const[]){name, runs, median, change});
	free(name);
	free(runs);
	free(median);
	free(change);
}

static void write_text_line(FILE *out, const char *text, const struct report_options *options)
{
	struct text shown = TEXT_INIT, line = TEXT_INIT;

	escape_show(&shown, text);
	wrap_text(&line, 0, "", shown.data, options ? (size_t)options->width : 0);
	fwrite(line.data, 1, line.length, out);
	text_release(&shown);
	text_release(&line);
}

static void write_markdown_line(FILE *out, const char *text)
{
	struct text shown = TEXT_INIT;

	escape_markdown(&shown, text);
	fprintf(out, "%s\n\n", shown.data);
	text_release(&shown);
}

void histories_summary(FILE *out, const struct history *items, size_t count,
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
		write_markdown_line(out, text.data);
		table_write_markdown(out, table);
	} else {
		write_text_line(out, text.data, options);
		table_write_text(out, table, options);
		write_text_line(
			out, "perflab history CASE shows one case with its runs, --all every one.",
			options);
	}
	table_free(table);
	text_release(&text);
}
