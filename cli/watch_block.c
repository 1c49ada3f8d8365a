/* Prints a measurement of `perflab watch`. See watch_block.h. */
#include "cli/watch_block.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/output.h"

/* ---- cells ---- */

static char *detach_or_null(struct text *text)
{
	if (text->length)
		return text_detach(text);
	text_release(text);
	return NULL;
}

static void show_time_of(struct text *out, const struct watch_result *result)
{
	char shown[32];

	if (!result->run || !(result->trial->summary.median_ns > 0))
		return;
	format_duration(shown, result->trial->summary.median_ns);
	text_add(out, shown);
}

static void show_limiter_of(struct text *out, const struct watch_result *result)
{
	if (!result->run || result->bound == BOUND_UNKNOWN)
		return;
	text_add(out, bound_name(result->bound));
	if (isfinite(result->roof_pct))
		text_addf(out, " %.0f %%", result->roof_pct);
}

static void show_registers_of(struct text *out, const struct watch_result *result)
{
	if (result->run && result->trial->facts.registers_per_thread >= 0)
		text_addf(out, "%lld", (long long)result->trial->facts.registers_per_thread);
}

static void show_occupancy_of(struct text *out, const struct watch_result *result)
{
	const struct counter_value *achieved =
		result->run ? counter_list_find(&result->trial->counters, "achieved_occupancy_pct")
			    : NULL;

	if (achieved && achieved->has_value)
		text_addf(out, "%.1f %%", achieved->value);
}

/* What the launch allows. It is computed, so it has a row of its own. */
static void show_occupancy_limit_of(struct text *out, const struct watch_result *result)
{
	if (result->run && isfinite(result->trial->facts.theoretical_occupancy_pct))
		text_addf(out, "%.1f %%", result->trial->facts.theoretical_occupancy_pct);
}

/* The values of a measurement besides its counters. */
static const struct {
	const char *name;
	void (*add)(struct text *out, const struct watch_result *result);
	bool judged; /* the comparison says more about a change of it */
	bool noisy;  /* it differs from run to run, so a difference is not listed as one */
} values[] = {
	{"time", show_time_of, true, true},
	{"limiter", show_limiter_of, false, false},
	{"registers", show_registers_of, false, false},
	{"occupancy", show_occupancy_of, false, true},
	{"occ. limit", show_occupancy_limit_of, false, false},
};

static char *value_text(size_t value, const struct watch_result *result)
{
	struct text text = TEXT_INIT;

	values[value].add(&text, result);
	return detach_or_null(&text);
}

static void add_change(struct text *out, const struct watch_base *base)
{
	if (base->judged && base->judged->timed)
		text_addf(out, "%+.1f %%", 100 * base->judged->effect.change);
}

/* ---- one case ---- */

enum { COLUMN_WHAT, COLUMN_NOW, COLUMN_LAST, COLUMN_BEST, COLUMNS };

static bool shows_best(const struct watch_case *item)
{
	return item->best.result.run && item->best.result.run != item->last.result.run;
}

static void add_value_row(struct table *table, const struct watch_case *item, size_t value)
{
	char *cells[COLUMNS] = {xstrdup(values[value].name), value_text(value, &item->now),
				value_text(value, &item->last.result),
				value_text(value, &item->best.result)};

	for (size_t c = COLUMN_LAST; c < COLUMNS && values[value].judged; c++) {
		struct text text = TEXT_INIT;

		add_change(&text, c == COLUMN_LAST ? &item->last : &item->best);
		if (text.length && cells[c]) {
			char *both = xasprintf("%s (%s)", cells[c], text.data);

			free(cells[c]);
			cells[c] = both;
		}
		text_release(&text);
	}
	if (cells[COLUMN_NOW] || cells[COLUMN_LAST])
		table_row(table, (const char *const *)cells);
	for (size_t c = 0; c < COLUMNS; c++)
		free(cells[c]);
}

static const struct counter_change *find_change(const struct watch_base *base, const char *metric)
{
	for (size_t i = 0; base->judged && i < base->judged->counter_count; i++)
		if (!strcmp(base->judged->counters[i].metric, metric))
			return &base->judged->counters[i];
	return NULL;
}

static void add_moved_number(struct cells *cells, double value)
{
	cell_take(cells, isfinite(value) ? xasprintf("%.15g", value) : NULL);
}

/* A counter that differs from at least one of the two bases. */
static void add_counter_row(struct table *table, const struct watch_case *item,
			    const struct counter_value *counter)
{
	const struct counter_change *last = find_change(&item->last, counter->metric);
	const struct counter_change *best = find_change(&item->best, counter->metric);
	struct cells cells = {0};

	if (!last && !(best && shows_best(item)))
		return;
	cell_text(&cells, counter->metric);
	add_moved_number(&cells, counter->value);
	add_moved_number(&cells, last ? last->base : counter->value);
	add_moved_number(&cells, best ? best->base : counter->value);
	cells_end(&cells, table);
}

static int print_one_case(const struct invocation *call, const struct watch_case *item,
			  struct error *err)
{
	char *last = xasprintf("run %lld",
			       (long long)(item->last.result.run ? item->last.result.run->id : 0));
	char *best = xasprintf("best: run %lld",
			       (long long)(item->best.result.run ? item->best.result.run->id : 0));
	const struct table_column columns[COLUMNS] = {
		{.name = "value"},
		{.name = "now", .numeric = true},
		{.name = "last", .numeric = true, .head = last},
		{.name = "best", .numeric = true, .head = best}};
	const size_t shown = !item->last.result.run ? COLUMN_LAST
			     : shows_best(item)     ? COLUMNS
						    : COLUMN_BEST;
	struct table *table = table_new(columns, shown);
	const struct counter_list *counters = &item->trial->counters;
	int rc;

	for (size_t i = 0; i < ARRAY_SIZE(values); i++)
		add_value_row(table, item, i);
	for (size_t i = 0; i < counters->count; i++)
		add_counter_row(table, item, &counters->items[i]);
	rc = table_row_count(table) ? table_to_stdout(call, table, REPORT_TEXT, err) : 0;
	table_free(table);
	free(last);
	free(best);
	return rc;
}

/* ---- several cases ---- */

static void add_moved(struct text *out, const char *name, const char *before, const char *now)
{
	text_addf(out, "%s%s %s to %s", out->length ? ", " : "", name, before ? before : "unknown",
		  now ? now : "unknown");
}

/* What differs from the last measurement besides the time. */
static char *moved_cell(const struct watch_case *item)
{
	const struct regress_case *judged = item->last.judged;
	struct text text = TEXT_INIT;

	if (!item->now.run || !item->last.result.run)
		return xstrdup("");
	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		char *now = value_text(i, &item->now);
		char *before = value_text(i, &item->last.result);

		if (!values[i].noisy && strcmp(now ? now : "", before ? before : "") != 0)
			add_moved(&text, values[i].name, before, now);
		free(now);
		free(before);
	}
	for (size_t i = 0; judged && i < judged->counter_count; i++)
		text_addf(&text, "%s%s %.15g to %.15g", text.length ? ", " : "",
			  judged->counters[i].metric, judged->counters[i].base,
			  judged->counters[i].head);
	return text_detach(&text);
}

/* "" if they were not compared. */
static char *compared_cell(const struct watch_base *base)
{
	struct text text = TEXT_INIT;

	if (base->judged && base->change != WATCH_NOT_COMPARED) {
		add_change(&text, base);
		text_addf(&text, "%s%s", text.length ? " " : "", watch_change_words(base->change));
	}
	return text_detach(&text);
}

static int print_cases(const struct invocation *call, const struct watch_report *report,
		       struct error *err)
{
	static const struct table_column columns[] = {
		{.name = "case"},
		{.name = "status"},
		{.name = "time", .numeric = true},
		{.name = "last", .head = "against last"},
		{.name = "best", .head = "against best"},
		{.name = "moved", .head = "moved since last"}};
	struct table *table = table_new(columns, ARRAY_SIZE(columns));
	int rc;

	for (size_t i = 0; i < report->count; i++) {
		const struct watch_case *item = &report->cases[i];
		struct cells cells = {0};

		cell_take(&cells, trial_case_name(item->trial));
		cell_text(&cells, trial_status_name(item->trial->status));
		cell_take(&cells, value_text(0, &item->now));
		cell_take(&cells, compared_cell(&item->last));
		cell_take(&cells, item->is_best      ? xstrdup("new best")
				  : shows_best(item) ? compared_cell(&item->best)
						     : xstrdup(""));
		cell_take(&cells, moved_cell(item));
		cells_end(&cells, table);
	}
	rc = table_to_stdout(call, table, REPORT_TEXT, err);
	table_free(table);
	return rc;
}

/* ---- what went wrong ---- */

/* The table escapes what a kernel or a compiler wrote. */
static int print_wrong(const struct invocation *call, const struct watch_report *report,
		       struct error *err)
{
	static const struct table_column columns[] = {
		{.name = "status"}, {.name = "case"}, {.name = "reason"}};
	struct table *table = table_new(columns, ARRAY_SIZE(columns));
	int rc = 0;

	for (size_t i = 0; i < report->count; i++) {
		const struct trial *trial = report->cases[i].trial;
		char *name = trial_case_name(trial);

		if (!trial_status_counted(trial->status))
			table_row(table, (const char *const[]){trial_status_name(trial->status),
							       name, trial->reason});
		free(name);
	}
	if (table_row_count(table))
		rc = table_to_stdout(call, table, REPORT_TEXT, err);
	table_free(table);
	return rc;
}

/* ---- the verdict ---- */

static void add_base_verdict(struct text *out, const struct watch_base *base, const char *with)
{
	const struct regress_case *judged = base->judged;

	if (!judged || base->change == WATCH_NOT_COMPARED)
		return;
	text_addf(out, "; against the %s (run %lld): %s", with, (long long)base->result.run->id,
		  watch_change_words(base->change));
	if (judged->timed && isnan(judged->effect.p))
		text_addf(out, " (%+.1f %%)", 100 * judged->effect.change);
	else if (judged->timed)
		text_addf(out, " (%+.1f %%, %+.1f to %+.1f)", 100 * judged->effect.change,
			  100 * judged->effect.low, 100 * judged->effect.high);
}

static void add_case_verdict(struct text *out, const struct watch_case *item)
{
	char *name = trial_case_name(item->trial);

	text_addf(out, "%s %s", name, trial_status_name(item->trial->status));
	free(name);
	if (!item->now.run)
		return;
	if (item->now.above_roof)
		text_add(out, ", a finding: faster than the measured roofs of the device allow");
	text_add(out, item->now.trial->summary.median_ns > 0 ? ", " : "");
	show_time_of(out, &item->now);
	add_base_verdict(out, &item->last, "last");
	if (item->is_best)
		text_add(out, item->best.result.run ? "; new best" : "; the best so far");
	else if (shows_best(item))
		add_base_verdict(out, &item->best, "best");
	if (item->new_problem)
		text_add(out, "; the work model changed, so earlier times are no longer the best");
}

static void add_tally(struct text *out, size_t count, const char *words)
{
	if (count)
		text_addf(out, "%s%zu %s", out->length ? ", " : "", count, words);
}

/* "5 cases: 1 mismatch, 2 faster, 2 within noise; 1 new best". */
static void add_summary(struct text *out, const struct watch_report *report)
{
	size_t statuses[TRIAL_STATUS_COUNT] = {0}, changes[WATCH_CHANGE_COUNT] = {0};
	size_t best = 0, unverified = 0;
	struct text counts = TEXT_INIT;

	for (size_t i = 0; i < report->count; i++) {
		const struct watch_case *item = &report->cases[i];

		if (item->now.run && item->last.change != WATCH_NOT_COMPARED)
			changes[item->last.change]++;
		else
			statuses[item->trial->status]++;
		unverified += item->trial->status == TRIAL_UNVERIFIED;
		best += item->is_best && item->last.result.run;
	}
	statuses[TRIAL_UNVERIFIED] = 0; /* said below */
	for (size_t s = 0; s < TRIAL_STATUS_COUNT; s++)
		add_tally(&counts, statuses[s], trial_status_name((enum trial_status)s));
	for (size_t c = 0; c < WATCH_CHANGE_COUNT; c++)
		add_tally(&counts, changes[c], watch_change_words((enum watch_change)c));
	if (unverified)
		text_addf(&counts, "%s%zu unverified", counts.length ? "; " : "", unverified);
	if (best)
		text_addf(&counts, "%s%zu new best", counts.length ? "; " : "", best);
	text_addf(out, "%zu %s: %s", report->count, report->count == 1 ? "case" : "cases",
		  counts.data);
	text_release(&counts);
}

static void print_verdict(const struct watch_report *report)
{
	struct text line = TEXT_INIT, shown = TEXT_INIT;

	text_addf(&line, "run %lld: ", (long long)report->run->id);
	if (report->count == 1)
		add_case_verdict(&line, &report->cases[0]);
	else
		add_summary(&line, report);
	if (report->outdated)
		text_add(&line, "; a file was saved meanwhile, so this counts neither as the last "
				"nor as the best");
	text_add_escaped(&shown, line.data);
	puts(shown.data);
	text_release(&shown);
	text_release(&line);
}

int watch_block_print(const struct invocation *call, const struct watch_report *report,
		      struct error *err)
{
	int rc = print_wrong(call, report, err);

	if (!rc && report->count > 1)
		rc = print_cases(call, report, err);
	else if (!rc && report->count == 1 && report->cases[0].now.run)
		rc = print_one_case(call, &report->cases[0], err);
	if (!rc)
		print_verdict(report);
	return rc ? rc : stdout_printed(err);
}
