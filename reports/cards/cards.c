/* Two devices compared: pairs their cases, chooses the writer, and writes CSV and JSON. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/cards/cards.h"
#include "reports/table/json.h"
#include "reports/table/table.h"

/* ---- the cases ---- */

static bool same_problem(const struct trial *a, const struct trial *b)
{
	return strcmp(a->kernel, b->kernel) == 0 && strcmp(a->variant, b->variant) == 0 &&
	       a->flop == b->flop && a->bytes_read == b->bytes_read &&
	       a->bytes_written == b->bytes_written;
}

/* Whether no other case of the variant with the same work is faster on A. */
static bool is_best(const struct card_pairs *pairs, size_t index)
{
	const struct trial *trial = pairs->items[index].here;

	for (size_t i = 0; i < pairs->count; i++) {
		const struct trial *other = pairs->items[i].here;

		if (i == index || !same_problem(trial, other))
			continue;
		if (other->summary.median_ns < trial->summary.median_ns ||
		    (other->summary.median_ns == trial->summary.median_ns && i < index))
			return false;
	}
	return true;
}

/* Both point into the trials of A. */
static int by_place_on_a(const void *left, const void *right)
{
	const struct card_row *a = left, *b = right;

	return a->trials[0] < b->trials[0] ? -1 : a->trials[0] > b->trials[0];
}

static void card_rows_init(struct card_rows *out, const struct cards_report *report)
{
	const struct card_pairs *pairs = report->pairs;

	*out = (struct card_rows){.items = xcalloc(pairs->count + 1, sizeof(*out->items))};
	for (size_t i = 0; i < pairs->count; i++) {
		struct card_row *row = &out->items[out->count++];

		row->pair = &pairs->items[i];
		row->trials[0] = row->pair->here;
		row->trials[1] = row->pair->there;
		row->best = is_best(pairs, i);
		out->best_count += row->best;
		for (int card = 0; card < CARDS; card++)
			trial_roofline_init(&row->rooflines[card], report->runs[card],
					    row->trials[card], report->ceilings[card]);
	}
	if (out->count > 1)
		qsort(out->items, out->count, sizeof(*out->items), by_place_on_a);
}

static void card_rows_release(struct card_rows *rows)
{
	for (size_t i = 0; i < rows->count; i++) {
		for (int card = 0; card < CARDS; card++)
			trial_roofline_release(&rows->items[i].rooflines[card]);
	}
	free(rows->items);
	*rows = (struct card_rows){0};
}

/* ---- JSON ---- */

static json_t *roofs_json(const struct ceiling_list *ceilings)
{
	json_t *object = json_object();

	for (int i = 0; i < MEMORY_LEVEL_COUNT + PRECISION_COUNT; i++) {
		bool is_level = i < MEMORY_LEVEL_COUNT;
		int of = is_level ? i : i - MEMORY_LEVEL_COUNT;
		const struct ceiling *roof =
			is_level ? ceiling_of_level(ceilings, (enum memory_level)of)
				 : ceiling_of_precision(ceilings, (enum precision)of);

		if (roof)
			json_object_set_new(object,
					    is_level ? memory_level_name((enum memory_level)of)
						     : precision_name((enum precision)of),
					    report_json_number(roof->per_s));
	}
	return object;
}

static json_t *side_json(const struct card_row *row, int card)
{
	const struct trial_roofline *roofline = &row->rooflines[card];
	const struct verdict *verdict = &roofline->verdict;
	json_t *object = json_object();

	json_set_number(object, "median_ns", row->trials[card]->summary.median_ns);
	json_set_text(object, "limiter", bound_name(verdict->bound));
	json_set_number(object, "roof_pct", verdict->roof_pct);
	json_set_bool(object, "from_model", verdict->from_model);
	json_set_text(object, "verdict", verdict->summary);
	return object;
}

static json_t *cards_json(const struct cards_report *report, const struct card_rows *rows)
{
	json_t *root = json_object(), *cards = json_array(), *cases = json_array();

	for (int card = 0; card < CARDS; card++) {
		const struct run *run = report->runs[card];
		json_t *object = json_object();

		json_set_integer(object, "run", run->id);
		json_set_text(object, "uid", run->uid);
		json_set_text(object, "device", run->device.name);
		json_object_set_new(object, "roofs", roofs_json(report->ceilings[card]));
		json_array_append_new(cards, object);
	}
	for (size_t i = 0; i < rows->count; i++) {
		const struct card_row *row = &rows->items[i];
		json_t *object = json_object();
		char *name = trial_case_name(row->trials[0]);

		json_set_text(object, "case", name);
		json_set_number(object, "time_ratio", row->pair->ratio);
		json_set_number(object, "ratio_low", row->pair->low);
		json_set_number(object, "ratio_high", row->pair->high);
		json_object_set_new(object, "a", side_json(row, 0));
		json_object_set_new(object, "b", side_json(row, 1));
		json_array_append_new(cases, object);
		free(name);
	}
	json_set_integer(root, "format", 1);
	json_object_set_new(root, "compares", json_string("cards"));
	json_object_set_new(root, "cards", cards);
	json_object_set_new(root, "cases", cases);
	json_set_integer(root, "only_a", (int64_t)report->pairs->only_here);
	json_set_integer(root, "only_b", (int64_t)report->pairs->only_there);
	json_set_integer(root, "other_work", (int64_t)report->pairs->other_work);
	return root;
}

/* ---- CSV ---- */

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
		const struct card_row *item = &rows->items[i];
		struct row row = {0};
		char *name = trial_case_name(item->trials[0]);

		row_add(&row, name);
		free(name);
		for (int card = 0; card < CARDS; card++)
			add_exact(row_cell(&row), item->trials[card]->summary.median_ns);
		add_exact(row_cell(&row), item->pair->ratio);
		add_exact(row_cell(&row), item->pair->low);
		add_exact(row_cell(&row), item->pair->high);
		for (int card = 0; card < CARDS; card++) {
			const struct verdict *verdict = &item->rooflines[card].verdict;

			row_add(&row, verdict_limiter_name(verdict));
			add_exact(row_cell(&row), verdict->roof_pct);
		}
		row_end(&row, table, ROW_PLAIN);
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
