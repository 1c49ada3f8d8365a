/*
 * perflab list kernels: one line per variant, of the built-in kernels or of
 * files of the user. --long prints the whole descriptor, except the launches.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/list.h"
#include "harness/sweep/sweep.h"
#include "kernels/user/kernel_file.h"

#define INDENT 15

static bool variant_matches(const struct kernel *kernel, const struct kernel_variant *variant,
			    const char *pattern)
{
	char *name = xasprintf("%s/%s", kernel->name, variant->name);
	bool matches = !pattern || pattern_matches(pattern, name);

	free(name);
	return matches;
}

static const char *when_it_runs(const struct kernel *kernel)
{
	return kernel->on_request ? "only when named" : "with all";
}

static const struct kernel_work *work_of(const struct kernel *kernel,
					 const struct kernel_variant *variant)
{
	return variant->work ? variant->work : &kernel->work;
}

static void axes_line(struct text *out, const struct kernel *kernel,
		      const struct kernel_variant *variant)
{
	for (size_t i = 0; i < variant_axis_count(kernel, variant); i++) {
		const struct kernel_axis *axis = variant_axis(kernel, variant, i);

		text_addf(out, "%s%s=%s", out->length ? " " : "", axis->name, axis->values);
	}
}

/* The constraints of the kernel come first, then those of the variant. NULL: no more. */
static const struct kernel_constraint *
constraint_at(const struct kernel *kernel, const struct kernel_variant *variant, size_t index)
{
	if (index < kernel->constraint_count)
		return &kernel->constraints[index];
	index -= kernel->constraint_count;
	return index < variant->constraint_count ? &variant->constraints[index] : NULL;
}

/* ---- --long as text ---- */

static void print_field(const char *name, const char *value)
{
	struct text shown = TEXT_INIT;
	int used;

	if (!value)
		return;
	text_add_escaped(&shown, value);
	used = printf("    %-10s ", name);
	print_wrapped(stdout, shown.data, (size_t)used, INDENT);
	text_release(&shown);
}

/* "n - 1 operations; reads 4 * n bytes, writes 4" */
static void print_work(const struct kernel_work *work)
{
	struct text line = TEXT_INIT;

	if (work->flop)
		text_addf(&line, "%s operations", work->flop);
	if (work->bytes_read)
		text_addf(&line, "%sreads %s bytes", line.length ? "; " : "", work->bytes_read);
	if (work->bytes_written)
		text_addf(&line, "%swrites %s bytes", line.length ? "; " : "", work->bytes_written);
	print_field("work", line.length ? line.data : "no work model");
	text_release(&line);
}

static void print_visible(const char *text)
{
	struct text shown = TEXT_INIT;

	text_add_escaped(&shown, text);
	fputs(shown.data, stdout);
	text_release(&shown);
}

static void print_variant(const struct kernel *kernel, const struct kernel_variant *variant)
{
	const struct kernel_constraint *constraint;
	struct text check = TEXT_INIT;

	printf("  ");
	print_visible(kernel->name);
	putchar('/');
	print_visible(variant->name);
	putchar('\n');
	print_field("lesson", variant->lesson);
	print_field("shown by", variant->metric);
	for (size_t i = 0; i < variant_axis_count(kernel, variant); i++) {
		const struct kernel_axis *axis = variant_axis(kernel, variant, i);
		char *line = xasprintf("%s=%s%s%s", axis->name, axis->values,
				       *axis->meaning ? ": " : "", axis->meaning);

		print_field("axis", line);
		free(line);
	}
	for (size_t i = 0; (constraint = constraint_at(kernel, variant, i)) != NULL; i++)
		print_field("constraint", constraint->reason);
	print_work(work_of(kernel, variant));
	kernel_check_describe(&check, kernel, variant);
	print_field("verified", check.data);
	text_release(&check);
	putchar('\n');
}

static void print_family(const struct kernel *kernel)
{
	struct text line = TEXT_INIT;

	text_addf(&line, "%s: %s (runs ", kernel->name, kernel->summary);
	print_visible(line.data);
	printf("%s)\n\n", when_it_runs(kernel));
	text_release(&line);
}

static size_t print_families(const struct kernel_set *set, const char *pattern)
{
	const struct kernel *const *kernels = set->items;
	size_t printed = 0;

	for (size_t i = 0; i < set->count; i++) {
		bool headed = false;

		for (size_t j = 0; j < kernels[i]->variant_count; j++) {
			const struct kernel_variant *variant = &kernels[i]->variants[j];

			if (!variant_matches(kernels[i], variant, pattern))
				continue;
			if (!headed)
				print_family(kernels[i]);
			headed = true;
			printed++;
			print_variant(kernels[i], variant);
		}
	}
	return printed;
}

/* ---- tables ---- */

/* PARTS: LONG as JSON, where axes and constraints are lists. */
enum detail { BRIEF = 1, OF_FILES = 2, VERBOSE = 4, LONG = 8, PARTS = 16 };

enum {
	COLUMN_AXES = 2,
	COLUMN_CONSTRAINTS = 3,
	KERNEL_COLUMNS = 13,
};

/* The columns, and the details that have them. */
static const struct {
	const char *name;
	unsigned of;
} kernel_columns[KERNEL_COLUMNS] = {
	{"kernel", ~0U},
	{"variant", ~0U},
	{"axes", OF_FILES | VERBOSE | LONG | PARTS},
	{"constraints", LONG | PARTS},
	{"flop", LONG | PARTS},
	{"bytes_read", LONG | PARTS},
	{"bytes_written", LONG | PARTS},
	{"runs", VERBOSE | LONG | PARTS},
	{"metric", VERBOSE | LONG | PARTS},
	{"lesson", BRIEF | VERBOSE | LONG | PARTS},
	{"axis_meanings", LONG},
	{"summary", PARTS},
	{"check", OF_FILES | LONG | PARTS},
};

/* Adds the meaning of each axis: for a column of parts, one line per axis. */
static void axes_cell(struct text *out, const struct kernel *kernel,
		      const struct kernel_variant *variant, bool parts)
{
	for (size_t i = 0; i < variant_axis_count(kernel, variant); i++) {
		const struct kernel_axis *axis = variant_axis(kernel, variant, i);

		if (parts)
			text_addf(out, "%s%s\t%s\t%s", i ? "\n" : "", axis->name, axis->values,
				  axis->meaning);
		else if (*axis->meaning)
			text_addf(out, "%s%s: %s", out->length ? "; " : "", axis->name,
				  axis->meaning);
	}
}

static void constraints_cell(struct text *out, const struct kernel *kernel,
			     const struct kernel_variant *variant, bool parts)
{
	const struct kernel_constraint *constraint;

	for (size_t i = 0; (constraint = constraint_at(kernel, variant, i)) != NULL; i++) {
		if (parts)
			text_addf(out, "%s%s\t%s", i ? "\n" : "", constraint->holds,
				  constraint->reason);
		else
			text_addf(out, "%s%s", i ? "; " : "", constraint->reason);
	}
}

static void add_selected(struct table *table, enum detail detail,
			 const char *const all[KERNEL_COLUMNS])
{
	const char *cells[KERNEL_COLUMNS];
	size_t count = 0;

	for (size_t i = 0; i < KERNEL_COLUMNS; i++)
		if (kernel_columns[i].of & detail)
			cells[count++] = all[i];
	table_row(table, cells);
}

static void add_variant(struct table *table, const struct kernel *kernel,
			const struct kernel_variant *variant, enum detail detail)
{
	const struct kernel_work *work = work_of(kernel, variant);
	const bool parts = detail == PARTS;
	struct text axes = TEXT_INIT, meanings = TEXT_INIT, constraints = TEXT_INIT;
	struct text check = TEXT_INIT;

	kernel_check_describe(&check, kernel, variant);
	axes_line(&axes, kernel, variant);
	axes_cell(&meanings, kernel, variant, parts);
	constraints_cell(&constraints, kernel, variant, parts);
	add_selected(table, detail,
		     (const char *const[KERNEL_COLUMNS]){
			     kernel->name, variant->name, parts ? meanings.data : axes.data,
			     constraints.data, work->flop, work->bytes_read, work->bytes_written,
			     when_it_runs(kernel), variant->metric, variant->lesson, meanings.data,
			     kernel->summary, check.data});
	text_release(&check);
	text_release(&axes);
	text_release(&meanings);
	text_release(&constraints);
}

static struct table *new_table(enum detail detail)
{
	static const char *const of_axis[] = {"name", "values", "meaning", NULL};
	static const char *const of_constraint[] = {"holds", "reason", NULL};
	struct table_column columns[KERNEL_COLUMNS] = {{0}};
	struct table *table;
	size_t count = 0;

	for (size_t i = 0; i < KERNEL_COLUMNS; i++)
		if (kernel_columns[i].of & detail)
			columns[count++].name = kernel_columns[i].name;
	table = table_new(columns, count);
	if (detail == PARTS) {
		table_parts(table, COLUMN_AXES, of_axis);
		table_parts(table, COLUMN_CONSTRAINTS, of_constraint);
	}
	return table;
}

static int list_set(const struct invocation *call, const struct kernel_set *set, enum detail detail,
		    const char *pattern, struct error *err)
{
	const struct list_options *options = call->options;
	const enum detail shown = detail == LONG && options->format == REPORT_JSON ? PARTS : detail;
	struct table *table = new_table(shown);
	int rc = 0;

	for (size_t i = 0; i < set->count; i++)
		for (size_t j = 0; j < set->items[i]->variant_count; j++)
			if (variant_matches(set->items[i], &set->items[i]->variants[j], pattern))
				add_variant(table, set->items[i], &set->items[i]->variants[j],
					    shown);
	/* if no family matches, the empty table prints that message */
	if (detail != LONG || options->format != REPORT_TEXT || !print_families(set, pattern))
		rc = list_to_stdout(call, table, pattern, err);
	table_free(table);
	return rc;
}

static int list_files(const struct invocation *call, const struct string_list *paths,
		      enum detail detail, const char *pattern, struct error *err)
{
	struct kernel_file *files = NULL;
	const struct kernel *kernel;
	int rc = kernel_files_read(&files, (const char *const *)paths->items, paths->count, NULL,
				   err);

	if (rc)
		return rc;
	kernel = kernel_file_kernel(files);
	rc = list_set(call, &(struct kernel_set){&kernel, 1}, detail == BRIEF ? OF_FILES : detail,
		      pattern, err);
	kernel_file_free(files);
	return rc;
}

int list_kernels(const struct invocation *call, const char *pattern, struct error *err)
{
	const struct list_options *options = call->options;
	enum detail detail = options->everything ? LONG : options->verbose ? VERBOSE : BRIEF;
	const struct kernel_set built_in = kernel_set_built_in();
	struct sweep_request request = {0}; /* its files only */
	struct string_list *const paths = &request.files;
	int rc = 0;

	/* the first operand is the topic; the pattern, if there is one, is the last */
	for (size_t i = 1; i < call->operands.count; i++)
		if (is_kernel_file(call->operands.items[i]))
			string_list_add(paths, call->operands.items[i]);
	if (paths->count && is_kernel_file(pattern))
		pattern = NULL;
	if (call->operands.count - 1 > paths->count + (pattern ? 1 : 0))
		rc = error_set(err, PL_EUSAGE, "give one pattern, behind the files");
	for (size_t i = 0; i < options->replacements.count && !rc; i++)
		rc = sweep_request_add_replacement(&request, options->replacements.items[i], err);
	if (!rc)
		rc = paths->count ? list_files(call, paths, detail, pattern, err)
				  : list_set(call, &built_in, detail, pattern, err);
	sweep_request_release(&request);
	return rc;
}
