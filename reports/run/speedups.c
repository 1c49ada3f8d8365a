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

static void fill_speedup_row(struct text cells[COLUMNS], const struct ranked_speedup *item)
{
	const struct trial *trial = item->trial;
	struct text remarks = TEXT_INIT;

	text_add(&cells[KERNEL], trial->kernel);
	text_add(&cells[CONFIG], trial->config);
	if (isfinite(trial->summary.median_ns))
		format_value(&cells[MEDIAN], trial->summary.median_ns, "ns");
	if (isfinite(trial->speedup.base_median_ns))
		format_value(&cells[BASE_MEDIAN], trial->speedup.base_median_ns, "ns");
	speedup_text(&cells[RESULT], trial);
	speedup_remarks(&remarks, item);
	if (remarks.length)
		text_addf(&cells[RESULT], "; %s", remarks.data);
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
		struct text cells[COLUMNS];
		const char *shown[COLUMNS];

		for (size_t j = 0; j < COLUMNS; j++)
			cells[j] = (struct text)TEXT_INIT;
		fill_speedup_row(cells, &items[i]);
		for (size_t j = 0; j < COLUMNS; j++)
			shown[j] = cells[j].length ? cells[j].data : NULL;
		table_row_styled(table, shown + first, style_of(&items[i]));
		for (size_t j = 0; j < COLUMNS; j++)
			text_release(&cells[j]);
	}
	free(items);
	return table;
}
