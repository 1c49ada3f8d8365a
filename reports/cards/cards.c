/* Two devices compared, as text, Markdown and CSV. */
#include <math.h>
#include <stdlib.h>

#include "reports/cards/cards.h"
#include "reports/table/escape.h"
#include "reports/table/json.h"
#include "reports/table/table.h"

/* ---- cells ---- */

/* A row of texts; an empty one is a missing value. */
static void add_cells(struct table *table, struct text *cells, size_t count)
{
	const char *shown[16];

	for (size_t i = 0; i < count; i++)
		shown[i] = cells[i].length ? cells[i].data : NULL;
	table_row(table, shown);
	for (size_t i = 0; i < count; i++)
		text_release(&cells[i]);
}

static void add_median(struct text *out, const struct trial *trial, bool exact)
{
	char shown[32];

	format_duration(shown, trial->summary.median_ns);
	if (exact)
		text_addf(out, "%.15g", trial->summary.median_ns);
	else
		text_add(out, shown);
}

static void add_number(struct text *out, double value, const char *format)
{
	char shown[32];

	if (!isfinite(value))
		return;
	snprintf(shown, sizeof(shown), format, value);
	text_add(out, shown);
}

/* ---- tables ---- */

static struct table *roofs_table(const struct cards_report *report)
{
	static const struct table_column columns[] = {{.name = "roof"},
						      {.name = "a", .numeric = true},
						      {.name = "b", .numeric = true},
						      {.name = "b / a", .numeric = true}};
	struct table *table = table_new(columns, ARRAY_SIZE(columns));

	for (int i = 0; i < MEMORY_LEVEL_COUNT + PRECISION_COUNT; i++) {
		bool is_level = i < MEMORY_LEVEL_COUNT;
		int of = is_level ? i : i - MEMORY_LEVEL_COUNT;
		const struct ceiling *a = card_roof(report->ceilings[0], is_level, of);
		const struct ceiling *b = card_roof(report->ceilings[1], is_level, of);
		struct text cells[ARRAY_SIZE(columns)] = {TEXT_INIT, TEXT_INIT, TEXT_INIT,
							  TEXT_INIT};

		if (!a && !b)
			continue;
		text_add(&cells[0], is_level ? memory_level_name((enum memory_level)of)
					     : precision_name((enum precision)of));
		if (a)
			rate_text(&cells[1], a->per_s, a->kind);
		if (b)
			rate_text(&cells[2], b->per_s, b->kind);
		if (a && b)
			add_number(&cells[3], b->per_s / a->per_s, "%.2f");
		add_cells(table, cells, ARRAY_SIZE(columns));
	}
	return table;
}

/* Numbers for people are rounded; `exact` ones are for programs. */
static struct table *cases_table(const struct card_rows *rows, bool all, bool exact)
{
	static const struct table_column columns[] = {
		{.name = "case"},
		{.name = "time_a_ns", .numeric = true, .head = "time A"},
		{.name = "time_b_ns", .numeric = true, .head = "time B"},
		{.name = "time_ratio", .numeric = true, .head = "B / A"},
		{.name = "ratio_low", .numeric = true, .head = "from", .drop = 4},
		{.name = "ratio_high", .numeric = true, .head = "to", .drop = 3},
		{.name = "limiter_a", .head = "limiter A", .drop = 1},
		{.name = "roof_pct_a", .numeric = true, .head = "roof % A"},
		{.name = "limiter_b", .head = "limiter B", .drop = 2},
		{.name = "roof_pct_b", .numeric = true, .head = "roof % B"},
	};
	struct table *table = table_new(columns, ARRAY_SIZE(columns));

	for (size_t i = 0; i < rows->count; i++) {
		const struct card_row *row = &rows->items[i];
		const char *number = exact ? "%.15g" : "%.3f";
		struct text cells[ARRAY_SIZE(columns)];
		char *name;

		if (!all && !row->best)
			continue;
		for (size_t j = 0; j < ARRAY_SIZE(columns); j++)
			cells[j] = (struct text)TEXT_INIT;
		name = trial_case_name(row->trials[0]);
		text_add(&cells[0], name);
		free(name);
		add_number(&cells[3], row->pair->ratio, number);
		add_number(&cells[4], row->pair->low, number);
		add_number(&cells[5], row->pair->high, number);
		for (int card = 0; card < CARDS; card++) {
			const struct verdict *verdict = &row->rooflines[card].verdict;

			add_median(&cells[1 + card], row->trials[card], exact);
			text_add(&cells[6 + 2 * card], verdict_limiter_name(verdict));
			add_number(&cells[7 + 2 * card], verdict->roof_pct,
				   exact ? "%.15g" : "%.1f");
		}
		add_cells(table, cells, ARRAY_SIZE(columns));
	}
	return table;
}

/* ---- the report for people ---- */

static int write_readable(FILE *out, const struct cards_report *report,
			  const struct card_rows *rows, enum report_format format,
			  const struct report_options *options, struct error *err)
{
	bool all = options && options->selection && options->selection->all;
	const char *end = format == REPORT_MARKDOWN ? "  \n" : "\n";
	struct table *roofs = roofs_table(report), *cases;
	int rc;

	fprintf(out, "%sTwo cards compared\n\n", format == REPORT_MARKDOWN ? "#### " : "");
	for (int card = 0; card < CARDS; card++) {
		const struct run *run = report->runs[card];
		struct text name = TEXT_INIT;

		if (format == REPORT_MARKDOWN)
			escape_markdown(&name, run->device.name);
		else
			escape_show(&name, run->device.name);
		fprintf(out, "%c  %s, run %lld%s", CARD_NAMES[card], name.data, (long long)run->id,
			end);
		text_release(&name);
	}
	fputc('\n', out);
	rc = table_write(out, roofs, format, options, err);
	table_free(roofs);
	if (!report->ceilings[0]->count || !report->ceilings[1]->count)
		fprintf(out, "\nA card lacks measured roofs: run `perflab ceilings` on it.\n");
	fputc('\n', out);
	cases = cases_table(rows, all || !rows->best_count, false);
	if (!rc)
		rc = table_write(out, cases, format, options, err);
	table_free(cases);
	fprintf(out, "\n%s\n", CARDS_MEANING);
	if (!all && rows->best_count && rows->best_count < rows->count)
		fprintf(out, "The fastest case of each variant and size on A; --all shows %zu.\n",
			rows->count);
	if (report->pairs->only_here || report->pairs->only_there)
		fprintf(out, "Measured on one card only: %zu on A, %zu on B.\n",
			report->pairs->only_here, report->pairs->only_there);
	if (report->pairs->other_work)
		fprintf(out, "Left out, because the work depends on the card: %zu.\n",
			report->pairs->other_work);
	return rc;
}

int report_cards(FILE *out, const struct cards_report *report, enum report_format format,
		 const struct report_options *options, struct error *err)
{
	struct card_rows rows;
	struct table *table;
	int rc = 0;

	card_rows_init(&rows, report);
	if (!rows.count) {
		rc = error_set(err, PL_ENOENT,
			       "runs %lld and %lld have no case in common that both measured with "
			       "the same work",
			       (long long)report->runs[0]->id, (long long)report->runs[1]->id);
	} else if (format == REPORT_HTML) {
		cards_write_html(out, report, &rows);
	} else if (format == REPORT_JSON) {
		rc = report_json_write(out, cards_json(report, &rows), err);
	} else if (format == REPORT_CSV) {
		table = cases_table(&rows, true, true);
		rc = table_write(out, table, format, options, err);
		table_free(table);
	} else {
		rc = write_readable(out, report, &rows, format, options, err);
	}
	card_rows_release(&rows);
	return rc;
}
