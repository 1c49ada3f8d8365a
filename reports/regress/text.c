/*
 * One run compared with another, as text and Markdown: what was compared, what differs besides the
 * code, and the cases that changed, the worst first.
 */
#include <math.h>
#include <stdlib.h>

#include "metrics/analysis/compare.h"
#include "reports/regress/regress.h"
#include "reports/table/escape.h"
#include "reports/table/table.h"

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

static char *cell_time(const struct trial *trial)
{
	char shown[32];

	if (!trial || !(trial->summary.median_ns > 0))
		return NULL;
	format_duration(shown, trial->summary.median_ns);
	return xstrdup(shown);
}

static char *cell_or_none(struct text *text)
{
	if (text->length)
		return text_detach(text);
	text_release(text);
	return NULL;
}

static char *cell_change(double change)
{
	struct text text = TEXT_INIT;

	regress_describe_change(&text, change);
	return cell_or_none(&text);
}

static char *cell_counters(const struct regress_case *item)
{
	struct text text = TEXT_INIT;

	regress_describe_counters(&text, item);
	return cell_or_none(&text);
}

static enum row_style regress_row_style(const struct regress_case *item)
{
	if (item->gates)
		return ROW_BAD;
	if (item->verdict == CHANGE_IMPROVED)
		return ROW_BEST;
	return item->verdict == CHANGE_UNCHANGED ? ROW_DIM : ROW_PLAIN;
}

static void add_regress_row(struct table *table, const struct regress_case *item)
{
	const struct effect *effect = &item->effect;
	char *base = cell_time(item->base), *head = cell_time(item->head);
	char *change = cell_change(effect->change), *counters = cell_counters(item);
	char *interval =
		!isfinite(effect->low + effect->high)
			? NULL
			: xasprintf("%+.2f to %+.2f", 100 * effect->low, 100 * effect->high);
	char *p = !isfinite(item->adjusted_p) ? NULL : xasprintf("%.2g", item->adjusted_p);
	/* `why` says it, too, but a narrow table has no such column */
	char *name = xasprintf("%s%s", item->name, item->unverified ? " (unverified)" : "");

	table_row_styled(table,
			 (const char *const[]){change_name(item->verdict), name, base, head, change,
					       interval, p, counters, item->why},
			 regress_row_style(item));
	free(base);
	free(head);
	free(change);
	free(counters);
	free(interval);
	free(name);
	free(p);
}

/* Without --all, shows only cases that may need action. An unchanged case is shown if a counter
 * differs. An inconclusive one is also shown if it has no times or its difference is significant.
 */
static bool regress_case_is_shown(const struct regress_report *report,
				  const struct regress_case *item)
{
	if (item->ignored)
		return false;
	if (report->all || item->counter_count)
		return true;
	if (item->verdict == CHANGE_INCONCLUSIVE)
		return !item->timed || item->adjusted_p < item->limits.false_alarms;
	return item->verdict != CHANGE_UNCHANGED;
}

/* NULL: there is no row. */
static struct table *regress_table(const struct regress_report *report)
{
	static const enum change order[] = {CHANGE_REGRESSED, CHANGE_FAILED, CHANGE_MISSING,
					    CHANGE_IMPROVED,  CHANGE_NEW,    CHANGE_INCONCLUSIVE,
					    CHANGE_UNCHANGED};
	struct table *table = NULL;

	for (size_t o = 0; o < ARRAY_SIZE(order); o++)
		for (size_t i = 0; i < report->regress->count; i++) {
			const struct regress_case *item = &report->regress->cases[i];

			if (item->verdict != order[o] || !regress_case_is_shown(report, item))
				continue;
			if (!table)
				table = table_new(regress_columns, ARRAY_SIZE(regress_columns));
			add_regress_row(table, item);
		}
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

static void regress_heading(struct key_value_list *lines, const struct regress_report *report)
{
	struct text base = TEXT_INIT, head = TEXT_INIT;

	regress_describe_run(&base, report->base);
	regress_describe_run(&head, report->head);
	key_value_set(lines, "base", base.data);
	key_value_set(lines, "head", head.data);
	key_value_set(lines, "device", report->head->device.name);
	if (report->thresholds)
		key_value_set(lines, "limits", report->thresholds);
	text_clear(&head);
	describe_compared(&head, report->regress);
	key_value_set(lines, "compared", head.data);
	for (size_t i = 0; i < report->differences->count; i++) {
		const struct regress_difference *item = &report->differences->items[i];
		char *line = xasprintf("%s, then %s", item->base, item->head);

		key_value_set(lines, item->what, line);
		free(line);
	}
	text_release(&base);
	text_release(&head);
}

static size_t count_hidden(const struct regress_report *report)
{
	size_t count = 0;

	for (size_t i = 0; i < report->regress->count; i++)
		count += !report->regress->cases[i].ignored &&
			 !regress_case_is_shown(report, &report->regress->cases[i]);
	return count;
}

void regress_text(FILE *out, const struct regress_report *report,
		  const struct report_options *options)
{
	struct key_value_list lines = {0};
	struct text text = TEXT_INIT, summary = TEXT_INIT;
	struct table *table = regress_table(report);

	regress_heading(&lines, report);
	for (size_t i = 0; i < lines.count; i++) {
		text_addf(&text, "  %-9s ", lines.items[i].key);
		escape_show(&text, lines.items[i].value);
		text_add_char(&text, '\n');
	}
	text_add_char(&text, '\n');
	fwrite(text.data, 1, text.length, out);
	if (table) {
		table_write_text(out, table, options);
		fputc('\n', out);
	}
	regress_summarise(&summary, report->regress);
	fprintf(out, "%s%s\n", summary.data,
		count_hidden(report) ? " (--all shows every case)" : "");
	table_free(table);
	key_value_list_release(&lines);
	text_release(&text);
	text_release(&summary);
}

void regress_markdown(FILE *out, const struct regress_report *report)
{
	struct key_value_list lines = {0};
	struct text text = TEXT_INIT, summary = TEXT_INIT;
	struct table *table = regress_table(report);

	regress_heading(&lines, report);
	regress_summarise(&summary, report->regress);
	text_addf(&text, "**perflab regress: %s**\n\n", summary.data);
	for (size_t i = 0; i < lines.count; i++) {
		text_addf(&text, "- %s: ", lines.items[i].key);
		escape_markdown(&text, lines.items[i].value);
		text_add_char(&text, '\n');
	}
	fwrite(text.data, 1, text.length, out);
	if (table) {
		fputc('\n', out);
		table_write_markdown(out, table);
	}
	table_free(table);
	key_value_list_release(&lines);
	text_release(&text);
	text_release(&summary);
}
