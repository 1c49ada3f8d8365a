/* The table of a run with its speed-ups over the base variant. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "metrics/analysis/speedup.h"
#include "reports/derived/derived.h"
#include "reports/run/run.h"
#include "reports/table/readable.h"
#include "reports/table/table.h"

enum { KERNEL, CONFIG, MEDIAN, BASE_MEDIAN, RESULT, COLUMNS };

static const struct table_column speedup_columns[COLUMNS] = {
	[KERNEL] = {.name = "kernel"},
	[CONFIG] = {.name = "config"},
	[MEDIAN] = {.name = "median", .numeric = true, .drop = 2},
	[BASE_MEDIAN] = {.name = "base_median", .numeric = true, .head = "base median", .drop = 1},
	[RESULT] = {.name = "result"}, /* the last column is wrapped, not cut */
};

static void add_median_cell(struct row *row, double time_ns)
{
	struct text *cell = row_cell(row);

	if (isfinite(time_ns))
		format_value(cell, time_ns, "ns");
}

static void add_result_cell(struct row *row, const struct ranked_speedup *item)
{
	struct text *cell = row_cell(row), remarks = TEXT_INIT;

	speedup_text(cell, item->trial);
	speedup_remarks(&remarks, item);
	if (remarks.length)
		text_addf(cell, "; %s", remarks.data);
	text_release(&remarks);
}

static enum row_style style_of(const struct ranked_speedup *item)
{
	if (item->above_roof || item->trial->speedup.verdict == SPEEDUP_SLOWER)
		return ROW_BAD;
	return item->trial->speedup.verdict == SPEEDUP_FASTER ? ROW_BEST : ROW_PLAIN;
}

/* The column of kernels is left out if there is only one. */
static size_t first_column(const struct ranked_speedup *items, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		if (strcmp(items[i].trial->kernel, items[0].trial->kernel) != 0)
			return KERNEL;
	}
	return CONFIG;
}

struct table *run_table_speedups(const struct run *run, const struct report_options *options)
{
	struct ranked_speedup *items;
	size_t count = run_speedups(&items, run, options->whole, options->ceilings);
	size_t first = first_column(items, count);
	struct table *table = NULL;

	if (count)
		table = table_new(speedup_columns + first, COLUMNS - first);
	for (size_t i = 0; i < count; i++) {
		const struct trial *trial = items[i].trial;
		struct row row = {0};

		if (first == KERNEL)
			row_add(&row, trial->kernel);
		row_add(&row, trial->config);
		add_median_cell(&row, trial->summary.median_ns);
		add_median_cell(&row, trial->speedup.base_median_ns);
		add_result_cell(&row, &items[i]);
		row_end(&row, table, style_of(&items[i]));
	}
	free(items);
	return table;
}
