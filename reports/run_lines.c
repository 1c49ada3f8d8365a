/*
 * What an emulator counted at each source line: for people a table a file of
 * each case, for programs one table of all.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/report_parts.h"

#define LANES_PER_WARP 32

#define LINES_NOTE                                                                              \
	"emulated PTX: no times. inst: PTX instructions, of those that the compiler made of a " \
	"line, that warps executed; lanes %: of their 32 lanes those whose guard held, so a "   \
	"branch that is not taken has none; divergent: branches on which the lanes of a warp "  \
	"parted; sec/req: 32-byte sectors a global access, 4 of 4-byte elements side by side; " \
	"conflicts: passes of shared-memory banks beyond need. The text is what the file says " \
	"today."
#define NO_SOURCE_NOTE \
	"No text: the file is neither in the working directory nor below $PERFLAB_SOURCE_DIR."
#define NO_LINEINFO_NOTE "The PTX has no source lines (nvcc -lineinfo): these are lines of the PTX."
#define NO_LINE_NOTE "What the compiler ascribes to no source line, by lines of the PTX."
#define YOUNGER_NOTE "The file is younger than the run: this may not be the text that was compiled."

/* A column that a line fills; an empty cell is one that is not known. */
struct field {
	struct table_column column;
	bool for_people, for_programs;
	void (*show)(struct text *out, const struct line_count *line);
};

static void show_ratio(struct text *out, double numerator, int64_t denominator)
{
	if (denominator > 0)
		text_addf(out, "%.15g", numerator / (double)denominator);
}

#define SHOW(name)                                                            \
	static void show_##name(struct text *out, const struct line_count *l) \
	{                                                                     \
		text_addf(out, "%lld", (long long)l->name);                   \
	}
SHOW(line)
SHOW(instructions)
SHOW(lanes)
SHOW(branches)
SHOW(divergent)
SHOW(requests)
SHOW(sectors)
SHOW(shared_requests)
SHOW(wavefronts)
SHOW(conflicts)
#undef SHOW

/* For people a count stands only where there was something to count. */
#define SHOW_OF(name, of)                                                               \
	static void show_##name##_of_##of(struct text *out, const struct line_count *l) \
	{                                                                               \
		if (l->of > 0)                                                          \
			text_addf(out, "%lld", (long long)l->name);                     \
	}
SHOW_OF(branches, branches)
SHOW_OF(divergent, branches)
SHOW_OF(requests, requests)
SHOW_OF(shared_requests, shared_requests)
SHOW_OF(conflicts, shared_requests)
#undef SHOW_OF

static double lanes_pct(const struct line_count *line)
{
	if (line->instructions <= 0)
		return NAN;
	return 100 * (double)line->lanes / (LANES_PER_WARP * (double)line->instructions);
}

static void show_lanes_pct(struct text *out, const struct line_count *line)
{
	if (isfinite(lanes_pct(line)))
		text_addf(out, "%.15g", lanes_pct(line));
}

static void show_short_lanes_pct(struct text *out, const struct line_count *line)
{
	if (isfinite(lanes_pct(line)))
		format_number(out, lanes_pct(line), "percent");
}

static void show_sectors_per_request(struct text *out, const struct line_count *line)
{
	show_ratio(out, (double)line->sectors, line->requests);
}

static void show_short_sectors_per_request(struct text *out, const struct line_count *line)
{
	if (line->requests > 0)
		format_number(out, (double)line->sectors / (double)line->requests, "");
}

static void show_file(struct text *out, const struct line_count *line)
{
	if (line->file)
		text_add(out, line->file);
}

/* The case stands before these for programs, the source text behind them for all. */
static const struct field fields[] = {
	{{"file", false, NULL, 0}, false, true, show_file},
	{{"line", true, NULL, 0}, true, true, show_line},
	{{"instructions", true, "inst", 0}, true, true, show_instructions},
	{{"lanes", true, NULL, 0}, false, true, show_lanes},
	{{"lanes_pct", true, NULL, 0}, false, true, show_lanes_pct},
	{{"lanes_pct", true, "lanes %", 0}, true, false, show_short_lanes_pct},
	{{"branches", true, NULL, 0}, false, true, show_branches},
	{{"branches", true, NULL, 3}, true, false, show_branches_of_branches},
	{{"divergent", true, NULL, 0}, false, true, show_divergent},
	{{"divergent", true, NULL, 0}, true, false, show_divergent_of_branches},
	{{"requests", true, NULL, 0}, false, true, show_requests},
	{{"requests", true, "global req", 4}, true, false, show_requests_of_requests},
	{{"sectors", true, NULL, 0}, false, true, show_sectors},
	{{"sectors_per_request", true, NULL, 0}, false, true, show_sectors_per_request},
	{{"sectors_per_request", true, "sec/req", 0}, true, false, show_short_sectors_per_request},
	{{"shared_requests", true, NULL, 0}, false, true, show_shared_requests},
	{{"shared_requests", true, "shared req", 5},
	 true,
	 false,
	 show_shared_requests_of_shared_requests},
	{{"wavefronts", true, NULL, 0}, false, true, show_wavefronts},
	{{"conflicts", true, NULL, 0}, false, true, show_conflicts},
	{{"conflicts", true, NULL, 0}, true, false, show_conflicts_of_shared_requests},
};

static const struct table_column case_columns[] = {
	{.name = "run_uid"}, {.name = "kernel"}, {.name = "variant"},
	{.name = "config"},  {.name = "status"},
};

#define MOST_COLUMNS (ARRAY_SIZE(case_columns) + ARRAY_SIZE(fields) + 1)

static bool is_wanted(const struct field *field, bool people)
{
	return people ? field->for_people : field->for_programs;
}

static struct table *lines_table(bool people)
{
	struct table_column columns[MOST_COLUMNS];
	size_t count = 0;

	for (size_t i = 0; i < ARRAY_SIZE(case_columns) && !people; i++)
		columns[count++] = case_columns[i];
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		if (is_wanted(&fields[i], people))
			columns[count++] = fields[i].column;
	}
	columns[count++] = (struct table_column){.name = "source"};
	return table_new(columns, count);
}

static void add_line(struct table *table, const struct run *run, const struct trial *trial,
		     const struct line_count *line, struct source_text *source, bool people)
{
	const char *const names[ARRAY_SIZE(case_columns)] = {run->uid, trial->kernel,
							     trial->variant, trial->config,
							     trial_status_name(trial->status)};
	const char *cells[MOST_COLUMNS];
	char *owned[ARRAY_SIZE(fields)];
	size_t count = 0, owned_count = 0;

	for (size_t i = 0; i < ARRAY_SIZE(names) && !people; i++)
		cells[count++] = names[i];
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		struct text cell = TEXT_INIT;

		if (!is_wanted(&fields[i], people))
			continue;
		fields[i].show(&cell, line);
		owned[owned_count] = cell.length ? text_detach(&cell) : NULL;
		cells[count++] = owned[owned_count++];
	}
	cells[count++] = source_text_line(source, line->file, line->line);
	table_row(table, cells);
	for (size_t i = 0; i < owned_count; i++)
		free(owned[i]);
}

/* ---- for people ---- */

static bool same_file(const struct line_count *a, const struct line_count *b)
{
	return a->file && b->file ? strcmp(a->file, b->file) == 0 : a->file == b->file;
}

static void escape(struct text *out, const char *text, bool markdown)
{
	if (markdown)
		escape_markdown(out, text);
	else
		escape_show(out, text);
}

static void write_title(FILE *out, const struct trial *trial, bool markdown,
			const struct report_options *options)
{
	char *name = trial_case_name(trial);
	struct text title = TEXT_INIT;
	bool bold = options->colour && !markdown;

	escape(&title, name, markdown);
	if (trial->status != TRIAL_OK) {
		text_addf(&title, " (%s%s", trial_status_name(trial->status),
			  trial->reason ? ": " : "");
		escape(&title, trial->reason ? trial->reason : "", markdown);
		text_add_char(&title, ')');
	}
	fprintf(out, "\n%s%s%s\n",
		markdown ? "#### "
		: bold   ? "\033[1m"
			 : "",
		title.data, bold ? "\033[0m" : "");
	text_release(&title);
	free(name);
}

/* Lines `first` up to `end` of a trial, all of one file. */
struct file_lines {
	size_t first, end;
};

/* Files in the order in which a reader wants them: those whose text is there, those whose text is
 * not, and what belongs to none. */
enum file_order { ORDER_TEXT, ORDER_NO_TEXT, ORDER_PTX, ORDER_COUNT };

static enum file_order order_of(const struct trial *trial, const struct file_lines *lines,
				struct source_text *source)
{
	const struct line_count *line = &trial->lines.items[lines->first];

	if (!line->file)
		return ORDER_PTX;
	source_text_line(source, line->file, line->line);
	return source->bytes ? ORDER_TEXT : ORDER_NO_TEXT;
}

static const char *note_of(enum file_order order, const struct run *run, const struct trial *trial,
			   const struct source_text *source)
{
	switch (order) {
	case ORDER_TEXT:
		return source->written_ns > run->started_ns ? YOUNGER_NOTE : NULL;
	case ORDER_NO_TEXT:
		return NO_SOURCE_NOTE;
	default:
		/* sorted by file, none first: the last has one if any has */
		return trial->lines.items[trial->lines.count - 1].file ? NO_LINE_NOTE
								       : NO_LINEINFO_NOTE;
	}
}

static void write_file(FILE *out, const struct run *run, const struct trial *trial,
		       const struct file_lines *lines, enum file_order order,
		       struct source_text *source, bool markdown,
		       const struct report_options *options)
{
	const struct line_count *items = trial->lines.items;
	const char *note = note_of(order, run, trial, source);
	struct table *table = lines_table(true);
	struct text title = TEXT_INIT;

	for (size_t i = lines->first; i < lines->end; i++)
		add_line(table, run, trial, &items[i], source, true);
	escape(&title, items[lines->first].file ? items[lines->first].file : "the PTX", markdown);
	fprintf(out, markdown ? "\n%s\n\n" : "%s\n", title.data);
	if (markdown)
		table_write_markdown(out, table);
	else
		table_write_text(out, table, options);
	if (note)
		fprintf(out, "%s%s\n", markdown ? "\n" : "", note);
	text_release(&title);
	table_free(table);
}

static void write_trial(FILE *out, const struct run *run, const struct trial *trial,
			struct source_text *source, bool markdown,
			const struct report_options *options)
{
	const struct line_count *items = trial->lines.items;

	for (int order = 0; order < ORDER_COUNT; order++) {
		struct file_lines lines = {0};

		for (; lines.first < trial->lines.count; lines.first = lines.end) {
			lines.end = lines.first;
			while (lines.end < trial->lines.count &&
			       same_file(&items[lines.first], &items[lines.end]))
				lines.end++;
			if ((int)order_of(trial, &lines, source) == order)
				write_file(out, run, trial, &lines, (enum file_order)order, source,
					   markdown, options);
		}
	}
}

static void write_for_people(FILE *out, const struct run *run, const struct trial *const *trials,
			     size_t count, struct source_text *source, bool markdown,
			     const struct report_options *options)
{
	if (markdown)
		fprintf(out, "### perflab run %lld, by source line\n", (long long)run->id);
	else
		fprintf(out, "Run %lld  %.12s, by source line\n", (long long)run->id, run->uid);
	for (size_t i = 0; i < count; i++) {
		if (!trials[i]->lines.count)
			continue;
		write_title(out, trials[i], markdown, options);
		write_trial(out, run, trials[i], source, markdown, options);
	}
	fprintf(out, "\n%s\n", LINES_NOTE);
}

/* ---- the door ---- */

static int fail_without_lines(const struct run *run, const struct trial *const *trials,
			      size_t count, struct error *err)
{
	struct text why = TEXT_INIT;
	char *name;
	int rc;

	if (!run_is_emulated(run)) {
		escape_show(&why, run->backend ? run->backend : "unknown");
		rc = error_set(err, PL_ENOENT,
			       "run %lld has no lines: lines are counted by the ptx backend only, "
			       "and this run's is %s",
			       (long long)run->id, why.data);
	} else if (count == 0) {
		rc = error_set(err, PL_ENOENT, "run %lld has no lines, for it has no case",
			       (long long)run->id);
	} else {
		name = trial_case_name(trials[0]);
		escape_show(&why, name);
		text_addf(&why, " is %s%s", trial_status_name(trials[0]->status),
			  trials[0]->reason ? ": " : "");
		escape_show(&why, trials[0]->reason ? trials[0]->reason : "");
		rc = error_set(err, PL_ENOENT, "no case that was chosen of run %lld has lines: %s",
			       (long long)run->id, why.data);
		free(name);
	}
	text_release(&why);
	return rc;
}

int report_lines(FILE *out, const struct run *run, const struct trial *const *trials, size_t count,
		 const char *source_folder, enum report_format format,
		 const struct report_options *options, struct error *err)
{
	static const struct report_options plain = {0};
	struct source_text source = {.folder = source_folder};
	struct table *table;
	size_t lines = 0;
	int rc = 0;

	for (size_t i = 0; i < count; i++)
		lines += trials[i]->lines.count;
	if (!lines)
		return fail_without_lines(run, trials, count, err);
	if (format == REPORT_TEXT || format == REPORT_MARKDOWN) {
		errno = 0;
		write_for_people(out, run, trials, count, &source, format == REPORT_MARKDOWN,
				 options ? options : &plain);
		rc = stream_check(out, err);
	} else {
		table = lines_table(false);
		for (size_t i = 0; i < count; i++) {
			for (size_t j = 0; j < trials[i]->lines.count; j++)
				add_line(table, run, trials[i], &trials[i]->lines.items[j], &source,
					 false);
		}
		rc = table_write(out, table, format, options, err);
		table_free(table);
	}
	source_text_release(&source);
	return rc;
}
