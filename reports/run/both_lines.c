/* What an emulator counted at the lines of a case beside what the hardware counted. */
#include <string.h>

#include "reports/run/line_parts.h"
#include "reports/run/profile.h"

#define BOTH_NOTE                                                                            \
	"PTX inst, req, sectors: of the emulated PTX. SASS inst, req, sectors: what the "    \
	"hardware counted in the machine code, over all calls of the line. ptxas merges, "   \
	"unrolls, predicates and moves instructions, so their numbers differ; accesses and " \
	"sectors of one line differ if it merged, removed or moved an access, or if the "    \
	"source or the data of the two runs differ."

/* What the hardware counted at a line, wherever it was inlined. */
static void sum_frames(struct profile_instruction *sums, const struct line_cost_list *lines,
		       const struct profile *profile, const struct line_count *line)
{
	sums->executed = sums->requests = sums->sectors = -1;
	for (size_t i = 0; i < lines->count; i++) {
		const struct line_cost *cost = &lines->items[i];
		const struct profile_frame *frame =
			cost->frame < 0 ? NULL : &profile->frames[cost->frame];

		if (!frame || frame->line != line->line || strcmp(frame->file, line->file) != 0)
			continue;
		line_sum_add(&sums->executed, cost->sums.executed);
		line_sum_add(&sums->requests, cost->sums.requests);
		line_sum_add(&sums->sectors, cost->sums.sectors);
	}
}

/* Why the two differ, as far as the counts show. */
static const char *why_they_differ(const struct line_count *line,
				   const struct profile_instruction *sums)
{
	const int64_t requests = sums->requests < 0 ? 0 : sums->requests;

	if (sums->executed < 0)
		return "no machine code: perhaps removed, or given to another line";
	if (requests < line->requests)
		return "fewer accesses: perhaps merged, removed, or given to another line";
	if (requests > line->requests)
		return "more accesses: perhaps split, or taken from another line";
	if (sums->executed < line->instructions)
		return "fewer instructions: perhaps merged, or computed once for several";
	if (sums->executed > line->instructions)
		return "more instructions: perhaps no single one for that of PTX, or unrolled "
		       "loops";
	return NULL;
}

static void add_both_row(struct table *table, const struct line_count *line,
			 const struct profile_instruction *sums)
{
	struct row row = {0};

	line_add_position(row_cell(&row), line->file, line->line);
	line_add_count(row_cell(&row), line->instructions);
	line_add_count(row_cell(&row), sums->executed);
	line_add_count(row_cell(&row), line->requests ? line->requests : -1);
	line_add_count(row_cell(&row), sums->requests);
	line_add_count(row_cell(&row), line->requests ? line->sectors : -1);
	line_add_count(row_cell(&row), sums->sectors);
	row_add(&row, why_they_differ(line, sums));
	row_end(&row, table, ROW_PLAIN);
}

void write_both_lines(FILE *out, const struct report_profile *reported, bool markdown,
		      const struct report_options *options)
{
	static const struct table_column columns[] = {
		{"line", false, NULL, 0, false},
		{"ptx_instructions", true, "PTX inst", 0, false},
		{"executed", true, "SASS inst", 0, false},
		{"ptx_requests", true, "PTX req", 1, false},
		{"requests", true, "SASS req", 1, false},
		{"ptx_sectors", true, "PTX sectors", 0, false},
		{"sectors", true, "SASS sectors", 0, false},
		{"difference", false, NULL, 0, false},
	};
	struct line_cost_list lines;
	struct table *table;

	if (!reported->emulated || reported->profile->why_no_counts)
		return;
	table = table_new(columns, ARRAY_SIZE(columns));
	line_costs_of(reported->profile, &lines);
	for (size_t i = 0; i < reported->emulated->count; i++) {
		const struct line_count *line = &reported->emulated->items[i];
		struct profile_instruction sums = {0};

		if (!line->file)
			continue;
		sum_frames(&sums, &lines, reported->profile, line);
		add_both_row(table, line, &sums);
	}
	line_cost_list_release(&lines);
	if (table->row_count) {
		fprintf(out, "\nBeside the emulator, run %lld\n%s",
			(long long)reported->emulated_run, markdown ? "\n" : "");
		lines_write_table(out, table, markdown, options);
		lines_write_words(out, BOTH_NOTE, markdown, options);
	} else {
		table_free(table);
	}
}
