/*
 * The history of a case as text and Markdown: its times as a line of bars, its change points in
 * words, and its newest runs as a table.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "metrics/analysis/compare.h"
#include "metrics/analysis/history.h"
#include "metrics/analysis/statistics.h"
#include "reports/derived/derived.h"
#include "reports/history/history.h"
#include "reports/table/escape.h"
#include "reports/table/readable.h"
#include "reports/table/table.h"

#define BARS_MOST 72

/* A time with enough digits to see a change of 0.1 %: "74.318 us". */
static void add_time(struct text *out, double time_ns)
{
	static const struct {
		double ns;
		const char *name;
	} units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}};
	size_t i = 0;

	while (i + 1 < ARRAY_SIZE(units) && time_ns < units[i].ns)
		i++;
	text_addf(out, "%.3f %s", time_ns / units[i].ns, units[i].name);
}

static const char *const bars_utf8[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
static const char *const bars_ascii[] = {"_", ".", ":", "-", "=", "+", "*", "#"};

/* ---- the line of bars ---- */

/* The median time of some consecutive timed runs. */
static double middle_of(const struct history *history, const size_t *timed, size_t begin,
			size_t end)
{
	double *times = xcalloc(end - begin, sizeof(*times));
	double middle;

	for (size_t i = begin; i < end; i++)
		times[i - begin] = history->trials[timed[i]].summary.median_ns;
	middle = summarise(times, end - begin).median_ns;
	free(times);
	return middle;
}

static bool change_begins(const struct history *history, const size_t *timed, size_t begin,
			  size_t end)
{
	for (size_t i = begin; i < end; i++) {
		if (history_change_at(history, timed[i]))
			return true;
	}
	return false;
}

static size_t count_unverified(const struct history *history, const size_t *timed, size_t begin,
			       size_t end)
{
	size_t unverified = 0;

	for (size_t i = begin; i < end; i++)
		unverified += history->trials[timed[i]].status == TRIAL_UNVERIFIED;
	return unverified;
}

/* One bar per run, or per few runs, with a mark below each bar in which a change begins, else below
 * each bar with an unverified run. */
static void add_bars(struct text *out, const struct history *history, const size_t *timed,
		     size_t count, const struct report_options *options)
{
	bool ascii = options && options->ascii;
	size_t width = options && options->width > 4 ? (size_t)options->width - 2 : BARS_MOST;
	size_t bars = count < width ? count : width;
	double *heights = xcalloc(bars, sizeof(*heights));
	double low = INFINITY, high = 0;
	const size_t unverified = count_unverified(history, timed, 0, count);
	struct text marks = TEXT_INIT;

	for (size_t i = 0; i < bars; i++) {
		heights[i] = middle_of(history, timed, i * count / bars, (i + 1) * count / bars);
		low = fmin(low, heights[i]);
		high = fmax(high, heights[i]);
	}
	text_add(out, "  ");
	for (size_t i = 0; i < bars; i++) {
		size_t begin = i * count / bars, end = (i + 1) * count / bars;
		size_t step = high > low ? (size_t)(7.99 * (heights[i] - low) / (high - low)) : 0;

		text_add(out, (ascii ? bars_ascii : bars_utf8)[step]);
		text_add(&marks, change_begins(history, timed, begin, end)          ? "^"
				 : count_unverified(history, timed, begin, end) > 0 ? "u"
										    : " ");
	}
	while (marks.length > 0 && marks.data[marks.length - 1] == ' ')
		marks.data[--marks.length] = '\0';
	text_addf(out, "\n%s%s%s", marks.length ? "  " : "", marks.data, marks.length ? "\n" : "");
	text_add(out, "  ");
	add_time(out, low);
	text_add(out, " to ");
	add_time(out, high);
	text_addf(out, ", %s", bars < count ? "each bar is several runs" : "one bar per run");
	if (unverified)
		text_addf(out, "; u: unverified, %zu of %zu", unverified, count);
	text_add_char(out, '\n');
	text_release(&marks);
	free(heights);
}

/* ---- the runs ---- */

static void describe_effect(struct text *out, const struct history_change *change)
{
	const struct effect *effect = &change->change.effect;

	text_addf(out, "%s by %.2f %% (%+.2f to %+.2f %%)",
		  effect->change > 0 ? "slower" : "faster", 100 * fabs(effect->change),
		  100 * effect->low, 100 * effect->high);
}

static void add_run_note(struct text *out, const struct history *history, size_t run)
{
	const struct history_change *change = history_change_at(history, run);
	const struct trial *trial = &history->trials[run];

	if (change)
		describe_effect(out, change);
	if (trial->status != TRIAL_OK)
		text_addf(out, "%s%s: %s", change ? "; " : "", trial_status_name(trial->status),
			  trial->reason ? trial->reason : "");
}

static enum row_style history_row_style(const struct history *history, size_t run)
{
	const struct history_change *change = history_change_at(history, run);

	if (change)
		return change->change.effect.change > 0 ? ROW_BAD : ROW_BEST;
	return history_is_timed(history, run) ? ROW_PLAIN : ROW_DIM;
}

static struct table *table_of_runs(const struct history *history, size_t begin)
{
	static const struct table_column columns[] = {
		{.name = "run", .numeric = true},
		{.name = "started"},
		{.name = "label", .drop = 1},
		{.name = "revision", .drop = 3},
		{.name = "median", .numeric = true},
		{.name = "interval", .numeric = true, .drop = 4},
		{.name = "step", .numeric = true},
		{.name = "mark", .drop = 2},
		{.name = "note"},
	};
	struct table *table = table_new(columns, ARRAY_SIZE(columns));

	for (size_t i = begin; i < history->count; i++) {
		const struct run *run = &history->runs[i];
		const struct trial *trial = &history->trials[i];
		const double half_pct = trial_half_interval_pct(trial);
		const double step = history_step(history, i);
		const bool timed = history_is_timed(history, i);
		struct row row = {0};
		struct text *cell;

		add_run_cells(&row, run);
		cell = row_cell(&row);
		if (timed)
			add_time(cell, trial->summary.median_ns);
		cell = row_cell(&row);
		if (timed && isfinite(half_pct))
			text_addf(cell, "±%.2f %%", half_pct);
		cell = row_cell(&row);
		if (isfinite(step))
			text_addf(cell, "%+.2f %%", 100 * step);
		row_add(&row, run->mark);
		add_run_note(row_cell(&row), history, i);
		row_end(&row, table, history_row_style(history, i));
	}
	return table;
}

/* ---- change points ---- */

static void add_run_name(struct text *out, const struct run *run)
{
	char when[21];

	format_utc(when, run->started_ns);
	text_addf(out, "run %lld (%.10s", (long long)run->id, when);
	if (run->label && *run->label) {
		text_add(out, ", ");
		text_add(out, run->label);
	}
	if (run->source_revision) {
		char *revision = report_revision(run->source_revision);

		text_addf(out, ", revision %s", revision);
		free(revision);
	}
	text_add_char(out, ')');
}

static void add_difference(struct text *out, const char *what, const char *before,
			   const char *after)
{
	if (*before && *after && strcmp(before, after) != 0)
		text_addf(out, "; the %s went from %s to %s", what, before, after);
}

static void describe_change_point(struct text *out, const struct history *history,
				  const struct history_change *change)
{
	const struct run *last = &history->runs[change->last];
	const struct run *first = &history->runs[change->first];

	describe_effect(out, change);
	text_add(out, ", from ");
	add_time(out, change->change.before_ns);
	text_add(out, " to ");
	add_time(out, change->change.after_ns);
	text_add(out, ", between ");
	add_run_name(out, last);
	text_add(out, " and ");
	add_run_name(out, first);
	add_difference(out, "driver", last->device.driver, first->device.driver);
	add_difference(out, "toolkit", last->device.toolkit, first->device.toolkit);
	if (change->same_code)
		text_add(out,
			 "; machine code and launch are the same, so the cause is noise or the "
			 "environment");
	if (change->change.provisional)
		text_add(out, "; one run so far: wait for the next");
	text_addf(out, "; the interval covers %zu runs before and %zu after, of this device",
		  change->change.before, change->change.after);
}

/* "two modes since run 1 (…): 59.993 us, and 61.204 us (+2.02 %) in 6 of 30 runs, …". */
static void describe_mode(struct text *out, const struct history *history)
{
	const struct history_mode *mode = &history->mode;

	text_add(out, "two modes since ");
	add_run_name(out, &history->runs[mode->first]);
	text_add(out, ": ");
	add_time(out, mode->mode.usual_ns);
	text_add(out, ", and ");
	add_time(out, mode->mode.other_ns);
	text_addf(out,
		  " (%+.2f %%) in %zu of %zu runs, last in run %lld; a level that comes and goes "
		  "is a mode and no change",
		  100 * (mode->mode.other_ns / mode->mode.usual_ns - 1), mode->mode.runs,
		  mode->mode.of, (long long)history->runs[mode->newest].id);
}

/* ---- the report ---- */

static void add_heading(struct text *out, const struct history *history)
{
	const struct run *newest = &history->runs[history->count - 1];

	text_addf(out, "%s/%s/%s on %s, backend %s: %zu run%s", history->kernel, history->variant,
		  history->config, newest->device.name, newest->backend, history->count,
		  history->count == 1 ? "" : "s");
	if (history->origin)
		text_addf(out, ", of %s", history->origin);
	if (history->left_out)
		text_addf(out,
			  " (%zu more with another --cache, or with the cost of events in their "
			  "times)",
			  history->left_out);
}

/* Says why there are no change points. */
static void add_state(struct text *out, const struct history *history, size_t timed)
{
	if (history->emulated) {
		if (history->count == 1)
			text_add(out,
				 "one run: nothing to compare yet; an emulated run has no times");
		else if (history->step_count == 0)
			text_add(out, "no counter that repeats exactly changed; an emulated run "
				      "has no times");
		return;
	}
	if (timed < CHANGE_RUNS_LEAST)
		text_addf(out, "too few runs for change points, which need at least %d",
			  CHANGE_RUNS_LEAST);
	else if (history->change_count == 0)
		text_addf(out, "no change point in %zu runs of this device", timed);
}

static size_t *timed_runs(const struct history *history, size_t *count)
{
	size_t *timed = xcalloc(history->count + 1, sizeof(*timed));

	*count = 0;
	for (size_t i = 0; i < history->count; i++) {
		if (history_is_timed(history, i))
			timed[(*count)++] = i;
	}
	return timed;
}

/* Calls `add` for each change point and for the modes, or for each step of the counters of emulated
 * runs. */
static void visit_changes(const struct history *history,
			  void (*add)(struct text *out, const struct text *line, bool last),
			  struct text *out)
{
	const size_t count = history->emulated ? history->step_count : history->change_count;
	const bool modes = history->mode.mode.of > 0;
	struct text line = TEXT_INIT;

	for (size_t i = 0; i < count + modes; i++) {
		text_clear(&line);
		if (i == count)
			describe_mode(&line, history);
		else if (history->emulated)
			describe_counter_step(&line, history, &history->steps[i], add_run_name);
		else
			describe_change_point(&line, history, &history->changes[i]);
		add(out, &line, i + 1 == count + modes);
	}
	text_release(&line);
}

static struct table *table_of_history(const struct history *history, size_t begin)
{
	struct table *table = history->emulated ? table_of_counted_runs(history, begin)
						: table_of_runs(history, begin);

	table_drop_empty(table);
	return table;
}

/* Appends a line with labels and reasons escaped, so that their line ends cannot break the layout.
 */
static void add_escaped_line(struct text *out, const struct text *line, const char *before)
{
	struct text shown = TEXT_INIT;

	text_add_escaped(&shown, line->data);
	text_add(out, before);
	text_add(out, shown.data);
	text_add_char(out, '\n');
	text_release(&shown);
}

static void add_change_line(struct text *out, const struct text *line, bool last)
{
	(void)last;
	add_escaped_line(out, line, "");
}

static void add_changes(struct text *out, const struct history *history,
			const struct report_options *options)
{
	const size_t width = options && options->width > 0 ? (size_t)options->width : SIZE_MAX;
	struct text lines = TEXT_INIT;
	struct string_list list = {0};

	visit_changes(history, add_change_line, &lines);
	string_list_split(&list, lines.length ? lines.data : "", '\n');
	for (size_t i = 0; i < list.count; i++) {
		if (*list.items[i])
			wrap_text(out, 2, "", list.items[i], width);
	}
	string_list_release(&list);
	text_release(&lines);
}

void history_text(FILE *out, const struct history *history, size_t rows,
		  const struct report_options *options)
{
	size_t timed_count, begin = history_newest_from(history, rows);
	size_t *timed = timed_runs(history, &timed_count);
	struct table *table = table_of_history(history, begin);
	struct text text = TEXT_INIT, line = TEXT_INIT;

	add_heading(&line, history);
	add_escaped_line(&text, &line, "");
	if (timed_count > 1) {
		text_add_char(&text, '\n');
		add_bars(&text, history, timed, timed_count, options);
	}
	text_add_char(&text, '\n');
	text_clear(&line);
	add_state(&line, history, timed_count);
	if (line.length)
		add_escaped_line(&text, &line, "  ");
	add_changes(&text, history, options);
	text_add_char(&text, '\n');
	fwrite(text.data, 1, text.length, out);
	table_write_text(out, table, options);
	if (begin > 0)
		fprintf(out, "(%zu older runs: --limit 0 shows all)\n", begin);
	table_free(table);
	text_release(&text);
	text_release(&line);
	free(timed);
}

static void add_change_item(struct text *out, const struct text *line, bool last)
{
	struct text shown = TEXT_INIT;

	escape_markdown(&shown, line->data);
	text_addf(out, "- %s\n%s", shown.data, last ? "\n" : "");
	text_release(&shown);
}

void history_markdown(FILE *out, const struct history *history, size_t rows)
{
	size_t timed_count, begin = history_newest_from(history, rows);
	size_t *timed = timed_runs(history, &timed_count);
	struct table *table = table_of_history(history, begin);
	struct text line = TEXT_INIT, shown = TEXT_INIT;

	add_heading(&line, history);
	escape_markdown(&shown, line.data);
	fprintf(out, "### %s\n\n", shown.data);
	text_clear(&line);
	add_state(&line, history, timed_count);
	if (line.length)
		fprintf(out, "%s\n\n", line.data);
	text_clear(&shown);
	visit_changes(history, add_change_item, &shown);
	fwrite(shown.data ? shown.data : "", 1, shown.length, out);
	table_write_markdown(out, table);
	table_free(table);
	text_release(&line);
	text_release(&shown);
	free(timed);
}
