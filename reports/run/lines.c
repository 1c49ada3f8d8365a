/*
 * What an emulator counted at each source line. Text and Markdown have one table per file of each
 * case, with rounded values; CSV and JSON have one table of all lines.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/run/line_parts.h"
#include "reports/run/source_text.h"
#include "reports/table/json.h"
#include "reports/table/readable.h"

#define LANES_PER_WARP 32

#define LINES_NOTE                                                                             \
	"Emulated PTX: no times. inst: PTX instructions of the line that warps executed. "     \
	"lanes %: lanes with a true guard, of 32; of a branch, all active ones. "              \
	"divergent: branches on which the lanes of a warp diverged. sec/req: 32-byte sectors " \
	"per global access; 4 for adjacent 4-byte elements. conflicts: extra wavefronts of "   \
	"shared memory. The source text is that of the file today."
#define NO_SOURCE_NOTE \
	"No text: the file is neither in the working directory nor below $PERFLAB_SOURCE_DIR."
#define NO_LINEINFO_NOTE "The PTX has no source lines (nvcc -lineinfo): these are lines of the PTX."
#define NO_LINE_NOTE \
	"Instructions that the compiler assigned to no source line, by lines of the PTX."
#define YOUNGER_NOTE "The file is newer than the run: it may not be the text that was compiled."

/* A column that each line fills; an empty cell means "not known". */
struct line_field {
	struct table_column column;
	bool human, machine; /* the formats that have it */
	void (*show)(struct text *out, const struct line_count *line);
};

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

/* Human-readable formats show a count only if there was something to count. */
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
	if (line->requests > 0)
		text_addf(out, "%.15g", (double)line->sectors / (double)line->requests);
}

static void show_short_sectors_per_request(struct text *out, const struct line_count *line)
{
	line_add_quotient(out, line->sectors, line->requests);
}

static void show_file(struct text *out, const struct line_count *line)
{
	if (line->file)
		text_add(out, line->file);
}

/* Machine-readable formats have the case before these columns; every format has the source text
 * after them. */
static const struct line_field line_fields[] = {
	{{"file", false, NULL, 0, false}, false, true, show_file},
	{{"line", true, NULL, 0, false}, true, true, show_line},
	{{"instructions", true, "inst", 0, false}, true, true, show_instructions},
	{{"lanes", true, NULL, 0, false}, false, true, show_lanes},
	{{"lanes_pct", true, NULL, 0, false}, false, true, show_lanes_pct},
	{{"lanes_pct", true, "lanes %", 0, false}, true, false, show_short_lanes_pct},
	{{"branches", true, NULL, 0, false}, false, true, show_branches},
	{{"branches", true, NULL, 3, false}, true, false, show_branches_of_branches},
	{{"divergent", true, NULL, 0, false}, false, true, show_divergent},
	{{"divergent", true, NULL, 0, false}, true, false, show_divergent_of_branches},
	{{"requests", true, NULL, 0, false}, false, true, show_requests},
	{{"requests", true, "global req", 4, false}, true, false, show_requests_of_requests},
	{{"sectors", true, NULL, 0, false}, false, true, show_sectors},
	{{"sectors_per_request", true, NULL, 0, false}, false, true, show_sectors_per_request},
	{{"sectors_per_request", true, "sec/req", 0, false},
	 true,
	 false,
	 show_short_sectors_per_request},
	{{"shared_requests", true, NULL, 0, false}, false, true, show_shared_requests},
	{{"shared_requests", true, "shared req", 5, false},
	 true,
	 false,
	 show_shared_requests_of_shared_requests},
	{{"wavefronts", true, NULL, 0, false}, false, true, show_wavefronts},
	{{"conflicts", true, NULL, 0, false}, false, true, show_conflicts},
	{{"conflicts", true, NULL, 0, false}, true, false, show_conflicts_of_shared_requests},
};

static const struct table_column case_columns[] = {
	{.name = "run_uid"}, {.name = "kernel"}, {.name = "variant"},
	{.name = "config"},  {.name = "status"},
};

#define MOST_COLUMNS (ARRAY_SIZE(case_columns) + ARRAY_SIZE(line_fields) + 1)

static bool is_wanted(const struct line_field *line_field, bool human)
{
	return human ? line_field->human : line_field->machine;
}

static struct table *lines_table(bool human)
{
	struct table_column columns[MOST_COLUMNS];
	size_t count = 0;

	for (size_t i = 0; i < ARRAY_SIZE(case_columns) && !human; i++)
		columns[count++] = case_columns[i];
	for (size_t i = 0; i < ARRAY_SIZE(line_fields); i++) {
		if (is_wanted(&line_fields[i], human))
			columns[count++] = line_fields[i].column;
	}
	columns[count++] = (struct table_column){.name = "source"};
	return table_new(columns, count);
}

static void add_line_row(struct table *table, const struct run *run, const struct trial *trial,
			 const struct line_count *line, struct source_text *source, bool human)
{
	const char *const names[ARRAY_SIZE(case_columns)] = {run->uid, trial->kernel,
							     trial->variant, trial->config,
							     trial_status_name(trial->status)};
	const char *cells[MOST_COLUMNS];
	char *owned[ARRAY_SIZE(line_fields)];
	size_t count = 0, owned_count = 0;

	for (size_t i = 0; i < ARRAY_SIZE(names) && !human; i++)
		cells[count++] = names[i];
	for (size_t i = 0; i < ARRAY_SIZE(line_fields); i++) {
		struct text cell = TEXT_INIT;

		if (!is_wanted(&line_fields[i], human))
			continue;
		line_fields[i].show(&cell, line);
		owned[owned_count] = cell.length ? text_detach(&cell) : NULL;
		cells[count++] = owned[owned_count++];
	}
	cells[count++] = source_text_line(source, line->file, line->line);
	table_row(table, cells);
	for (size_t i = 0; i < owned_count; i++)
		free(owned[i]);
}

/* ---- text and Markdown ---- */

static bool lines_share_file(const struct line_count *a, const struct line_count *b)
{
	return a->file && b->file ? strcmp(a->file, b->file) == 0 : a->file == b->file;
}

static void write_case_title(FILE *out, const struct trial *trial, bool markdown,
			     const struct report_options *options)
{
	char *name = trial_case_name(trial);
	struct text title = TEXT_INIT;

	lines_add_foreign(&title, name, markdown);
	if (trial->status != TRIAL_OK) {
		text_addf(&title, " (%s%s", trial_status_name(trial->status),
			  trial->reason ? ": " : "");
		lines_add_foreign(&title, trial->reason ? trial->reason : "", markdown);
		text_add_char(&title, ')');
	}
	lines_write_title(out, title.data, markdown, options);
	text_release(&title);
	free(name);
}

/* Lines `first` up to `end` of a trial, all of one file. */
struct file_lines {
	size_t first, end;
};

/* The order of files: those with source text, those without, then lines that belong to no file. */
enum file_order { ORDER_TEXT, ORDER_NO_TEXT, ORDER_PTX, ORDER_COUNT };

static enum file_order file_order_of(const struct trial *trial, const struct file_lines *lines,
				     struct source_text *source)
{
	const struct line_count *line = &trial->lines.items[lines->first];

	if (!line->file)
		return ORDER_PTX;
	source_text_line(source, line->file, line->line);
	return source->bytes ? ORDER_TEXT : ORDER_NO_TEXT;
}

static void add_note(struct text *out, enum file_order order, const struct run *run,
		     const struct trial *trial, const struct source_text *source)
{
	switch (order) {
	case ORDER_TEXT:
		if (!source->measured && source->written_ns > run->started_ns)
			text_add(out, YOUNGER_NOTE);
		break;
	case ORDER_NO_TEXT:
		if (source->reason)
			text_addf(out, "No text: the file %s.", source->reason);
		else
			text_add(out, NO_SOURCE_NOTE);
		break;
	default:
		/* sorted by file, lines without a file first: if any has one, the last has */
		text_add(out, trial->lines.items[trial->lines.count - 1].file ? NO_LINE_NOTE
									      : NO_LINEINFO_NOTE);
	}
}

static void write_file_table(FILE *out, const struct run *run, const struct trial *trial,
			     const struct file_lines *lines, enum file_order order,
			     struct source_text *source, bool markdown,
			     const struct report_options *options)
{
	const struct line_count *items = trial->lines.items;
	struct table *table = lines_table(true);
	struct text title = TEXT_INIT, note = TEXT_INIT;

	add_note(&note, order, run, trial, source);
	for (size_t i = lines->first; i < lines->end; i++)
		add_line_row(table, run, trial, &items[i], source, true);
	lines_add_foreign(&title, items[lines->first].file ? items[lines->first].file : "the PTX",
			  markdown);
	fprintf(out, markdown ? "\n%s\n\n" : "%s\n", title.data);
	if (markdown)
		table_write_markdown(out, table);
	else
		table_write_text(out, table, options);
	if (note.length)
		fprintf(out, "%s%s\n", markdown ? "\n" : "", note.data);
	text_release(&note);
	text_release(&title);
	table_free(table);
}

static void write_trial_files(FILE *out, const struct run *run, const struct trial *trial,
			      struct source_text *source, bool markdown,
			      const struct report_options *options)
{
	const struct line_count *items = trial->lines.items;

	for (int order = 0; order < ORDER_COUNT; order++) {
		struct file_lines lines = {0};

		for (; lines.first < trial->lines.count; lines.first = lines.end) {
			lines.end = lines.first;
			while (lines.end < trial->lines.count &&
			       lines_share_file(&items[lines.first], &items[lines.end]))
				lines.end++;
			if ((int)file_order_of(trial, &lines, source) == order)
				write_file_table(out, run, trial, &lines, (enum file_order)order,
						 source, markdown, options);
		}
	}
}

static void write_files(FILE *out, const struct run *run, const struct trial *const *trials,
			size_t count, struct source_text *source, bool markdown,
			const struct report_options *options)
{
	lines_write_heading(out, run, markdown);
	for (size_t i = 0; i < count; i++) {
		if (!trials[i]->lines.count)
			continue;
		write_case_title(out, trials[i], markdown, options);
		write_trial_files(out, run, trials[i], source, markdown, options);
	}
	lines_write_legend(out, LINES_NOTE, markdown, options);
}

/* ---- the report ---- */

static int fail_without_lines(const struct run *run, const struct trial *const *trials,
			      size_t count, struct error *err)
{
	struct text why = TEXT_INIT;
	char *name;
	int rc;

	if (!run->traits.emulated) {
		text_add_escaped(&why, run->backend ? run->backend : "unknown");
		rc = error_set(err, PL_ENOENT,
			       "run %lld has no lines: only the ptx backend counts lines, and "
			       "this run used %s",
			       (long long)run->id, why.data);
	} else if (count == 0) {
		rc = error_set(err, PL_ENOENT, "run %lld has no lines, because it has no cases",
			       (long long)run->id);
	} else {
		name = trial_case_name(trials[0]);
		text_add_escaped(&why, name);
		text_addf(&why, " is %s%s", trial_status_name(trials[0]->status),
			  trials[0]->reason ? ": " : "");
		text_add_escaped(&why, trials[0]->reason ? trials[0]->reason : "");
		rc = error_set(err, PL_ENOENT, "none of the chosen cases of run %lld has lines: %s",
			       (long long)run->id, why.data);
		free(name);
	}
	text_release(&why);
	return rc;
}

int report_lines(FILE *out, const struct run *run, const struct trial *const *trials, size_t count,
		 const struct report_sources *sources, enum report_format format,
		 const struct report_options *options, struct error *err)
{
	static const struct report_options plain = {0};
	struct source_text source = {.where = sources};
	struct table *table;
	size_t lines = 0;
	int rc = 0;

	for (size_t i = 0; i < count; i++)
		lines += trials[i]->lines.count;
	if (!lines)
		return fail_without_lines(run, trials, count, err);
	if (report_format_applies(format, OF_TABLE) && report_format_has(format, HUMAN_READABLE)) {
		errno = 0;
		write_files(out, run, trials, count, &source, format == REPORT_MARKDOWN,
			    options ? options : &plain);
		rc = stream_check(out, err);
	} else {
		table = lines_table(false);
		for (size_t i = 0; i < count; i++) {
			for (size_t j = 0; j < trials[i]->lines.count; j++)
				add_line_row(table, run, trials[i], &trials[i]->lines.items[j],
					     &source, false);
		}
		rc = table_write(out, table, format, options, err);
		table_free(table);
	}
	source_text_release(&source);
	return rc;
}
