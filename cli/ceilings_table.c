/* Ceilings as a table on stdout. */
#include <math.h>
#include <stdlib.h>

#include "cli/ceilings_table.h"
#include "cli/output.h"

/* Whether it is the highest ceiling of its level or precision, which makes it the roof. */
static bool is_roof(const struct ceiling_list *list, const struct ceiling *ceiling)
{
	return ceiling == (ceiling->kind == CEILING_BANDWIDTH
				   ? ceiling_of_level(list, ceiling->of.level)
				   : ceiling_of_precision(list, ceiling->of.precision));
}

/* A cell with a number; NULL if it is not known. */
static const char *number_cell(struct text *out, const char *format, double value)
{
	text_clear(out);
	if (!isfinite(value))
		return NULL;
	text_addf(out, format, value);
	return out->data;
}

static const char *rate_cell(struct text *out, double per_s, enum ceiling_kind kind)
{
	text_clear(out);
	if (!isfinite(per_s))
		return NULL;
	rate_text(out, per_s, kind);
	return out->data;
}

#define CELLS 7

static void add_readable_ceiling(struct table *table, const struct ceiling_list *list,
				 const struct ceiling *ceiling)
{
	struct text cells[CELLS];

	for (size_t i = 0; i < CELLS; i++)
		cells[i] = (struct text)TEXT_INIT;
	table_row(table, (const char *const[]){
				 ceiling->name, ceiling_of_name(ceiling),
				 is_roof(list, ceiling) ? "yes" : "",
				 rate_cell(&cells[0], ceiling->per_s, ceiling->kind),
				 number_cell(&cells[1], "%.2f %%",
					     50 * (ceiling->high_per_s - ceiling->low_per_s) /
						     ceiling->per_s),
				 number_cell(&cells[2], "%.0f MHz", ceiling->sm_clock_hz / 1e6),
				 rate_cell(&cells[3], ceiling->peak_per_s, ceiling->kind),
				 number_cell(&cells[4], "%.1f %%",
					     100 * ceiling->per_s / ceiling->peak_per_s),
				 ceiling->config});
	for (size_t i = 0; i < CELLS; i++)
		text_release(&cells[i]);
}

static void add_machine_ceiling(struct table *table, const struct ceiling_list *list,
				const struct ceiling *ceiling)
{
	struct text cells[CELLS];

	for (size_t i = 0; i < CELLS; i++)
		cells[i] = (struct text)TEXT_INIT;
	text_addf(&cells[6], "%lld", (long long)ceiling->run_id);
	table_row(
		table,
		(const char *const[]){
			ceiling->name, ceiling_of_name(ceiling), is_roof(list, ceiling) ? "1" : "0",
			number_cell(&cells[0], "%.10g", ceiling->per_s),
			number_cell(&cells[1], "%.10g", ceiling->low_per_s),
			number_cell(&cells[2], "%.10g", ceiling->high_per_s), ceiling_unit(ceiling),
			number_cell(&cells[3], "%.10g", ceiling->sm_clock_hz),
			number_cell(&cells[4], "%.10g", ceiling->peak_per_s),
			number_cell(&cells[5], "%.4g", 100 * ceiling->per_s / ceiling->peak_per_s),
			ceiling->config, cells[6].data});
	for (size_t i = 0; i < CELLS; i++)
		text_release(&cells[i]);
}

int print_ceilings(const struct invocation *call, const struct ceiling_list *list,
		   enum report_format format, struct error *err)
{
	static const struct table_column readable_columns[] = {
		{.name = "ceiling"},
		{.name = "of"},
		{.name = "roof", .drop = 3},
		{.name = "rate", .numeric = true},
		{.name = "interval", .numeric = true, .head = "+-"},
		{.name = "clock", .numeric = true, .head = "SM CLOCK", .drop = 2},
		{.name = "peak", .numeric = true, .drop = 1},
		{.name = "peak_pct", .numeric = true, .head = "OF PEAK"},
		{.name = "config", .drop = 4}};
	static const struct table_column machine_columns[] = {
		{.name = "name"},
		{.name = "of"},
		{.name = "roof", .numeric = true},
		{.name = "per_s", .numeric = true},
		{.name = "low_per_s", .numeric = true},
		{.name = "high_per_s", .numeric = true},
		{.name = "unit"},
		{.name = "sm_clock_hz", .numeric = true},
		{.name = "peak_per_s", .numeric = true},
		{.name = "peak_pct", .numeric = true},
		{.name = "config"},
		{.name = "run_id", .numeric = true}};
	bool readable = report_format_has(format, HUMAN_READABLE);
	struct table *table = readable ? table_new(readable_columns, ARRAY_SIZE(readable_columns))
				       : table_new(machine_columns, ARRAY_SIZE(machine_columns));
	int rc;

	for (size_t i = 0; i < list->count; i++) {
		if (readable)
			add_readable_ceiling(table, list, &list->items[i]);
		else
			add_machine_ceiling(table, list, &list->items[i]);
	}
	rc = table_to_stdout(call, table, format, err);
	table_free(table);
	return rc;
}
