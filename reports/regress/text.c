/*
 * One run compared with another, as text and Markdown: the summary, what differs besides the code,
 * what was compared, and the cases that changed, the worst first.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "metrics/against.h"
#include "metrics/analysis/compare.h"
#include "metrics/analysis/statistics.h"
#include "reports/derived/derived.h"
#include "reports/regress/regress.h"
#include "reports/table/escape.h"
#include "reports/table/readable.h"
#include "reports/table/table.h"

/* ---- phrases ---- */

void regress_describe_run(struct text *out, const struct run *run)
{
	char when[21];

	format_utc(when, run->started_ns);
	text_addf(out, "%lld (%s%s%s", (long long)run->id, run->label ? run->label : "",
		  run->label ? ", " : "", when);
	if (run->source_revision) {
		char *revision = report_revision(run->source_revision);

		text_addf(out, ", revision %s", revision);
		free(revision);
	}
	if (run->state != RUN_FINISHED)
		text_addf(out, ", %s", run_state_name(run->state));
	text_add_char(out, ')');
}

/* "1 regressed, 3 unchanged; 1 fails by its lines", without what no case has. */
static void regress_summarise(struct text *out, const struct regress *regress)
{
	for (int i = 0; i < CHANGE_COUNT; i++)
		if (regress->tally[i])
			text_addf(out, "%s%zu %s", out->length ? ", " : "", regress->tally[i],
				  change_name((enum change)i));
	if (regress->ignored)
		text_addf(out, "%s%zu ignored", out->length ? ", " : "", regress->ignored);
	if (!out->length)
		text_add(out, "no cases");
	if (regress->by_lines)
		text_addf(out,
			  regress->by_lines == 1 ? "; %zu fails by its lines"
						 : "; %zu fail by their lines",
			  regress->by_lines);
	if (regress->unverified)
		text_addf(out, "; %zu unverified", regress->unverified);
}

void regress_describe_verdict(struct text *out, const struct regress_case *item)
{
	text_add(out, change_name(item->verdict));
	if (item->by_lines)
		text_add(out, ", fails by its lines");
}

void regress_describe_change(struct text *out, double change)
{
	if (isfinite(change))
		text_addf(out, "%+.2f %%", 100 * change);
}

void regress_describe_counters(struct text *out, const struct regress_case *item)
{
	static const struct {
		int verdict;
		const char *word;
	} groups[] = {{1, " (worse)"}, {-1, " (better)"}, {0, ""}};

	for (size_t g = 0; g < ARRAY_SIZE(groups); g++)
		for (size_t i = 0; i < item->counter_count; i++) {
			const struct counter_change *change = &item->counters[i];

			if (change->verdict == groups[g].verdict)
				text_addf(out, "%s%s %.15g to %.15g%s", out->length ? ", " : "",
					  change->metric, change->base, change->head,
					  groups[g].word);
		}
}

#define ROWS_OF_CHANGES 25 /* unless --all; each may have a reason below */

/* ---- the table ---- */

static const struct table_column regress_columns[] = {
	{.name = "verdict"},
	{.name = "case"},
	{.name = "base", .numeric = true, .drop = 3},
	{.name = "head", .numeric = true, .drop = 4},
	{.name = "change", .numeric = true},
	{.name = "interval", .numeric = true, .head = "95 % CI", .drop = 5},
	{.name = "p", .numeric = true, .drop = 6},
	{.name = "counters", .drop = 2},
	{.name = "why", .drop = 1},
};

static void add_compared_time(struct row *row, double time_ns)
{
	struct text *cell = row_cell(row);

	if (time_ns > 0)
		format_value(cell, time_ns, "ns");
}

static double shown_median(const struct trial *trial)
{
	return trial ? trial->summary.median_ns : NAN;
}

static enum row_style regress_row_style(const struct regress_case *item)
{
	if (item->gates)
		return ROW_BAD;
	if (item->verdict == CHANGE_IMPROVED)
		return ROW_BEST;
	return item->verdict == CHANGE_UNCHANGED || item->verdict == CHANGE_SAME_CODE ? ROW_DIM
										      : ROW_PLAIN;
}

/* A row of the table: a case, and how many more failed for the same reason. */
struct regress_row {
	const struct regress_case *item;
	size_t more;
};

static void add_regress_row(struct table *table, const struct regress_row *shown)
{
	const struct regress_case *item = shown->item;
	const struct effect *effect = &item->effect;
	struct row row = {0};
	struct text *cell;

	regress_describe_verdict(row_cell(&row), item);
	cell = row_cell(&row);
	text_add(cell, item->name);
	if (item->unverified)
		text_add(cell, " (unverified)"); /* `why` may say something else */
	if (shown->more)
		text_addf(cell, " and %zu more", shown->more);
	add_compared_time(&row, item->beside && item->head ? item->head->speedup.base_median_ns
							   : shown_median(item->base));
	add_compared_time(&row, shown_median(item->head));
	regress_describe_change(row_cell(&row), effect->change);
	cell = row_cell(&row);
	if (isfinite(effect->low + effect->high))
		text_addf(cell, "%+.2f to %+.2f", 100 * effect->low, 100 * effect->high);
	cell = row_cell(&row);
	if (isfinite(item->adjusted_p))
		text_addf(cell, "%.2g", item->adjusted_p);
	regress_describe_counters(row_cell(&row), item);
	row_add(&row, item->why);
	row_end(&row, table, regress_row_style(item));
}

/* Without --all, shows only cases that may need action. An unchanged case is shown if a counter
 * differs. An inconclusive one is also shown if it has no times, if its difference is significant,
 * or if it is large and nothing shows whether it is. */
static bool regress_case_is_shown(const struct regress_report *report,
				  const struct regress_case *item)
{
	if (item->ignored)
		return false;
	if (report->all || item->counter_count || item->gates)
		return true;
	if (item->verdict == CHANGE_INCONCLUSIVE)
		return !item->timed || item->adjusted_p < item->limits.false_alarms ||
		       (isnan(item->adjusted_p) &&
			fabs(item->effect.change) >= item->limits.resolution);
	return item->verdict != CHANGE_UNCHANGED && item->verdict != CHANGE_SAME_CODE;
}

/* ---- the worst first ---- */

/* What fails only by its lines has place 2, before what passes, so that its row is not hidden. */
static int place_of(const struct regress_case *item)
{
	static const int places[CHANGE_COUNT] = {
		[CHANGE_REGRESSED] = 0, [CHANGE_FAILED] = 1,    [CHANGE_MISSING] = 3,
		[CHANGE_IMPROVED] = 4,  [CHANGE_NEW] = 5,       [CHANGE_INCONCLUSIVE] = 6,
		[CHANGE_UNCHANGED] = 7, [CHANGE_SAME_CODE] = 8,
	};

	return item->by_lines ? 2 : places[item->verdict];
}

/* The largest relative change of a counter that got better or worse; 0: none did. */
static double counter_change_of(const struct regress_case *item)
{
	double largest = 0;

	for (size_t i = 0; i < item->counter_count; i++) {
		const struct counter_change *change = &item->counters[i];
		double relative = fabs(change->head - change->base) / fmax(fabs(change->base), 1);

		if (change->verdict != 0)
			largest = fmax(largest, relative);
	}
	return largest;
}

/* By verdict, then by the change of the time, then by the change of the counters. */
static int compare_by_harm(const void *left, const void *right)
{
	const struct regress_case *a = *(const struct regress_case *const *)left;
	const struct regress_case *b = *(const struct regress_case *const *)right;
	double time_a = a->timed ? fabs(a->effect.change) : -1;
	double time_b = b->timed ? fabs(b->effect.change) : -1;
	double counters_a = counter_change_of(a), counters_b = counter_change_of(b);

	if (place_of(a) != place_of(b))
		return place_of(a) - place_of(b);
	if (time_a != time_b)
		return time_a > time_b ? -1 : 1;
	if (counters_a != counters_b)
		return counters_a > counters_b ? -1 : 1;
	return a < b ? -1 : 1;
}

static bool fail_alike(const struct regress_case *a, const struct regress_case *b)
{
	return a->verdict == CHANGE_FAILED && b->verdict == CHANGE_FAILED && a->head && b->head &&
	       trial_failures_agree(a->head, b->head);
}

/* The row of a case that failed for the same reason; `count`: none. */
static size_t row_of_failure(const struct regress_row *rows, size_t count,
			     const struct regress_case *item)
{
	size_t at = 0;

	while (at < count && !fail_alike(rows[at].item, item))
		at++;
	return at;
}

/* The rows to show, the worst case first; malloc'd. *hidden: the table lacks cases. */
static struct regress_row *rows_to_show(size_t *count, bool *hidden,
					const struct regress_report *report)
{
	const struct regress *regress = report->regress;
	const struct regress_case **cases =
		xcalloc(regress->count + 1, sizeof(const struct regress_case *));
	struct regress_row *rows = xcalloc(regress->count + 1, sizeof(*rows));
	const size_t most = report->all ? regress->count : ROWS_OF_CHANGES;
	size_t shown = 0;

	for (size_t i = 0; i < regress->count; i++) {
		if (regress_case_is_shown(report, &regress->cases[i]))
			cases[shown++] = &regress->cases[i];
	}
	*hidden = shown < regress->count - regress->ignored;
	*count = 0;
	qsort(cases, shown, sizeof(const struct regress_case *), compare_by_harm);
	for (size_t i = 0; i < shown; i++) {
		const size_t at = report->all ? *count : row_of_failure(rows, *count, cases[i]);

		*hidden |= at < *count || at == most;
		if (at < *count)
			rows[at].more++;
		else if (at < most)
			rows[(*count)++].item = cases[i];
	}
	free(cases);
	return rows;
}

/* NULL: there is no row. */
static struct table *regress_table(const struct regress_report *report, bool *hidden)
{
	size_t count;
	struct regress_row *rows = rows_to_show(&count, hidden, report);
	struct table *table = NULL;

	for (size_t i = 0; i < count; i++) {
		if (!table)
			table = table_new(regress_columns, ARRAY_SIZE(regress_columns));
		add_regress_row(table, &rows[i]);
	}
	if (table)
		table_drop_empty(table);
	free(rows);
	return table;
}

/* ---- heading and summary ---- */

/* Says how many cases were compared by what: a gate may check less than its user thinks. */
static void describe_compared(struct text *out, const struct regress *regress)
{
	size_t by_time = 0, by_counters = 0;

	for (size_t i = 0; i < regress->count; i++) {
		by_time += regress->cases[i].timed;
		by_counters += regress->cases[i].counters_compared > 0;
	}
	text_addf(out, "%zu %s by time, %zu by counters", by_time, by_time == 1 ? "case" : "cases",
		  by_counters);
}

/* Says what the intervals of the times cover; nothing if there are none. */
static void describe_covered(struct text *out, const struct regress *regress)
{
	size_t sessions = 0, intervals = 0, beside = 0;

	for (size_t i = 0; i < regress->count; i++) {
		const struct effect *effect = &regress->cases[i].effect;

		intervals += effect_covers(effect) != NULL;
		sessions += effect->session_freedom > 0;
		beside += regress->cases[i].beside;
	}
	if (!intervals)
		return;
	text_add(out, "samples, placements and rounds");
	if (sessions == intervals)
		text_add(out, ", and earlier sessions of this card");
	else if (sessions)
		text_addf(out, "; of %zu cases earlier sessions of this card, too", sessions);
	else if (beside)
		text_add(out, " of this session, in which both versions were measured in turn");
	else
		text_add(out, " of these two sessions: no earlier session tells how others differ");
}

/* The mean time of an empty kernel in the rounds of a run. NAN: not measured. */
static double launch_of(const struct run *run)
{
	double sum = 0;
	size_t count = 0;

	for (size_t i = 0; i < run->trial_count; i++) {
		const struct trial *trial = &run->trials[i];
		const double own = round_clocks_of(trial->rounds, trial->round_count).launch_ns;

		sum += isfinite(own) ? own : 0;
		count += isfinite(own);
	}
	return count ? sum / (double)count : NAN;
}

/* Changes differ from the medians that are shown by what launches took; nothing if that is not
 * known. */
static void say_what_launches_took(struct text *out, const struct run *base, const struct run *head)
{
	const double before = launch_of(base), after = launch_of(head);

	if (!isfinite(before) || !isfinite(after))
		return;
	text_add(out, "an empty kernel took ");
	format_value(out, before, "ns");
	text_add(out, ", then ");
	format_value(out, after, "ns");
	text_add(out, "; the changes count as if it had taken the same");
}

/* One line of the heading; several may have the same key. */
struct heading_line {
	const char *key;
	char *value;
};
struct heading {
	struct heading_line *lines;
	size_t count, capacity;
};

/* Takes ownership of the value. */
static void heading_add_line(struct heading *heading, const char *key, char *value)
{
	heading->lines = xgrow(heading->lines, &heading->capacity, heading->count + 1,
			       sizeof(*heading->lines));
	heading->lines[heading->count++] = (struct heading_line){key, value};
}

/* Says of one run why not all of its rounds are used. */
static void heading_add_discarded(struct heading *heading, const struct run *run)
{
	const struct sequential_test test = sequential_test_of_run(run);
	char *discarded = sequential_test_discarded(&test);

	if (discarded)
		heading_add_line(heading, "discarded",
				 xasprintf("of run %lld, %s", (long long)run->id, discarded));
	free(discarded);
}

/* The first of the cases that only the revision has with which the run was compared. */
static void add_gone(struct heading *heading, const struct run *run)
{
	char *first = NULL;
	size_t count = 0;

	for (size_t i = 0; i < run->trial_count; i++)
		if (against_is_gone(&run->trials[i]) && !count++)
			first = trial_case_name(&run->trials[i]);
	if (count)
		heading_add_line(heading, "gone",
				 xasprintf("%zu %s of then, such as %s", count,
					   count == 1 ? "case" : "cases", first));
	free(first);
}

/* What changed besides the code comes first, because it may be the reason for everything below. */
static void regress_heading(struct heading *heading, const struct regress_report *report)
{
	struct text base = TEXT_INIT, head = TEXT_INIT, compared = TEXT_INIT, covered = TEXT_INIT;
	struct text launches = TEXT_INIT;

	for (size_t i = 0; i < report->differences->count; i++) {
		const struct regress_difference *item = &report->differences->items[i];

		heading_add_line(heading, "differs",
				 xasprintf("%s: %s, then %s", item->what, item->base, item->head));
	}
	regress_describe_run(&base, report->base);
	regress_describe_run(&head, report->head);
	describe_compared(&compared, report->regress);
	heading_add_line(heading, "base", text_detach(&base));
	heading_add_line(heading, "head", text_detach(&head));
	heading_add_discarded(heading, report->base);
	heading_add_discarded(heading, report->head);
	heading_add_line(heading, "device", xstrdup(report->head->device.name));
	if (report->thresholds)
		heading_add_line(heading, "limits", xstrdup(report->thresholds));
	heading_add_line(heading, "compared", text_detach(&compared));
	describe_covered(&covered, report->regress);
	if (covered.length)
		heading_add_line(heading, "covers", text_detach(&covered));
	say_what_launches_took(&launches, report->base, report->head);
	if (launches.length)
		heading_add_line(heading, "launches", text_detach(&launches));
	text_release(&covered);
	text_release(&launches);
	add_gone(heading, report->head);
}

static void heading_release(struct heading *heading)
{
	for (size_t i = 0; i < heading->count; i++)
		free(heading->lines[i].value);
	free(heading->lines);
}

/* Reasons are never dropped or cut: they go below. So do counters, unless there are no times: then
 * the reasons name the counters. */
static void keep_reasons(struct table *table, const struct regress *regress)
{
	bool timed = false;

	for (size_t i = 0; i < regress->count; i++)
		timed |= regress->cases[i].timed;
	for (size_t j = 0; j < table->column_count; j++) {
		const char *name = table->columns[j].name;

		table->below += strcmp(name, "why") == 0;
		table->below += timed && strcmp(name, "counters") == 0;
	}
}

static void write_regress_text(FILE *out, const struct regress_report *report,
			       const struct report_options *options)
{
	const size_t width = options && options->width > 0 ? (size_t)options->width : SIZE_MAX;
	struct heading heading = {0};
	struct text text = TEXT_INIT, shown = TEXT_INIT;
	bool hidden;
	struct table *table = regress_table(report, &hidden);

	regress_summarise(&shown, report->regress);
	text_addf(&text, "%s%s%s%s\n", options && options->colour ? "\033[1m" : "", shown.data,
		  options && options->colour ? "\033[0m" : "",
		  hidden ? " (--all shows every case)" : "");
	regress_heading(&heading, report);
	for (size_t i = 0; i < heading.count; i++) {
		char *head = xasprintf("%-9s ", heading.lines[i].key);

		text_clear(&shown);
		text_add_escaped(&shown, heading.lines[i].value);
		wrap_text(&text, 2, head, shown.data, width);
		free(head);
	}
	fwrite(text.data, 1, text.length, out);
	if (table) {
		fputc('\n', out);
		keep_reasons(table, report->regress);
		table_write_text(out, table, options);
	}
	regress_lines_text(out, report, options);
	table_free(table);
	heading_release(&heading);
	text_release(&text);
	text_release(&shown);
}

/* Names stay as they are, but a terminal without UTF-8 gets no arrow. */
static void write_without_arrows(FILE *out, const char *text)
{
	const char *arrow;

	for (; (arrow = strstr(text, "→")); text = arrow + strlen("→")) {
		fwrite(text, 1, (size_t)(arrow - text), out);
		fputs("->", out);
	}
	fputs(text, out);
}

void regress_text(FILE *out, const struct regress_report *report,
		  const struct report_options *options)
{
	char *text = NULL;
	size_t length;
	FILE *stream = options && options->ascii ? open_memstream(&text, &length) : NULL;

	write_regress_text(stream ? stream : out, report, options);
	if (stream && fclose(stream) == 0)
		write_without_arrows(out, text);
	free(text);
}

void regress_markdown(FILE *out, const struct regress_report *report)
{
	struct heading heading = {0};
	struct text text = TEXT_INIT, summary = TEXT_INIT;
	bool hidden;
	struct table *table = regress_table(report, &hidden);

	regress_heading(&heading, report);
	regress_summarise(&summary, report->regress);
	text_addf(&text, "**perflab regress: %s**%s\n\n", summary.data,
		  hidden ? " (`--all` shows every case)" : "");
	for (size_t i = 0; i < heading.count; i++) {
		text_addf(&text, "- %s: ", heading.lines[i].key);
		escape_markdown(&text, heading.lines[i].value);
		text_add_char(&text, '\n');
	}
	fwrite(text.data, 1, text.length, out);
	if (table) {
		fputc('\n', out);
		table_write_markdown(out, table);
	}
	regress_lines_markdown(out, report);
	table_free(table);
	heading_release(&heading);
	text_release(&text);
	text_release(&summary);
}
