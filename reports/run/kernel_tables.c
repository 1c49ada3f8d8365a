/*
 * A table for each kernel: the chosen cases, results before parameters. Axes that no case of the
 * kernel varies are named in the title once; columns without any value are left out.
 */
#include <stdlib.h>
#include <string.h>

#include "reports/derived/derived.h"
#include "reports/run/run.h"
#include "reports/selection/columns.h"
#include "reports/selection/selection.h"
#include "reports/table/table.h"

/* The table of one kernel while it is built: cells[row][column]. */
struct kernel_table {
	const struct run *run;
	const struct report_options *options;
	const struct kernel_rows *rows;
	const struct chosen_columns *results;
	const struct chosen_column *sorted; /* NULL: none */
	struct string_list axes;            /* those that vary */
	bool one_variant;   /* all cases of the kernel have it; the title names it */
	bool names_variant; /* a chosen column does */
	char ***cells;
	size_t columns; /* variant, results, axes */
};

static bool kernel_has_one_variant(const struct run_kernels *kernels, const char *kernel)
{
	const struct run *run = kernels->run;
	const char *variant = NULL;
	size_t at = run_kernels_first(kernels, kernel);

	for (; at < run->trial_count; at = kernels->next[at]) {
		const struct trial *trial = &run->trials[at];

		if (variant && strcmp(trial->variant, variant) != 0)
			return false;
		variant = trial->variant;
	}
	return true;
}

static char *cell_of(struct text *text)
{
	if (text->length)
		return text_detach(text);
	text_release(text);
	return NULL;
}

static void fill_cells(char **cells, const struct kernel_table *table, const struct trial *trial)
{
	struct case_facts facts;
	struct text cell = TEXT_INIT;
	size_t at = 0;

	case_facts_init(&facts, table->run, trial, table->options->ceilings);
	text_add(&cell, trial->variant);
	cells[at++] = cell_of(&cell);
	for (size_t i = 0; i < table->results->count; i++) {
		cell = (struct text)TEXT_INIT;
		chosen_show(&cell, &table->results->items[i], &facts);
		cells[at++] = cell_of(&cell);
	}
	for (size_t i = 0; i < table->axes.count; i++) {
		const struct named_value *axis = trial_axis(trial, table->axes.items[i]);

		cells[at++] = axis ? xasprintf("%lld", (long long)axis->value) : NULL;
	}
	case_facts_release(&facts);
}

static bool is_column(const struct kernel_table *table, size_t column, const char *name)
{
	return column > 0 && column <= table->results->count &&
	       chosen_is(&table->results->items[column - 1], name);
}

/* A status is worth a column only if a case is not ok. Other columns need a value. Chosen columns
 * are always shown, because someone asked for them. */
static bool column_is_shown(const struct kernel_table *table, size_t column)
{
	const bool is_axis = column > table->results->count;
	const bool is_status = is_column(table, column, "status");

	if (column == 0)
		return !table->one_variant && !table->names_variant;
	if (is_axis || (table->options->selection && table->options->selection->columns))
		return true;
	for (size_t i = 0; i < table->rows->count; i++) {
		if (table->cells[i][column] &&
		    !(is_status && strcmp(table->cells[i][column], "ok") == 0))
			return true;
	}
	return false;
}

static bool is_same_column(const struct chosen_column *a, const struct chosen_column *b)
{
	return strcmp(chosen_name(a), chosen_name(b)) == 0;
}

/* The column that the rows are sorted by is never dropped. */
static struct table_column column_of(const struct kernel_table *table, size_t column)
{
	if (column == 0)
		return (struct table_column){.name = "variant"};
	if (column <= table->results->count) {
		const struct chosen_column *chosen = &table->results->items[column - 1];
		struct table_column shown = chosen_table_column(chosen);

		if (table->sorted && is_same_column(chosen, table->sorted))
			shown.drop = 0;
		return shown;
	}
	return (struct table_column){.name = table->axes.items[column - 1 - table->results->count],
				     .numeric = true};
}

static enum row_style style_of_case(const struct kernel_table *table, const struct trial *trial,
				    const bool *best)
{
	if (trial_status_is_failure(trial->status) ||
	    trial_is_above_roof(table->run, trial, table->options->ceilings))
		return ROW_BAD;
	if (!trial_status_counted(trial->status))
		return ROW_DIM;
	return best[trial - table->run->trials] ? ROW_BEST : ROW_PLAIN;
}

static struct table *assemble(const struct kernel_table *table, const bool *best)
{
	struct table_column *columns = xcalloc(table->columns, sizeof(*columns));
	size_t *from = xcalloc(table->columns, sizeof(*from));
	const char **row = xcalloc(table->columns, sizeof(*row));
	size_t count = 0;
	struct table *out;

	for (size_t j = 0; j < table->columns; j++) {
		if (!column_is_shown(table, j))
			continue;
		from[count] = j;
		columns[count++] = column_of(table, j);
	}
	out = table_new(columns, count);
	for (size_t i = 0; i < table->rows->count; i++) {
		for (size_t j = 0; j < count; j++)
			row[j] = table->cells[i][from[j]];
		table_row_styled(out, row, style_of_case(table, table->rows->trials[i], best));
	}
	free(columns);
	free(from);
	free(row);
	return out;
}

/* "reduce (n=4096): 10 of 100 cases, the best of each variant" */
static char *title_of(const struct kernel_table *table, const char *constant)
{
	const struct report_selection *selection = table->options->selection;
	const struct kernel_rows *rows = table->rows;
	const bool plain = !selection || (!selection->top && !selection->sort);
	struct text title = TEXT_INIT;

	text_add(&title, rows->kernel);
	if (table->one_variant && rows->count)
		text_addf(&title, "/%s", rows->trials[0]->variant);
	if (*constant)
		text_addf(&title, " (%s)", constant);
	if (rows->count == rows->cases)
		text_addf(&title, ": %zu %s", rows->cases, rows->cases == 1 ? "case" : "cases");
	else
		text_addf(&title, ": %zu of %zu cases", rows->count, rows->cases);
	if (rows->count < rows->cases && plain)
		text_addf(&title, ", the %s%s", table->run->traits.emulated ? "worst" : "best",
			  table->one_variant ? "" : " of each variant");
	return text_detach(&title);
}

static bool columns_name_variant(const struct chosen_columns *columns)
{
	for (size_t i = 0; i < columns->count; i++) {
		if (chosen_is(&columns->items[i], "variant") ||
		    chosen_is(&columns->items[i], "case"))
			return true;
	}
	return false;
}

/* The columns of the tables of all kernels of a report. */
struct kernel_columns {
	struct chosen_columns results, sorted; /* sorted: none, or the one of --sort */
};

static void add_kernel_section(struct section_list *out, const struct run_kernels *kernels,
			       const struct report_options *options, const struct kernel_rows *rows,
			       const struct kernel_columns *columns, const bool *best)
{
	const struct chosen_columns *results = &columns->results;
	struct kernel_table table = {
		.run = kernels->run,
		.options = options,
		.rows = rows,
		.results = results,
		.sorted = columns->sorted.count ? columns->sorted.items : NULL,
	};
	struct text constant = TEXT_INIT;

	if (!rows->count)
		return;
	kernel_axes(&table.axes, &constant, kernels, rows->kernel);
	table.one_variant = kernel_has_one_variant(kernels, rows->kernel);
	table.names_variant = columns_name_variant(results);
	table.columns = 1 + results->count + table.axes.count;
	table.cells = xcalloc(rows->count + 1, sizeof(*table.cells));
	for (size_t i = 0; i < rows->count; i++) {
		table.cells[i] = xcalloc(table.columns, sizeof(char *));
		fill_cells(table.cells[i], &table, rows->trials[i]);
	}
	out->items = xgrow(out->items, &out->capacity, out->count + 1, sizeof(*out->items));
	out->items[out->count++] = (struct section){
		.title = title_of(&table, constant.data),
		.table = assemble(&table, best),
	};
	for (size_t i = 0; i < rows->count; i++) {
		for (size_t j = 0; j < table.columns; j++)
			free(table.cells[i][j]);
		free(table.cells[i]);
	}
	free(table.cells);
	text_release(&constant);
	string_list_release(&table.axes);
}

/* Adds the column that the rows are sorted by, unless it is there or is an axis, which varies. */
static void add_sorted(struct kernel_columns *columns, const struct run *run)
{
	const struct chosen_column *sorted = columns->sorted.items;

	/* the title and the first columns of a table name its cases */
	if (!columns->sorted.count || sorted->axis || chosen_names_case(sorted) ||
	    chosen_is(sorted, "case"))
		return;
	for (size_t i = 0; i < columns->results.count; i++) {
		if (is_same_column(&columns->results.items[i], sorted))
			return;
	}
	columns_add(&columns->results, run, chosen_name(sorted), NULL);
}

int run_add_kernels(struct section_list *out, const struct run *run,
		    const struct report_options *options, struct error *err)
{
	const struct report_selection *selection = options->selection;
	struct kernel_columns columns = {0};
	struct kernel_rows_list rows = {0};
	int rc = 0;

	if (selection && selection->columns)
		rc = columns_parse(&columns.results, run, selection->columns, err);
	else
		columns_add_usual(&columns.results, run, options->all_metrics);
	if (!rc && selection && selection->sort)
		rc = columns_add(&columns.sorted, run,
				 selection->sort + (selection->sort[0] == '-'), err);
	if (!rc)
		add_sorted(&columns, run);
	if (!rc)
		rc = kernel_rows_choose(&rows, run, selection, options->ceilings, err);
	if (!rc) {
		struct run_kernels kernels;
		struct ranks ranks;

		run_ranks(&ranks, run, options->ceilings);
		run_kernels_init(&kernels, run);
		for (size_t i = 0; i < rows.count; i++)
			add_kernel_section(out, &kernels, options, &rows.items[i], &columns,
					   ranks.of_problem);
		run_kernels_release(&kernels);
		ranks_release(&ranks);
	}
	kernel_rows_release(&rows);
	columns_release(&columns.results);
	columns_release(&columns.sorted);
	return rc;
}
