/*
 * What the hardware counted and sampled at each source line. Text and Markdown have a table for
 * each function of a case, in which inlined lines stand under their call, or without chosen cases
 * the worst lines of the run. CSV and JSON have one table of all lines.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mangled.h"
#include "metrics/analysis/line_costs.h"
#include "reports/reports.h"
#include "reports/run/both_lines.h"
#include "reports/table/escape.h"
#include "reports/table/json.h"
#include "reports/table/readable.h"
#include "reports/table/table.h"

/* A line with less of the samples is only counted, unless all are asked for. */
#define LEAST_SHOWN 0.005
/* Less waste than this is not worth a word. */
#define LEAST_WASTE 0.05
#define LANES_FULL_PCT 95
#define WORST_LINES 10
#define FEW_SAMPLES 2000
#define DEEPEST 64

#define PROFILE_NOTE                                                                          \
	"share: of the samples of the case that were at this line, with the calls that were " \
	"inlined there in brackets; +-: where another sampling has it, 95 times in 100. "     \
	"exec: machine instructions of the line that warps executed; ~: it varies from one "  \
	"execution to the next. sec/req: 32-byte sectors per access of a warp to global "     \
	"memory. waste: what adjacent accesses, full warps or no bank conflicts would save. " \
	"why: what sampled warps did there."

/* ---- cells ---- */

static void add_percent(struct text *out, double ratio)
{
	if (isfinite(ratio))
		text_addf(out, ratio < 0.0995 ? "%.1f %%" : "%.0f %%", 100 * ratio);
}

/* Half the width of the interval, in points. */
static void add_interval(struct text *out, const struct line_cost *line)
{
	if (isfinite(line->low) && isfinite(line->high))
		text_addf(out, "%.1f",
			  100 * fmax(line->high - line->share, line->share - line->low));
}

static void add_waste(struct text *out, const struct line_cost *line)
{
	const double sectors = line_wasted_sectors(line);
	const double wavefronts = line_wasted_wavefronts(line);
	const double lanes = line_lanes_pct(line);

	if (sectors >= LEAST_WASTE)
		text_addf(out, "%.0f %% of sectors", 100 * sectors);
	if (wavefronts >= LEAST_WASTE)
		text_addf(out, "%s%.0f %% of wavefronts", out->length ? ", " : "",
			  100 * wavefronts);
	if (line->sums.local_sectors > 0)
		text_addf(out, "%sspills", out->length ? ", " : "");
	if (lanes < LANES_FULL_PCT)
		text_addf(out, "%s%.0f %% of lanes", out->length ? ", " : "", 100 - lanes);
}

/* The reasons that together are most of the samples, at most two. */
static void add_reasons(struct text *out, const struct line_cost *line)
{
	double told = 0;

	for (size_t i = 0; i < line->stall_count && i < 2 && told < 0.7; i++) {
		const double part = (double)line->stalls[i].samples / (double)line->sums.samples;

		text_addf(out, "%s%s %.0f %%", i ? ", " : "",
			  stall_reason_words(line->stalls[i].reason), 100 * part);
		told += part;
	}
}

static void add_known_cell(struct text *out, int64_t value)
{
	if (value >= 0)
		text_addf(out, "%lld", (long long)value);
}

static void add_quotient(struct text *out, int64_t of, int64_t by)
{
	if (of >= 0 && by > 0)
		format_number(out, (double)of / (double)by, "");
}

static const char *name_of_file(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* ---- the lines of a case ---- */

/* A profiled case while it is shown. */
struct shown_case {
	const struct report_profile *reported;
	const struct profile *profile;
	struct line_cost_list lines;
	/* of each frame: its line, NULL if it has no instructions; its share with inlined calls */
	const struct line_cost **of_frame;
	double *with_calls;
};

static void shown_case_init(struct shown_case *shown, const struct report_profile *reported)
{
	const struct profile *profile = reported->profile;

	*shown = (struct shown_case){.reported = reported, .profile = profile};
	line_costs_of(profile, &shown->lines);
	shown->of_frame = xcalloc(profile->frame_count + 1, sizeof(const struct line_cost *));
	shown->with_calls = xcalloc(profile->frame_count + 1, sizeof(*shown->with_calls));
	for (size_t i = 0; i < shown->lines.count; i++) {
		const struct line_cost *line = &shown->lines.items[i];

		if (line->frame < 0)
			continue;
		shown->of_frame[line->frame] = line;
		for (int64_t frame = line->frame; frame >= 0 && isfinite(line->share);
		     frame = profile->frames[frame].caller)
			shown->with_calls[frame] += line->share;
	}
}

static void shown_case_release(struct shown_case *shown)
{
	line_cost_list_release(&shown->lines);
	free(shown->of_frame);
	free(shown->with_calls);
}

static const char *line_text(const struct report_texts *texts, const struct profile_frame *frame)
{
	return texts ? texts->line(texts->context, frame->file, frame->line) : NULL;
}

/* The source of a line, indented under its calls; one of another file begins with its place. */
static void add_source_cell(struct text *out, const struct shown_case *shown, int64_t number,
			    const struct report_texts *texts)
{
	const struct profile_frame *frame = &shown->profile->frames[number];
	const struct profile_frame *caller =
		frame->caller < 0 ? NULL : &shown->profile->frames[frame->caller];
	const char *source = line_text(texts, frame);

	for (int64_t above = frame->caller, depth = 0; above >= 0 && depth < DEEPEST; depth++) {
		text_add(out, "  ");
		above = shown->profile->frames[above].caller;
	}
	if (caller && strcmp(caller->file, frame->file) != 0)
		text_addf(out, "%s:%lld ", name_of_file(frame->file), (long long)frame->line);
	else if (caller)
		text_addf(out, ":%lld ", (long long)frame->line);
	if (source)
		text_add(out, source + (caller ? strspn(source, " ") : 0));
}

static struct table *case_table(void)
{
	static const struct table_column columns[] = {
		{"line", true, NULL, 0, false},
		{"share", true, NULL, 0, false},
		{"interval", true, "+-", 3, false},
		{"executed", true, "exec", 5, false},
		{"sectors_per_request", true, "sec/req", 4, false},
		{"waste", false, NULL, 0, false},
		{"source", false, NULL, 0, true},
		{"why", false, NULL, 0, false},
	};

	return table_new(columns, ARRAY_SIZE(columns));
}

static bool is_shown(const struct shown_case *shown, int64_t frame, bool all)
{
	return all || shown->profile->samples <= 0 || shown->with_calls[frame] >= LEAST_SHOWN;
}

static void add_frame_row(struct table *table, const struct shown_case *shown, int64_t frame,
			  const struct report_texts *texts)
{
	const struct line_cost *line = shown->of_frame[frame];
	struct row row = {0};
	struct text *cell;

	if (shown->profile->frames[frame].caller < 0)
		row_addf(&row, "%lld", (long long)shown->profile->frames[frame].line);
	else
		row_add(&row, NULL);
	cell = row_cell(&row);
	add_percent(cell, line ? line->share : shown->profile->samples > 0 ? 0 : NAN);
	if (shown->with_calls[frame] - (line ? line->share : 0) >= LEAST_SHOWN) {
		text_add(cell, " (");
		add_percent(cell, shown->with_calls[frame]);
		text_add_char(cell, ')');
	}
	cell = row_cell(&row);
	if (line)
		add_interval(cell, line);
	cell = row_cell(&row);
	if (line)
		text_add(cell, line->sums.varies == 1 ? "~" : "");
	if (line)
		add_known_cell(cell, line->sums.executed);
	cell = row_cell(&row);
	if (line)
		add_quotient(cell, line->sums.sectors, line->sums.requests);
	cell = row_cell(&row);
	if (line)
		add_waste(cell, line);
	add_source_cell(row_cell(&row), shown, frame, texts);
	cell = row_cell(&row);
	if (line)
		add_reasons(cell, line);
	row_end(&row, table, line && line->share >= 0.2 ? ROW_BEST : ROW_PLAIN);
}

/* Numbers of frames with the same caller, in the order of their lines. */
static int frame_compare(const struct profile *profile, int64_t a, int64_t b)
{
	const struct profile_frame *left = &profile->frames[a], *right = &profile->frames[b];
	const int order = strcmp(left->file, right->file);

	if (order)
		return order;
	return left->line != right->line ? (left->line < right->line ? -1 : 1) : (a > b) - (a < b);
}

/* The frame after `last` (-1: the first) among those that `caller` has. -1: there is none. */
static int64_t next_frame(const struct profile *profile, int64_t caller, int64_t last,
			  const char *file)
{
	int64_t next = -1;

	for (size_t i = 0; i < profile->frame_count; i++) {
		const int64_t frame = (int64_t)i;

		if (profile->frames[i].caller == caller &&
		    (!file || strcmp(profile->frames[i].file, file) == 0) &&
		    (last < 0 || frame_compare(profile, last, frame) < 0) &&
		    (next < 0 || frame_compare(profile, frame, next) < 0))
			next = frame;
	}
	return next;
}

/* Adds a frame and what was inlined there. The chain of calls is not deeper than the list. */
static void add_frames(struct table *table, const struct shown_case *shown, const char *file,
		       const struct report_texts *texts, bool all, size_t *hidden)
{
	const struct profile *profile = shown->profile;
	int64_t frame = next_frame(profile, -1, -1, file);

	/* goes down to the inlined lines of a frame, then to the next of its caller, then up */
	while (frame >= 0) {
		const bool show = is_shown(shown, frame, all);
		int64_t next = show ? next_frame(profile, frame, -1, NULL) : -1;

		if (show)
			add_frame_row(table, shown, frame, texts);
		else
			++*hidden;
		while (next < 0 && frame >= 0) {
			const int64_t caller = profile->frames[frame].caller;

			next = next_frame(profile, caller, frame, caller < 0 ? file : NULL);
			frame = caller;
			if (caller < 0)
				break;
		}
		frame = next;
	}
}

/* ---- text and Markdown ---- */

/* Text of somebody else. */
static void add_foreign(struct text *out, const char *text, bool markdown)
{
	if (markdown)
		escape_markdown(out, text);
	else
		text_add_escaped(out, text);
}

/* In Markdown, a line that follows a table without a blank line would be a row of it. */
static void write_words(FILE *out, const char *words, bool markdown,
			const struct report_options *options)
{
	struct text wrapped = TEXT_INIT;

	if (markdown)
		fputc('\n', out);

	wrap_text(&wrapped, 0, "", words, markdown ? SIZE_MAX : (size_t)options->width);
	fwrite(wrapped.data, 1, wrapped.length, out);
	text_release(&wrapped);
}

static void add_why(struct text *out, const char *what, const char *why, bool markdown)
{
	text_addf(out, "%s: ", what);
	add_foreign(out, why, markdown);
	text_add_char(out, '.');
}

/* How the case was sampled and counted, or why not. */
static void write_manner(FILE *out, const struct report_profile *reported, bool markdown,
			 const struct report_options *options)
{
	const struct profile *profile = reported->profile;
	struct text words = TEXT_INIT;

	if (profile->why_no_samples)
		add_why(&words, "Not sampled", profile->why_no_samples, markdown);
	else
		text_addf(&words,
			  "%lld samples of warps in %lld executions, one an SM every %lld "
			  "cycles or more.",
			  (long long)profile->samples, (long long)profile->launches,
			  (long long)profile->period_cycles);
	if (profile->samples > 0 && profile->samples < FEW_SAMPLES)
		text_addf(&words, " So few samples tell a share of half to +-%.0f points at best.",
			  100 * 1.96 * sqrt(0.5 / (double)profile->samples));
	if (profile->dropped > 0)
		text_addf(&words, " %lld samples were lost, so the shares may be wrong.",
			  (long long)profile->dropped);
	if (profile->buffer_full > 0)
		text_add(&words, " The buffer of the hardware was full: the samples of at least "
				 "one execution are missing.");
	if (profile->why_no_counts)
		add_why(&words, " Not counted", profile->why_no_counts, markdown);
	write_words(out, words.data, markdown, options);
	text_release(&words);
}

static void write_case_name(FILE *out, const struct trial *trial, bool markdown, bool bold)
{
	char *name = trial_case_name(trial);
	struct text title = TEXT_INIT;

	add_foreign(&title, name, markdown);
	if (trial->summary.median_ns > 0) {
		text_add(&title, "  ");
		format_value(&title, trial->summary.median_ns, "ns");
	}
	fprintf(out, "\n%s%s%s\n",
		markdown ? "#### "
		: bold   ? "\033[1m"
			 : "",
		title.data, bold && !markdown ? "\033[0m" : "");
	text_release(&title);
	free(name);
}

static void write_lines_table(FILE *out, struct table *table, bool markdown,
			      const struct report_options *options)
{
	if (table->row_count)
		table_drop_empty(table);
	if (table->row_count && markdown)
		table_write_markdown(out, table);
	else if (table->row_count)
		table_write_text(out, table, options);
	table_free(table);
}

static void write_file(FILE *out, const struct shown_case *shown, const char *file,
		       const struct report_texts *texts, bool markdown,
		       const struct report_options *options)
{
	const bool all = options->selection && options->selection->all;
	struct table *table = case_table();
	struct text title = TEXT_INIT, note = TEXT_INIT;
	const char *why = texts ? texts->why(texts->context, file) : NULL;
	size_t hidden = 0;

	add_frames(table, shown, file, texts, all, &hidden);
	add_foreign(&title, file, markdown);
	fprintf(out, markdown ? "\n%s\n\n" : "%s\n", title.data);
	if (hidden)
		text_addf(&note,
			  hidden == 1
				  ? "%zu line with less than 0.5 %% is left out; --all shows it."
				  : "%zu lines with less than 0.5 %% are left out; --all shows "
				    "them.",
			  hidden);
	if (why) {
		text_addf(&note, "%sNo text: the file ", note.length ? " " : "");
		add_foreign(&note, why, markdown);
		text_add_char(&note, '.');
	}
	write_lines_table(out, table, markdown, options);
	if (note.length)
		write_words(out, note.data, markdown, options);
	text_release(&title);
	text_release(&note);
}

/* Instructions of which no line is known, such as those of a library. */
static void write_without_lines(FILE *out, const struct shown_case *shown, bool markdown,
				const struct report_options *options)
{
	const struct profile *profile = shown->profile;
	double share = 0;
	bool any = false;
	struct text words = TEXT_INIT;

	for (size_t i = 0; i < shown->lines.count; i++) {
		if (shown->lines.items[i].frame >= 0)
			continue;
		any = true;
		share = shown->lines.items[i].share;
	}
	if (!any)
		return;
	if (profile->frame_count == 0)
		text_add(&words, "Its machine code is of a library, or has no source lines (nvcc "
				 "-lineinfo); --sass shows its instructions.");
	else
		text_add(&words, "Instructions without a source line");
	if (isfinite(share) && profile->frame_count) {
		text_add(&words, " have ");
		add_percent(&words, share);
		text_add(&words, " of the samples; --sass shows them.");
	}
	write_words(out, words.data, markdown, options);
	text_release(&words);
}

/* ---- instructions ---- */

static void write_instructions(FILE *out, const struct shown_case *shown,
			       const struct report_texts *texts, bool markdown,
			       const struct report_options *options)
{
	static const struct table_column columns[] = {
		{"pc", false, NULL, 0, false},
		{"share", true, NULL, 0, false},
		{"executed", true, "exec", 0, false},
		{"lanes_pct", true, "lanes %", 0, false},
		{"sectors_per_request", true, "sec/req", 3, false},
		{"line", false, NULL, 0, false},
		{"why", false, NULL, 0, false},
		{"sass", false, NULL, 0, false},
	};
	const struct profile *profile = shown->profile;
	struct text why = TEXT_INIT;
	size_t stall = 0;

	for (size_t first = 0, end; first < profile->instruction_count; first = end) {
		const int64_t function = profile->instructions[first].function;
		struct table *table = table_new(columns, ARRAY_SIZE(columns));
		struct text name = TEXT_INIT, title = TEXT_INIT;

		for (end = first; end < profile->instruction_count &&
				  profile->instructions[end].function == function;
		     end++) {
			const struct profile_instruction *at = &profile->instructions[end];
			struct line_cost line = {
				.frame = at->frame, .sums = *at, .laned = at->executed};
			struct line_stall most = {0};
			struct row row = {0};
			const char *sass = texts ? texts->sass(texts->context, profile, end) : NULL;

			for (; stall < profile->stall_count &&
			       profile->stalls[stall].instruction <= (int64_t)end;
			     stall++)
				if (profile->stalls[stall].samples > most.samples)
					most = (struct line_stall){
						.reason = profile->stalls[stall].reason,
						.samples = profile->stalls[stall].samples};
			line.stalls = &most;
			line.stall_count = most.samples > 0;
			row_addf(&row, "%04llx", (unsigned long long)at->pc);
			add_percent(row_cell(&row),
				    profile->samples > 0
					    ? (double)(at->samples < 0 ? 0 : at->samples) /
						      (double)profile->samples
					    : NAN);
			add_known_cell(row_cell(&row), at->executed);
			if (isfinite(line_lanes_pct(&line)))
				row_addf(&row, "%.0f", line_lanes_pct(&line));
			else
				row_add(&row, NULL);
			add_quotient(row_cell(&row), at->sectors, at->requests);
			if (at->frame >= 0)
				row_addf(&row, "%s:%lld",
					 name_of_file(profile->frames[at->frame].file),
					 (long long)profile->frames[at->frame].line);
			else
				row_add(&row, NULL);
			add_reasons(row_cell(&row), &line);
			row_add(&row, sass);
			row_end(&row, table, ROW_PLAIN);
		}
		mangled_readable(&name, profile->functions[function].name);
		add_foreign(&title, name.data, markdown);
		fprintf(out, "\n%s\n%s", title.data, markdown ? "\n" : "");
		text_release(&name);
		text_release(&title);
		write_lines_table(out, table, markdown, options);
	}
	if (texts && texts->why_no_sass(texts->context))
		add_foreign(&why, texts->why_no_sass(texts->context), markdown);
	if (why.length)
		write_words(out, why.data, markdown, options);
	text_release(&why);
}

static void write_profiled_case(FILE *out, const struct report_profile *reported,
				const struct report_texts *texts, bool sass, bool markdown,
				const struct report_options *options)
{
	const struct profile *profile = reported->profile;
	struct string_list files = {0};
	struct shown_case shown;

	shown_case_init(&shown, reported);
	write_case_name(out, reported->trial, markdown, options->colour);
	write_manner(out, reported, markdown, options);
	/* the files of the kernel itself; others stand under their calls */
	for (size_t i = 0; i < profile->frame_count; i++)
		if (profile->frames[i].caller < 0 &&
		    !string_list_has(&files, profile->frames[i].file))
			string_list_add(&files, profile->frames[i].file);
	for (size_t i = 0; i < files.count; i++)
		write_file(out, &shown, files.items[i], texts, markdown, options);
	write_without_lines(out, &shown, markdown, options);
	write_both_lines(out, reported, markdown, options);
	if (sass)
		write_instructions(out, &shown, texts, markdown, options);
	string_list_release(&files);
	shown_case_release(&shown);
}

/* ---- the worst lines of a run ---- */

/* A line of a case, by the time that its samples stand for. */
struct worst_line {
	const struct report_profile *reported;
	int64_t frame, function;
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
					    .function = lines.items[i].function,
					    .share = lines.items[i].share,
					    .cost_ns = cost,
					    .why = TEXT_INIT};
		add_reasons(&line->why, &lines.items[i]);
	}
	line_cost_list_release(&lines);
}

static void write_worst(FILE *out, const struct run *run, const struct report_profile *profiles,
			size_t count, const struct report_texts *texts, bool markdown,
			const struct report_options *options)
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

	for (size_t i = 0; i < count; i++)
		collect_worst(worst, &found, &profiles[i]);
	qsort(worst, found, sizeof(*worst), worst_compare);
	for (size_t i = 0; i < found; i++) {
		const struct profile *profile = worst[i].reported->profile;
		const struct profile_frame *frame =
			worst[i].frame < 0 ? NULL : &profile->frames[worst[i].frame];
		char *name = trial_case_name(worst[i].reported->trial);
		const char *source = frame ? line_text(texts, frame) : NULL;
		struct row row = {0};

		format_value(row_cell(&row), worst[i].cost_ns, "ns");
		add_percent(row_cell(&row), worst[i].share);
		row_add(&row, name);
		if (frame)
			row_addf(&row, "%s:%lld", name_of_file(frame->file),
				 (long long)frame->line);
		else
			row_add(&row, NULL);
		row_add(&row, source ? source + strspn(source, " ") : NULL);
		row_add(&row, worst[i].why.data);
		row_end(&row, table, ROW_PLAIN);
		text_release(&worst[i].why);
		free(name);
	}
	fprintf(out, "\n%sThe lines that cost most, of %zu profiled cases\n%s",
		markdown ? "#### " : "", count, markdown ? "\n" : "");
	write_lines_table(out, table, markdown, options);
	text_addf(&hint,
		  "time: the share of the median of the case. All lines of a case: perflab report "
		  "%lld --lines CASE.",
		  (long long)run->id);
	for (size_t i = 0; i < count; i++) {
		unsampled += profiles[i].profile->why_no_samples != NULL;
		uncounted += profiles[i].profile->why_no_counts != NULL;
	}
	if (unsampled || uncounted)
		text_addf(&hint, " Not sampled: %zu cases; not counted: %zu; their lines say why.",
			  unsampled, uncounted);
	write_words(out, hint.data, markdown, options);
	text_release(&hint);
}

/* ---- all formats ---- */

static void add_callers(struct text *out, const struct profile *profile, int64_t frame)
{
	int depth = 0;

	for (int64_t above = profile->frames[frame].caller; above >= 0 && depth < DEEPEST;
	     above = profile->frames[above].caller)
		text_addf(out, "%s%s:%lld", depth++ ? " < " : "", profile->frames[above].file,
			  (long long)profile->frames[above].line);
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
	add_known_cell(row_cell(&row), frame ? frame->line : -1);
	row_add(&row, frame ? frame->function : NULL);
	if (frame)
		add_callers(row_cell(&row), profile, line->frame);
	else
		row_add(&row, NULL);
	if (isfinite(line->share))
		row_addf(&row, "%.15g", line->share);
	else
		row_add(&row, NULL);
	if (isfinite(line->low))
		row_addf(&row, "%.15g", line->low);
	else
		row_add(&row, NULL);
	if (isfinite(line->high))
		row_addf(&row, "%.15g", line->high);
	else
		row_add(&row, NULL);
	add_known_cell(row_cell(&row), line->not_issued);
	row_add(&row, line->stall_count ? line->stalls[0].reason : NULL);
	for (size_t i = 0; i < instruction_fields.count; i++) {
		const struct field_value value =
			field_read(&instruction_fields.items[i], &line->sums);

		add_known_cell(row_cell(&row), value.known ? value.integer : -1);
	}
	row_add(&row, frame ? line_text(texts, frame) : NULL);
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
		if (markdown)
			fprintf(out, "### perflab run %lld, by source line\n", (long long)run->id);
		else
			fprintf(out, "Run %lld  %.12s, by source line\n", (long long)run->id,
				run->uid);
		if (report->worst)
			write_worst(out, run, report->items, report->count, report->texts, markdown,
				    options);
		for (size_t i = 0; i < report->count && !report->worst; i++)
			write_profiled_case(out, &report->items[i], report->texts, report->sass,
					    markdown, options);
		if (!report->worst && !markdown)
			fputc('\n', out);
		if (!report->worst)
			write_words(out, PROFILE_NOTE, markdown, options);
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
