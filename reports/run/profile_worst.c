/* The lines that cost most of all profiled cases of a run, as text and Markdown. */
#include <stdlib.h>
#include <string.h>

#include "reports/run/line_parts.h"
#include "reports/run/profile.h"
#include "reports/table/readable.h"

#define WORST_LINES 10

/* A line of a case, by the time that its samples stand for. */
struct worst_line {
	const struct report_profile *reported;
	int64_t frame;
	double share, cost_ns;
	struct text why;
};

static int worst_compare(const void *a, const void *b)
{
	const struct worst_line *left = a, *right = b;

	return left->cost_ns > right->cost_ns ? -1 : left->cost_ns < right->cost_ns;
}

static void collect_worst(struct worst_line *worst, size_t *count,
			  const struct report_profile *reported)
{
	struct line_cost_list lines;

	line_costs_of(reported->profile, &lines);
	for (size_t i = 0; i < lines.count; i++) {
		const double cost = lines.items[i].share * reported->trial->summary.median_ns;
		struct worst_line *line = &worst[*count];

		if (!(cost > 0))
			continue;
		if (*count == WORST_LINES) {
			qsort(worst, WORST_LINES, sizeof(*worst), worst_compare);
			line = &worst[WORST_LINES - 1];
			if (cost <= line->cost_ns)
				continue;
			text_release(&line->why);
		} else {
			++*count;
		}
		*line = (struct worst_line){.reported = reported,
					    .frame = lines.items[i].frame,
					    .share = lines.items[i].share,
					    .cost_ns = cost,
					    .why = TEXT_INIT};
		line_add_reasons(&line->why, &lines.items[i]);
	}
	line_cost_list_release(&lines);
}

void write_worst_lines(FILE *out, const struct run *run, const struct report_profiles *report,
		       bool markdown, const struct report_options *options)
{
	static const struct table_column columns[] = {
		{"time", true, NULL, 0, false},   {"share", true, NULL, 0, false},
		{"case", false, NULL, 0, false},  {"line", false, NULL, 0, false},
		{"source", false, NULL, 0, true}, {"why", false, NULL, 0, false},
	};
	struct table *table = table_new(columns, ARRAY_SIZE(columns));
	struct worst_line worst[WORST_LINES];
	struct text hint = TEXT_INIT;
	size_t found = 0, unsampled = 0, uncounted = 0;

	for (size_t i = 0; i < report->count; i++)
		collect_worst(worst, &found, &report->items[i]);
	qsort(worst, found, sizeof(*worst), worst_compare);
	for (size_t i = 0; i < found; i++) {
		const struct profile *profile = worst[i].reported->profile;
		const struct profile_frame *frame =
			worst[i].frame < 0 ? NULL : &profile->frames[worst[i].frame];
		char *name = trial_case_name(worst[i].reported->trial);
		const char *source = frame ? line_source(report->texts, frame) : NULL;
		struct row row = {0};
		struct text *cell;

		format_value(row_cell(&row), worst[i].cost_ns, "ns");
		line_add_percent(row_cell(&row), worst[i].share);
		row_add(&row, name);
		cell = row_cell(&row);
		if (frame)
			line_add_position(cell, frame->file, frame->line);
		row_add(&row, source ? source + strspn(source, " ") : NULL);
		row_add(&row, worst[i].why.data);
		row_end(&row, table, ROW_PLAIN);
		text_release(&worst[i].why);
		free(name);
	}
	fprintf(out, "\n%sThe lines that cost most, of %zu profiled cases\n%s",
		markdown ? "#### " : "", report->count, markdown ? "\n" : "");
	lines_write_table(out, table, markdown, options);
	text_addf(&hint,
		  "time: the share of the median of the case. All lines of a case: perflab report "
		  "%lld --lines CASE.",
		  (long long)run->id);
	for (size_t i = 0; i < report->count; i++) {
		unsampled += report->items[i].profile->why_no_samples != NULL;
		uncounted += report->items[i].profile->why_no_counts != NULL;
	}
	if (unsampled || uncounted)
		text_addf(&hint, " Not sampled: %zu cases; not counted: %zu; their lines say why.",
			  unsampled, uncounted);
	lines_write_words(out, hint.data, markdown, options);
	text_release(&hint);
}
