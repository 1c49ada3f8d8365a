/* The source lines of cases in two runs, side by side. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "metrics/analysis/line_match.h"
#include "reports/run/line_parts.h"
#include "reports/table/json.h"
#include "reports/table/readable.h"

/* A line with less of the samples of both runs is shown only if its counts differ. */
#define LEAST_SHARE 0.005

#define PAIRS_NOTE                                                                         \
	"Lines match by their text and their calls, not by their number. share: of the "   \
	"samples of the case at this line. exec: machine instructions of the line that "   \
	"warps executed. sec/req: 32-byte sectors per access of a warp to global memory. " \
	"wf/req: wavefronts per access to shared memory. A line with equal counts and "    \
	"less than 0.5 % of the samples is left out; --all shows it."

static const char *const kind_words[] = {[LINE_SAME] = "",
					 [LINE_EDITED] = "edited",
					 [LINE_GONE] = "gone",
					 [LINE_NEW] = "new",
					 [LINE_UNKNOWN] = "text not kept"};

/* A line in both runs; NULL: it has no instructions there. */
struct paired_line {
	const struct line_cost *of[2];
	enum line_match_kind kind;
	const struct profile_frame *frame; /* now, or then if it is gone; NULL: not known */
};

static struct paired_line paired_line_of(const struct report_line_pair *pair,
					 const struct line_match *match)
{
	const struct line_cost_list *a = pair->sides[0].lines, *b = pair->sides[1].lines;

	struct paired_line line = {
		.of = {match->a == NO_LINE ? NULL : &a->items[match->a],
		       match->b == NO_LINE ? NULL : &b->items[match->b]},
		.kind = match->kind,
	};
	const int side = line.of[1] ? 1 : 0;

	if (line.of[side] && line.of[side]->frame >= 0)
		line.frame = &pair->sides[side].profile->frames[line.of[side]->frame];
	return line;
}

/* By file and line; those of which no position is known come last. */
static int paired_line_compare(const void *a, const void *b)
{
	const struct paired_line *left = a, *right = b;
	int order;

	if (!left->frame || !right->frame)
		return (left->frame == NULL) - (right->frame == NULL);
	order = strcmp(left->frame->file, right->frame->file);
	return order ? order
		     : (left->frame->line > right->frame->line) -
			       (left->frame->line < right->frame->line);
}

static bool counts_differ(const struct paired_line *line)
{
	const struct line_cost *a = line->of[0], *b = line->of[1];

	return !a || !b || a->sums.executed != b->sums.executed || a->sums.lanes != b->sums.lanes ||
	       a->sums.requests != b->sums.requests || a->sums.sectors != b->sums.sectors ||
	       a->sums.local_sectors != b->sums.local_sectors ||
	       a->sums.wavefronts != b->sums.wavefronts || a->sums.divergent != b->sums.divergent;
}

static bool is_worth_a_row(const struct paired_line *line, bool all)
{
	for (int i = 0; i < 2; i++)
		if (line->of[i] && !(line->of[i]->share < LEAST_SHARE))
			return true; /* also if it was not sampled */
	return all || counts_differ(line);
}

/* ---- cells: of one run each, and empty where it has no such line ---- */

static void add_frame_place(struct row *row, const struct report_line_pair *pair, int side,
			    const struct line_cost *line)
{
	struct text *cell = row_cell(row);

	if (line && line->frame >= 0)
		line_place_add(cell, pair->sides[side].profile, line->frame);
}

static void add_share_cell(struct row *row, const struct line_cost *line, bool human)
{
	struct text *cell = row_cell(row);

	if (line && human)
		line_add_percent(cell, line->share);
	else if (line && isfinite(line->share))
		text_addf(cell, "%.15g", line->share);
}

static void add_quotient_cell(struct row *row, int64_t of, int64_t by, bool human)
{
	struct text *cell = row_cell(row);

	if (human)
		line_add_quotient(cell, of, by);
	else if (of >= 0 && by > 0)
		text_addf(cell, "%.15g", (double)of / (double)by);
}

static void add_text_cell(struct row *row, const struct paired_line *line,
			  const struct report_texts *const texts[2])
{
	row_add(row, line->frame ? line_source(texts[line->of[1] ? 1 : 0], line->frame) : NULL);
}

static void add_pair_row(struct table *table, const struct report_line_pair *pair,
			 const struct paired_line *line, const struct report_texts *const texts[2],
			 const struct run *const *runs, bool human)
{
	struct row row = {0};

	if (!human) {
		row_add(&row, runs[0]->uid);
		row_add(&row, runs[1]->uid);
		row_add(&row, pair->trials[1]->kernel);
		row_add(&row, pair->trials[1]->variant);
		row_add(&row, pair->trials[1]->config);
	}
	for (int i = 0; i < 2; i++)
		add_frame_place(&row, pair, i, line->of[i]);
	for (int i = 0; i < 2; i++)
		add_share_cell(&row, line->of[i], human);
	for (int i = 0; i < 2; i++)
		line_add_count(row_cell(&row), line->of[i] ? line->of[i]->sums.executed : -1);
	for (int i = 0; i < 2; i++)
		add_quotient_cell(&row, line->of[i] ? line->of[i]->sums.sectors : -1,
				  line->of[i] ? line->of[i]->sums.requests : -1, human);
	for (int i = 0; i < 2; i++)
		add_quotient_cell(&row, line->of[i] ? line->of[i]->sums.wavefronts : -1,
				  line->of[i] ? line->of[i]->sums.shared_requests : -1, human);
	row_add(&row, kind_words[line->kind]);
	add_text_cell(&row, line, texts);
	row_end(&row, table, line->kind == LINE_SAME ? ROW_PLAIN : ROW_BEST);
}

static struct table *pairs_table(bool human)
{
	static const struct table_column cases[] = {
		{.name = "compared_run_uid"}, {.name = "run_uid"}, {.name = "kernel"},
		{.name = "variant"},          {.name = "config"},
	};
	static const struct table_column lines[] = {
		{"compared_line", false, "line then", 0, false},
		{"line", false, "line now", 0, false},
		{"compared_share", true, "share then", 0, false},
		{"share", true, "share now", 0, false},
		{"compared_executed", true, "exec then", 3, false},
		{"executed", true, "exec now", 3, false},
		{"compared_sectors_per_request", true, "sec/req then", 2, false},
		{"sectors_per_request", true, "sec/req now", 2, false},
		{"compared_wavefronts_per_request", true, "wf/req then", 2, false},
		{"wavefronts_per_request", true, "wf/req now", 2, false},
		{"text", false, NULL, 0, false},
		{"source", false, NULL, 0, false},
	};
	struct table_column columns[ARRAY_SIZE(cases) + ARRAY_SIZE(lines)];
	size_t count = 0;

	for (size_t i = 0; i < ARRAY_SIZE(cases) && !human; i++)
		columns[count++] = cases[i];
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		columns[count++] = lines[i];
	return table_new(columns, count);
}

static void add_pair_rows(struct table *table, const struct report_line_pair *pair,
			  const struct report_texts *const texts[2], const struct run *const *runs,
			  bool human, bool all)
{
	struct paired_line *lines = xcalloc(pair->matches->count + 1, sizeof(*lines));
	size_t count = 0;

	for (size_t i = 0; i < pair->matches->count; i++) {
		lines[count] = paired_line_of(pair, &pair->matches->items[i]);
		count += lines[count].of[0] || lines[count].of[1];
	}
	qsort(lines, count, sizeof(*lines), paired_line_compare);
	for (size_t i = 0; i < count; i++)
		if (is_worth_a_row(&lines[i], all || !human))
			add_pair_row(table, pair, &lines[i], texts, runs, human);
	free(lines);
}

/* ---- text and Markdown ---- */

static void write_pair(FILE *out, const struct report_line_pair *pair,
		       const struct report_texts *const texts[2], bool markdown,
		       const struct report_options *options)
{
	const bool all = options->selection && options->selection->all;
	char *name = trial_case_name(pair->trials[1]);
	struct table *table = pairs_table(true);
	struct text title = TEXT_INIT;

	add_pair_rows(table, pair, texts, NULL, true, all);
	lines_add_foreign(&title, name, markdown);
	for (int i = 0; i < 2; i++) {
		text_add(&title, i ? ", now " : "  then ");
		format_value(&title, pair->trials[i]->summary.median_ns, "ns");
	}
	fprintf(out, markdown ? "\n#### %s\n\n" : "\n%s\n", title.data);
	lines_write_table(out, table, markdown, options);
	for (size_t i = 0; i < pair->matches->unknown.count; i++) {
		struct text why = TEXT_INIT;

		text_add_escaped(&why, pair->matches->unknown.items[i]);
		fprintf(out, "%snot matched: %s\n", markdown ? "\n" : "", why.data);
		text_release(&why);
	}
	text_release(&title);
	free(name);
}

int report_line_pairs(FILE *out, const struct run *const runs[2],
		      const struct report_line_pair *pairs, size_t count,
		      const struct report_texts *const texts[2], enum report_format format,
		      const struct report_options *options, struct error *err)
{
	static const struct report_options plain = {0};
	const bool markdown = format == REPORT_MARKDOWN;
	struct table *table;
	int rc;

	options = options ? options : &plain;
	if (report_format_applies(format, OF_TABLE) && report_format_has(format, HUMAN_READABLE)) {
		errno = 0;
		fprintf(out, "%sRun %lld (then) and run %lld (now), by source line\n",
			markdown ? "### " : "", (long long)runs[0]->id, (long long)runs[1]->id);
		for (size_t i = 0; i < count; i++)
			write_pair(out, &pairs[i], texts, markdown, options);
		lines_write_legend(out, PAIRS_NOTE, markdown, options);
		return stream_check(out, err);
	}
	table = pairs_table(false);
	for (size_t i = 0; i < count; i++)
		add_pair_rows(table, &pairs[i], texts, runs, false, true);
	rc = table_write(out, table, format, options, err);
	table_free(table);
	return rc;
}
