/*
 * The page's data about the lines of profiled cases. Each case has an element of its own, which the
 * page reads when the case is opened: the lines of a run are several megabytes, and a reader opens
 * a few cases. An element holds columns, without those of which nothing is known.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mangled.h"
#include "metrics/analysis/line_costs.h"
#include "reports/page/page.h"

#define FUNCTION_NAME_MOST 200
#define SHARE_STEPS 1e4 /* shares are whole hundredths of a percent */

/* ---- source files ---- */

struct page_source {
	char *name; /* as the compiler gives it */
	char *text; /* NULL: not kept */
	char *why;  /* why not; NULL: nothing is known */
};

/* The source files that lines are in, those with the same name and text once. */
struct page_sources {
	const struct report_profile_reader *from;
	struct page_source *items;
	size_t count, capacity;
	struct string_list keys;            /* of both indices */
	struct name_index named, with_text; /* by run and name; by hash and last part of the name */
	struct string_list reasons;
	struct name_index reason_index;
};

static void page_sources_release(struct page_sources *sources)
{
	for (size_t i = 0; i < sources->count; i++) {
		free(sources->items[i].name);
		free(sources->items[i].text);
		free(sources->items[i].why);
	}
	free(sources->items);
	string_list_release(&sources->keys);
	name_index_release(&sources->named);
	name_index_release(&sources->with_text);
	string_list_release(&sources->reasons);
	name_index_release(&sources->reason_index);
}

static void source_index(struct page_sources *sources, struct name_index *index, const char *key,
			 size_t number)
{
	string_list_add(&sources->keys, key);
	name_index_add(index, sources->keys.items[sources->keys.count - 1], number);
}

/* The number of a file that is not known by its name yet. */
static size_t source_read(struct page_sources *sources, int64_t run_id, const char *file)
{
	struct page_source read = {.name = xstrdup(file)};
	struct error err = {0};
	const char *last = strrchr(file, '/');
	char *hash = NULL, *key;
	size_t number = NO_NAME;

	if (sources->from->source(sources->from->context, run_id, file, &hash, &read.text,
				  &read.why, &err))
		read.why = xstrdup(err.text);
	/* a text can have two names: "a.cu" and "./a.cu" */
	key = xasprintf("%s %s", hash ? hash : "", last ? last + 1 : file);
	if (read.text)
		number = name_index_find(&sources->with_text, key);
	if (number == NO_NAME) {
		number = sources->count;
		sources->items = xgrow(sources->items, &sources->capacity, sources->count + 1,
				       sizeof(*sources->items));
		sources->items[sources->count++] = read;
		if (read.text)
			source_index(sources, &sources->with_text, key, number);
	} else {
		free(read.name);
		free(read.text);
		free(read.why);
	}
	free(key);
	free(hash);
	return number;
}

static int64_t source_number(struct page_sources *sources, int64_t run_id, const char *file)
{
	char *key = xasprintf("%lld %s", (long long)run_id, file);
	size_t number = name_index_find(&sources->named, key);

	if (number == NO_NAME) {
		number = source_read(sources, run_id, file);
		source_index(sources, &sources->named, key, number);
	}
	free(key);
	return (int64_t)number;
}

static int64_t reason_number(struct page_sources *sources, const char *reason)
{
	size_t number = name_index_find(&sources->reason_index, reason);

	if (number == NO_NAME) {
		number = sources->reasons.count;
		string_list_add(&sources->reasons, reason);
		name_index_add(&sources->reason_index, sources->reasons.items[number], number);
	}
	return (int64_t)number;
}

/* Line by line: an escaped end of a line takes six characters. */
static void source_text(struct page_json *json, const char *text)
{
	page_open(json, '[');
	while (*text) {
		const size_t length = strcspn(text, "\n");
		size_t shown = length;
		char *line;

		if (shown && text[shown - 1] == '\r')
			shown--;
		line = xasprintf("%.*s", (int)shown, text);
		page_text(json, line);
		free(line);
		text += length + (text[length] == '\n');
	}
	page_close(json, ']');
}

static void write_sources(struct page_json *json, const struct page_sources *sources)
{
	page_open(json, '{');
	page_open_member(json, "files", '[');
	for (size_t i = 0; i < sources->count; i++) {
		const struct page_source *source = &sources->items[i];

		page_open(json, '{');
		page_member_text(json, "name", source->name);
		page_member_text(json, "why", source->why);
		page_key(json, "text");
		if (source->text)
			source_text(json, source->text);
		else
			page_null(json);
		page_close(json, '}');
	}
	page_close(json, ']');
	page_open_member(json, "reasons", '[');
	for (size_t i = 0; i < sources->reasons.count; i++) {
		page_open(json, '[');
		page_text(json, sources->reasons.items[i]);
		page_text(json, stall_reason_words(sources->reasons.items[i]));
		page_close(json, ']');
	}
	page_close(json, ']');
	page_close(json, '}');
}

/* ---- columns ---- */

/* A column of integers at `first`, `step` bytes apart. */
struct column {
	const void *first;
	size_t step, count;
};

static int64_t column_value(const struct column *column, size_t at)
{
	int64_t value;

	memcpy(&value, (const char *)column->first + at * column->step, sizeof(value));
	return value;
}

static void unknown_or_integer(struct page_json *json, int64_t value)
{
	if (value < 0)
		page_null(json);
	else
		page_integer(json, value);
}

/* Each value is the difference to the last known one: neighbours are often executed equally often,
 * and so most are 0. -1 becomes null; a column of which nothing is known is null. */
static void member_column(struct page_json *json, const char *name, struct column column)
{
	int64_t before = 0;
	bool any = false;

	for (size_t i = 0; i < column.count; i++)
		any |= column_value(&column, i) >= 0;
	page_key(json, name);
	if (!any) {
		page_null(json);
		return;
	}
	page_open(json, '[');
	for (size_t i = 0; i < column.count; i++) {
		const int64_t value = column_value(&column, i);

		if (value < 0) {
			page_null(json);
			continue;
		}
		page_integer(json, value - before);
		before = value;
	}
	page_close(json, ']');
}

/* The column `member` of `items`. */
#define COLUMN_OF(items, count, member) \
	((struct column){(count) ? &(items)->member : NULL, sizeof(*(items)), count})

static void member_shares(struct page_json *json, const char *name,
			  const struct line_cost_list *lines, bool high)
{
	page_open_member(json, name, '[');
	for (size_t i = 0; i < lines->count; i++) {
		const struct line_cost *line = &lines->items[i];

		page_short(json, round((high ? line->high : line->low) * SHARE_STEPS));
	}
	page_close(json, ']');
}

/* ---- a case ---- */

static void frame_function(struct page_json *json, const char *mangled)
{
	struct text readable = TEXT_INIT, shown = TEXT_INIT;

	if (!mangled) {
		page_null(json);
		return;
	}
	mangled_readable(&readable, mangled);
	readable_shorten(&shown, readable.data, FUNCTION_NAME_MOST);
	page_word(json, shown.data);
	text_release(&readable);
	text_release(&shown);
}

static void page_functions(struct page_json *json, const struct profile *profile)
{
	size_t *counts = xcalloc(profile->function_count + 1, sizeof(*counts));

	for (size_t i = 0; i < profile->instruction_count; i++)
		counts[profile->instructions[i].function]++;
	page_open_member(json, "functions", '[');
	for (size_t i = 0; i < profile->function_count; i++) {
		page_open(json, '[');
		frame_function(json, profile->functions[i].name);
		page_integer(json, (int64_t)counts[i]);
		page_close(json, ']');
	}
	page_close(json, ']');
	free(counts);
}

static void page_frames(struct page_json *json, const struct profile *profile, int64_t run_id,
			struct page_sources *sources)
{
	page_open_member(json, "frames", '{');
	page_open_member(json, "file", '[');
	for (size_t i = 0; i < profile->frame_count; i++)
		page_integer(json, source_number(sources, run_id, profile->frames[i].file));
	page_close(json, ']');
	member_column(json, "line", COLUMN_OF(profile->frames, profile->frame_count, line));
	page_open_member(json, "function", '[');
	for (size_t i = 0; i < profile->frame_count; i++)
		frame_function(json, profile->frames[i].function);
	page_close(json, ']');
	member_column(json, "caller", COLUMN_OF(profile->frames, profile->frame_count, caller));
	page_close(json, '}');
}

static void page_stalls(struct page_json *json, const struct line_cost_list *lines,
			struct page_sources *sources)
{
	page_open_member(json, "stalls", '[');
	for (size_t i = 0; i < lines->count; i++) {
		page_open(json, '[');
		for (size_t j = 0; j < lines->items[i].stall_count; j++) {
			const struct line_stall *stall = &lines->items[i].stalls[j];

			page_integer(json, reason_number(sources, stall->reason));
			page_integer(json, stall->samples);
			page_integer(json, stall->not_issued);
		}
		page_close(json, ']');
	}
	page_close(json, ']');
}

static void page_lines(struct page_json *json, const struct line_cost_list *lines,
		       struct page_sources *sources)
{
	page_open_member(json, "lines", '{');
	member_column(json, "frame", COLUMN_OF(lines->items, lines->count, frame));
	member_shares(json, "low", lines, false);
	member_shares(json, "high", lines, true);
	member_column(json, "not_issued", COLUMN_OF(lines->items, lines->count, not_issued));
	/* the intervals come from first_samples, which nothing else needs */
#define X(kind, name, unit, meaning)             \
	if (strcmp(#name, "first_samples") != 0) \
		member_column(json, #name, COLUMN_OF(lines->items, lines->count, sums.name));
	INSTRUCTION_FIELDS(X)
#undef X
	page_stalls(json, lines, sources);
	page_close(json, '}');
}

static void page_instructions(struct page_json *json, const struct profile *profile,
			      const struct line_cost_list *lines)
{
	const struct profile_instruction *items = profile->instructions;
	const size_t count = profile->instruction_count;
	int64_t *line_of = xcalloc(count + 1, sizeof(*line_of));

	for (size_t i = 0; i < lines->count; i++)
		for (size_t j = 0; j < lines->items[i].instruction_count; j++)
			line_of[lines->items[i].instructions[j]] = (int64_t)i;
	page_open_member(json, "instructions", '{');
	member_column(json, "line", (struct column){line_of, sizeof(*line_of), count});
	member_column(json, "pc", COLUMN_OF(items, count, pc));
	member_column(json, "samples", COLUMN_OF(items, count, samples));
	member_column(json, "executed", COLUMN_OF(items, count, executed));
	page_close(json, '}');
	free(line_of);
}

static void page_profile(struct page_json *json, const struct profile *profile, int64_t run_id,
			 struct page_sources *sources)
{
	struct line_cost_list lines;

	line_costs_of(profile, &lines);
	page_open(json, '{');
#define X(kind, name, unit, meaning) \
	page_key(json, #name);       \
	unknown_or_integer(json, profile->name);
	PROFILE_FIELDS(X)
#undef X
	page_member_text(json, "why_no_samples", profile->why_no_samples);
	page_member_text(json, "why_no_counts", profile->why_no_counts);
	page_functions(json, profile);
	page_frames(json, profile, run_id, sources);
	page_lines(json, &lines, sources);
	page_instructions(json, profile, &lines);
	page_key(json, "words");
	page_words(json);
	page_close(json, '}');
	line_cost_list_release(&lines);
}

/* ---- the elements ---- */

static void open_element(FILE *out, const char *id)
{
	fprintf(out, "<script type=\"application/json\" id=\"%s\">", id);
}

static void close_element(FILE *out)
{
	fputs("</script>\n", out);
}

/* A damaged profile becomes the reason why the case has no lines. */
static bool write_case_lines(FILE *out, const struct trial *trial, size_t at,
			     struct page_sources *sources)
{
	struct profile *profile = NULL;
	struct page_json json;
	struct error err = {0};
	char id[32];
	int rc = sources->from->profile(sources->from->context, trial->id, &profile, &err);

	if (!rc && !profile)
		return false;
	snprintf(id, sizeof(id), "lines-%zu", at);
	open_element(out, id);
	page_json_init(&json, out);
	if (rc) {
		page_open(&json, '{');
		page_member_text(&json, "damaged", err.text);
		page_close(&json, '}');
	} else {
		page_profile(&json, profile, trial->run_id, sources);
	}
	page_json_release(&json);
	close_element(out);
	profile_free(profile);
	return true;
}

void page_lines_write(FILE *out, const struct run *run, const struct report_options *options)
{
	struct page_sources sources = {.from = options->profiles};
	struct page_json json;
	bool any = false;

	for (size_t i = 0; i < run->trial_count && options->profiles; i++)
		any |= write_case_lines(out, &run->trials[i], i, &sources);
	if (any) {
		open_element(out, "lines-sources");
		page_json_init(&json, out);
		write_sources(&json, &sources);
		page_json_release(&json);
		close_element(out);
	}
	page_sources_release(&sources);
}
