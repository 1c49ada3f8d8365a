/* The table of a run that was measured by several clocks, and why they differ. */
#include <math.h>

#include "metrics/analysis/statistics.h"
#include "reports/run/run.h"
#include "reports/table/readable.h"
#include "reports/table/table.h"

/* Columns after the name of the case and its time. */
static const char *const clock_metrics[] = {"clock_events_ns", "clock_records_ns", "clock_row_ns",
					    "clock_graph_ns", "clock_ncu_ns"};

enum { CASE, TIME, FIRST_CLOCK, CLOCK_COLUMNS = FIRST_CLOCK + ARRAY_SIZE(clock_metrics) };

static const struct table_column clock_columns[CLOCK_COLUMNS] = {
	[CASE] = {.name = "case"},
	[TIME] = {.name = "time", .numeric = true},
	[FIRST_CLOCK] = {.name = "events", .numeric = true},
	{.name = "records", .numeric = true},
	{.name = "row", .numeric = true, .head = "in a row"},
	{.name = "graph", .numeric = true, .head = "in a graph"},
	{.name = "ncu", .numeric = true},
};

static void add_clock_cell(struct row *row, double time_ns)
{
	struct text *cell = row_cell(row);

	if (isfinite(time_ns))
		format_value(cell, time_ns, "ns");
}

static bool has_clock(const struct trial *trial)
{
	bool any = false;

	for (size_t k = 0; k < ARRAY_SIZE(clock_metrics); k++)
		any |= isfinite(counted_value(trial, clock_metrics[k]));
	return any;
}

struct table *run_table_clocks(const struct run *run)
{
	struct table *table = NULL;

	for (size_t i = 0; i < run->trial_count; i++) {
		const struct trial *trial = &run->trials[i];
		char *name = xasprintf("%s/%s/%s", trial->kernel, trial->variant, trial->config);
		struct row row = {0};

		if (has_clock(trial)) {
			table = table ? table : table_new(clock_columns, CLOCK_COLUMNS);
			row_add(&row, name);
			add_clock_cell(&row, trial->summary.median_ns);
			for (size_t k = 0; k < ARRAY_SIZE(clock_metrics); k++)
				add_clock_cell(&row, counted_value(trial, clock_metrics[k]));
			row_end(&row, table, ROW_PLAIN);
		}
		free(name);
	}
	return table;
}
