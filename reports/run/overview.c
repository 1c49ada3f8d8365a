/* The best case of each kernel in one line: what is fastest, what limits it, how near the roof. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/derived/derived.h"
#include "reports/run/run.h"
#include "reports/selection/columns.h"
#include "reports/table/table.h"

/* Columns by name, then the next variant, and where it was the fastest. */
static const char *const shown[] = {"status",  "median", "interval", "roof",
				    "limiter", "try",    "speedup",  "gpu"};

#define ROOF_DROP 3 /* on a narrow terminal, the limiter says more than how near its roof is */

#define NEXT_DROP 9 /* it is no part of what is fastest and why */

enum { KERNEL, FASTEST, FIRST_SHOWN, NEXT = FIRST_SHOWN + ARRAY_SIZE(shown), AT, COLUMNS };

struct overview {
	const struct run *run;
	struct run_kernels kernels;
	struct problems problems;
	const struct ranks *ranks;
	const struct report_options *options;
	struct chosen_columns columns;
	struct table *table;
};

/* Whether any of the flagged trials has a value for the column that is worth showing: "ok" is not.
 */
static bool column_has_value(const struct overview *overview, const bool *best, size_t column)
{
	bool found = false;

	for (size_t i = 0; i < overview->run->trial_count && !found; i++) {
		struct case_facts facts;
		struct text cell = TEXT_INIT;

		if (!best[i])
			continue;
		case_facts_init(&facts, overview->run, &overview->run->trials[i],
				overview->options->ceilings);
		chosen_show(&cell, &overview->columns.items[column], &facts);
		found = cell.length > 0 && strcmp(cell.data, trial_status_name(TRIAL_OK)) != 0;
		text_release(&cell);
		case_facts_release(&facts);
	}
	return found;
}

static void overview_begin(struct overview *overview, const bool *best)
{
	struct table_column columns[COLUMNS] = {
		[KERNEL] = {.name = "kernel"},
		[FASTEST] = {.name = "fastest"},
	};
	struct chosen_columns all = {0};
	size_t count = FIRST_SHOWN;

	for (size_t i = 0; i < ARRAY_SIZE(shown); i++) {
		/* every measured run has these columns, except the GPU */
		if (columns_add(&all, overview->run, shown[i], NULL))
			continue;
		overview->columns = all;
		if (!column_has_value(overview, best, all.count - 1)) {
			all.count--;
			continue;
		}
		columns[count] = chosen_table_column(&all.items[all.count - 1]);
		if (strcmp(shown[i], "roof") == 0)
			columns[count].drop = ROOF_DROP;
		count++;
	}
	overview->columns = all;
	columns[count++] = (struct table_column){.name = "next", .drop = NEXT_DROP};
	columns[count++] = (struct table_column){.name = "at"};
	overview->table = table_new(columns, count);
	overview->table->cut_last = true;
}

/* Which variants show_next() looks for. */
enum whose { OF_ANYBODY, OF_LIBRARY, OF_NO_LIBRARY };

/* The fastest case of another variant on the same problem. NULL: there is none. */
static const struct trial *find_next(const struct overview *overview, const struct trial *trial,
				     enum whose whose)
{
	const struct run *run = overview->run;
	const size_t *problem_of = overview->problems.of;

	for (size_t i = 0; i < run->trial_count; i++) {
		const size_t at = overview->ranks->order[i];
		const struct trial *other = &run->trials[at];

		if (overview->ranks->can_be_best[at] && other->status == trial->status &&
		    problem_of[at] == problem_of[trial - run->trials] &&
		    strcmp(other->variant, trial->variant) != 0 &&
		    (whose == OF_ANYBODY || trial_is_of_library(other) == (whose == OF_LIBRARY)))
			return other;
	}
	return NULL;
}

/* "x1.04 float4, x1.31 cub": how much longer the next variant takes, and the library, or what is of
 * no library if that is the fastest. */
static void show_next(struct text *out, const struct overview *overview, const struct trial *trial)
{
	const struct trial *next = find_next(overview, trial, OF_ANYBODY);
	const struct trial *rival =
		find_next(overview, trial, trial_is_of_library(trial) ? OF_NO_LIBRARY : OF_LIBRARY);

	if (next)
		text_addf(out, "x%.2f %s", next->summary.median_ns / trial->summary.median_ns,
			  next->variant);
	if (rival && rival != next)
		text_addf(out, ", x%.2f %s", rival->summary.median_ns / trial->summary.median_ns,
			  rival->variant);
}

static void add_best_row(struct overview *overview, const struct trial *trial)
{
	const struct chosen_columns *columns = &overview->columns;
	struct row row = {0};
	struct string_list axes = {0};
	struct case_facts facts;

	case_facts_init(&facts, overview->run, trial, overview->options->ceilings);
	row_add(&row, trial->kernel);
	row_add(&row, trial->variant);
	for (size_t i = 0; i < columns->count; i++)
		chosen_show(row_cell(&row), &columns->items[i], &facts);
	show_next(row_cell(&row), overview, trial);
	kernel_axes(&axes, NULL, &overview->kernels, trial->kernel);
	trial_axes_text(row_cell(&row), trial, &axes);
	row_end(&row, overview->table, ROW_PLAIN);
	string_list_release(&axes);
	case_facts_release(&facts);
}

/* A kernel without a best case, by its first trial: says how its cases ended instead. */
static void add_row_without_best(struct overview *overview, size_t first)
{
	const size_t column_count = FIRST_SHOWN + overview->columns.count + 2;
	const char *row[COLUMNS] = {overview->run->trials[first].kernel};
	size_t ended[TRIAL_STATUS_COUNT] = {0}, failures = 0, above = 0;
	struct text why = TEXT_INIT;

	for (size_t i = first; i < overview->run->trial_count; i = overview->kernels.next[i]) {
		const struct trial *trial = &overview->run->trials[i];

		if (trial_is_above_roof(overview->run, trial, overview->options->ceilings))
			above++;
		else
			ended[trial->status]++;
		failures += trial_status_is_failure(trial->status);
	}
	if (above)
		text_addf(&why, "%zu above a measured roof", above);
	for (size_t i = 0; i < TRIAL_STATUS_COUNT; i++) {
		if (ended[i])
			text_addf(&why, "%s%zu %s", why.length ? ", " : "", ended[i],
				  trial_status_name((enum trial_status)i));
	}
	row[column_count - 1] = why.data;
	table_row_styled(overview->table, row, failures || above ? ROW_BAD : ROW_DIM);
	text_release(&why);
}

struct table *run_table_fastest(const struct run *run, const struct report_options *options)
{
	struct overview overview = {.run = run, .options = options};
	struct ranks ranks;

	run_ranks(&ranks, run, options->ceilings);
	run_kernels_init(&overview.kernels, run);
	run_problems(&overview.problems, run);
	overview.ranks = &ranks;
	overview_begin(&overview, ranks.of_kernel);
	for (size_t kernel = 0; kernel < overview.kernels.count; kernel++) {
		const size_t first = overview.kernels.first[kernel];
		size_t at = first;

		while (at < run->trial_count && !ranks.of_kernel[at])
			at = overview.kernels.next[at];
		if (at < run->trial_count)
			add_best_row(&overview, &run->trials[at]);
		else
			add_row_without_best(&overview, first);
	}
	ranks_release(&ranks);
	problems_release(&overview.problems);
	run_kernels_release(&overview.kernels);
	columns_release(&overview.columns);
	return overview.table;
}
