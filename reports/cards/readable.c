/*
 * Two devices compared, as text and Markdown. Like a report of one run, it shows the fastest case
 * of each kernel, and a table of its best cases if the kernels are few or rows were asked for.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/process.h"
#include "reports/cards/cards.h"
#include "reports/selection/selection.h"
#include "reports/table/escape.h"
#include "reports/table/readable.h"
#include "reports/table/table.h"

#define CELLS_MOST 32
#define SAME "the same"

struct readable {
	FILE *out;
	const struct cards_report *report;
	const struct card_rows *rows;
	enum report_format format;
	const struct report_options *options;
	/* The trials of the rows, per device: trial i is that of row i. Borrowed; the arrays are
	 * owned. */
	struct run common[CARDS];
	struct run_kernels kernels; /* of common[0] */
};

/* ---- writing ---- */

static void write_wrapped(const struct readable *report, const char *text)
{
	struct text line = TEXT_INIT;

	if (report->format == REPORT_MARKDOWN)
		text_addf(&line, "%s\n", text);
	else
		wrap_text(&line, 0, "", text, (size_t)report->options->width);
	fwrite(line.data, 1, line.length, report->out);
	text_release(&line);
}

/* Writes the table below its title and frees it. A table without a row is left out. */
static int write_table(const struct readable *report, const char *title, struct table *table,
		       struct error *err)
{
	struct text shown = TEXT_INIT;
	int rc = 0;

	if (table_row_count(table)) {
		table_drop_empty(table);
		if (report->format == REPORT_MARKDOWN) {
			escape_markdown(&shown, title);
			fprintf(report->out, "\n#### %s\n\n", shown.data);
		} else {
			text_add_escaped(&shown, title);
			fprintf(report->out, "\n%s", report->options->colour ? "\033[1m" : "");
			write_wrapped(report, shown.data);
			fputs(report->options->colour ? "\033[0m" : "", report->out);
		}
		rc = table_write(report->out, table, report->format, report->options, err);
	}
	text_release(&shown);
	table_free(table);
	return rc;
}

static void write_cards(const struct readable *report)
{
	const bool markdown = report->format == REPORT_MARKDOWN;

	fprintf(report->out, "%sTwo cards compared\n%s", markdown ? "### " : "",
		markdown ? "\n" : "");
	for (int card = 0; card < CARDS; card++) {
		const struct run *run = report->report->runs[card];
		struct text name = TEXT_INIT;

		if (markdown)
			escape_markdown(&name, run->device.name);
		else
			text_add_escaped(&name, run->device.name);
		fprintf(report->out, "%s%c  %s, run %lld\n", markdown ? "- " : "  ",
			CARD_NAMES[card], name.data, (long long)run->id);
		text_release(&name);
	}
}

/* ---- cells ---- */

static void add_number(struct row *row, double value, int digits)
{
	struct text *cell = row_cell(row);

	if (isfinite(value))
		text_addf(cell, "%.*f", digits, value);
}

/* ---- the fastest of each kernel ---- */

/* table_drop_empty() then drops the column. */
static void table_clear_column(struct table *table, size_t column)
{
	for (size_t i = 0; i < table->row_count; i++) {
		free(table->rows[i].cells[column]);
		table->rows[i].cells[column] = NULL;
	}
}

/* The fastest row on B of the kernel and problem of a row. */
static size_t fastest_there(const struct readable *report, const struct problems *problems,
			    size_t row)
{
	const struct run *here = &report->common[0], *there = &report->common[1];
	size_t best = row;

	for (size_t i = 0; i < there->trial_count; i++) {
		if (problems->of[i] == problems->of[row] &&
		    strcmp(here->trials[i].kernel, here->trials[row].kernel) == 0 &&
		    trial_can_be_best(there, &there->trials[i], report->report->ceilings[1]) &&
		    trial_is_faster(&there->trials[i], &there->trials[best]))
			best = i;
	}
	return best;
}

static struct table *fastest_table(const struct readable *report)
{
	static const struct table_column columns[] = {
		{.name = "kernel"},
		{.name = "fastest on A"},
		{.name = "time A", .numeric = true},
		{.name = "time B", .numeric = true},
		{.name = "B / A", .numeric = true},
		{.name = "roof % A", .numeric = true},
		{.name = "roof % B", .numeric = true},
		{.name = "at", .drop = 2},
		{.name = "fastest on B", .drop = 1},
	};
	const struct run *here = &report->common[0];
	struct table *table = table_new(columns, ARRAY_SIZE(columns));
	bool differs = false;
	struct problems problems;
	struct ranks ranks;

	table->cut_last = true;
	run_ranks(&ranks, here, report->report->ceilings[0]);
	run_problems(&problems, here);
	for (size_t i = 0; i < here->trial_count; i++) {
		const struct card_row *row = &report->rows->items[i];
		const struct trial *there;
		struct string_list axes = {0};
		struct row cells = {0};

		if (!ranks.of_kernel[i])
			continue;
		there = &here->trials[fastest_there(report, &problems, i)];
		kernel_axes(&axes, NULL, &report->kernels, here->trials[i].kernel);
		row_add(&cells, here->trials[i].kernel);
		row_add(&cells, here->trials[i].variant);
		format_value(row_cell(&cells), row->trials[0]->summary.median_ns, "ns");
		format_value(row_cell(&cells), row->trials[1]->summary.median_ns, "ns");
		add_number(&cells, row->pair->ratio, 3);
		for (int card = 0; card < CARDS; card++)
			add_number(&cells, row->rooflines[card].verdict.roof_pct, 1);
		trial_axes_text(row_cell(&cells), &here->trials[i], &axes);
		differs |= there != &here->trials[i];
		if (there == &here->trials[i]) {
			row_add(&cells, SAME);
		} else {
			struct text *cell = row_cell(&cells);

			text_addf(cell, "%s ", there->variant);
			trial_axes_text(cell, there, &axes);
		}
		row_end(&cells, table, ROW_PLAIN);
		string_list_release(&axes);
	}
	if (!differs)
		table_clear_column(table, ARRAY_SIZE(columns) - 1);
	problems_release(&problems);
	ranks_release(&ranks);
	return table;
}

/* ---- the cases of a kernel ---- */

static struct table *kernel_pairs_table(const struct readable *report,
					const struct kernel_rows *rows,
					const struct string_list *axes)
{
	static const struct table_column results[] = {
		{.name = "variant"},
		{.name = "time A", .numeric = true},
		{.name = "time B", .numeric = true},
		{.name = "B / A", .numeric = true},
		{.name = "95 % CI", .numeric = true, .drop = 2},
		{.name = "limiter A", .drop = 1},
		{.name = "roof % A", .numeric = true},
		{.name = "limiter B", .drop = 1},
		{.name = "roof % B", .numeric = true},
	};
	struct table_column columns[CELLS_MOST];
	size_t count = ARRAY_SIZE(results);
	struct table *table;

	memcpy(columns, results, sizeof(results));
	for (size_t i = 0; i < axes->count && count < CELLS_MOST; i++)
		columns[count++] = (struct table_column){.name = axes->items[i], .numeric = true};
	table = table_new(columns, count);
	for (size_t i = 0; i < rows->count; i++) {
		const struct card_row *row =
			&report->rows->items[rows->trials[i] - report->common[0].trials];
		const struct card_pair *pair = row->pair;
		struct row cells = {0};
		struct text *interval;

		row_add(&cells, rows->trials[i]->variant);
		format_value(row_cell(&cells), row->trials[0]->summary.median_ns, "ns");
		format_value(row_cell(&cells), row->trials[1]->summary.median_ns, "ns");
		add_number(&cells, pair->ratio, 3);
		interval = row_cell(&cells);
		if (isfinite(pair->low) && isfinite(pair->high))
			text_addf(interval, "%.3f to %.3f", pair->low, pair->high);
		for (int card = 0; card < CARDS; card++) {
			const struct verdict *verdict = &row->rooflines[card].verdict;

			row_add(&cells, verdict_limiter_name(verdict));
			add_number(&cells, verdict->roof_pct, 1);
		}
		for (size_t j = ARRAY_SIZE(results); j < count; j++) {
			const struct named_value *axis =
				trial_axis(rows->trials[i], columns[j].name);
			struct text *cell = row_cell(&cells);

			if (axis)
				text_addf(cell, "%lld", (long long)axis->value);
		}
		row_end(&cells, table, ROW_PLAIN);
	}
	return table;
}

static int write_kernel(const struct readable *report, const struct kernel_rows *rows,
			struct error *err)
{
	const struct report_selection *selection = report->options->selection;
	struct string_list axes = {0};
	struct text constant = TEXT_INIT, title = TEXT_INIT;
	int rc;

	kernel_axes(&axes, &constant, &report->kernels, rows->kernel);
	text_add(&title, rows->kernel);
	if (constant.length)
		text_addf(&title, " (%s)", constant.data);
	if (rows->count == rows->cases)
		text_addf(&title, ": %zu %s", rows->cases, rows->cases == 1 ? "case" : "cases");
	else
		text_addf(&title, ": %zu of %zu cases", rows->count, rows->cases);
	if (rows->count < rows->cases && !(selection && selection->sort))
		text_add(&title, ", the best on A");
	rc = write_table(report, title.data, kernel_pairs_table(report, rows, &axes), err);
	text_release(&constant);
	text_release(&title);
	string_list_release(&axes);
	return rc;
}

static int write_kernels(const struct readable *report, struct error *err)
{
	struct kernel_rows_list kernels = {0};
	int rc = kernel_rows_choose(&kernels, &report->common[0], report->options->selection,
				    report->report->ceilings[0], err);

	for (size_t i = 0; i < kernels.count && !rc; i++) {
		if (kernels.items[i].count)
			rc = write_kernel(report, &kernels.items[i], err);
	}
	kernel_rows_release(&kernels);
	return rc;
}

/* ---- roofs ---- */

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
		const struct ceiling *roofs[CARDS];
		struct row cells = {0};

		for (int card = 0; card < CARDS; card++)
			roofs[card] = is_level ? ceiling_of_level(report->ceilings[card],
								  (enum memory_level)of)
					       : ceiling_of_precision(report->ceilings[card],
								      (enum precision)of);
		if (!roofs[0] && !roofs[1])
			continue;
		row_add(&cells, is_level ? memory_level_name((enum memory_level)of)
					 : precision_name((enum precision)of));
		for (int card = 0; card < CARDS; card++) {
			struct text *rate = row_cell(&cells);

			if (roofs[card])
				rate_text(rate, roofs[card]->per_s, roofs[card]->kind);
		}
		add_number(&cells, roofs[0] && roofs[1] ? roofs[1]->per_s / roofs[0]->per_s : NAN,
			   2);
		row_end(&cells, table, ROW_PLAIN);
	}
	return table;
}

static int write_roofs_table(const struct readable *report, struct error *err)
{
	int rc = write_table(report, "Measured roofs", roofs_table(report->report), err);

	for (int card = 0; card < CARDS; card++) {
		char *line;

		if (report->report->ceilings[card]->count)
			continue;
		line = xasprintf("%c has no measured roofs: run `perflab ceilings` on that card "
				 "and merge its database.",
				 CARD_NAMES[card]);
		fputc('\n', report->out);
		write_wrapped(report, line);
		free(line);
	}
	return rc;
}

/* ---- the end ---- */

static void write_remarks(const struct readable *report)
{
	const struct card_pairs *pairs = report->report->pairs;
	struct text text = TEXT_INIT;

	fputc('\n', report->out);
	write_wrapped(report, CARDS_MEANING);
	if (pairs->only_here || pairs->only_there)
		text_addf(&text, "Measured on one card only: %zu on A, %zu on B.", pairs->only_here,
			  pairs->only_there);
	if (pairs->other_work)
		text_addf(&text, "%sLeft out, because the work depends on the card: %zu.",
			  text.length ? " " : "", pairs->other_work);
	if (text.length)
		write_wrapped(report, text.data);
	text_release(&text);
}

/* `pattern` NULL: the selected cases. */
static void write_next(const struct readable *report, const char *meaning, const char *pattern,
		       const char *option)
{
	const struct report_selection *selection = report->options->selection;
	struct text line = TEXT_INIT, shown = TEXT_INIT;

	text_addf(&line, "perflab report %lld", (long long)report->report->runs[0]->id);
	if (pattern) {
		text_add_char(&line, ' ');
		shell_word(&line, pattern);
	}
	for (size_t i = 0; selection && !pattern && i < selection->pattern_count; i++) {
		text_add_char(&line, ' ');
		shell_word(&line, selection->patterns[i]);
	}
	text_addf(&line, " --compare %lld%s", (long long)report->report->runs[1]->id, option);
	if (report->options->db) {
		text_add(&line, " --db ");
		shell_word(&line, report->options->db);
	}
	text_add_escaped(&shown, line.data);
	fprintf(report->out, "  %-10s  %s\n", meaning, shown.data);
	text_release(&line);
	text_release(&shown);
}

static void write_next_commands(const struct readable *report, bool detailed)
{
	char *pattern = xasprintf("%s/*", report->common[0].trials[0].kernel);

	fprintf(report->out, "\n%sNext%s\n", report->options->colour ? "\033[1m" : "",
		report->options->colour ? "\033[0m" : "");
	if (!detailed)
		write_next(report, "one kernel", pattern, "");
	if (!run_shows_all(report->options))
		write_next(report, "every case", NULL, " --all");
	write_next(report, "a page", NULL, " -o cards.html");
	free(pattern);
}

int cards_write_readable(FILE *out, const struct cards_report *report, const struct card_rows *rows,
			 enum report_format format, const struct report_options *options,
			 struct error *err)
{
	static const struct report_options none = {0};
	struct readable readable = {
		.out = out,
		.report = report,
		.rows = rows,
		.format = format,
		.options = options ? options : &none,
	};
	bool detailed;
	int rc = 0;

	for (int card = 0; card < CARDS; card++) {
		struct run *common = &readable.common[card];

		*common = *report->runs[card];
		common->trials = xcalloc(rows->count + 1, sizeof(*common->trials));
		common->trial_count = rows->count;
		for (size_t i = 0; i < rows->count; i++)
			common->trials[i] = *rows->items[i].trials[card];
	}
	run_kernels_init(&readable.kernels, &readable.common[0]);
	detailed = run_is_detailed(&readable.common[0], readable.options);
	write_cards(&readable);
	if (run_kernel_count(&readable.common[0]) > 1)
		rc = write_table(&readable,
				 "Fastest case of each kernel on A, on its largest problem",
				 fastest_table(&readable), err);
	if (!rc && detailed)
		rc = write_kernels(&readable, err);
	if (!rc)
		rc = write_roofs_table(&readable, err);
	if (!rc)
		write_remarks(&readable);
	if (!rc && format == REPORT_TEXT)
		write_next_commands(&readable, detailed);
	run_kernels_release(&readable.kernels);
	for (int card = 0; card < CARDS; card++)
		free(readable.common[card].trials);
	return rc;
}
