/* Two devices compared: chooses the writer, and writes CSV. */
#include <math.h>
#include <stdlib.h>

#include "reports/cards/cards.h"
#include "reports/table/json.h"
#include "reports/table/table.h"

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

static void add_exact(struct text *out, double value)
{
	if (isfinite(value))
		text_addf(out, "%.15g", value);
}

static struct table *exact_table(const struct card_rows *rows)
{
	static const struct table_column columns[] = {
		{.name = "case"},
		{.name = "time_a_ns", .numeric = true},
		{.name = "time_b_ns", .numeric = true},
		{.name = "time_ratio", .numeric = true},
		{.name = "ratio_low", .numeric = true},
		{.name = "ratio_high", .numeric = true},
		{.name = "limiter_a"},
		{.name = "roof_pct_a", .numeric = true},
		{.name = "limiter_b"},
		{.name = "roof_pct_b", .numeric = true},
	};
	struct table *table = table_new(columns, ARRAY_SIZE(columns));

	for (size_t i = 0; i < rows->count; i++) {
		const struct card_row *row = &rows->items[i];
		struct text cells[ARRAY_SIZE(columns)];
		char *name = trial_case_name(row->trials[0]);

		for (size_t j = 0; j < ARRAY_SIZE(columns); j++)
			cells[j] = (struct text)TEXT_INIT;
		text_add(&cells[0], name);
		free(name);
		add_exact(&cells[3], row->pair->ratio);
		add_exact(&cells[4], row->pair->low);
		add_exact(&cells[5], row->pair->high);
		for (int card = 0; card < CARDS; card++) {
			const struct verdict *verdict = &row->rooflines[card].verdict;

			add_exact(&cells[1 + card], row->trials[card]->summary.median_ns);
			text_add(&cells[6 + 2 * card], verdict_limiter_name(verdict));
			add_exact(&cells[7 + 2 * card], verdict->roof_pct);
		}
		add_cells(table, cells, ARRAY_SIZE(columns));
	}
	return table;
}

static int nothing_in_common(const struct cards_report *report, struct error *err)
{
	const struct run *a = report->runs[0], *b = report->runs[1];

	if (a->traits.emulated || b->traits.emulated)
		return error_set(
			err, PL_ENOENT,
			"--compare needs times, and run %lld was emulated: perflab regress "
			"--base %lld --head %lld --allow-different compares counts of "
			"emulated runs",
			(long long)(a->traits.emulated ? a : b)->id, (long long)a->id,
			(long long)b->id);
	return error_set(err, PL_ENOENT,
			 "runs %lld and %lld have no case in common that both measured with the "
			 "same work (%zu only in the first, %zu only in the second, %zu with other "
			 "work): sweep the same cases on both cards",
			 (long long)a->id, (long long)b->id, report->pairs->only_here,
			 report->pairs->only_there, report->pairs->other_work);
}

int report_cards(FILE *out, const struct cards_report *report, enum report_format format,
		 const struct report_options *options, struct error *err)
{
	struct card_rows rows;
	struct table *table;
	int rc = 0;

	card_rows_init(&rows, report);
	if (!rows.count) {
		rc = nothing_in_common(report, err);
	} else if (format == REPORT_HTML) {
		cards_write_html(out, report, &rows);
	} else if (format == REPORT_JSON) {
		rc = report_json_write(out, cards_json(report, &rows), err);
	} else if (format == REPORT_CSV) {
		table = exact_table(&rows);
		rc = table_write(out, table, format, options, err);
		table_free(table);
	} else {
		rc = cards_write_readable(out, report, &rows, format, options, err);
	}
	card_rows_release(&rows);
	return rc;
}
