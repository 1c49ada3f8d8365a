/* What the hardware counted and sampled at each source line. CSV and JSON have one table of all
 * lines; text and Markdown have the lines of each case, or the worst lines of the run. */
#include "reports/run/profile.h"

#include <errno.h>
#include <math.h>

#include "reports/run/line_parts.h"
#include "reports/table/json.h"

#define PROFILE_NOTE                                                                          \
	"share: of the samples of the case that were at this line, with the calls that were " \
	"inlined there in brackets; +-: where another sampling has it, 95 times in 100. "     \
	"exec: machine instructions of the line that warps executed; ~: it varies from one "  \
	"execution to the next. sec/req: 32-byte sectors per access of a warp to global "     \
	"memory. waste: what adjacent accesses, full warps or no bank conflicts would save. " \
	"why: what sampled warps did there."

/* ---- records ---- */

static void add_callers(struct text *out, const struct profile *profile, int64_t frame)
{
	int depth = 0;

	for (int64_t above = frame < 0 ? -1 : profile->frames[frame].caller;
	     above >= 0 && depth < DEEPEST; above = profile->frames[above].caller)
		text_addf(out, "%s%s:%lld", depth++ ? " < " : "", profile->frames[above].file,
			  (long long)profile->frames[above].line);
}

static void add_exactly(struct text *out, double value)
{
	if (isfinite(value))
		text_addf(out, "%.15g", value);
}

static void add_line_record(struct table *table, const struct run *run,
			    const struct report_profile *reported, const struct line_cost *line,
			    const struct report_texts *texts)
{
	const struct profile *profile = reported->profile;
	const struct trial *trial = reported->trial;
	const struct profile_frame *frame = line->frame < 0 ? NULL : &profile->frames[line->frame];
	struct row row = {0};

	row_add(&row, run->uid);
	row_add(&row, trial->kernel);
	row_add(&row, trial->variant);
	row_add(&row, trial->config);
	row_add(&row, trial_status_name(trial->status));
	row_add(&row, profile->functions[line->function].name);
	row_add(&row, frame ? frame->file : NULL);
	line_add_count(row_cell(&row), frame ? frame->line : -1);
	row_add(&row, frame ? frame->function : NULL);
	add_callers(row_cell(&row), profile, line->frame);
	add_exactly(row_cell(&row), line->share);
	add_exactly(row_cell(&row), line->low);
	add_exactly(row_cell(&row), line->high);
	line_add_count(row_cell(&row), line->not_issued);
	row_add(&row, line->stall_count ? line->stalls[0].reason : NULL);
	for (size_t i = 0; i < instruction_fields.count; i++) {
		const struct field_value value =
			field_read(&instruction_fields.items[i], &line->sums);

		line_add_count(row_cell(&row), value.known ? value.integer : -1);
	}
	row_add(&row, frame ? line_source(texts, frame) : NULL);
	row_end(&row, table, ROW_PLAIN);
}

static struct table *record_table(void)
{
	static const struct table_column before[] = {
		{.name = "run_uid"},
		{.name = "kernel"},
		{.name = "variant"},
		{.name = "config"},
		{.name = "status"},
		{.name = "function"},
		{.name = "file"},
		{"line", true, NULL, 0, false},
		{.name = "inlined"},
		{.name = "called_from"},
		{"share", true, NULL, 0, false},
		{"low", true, NULL, 0, false},
		{"high", true, NULL, 0, false},
		{"not_issued", true, NULL, 0, false},
		{.name = "reason"},
	};
	struct table_column columns[ROW_CELLS_MOST];
	size_t count = 0;

	for (size_t i = 0; i < ARRAY_SIZE(before); i++)
		columns[count++] = before[i];
	for (size_t i = 0; i < instruction_fields.count; i++)
		columns[count++] = (struct table_column){.name = instruction_fields.items[i].name,
							 .numeric = true};
	columns[count++] = (struct table_column){.name = "source"};
	return table_new(columns, count);
}

int report_profiles(FILE *out, const struct run *run, const struct report_profiles *report,
		    enum report_format format, const struct report_options *options,
		    struct error *err)
{
	static const struct report_options plain = {0};
	const bool markdown = format == REPORT_MARKDOWN;
	struct table *table;
	int rc;

	options = options ? options : &plain;
	if (report_format_applies(format, OF_TABLE) && report_format_has(format, HUMAN_READABLE)) {
		errno = 0;
		lines_write_heading(out, run, markdown);
		if (report->worst)
			write_worst_lines(out, run, report, markdown, options);
		for (size_t i = 0; i < report->count && !report->worst; i++)
			write_profiled_case(out, &report->items[i], report->texts, report->sass,
					    markdown, options);
		if (!report->worst)
			lines_write_legend(out, PROFILE_NOTE, markdown, options);
		return stream_check(out, err);
	}
	table = record_table();
	for (size_t i = 0; i < report->count; i++) {
		struct line_cost_list lines;

		line_costs_of(report->items[i].profile, &lines);
		for (size_t j = 0; j < lines.count; j++)
			add_line_record(table, run, &report->items[i], &lines.items[j],
					report->texts);
		line_cost_list_release(&lines);
	}
	rc = table_write(out, table, format, options, err);
	table_free(table);
	return rc;
}
