/* The lines of one profiled case as text and Markdown: a table for each function, in which inlined
 * lines stand under their call, and one of its instructions. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mangled.h"
#include "reports/run/line_parts.h"
#include "reports/run/profile.h"
#include "reports/table/readable.h"

/* A line with less of the samples is only counted, unless all are asked for. */
#define LEAST_SHOWN 0.005
/* Less waste than this is not worth a word. */
#define LEAST_WASTE 0.05
#define LANES_FULL_PCT 95
#define FEW_SAMPLES 2000

/* ---- the case ---- */

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

/* The source of a line, indented under its calls; one of another file begins with its place. */
static void add_source_cell(struct text *out, const struct shown_case *shown, int64_t number,
			    const struct report_texts *texts)
{
	const struct profile_frame *frame = &shown->profile->frames[number];
	const struct profile_frame *caller =
		frame->caller < 0 ? NULL : &shown->profile->frames[frame->caller];
	const char *source = line_source(texts, frame);

	for (int64_t above = frame->caller, depth = 0; above >= 0 && depth < DEEPEST; depth++) {
		text_add(out, "  ");
		above = shown->profile->frames[above].caller;
	}
	if (caller && strcmp(caller->file, frame->file) != 0)
		line_add_position(out, frame->file, frame->line);
	else if (caller)
		text_addf(out, ":%lld", (long long)frame->line);
	if (caller)
		text_add_char(out, ' ');
	if (source)
		text_add(out, source + (caller ? strspn(source, " ") : 0));
}

/* ---- cells ---- */

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

/* ---- rows ---- */

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
	const struct profile_frame *of = &shown->profile->frames[frame];
	const struct line_cost *line = shown->of_frame[frame];
	struct row row = {0};
	struct text *cell;

	line_add_count(row_cell(&row), of->caller < 0 ? of->line : -1);
	cell = row_cell(&row);
	line_add_percent(cell, line ? line->share : shown->profile->samples > 0 ? 0 : NAN);
	if (shown->with_calls[frame] - (line ? line->share : 0) >= LEAST_SHOWN) {
		text_add(cell, " (");
		line_add_percent(cell, shown->with_calls[frame]);
		text_add_char(cell, ')');
	}
	cell = row_cell(&row);
	if (line)
		add_interval(cell, line);
	cell = row_cell(&row);
	if (line && line->sums.varies == 1)
		text_add_char(cell, '~');
	line_add_count(cell, line ? line->sums.executed : -1);
	line_add_quotient(row_cell(&row), line ? line->sums.sectors : -1,
			  line ? line->sums.requests : -1);
	cell = row_cell(&row);
	if (line)
		add_waste(cell, line);
	add_source_cell(row_cell(&row), shown, frame, texts);
	cell = row_cell(&row);
	if (line)
		line_add_reasons(cell, line);
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

static void add_why(struct text *out, const char *what, const char *why, bool markdown)
{
	text_addf(out, "%s: ", what);
	lines_add_foreign(out, why, markdown);
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
			  100 * 1.96 * sqrt(0.75 / (double)profile->samples));
	if (profile->dropped > 0)
		text_addf(&words, " %lld samples were lost, so the shares may be wrong.",
			  (long long)profile->dropped);
	if (profile->buffer_full > 0)
		text_add(&words, " The buffer of the hardware was full: the samples of at least "
				 "one execution are missing.");
	if (profile->why_no_counts)
		add_why(&words, " Not counted", profile->why_no_counts, markdown);
	lines_write_words(out, words.data, markdown, options);
	text_release(&words);
}

static void write_case_name(FILE *out, const struct trial *trial, bool markdown,
			    const struct report_options *options)
{
	char *name = trial_case_name(trial);
	struct text title = TEXT_INIT;

	lines_add_foreign(&title, name, markdown);
	if (trial->summary.median_ns > 0) {
		text_add(&title, "  ");
		format_value(&title, trial->summary.median_ns, "ns");
	}
	lines_write_title(out, title.data, markdown, options);
	text_release(&title);
	free(name);
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
	lines_add_foreign(&title, file, markdown);
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
		lines_add_foreign(&note, why, markdown);
		text_add_char(&note, '.');
	}
	lines_write_table(out, table, markdown, options);
	if (note.length)
		lines_write_words(out, note.data, markdown, options);
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
		line_add_percent(&words, share);
		text_add(&words, " of the samples; --sass shows them.");
	}
	lines_write_words(out, words.data, markdown, options);
	text_release(&words);
}

/* ---- instructions ---- */

/* `stall`: the first stall that no earlier instruction has; goes behind those of this one. */
static void add_instruction_row(struct table *table, const struct profile *profile, size_t number,
				size_t *stall, const char *sass)
{
	const struct profile_instruction *at = &profile->instructions[number];
	const struct profile_frame *frame = at->frame < 0 ? NULL : &profile->frames[at->frame];
	const int64_t samples = at->samples < 0 ? 0 : at->samples;
	struct line_stall most = {0};
	struct line_cost line = {
		.frame = at->frame, .sums = *at, .laned = at->executed, .stalls = &most};
	struct row row = {0};
	struct text *cell;

	for (; *stall < profile->stall_count &&
	       profile->stalls[*stall].instruction <= (int64_t)number;
	     ++*stall)
		if (profile->stalls[*stall].samples > most.samples)
			most = (struct line_stall){.reason = profile->stalls[*stall].reason,
						   .samples = profile->stalls[*stall].samples};
	line.stall_count = most.samples > 0;
	row_addf(&row, "%04llx", (unsigned long long)at->pc);
	line_add_percent(row_cell(&row),
			 profile->samples > 0 ? (double)samples / (double)profile->samples : NAN);
	line_add_count(row_cell(&row), at->executed);
	cell = row_cell(&row);
	if (isfinite(line_lanes_pct(&line)))
		text_addf(cell, "%.0f", line_lanes_pct(&line));
	line_add_quotient(row_cell(&row), at->sectors, at->requests);
	cell = row_cell(&row);
	if (frame)
		line_add_position(cell, frame->file, frame->line);
	line_add_reasons(row_cell(&row), &line);
	row_add(&row, sass);
	row_end(&row, table, ROW_PLAIN);
}

static void write_instructions(FILE *out, const struct profile *profile,
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
	struct text name = TEXT_INIT, title = TEXT_INIT;
	const char *why;
	size_t stall = 0;

	for (size_t i = 0; i < profile->instruction_count;) {
		const int64_t function = profile->instructions[i].function;
		struct table *table = table_new(columns, ARRAY_SIZE(columns));

		for (; i < profile->instruction_count &&
		       profile->instructions[i].function == function;
		     i++)
			add_instruction_row(table, profile, i, &stall,
					    texts ? texts->sass(texts->context, profile, i) : NULL);
		text_clear(&name);
		text_clear(&title);
		mangled_readable(&name, profile->functions[function].name);
		lines_add_foreign(&title, name.data, markdown);
		fprintf(out, "\n%s\n%s", title.data, markdown ? "\n" : "");
		lines_write_table(out, table, markdown, options);
	}
	why = texts ? texts->why_no_sass(texts->context) : NULL;
	text_clear(&title);
	lines_add_foreign(&title, why ? why : "", markdown);
	if (title.length)
		lines_write_words(out, title.data, markdown, options);
	text_release(&name);
	text_release(&title);
}

/* ---- the whole case ---- */

void write_profiled_case(FILE *out, const struct report_profile *reported,
			 const struct report_texts *texts, bool sass, bool markdown,
			 const struct report_options *options)
{
	const struct profile *profile = reported->profile;
	struct string_list files = {0};
	struct shown_case shown;

	shown_case_init(&shown, reported);
	write_case_name(out, reported->trial, markdown, options);
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
		write_instructions(out, profile, texts, markdown, options);
	string_list_release(&files);
	shown_case_release(&shown);
}
