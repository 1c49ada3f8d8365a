#include "metrics/analysis/line_match.h"

#include <stdlib.h>
#include <string.h>

#include "base/mangled.h"
#include "metrics/analysis/text_diff.h"

/* ---- sources ---- */

void line_source_add(struct line_source_list *list, const char *file, const char *hash, char *text,
		     size_t bytes)
{
	list->items = xgrow(list->items, &list->capacity, list->count + 1, sizeof(*list->items));
	list->items[list->count++] = (struct line_source){
		xstrdup(file), hash ? xstrdup(hash) : NULL, text, text ? bytes : 0};
}

void line_source_list_release(struct line_source_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		free(list->items[i].file);
		free(list->items[i].hash);
		free(list->items[i].text);
	}
	free(list->items);
	*list = (struct line_source_list){0};
}

static const struct line_source *source_find(const struct line_source_list *list, const char *file)
{
	static const struct line_source not_kept;

	for (size_t i = 0; i < list->count; i++)
		if (strcmp(list->items[i].file, file) == 0)
			return &list->items[i];
	return &not_kept;
}

/* ---- files ---- */

/* A file of a profile, and what it is in the other one. */
struct matched_file {
	const char *name;
	const struct line_source *source;
	size_t other;   /* number of the file; NO_FILE: only this profile has it */
	bool by_number; /* both texts are equal */
	bool known;     /* it is known which line is which */
	struct text_map map;
};
#define NO_FILE SIZE_MAX

/* A frame, and what it is in the other profile. */
struct matched_frame {
	size_t file;
	size_t plain, full; /* numbers of the name of the function */
	bool has_line;
	int64_t line;  /* in the other text, if it has_line */
	int64_t other; /* the frame; -1: none */
	enum line_match_kind kind;
};

struct match_side {
	const struct line_side *given;
	struct matched_file *files;
	size_t file_count;
	struct matched_frame *frames;
	size_t *order; /* the frames by frame_order() */
};

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void find_side_files(struct match_side *side)
{
	const struct profile *profile = side->given->profile;
	struct name_index index = {0};

	side->files = xcalloc(profile->frame_count + 1, sizeof(*side->files));
	side->frames = xcalloc(profile->frame_count + 1, sizeof(*side->frames));
	for (size_t i = 0; i < profile->frame_count; i++) {
		const char *name = profile->frames[i].file;
		size_t at = name_index_find(&index, name);

		if (at == NO_NAME) {
			at = side->file_count++;
			name_index_add(&index, name, at);
			side->files[at] = (struct matched_file){
				.name = name,
				.source = source_find(side->given->sources, name),
				.other = NO_FILE};
		}
		side->frames[i] = (struct matched_frame){.file = at, .other = -1};
	}
	name_index_release(&index);
}

static void match_files(struct match_side *a, size_t i, struct match_side *b, size_t j)
{
	a->files[i].other = j;
	b->files[j].other = i;
}

/* How many folders and names the ends of two paths have in common. */
static size_t common_parts(const char *a, const char *b)
{
	size_t i = strlen(a), j = strlen(b), parts = 0;

	while (i && j && a[i - 1] == b[j - 1]) {
		i--;
		j--;
		parts += a[i] == '/';
	}
	/* the part that the comparison ended in counts if it is whole on both sides */
	return parts + ((!i || a[i - 1] == '/') && (!j || b[j - 1] == '/') && a[i] != '/');
}

/* The one file without a match that has most in common with the path; NO_FILE: none, or several. */
static size_t nearest_file(const struct match_side *side, const char *path)
{
	size_t best = NO_FILE, most = 0;

	for (size_t i = 0; i < side->file_count; i++) {
		const size_t parts = side->files[i].other == NO_FILE
					     ? common_parts(side->files[i].name, path)
					     : 0;

		if (parts && parts == most)
			best = NO_FILE;
		else if (parts > most)
			best = i;
		most = parts > most ? parts : most;
	}
	return best;
}

static bool hashes_equal(const struct line_source *a, const struct line_source *b)
{
	return a->hash && b->hash && strcmp(a->hash, b->hash) == 0;
}

static size_t file_of_hash(const struct match_side *side, const struct line_source *source)
{
	size_t i = 0;

	while (i < side->file_count &&
	       !(side->files[i].other == NO_FILE && hashes_equal(side->files[i].source, source)))
		i++;
	return i < side->file_count ? i : NO_FILE;
}

static void match_file_names(struct match_side *a, struct match_side *b)
{
	bool found = true;

	for (size_t i = 0; i < a->file_count; i++)
		for (size_t j = 0; j < b->file_count; j++)
			if (strcmp(a->files[i].name, b->files[j].name) == 0)
				match_files(a, i, b, j);
	/* a match leaves fewer files, among which another may be the only one */
	while (found) {
		found = false;
		for (size_t i = 0; i < a->file_count; i++) {
			const size_t j = a->files[i].other == NO_FILE
						 ? nearest_file(b, a->files[i].name)
						 : NO_FILE;

			if (j == NO_FILE || nearest_file(a, b->files[j].name) != i)
				continue;
			match_files(a, i, b, j);
			found = true;
		}
	}
	for (size_t i = 0; i < a->file_count; i++) {
		const size_t j = a->files[i].other == NO_FILE ? file_of_hash(b, a->files[i].source)
							      : NO_FILE;

		if (j != NO_FILE)
			match_files(a, i, b, j);
	}
}

/* Whether a file without a match may be one of the other side's, of which several have its name. */
static bool is_ambiguous(const struct match_side *other, const char *name)
{
	for (size_t i = 0; i < other->file_count; i++)
		if (other->files[i].other == NO_FILE &&
		    strcmp(base_name(other->files[i].name), base_name(name)) == 0)
			return true;
	return false;
}

static void set_alone(struct line_match_list *out, struct match_side *side,
		      const struct match_side *other)
{
	for (size_t i = 0; i < side->file_count; i++) {
		struct matched_file *file = &side->files[i];

		if (file->other != NO_FILE)
			continue;
		file->known = !is_ambiguous(other, file->name);
		if (!file->known)
			string_list_addf(&out->unknown, "%s may be any of several files",
					 file->name);
	}
}

static void say_no_texts(struct line_match_list *out, const char *file, const struct line_source *a,
			 const struct line_source *b)
{
	if (!a->text && !b->text)
		string_list_addf(&out->unknown, "the texts of %s are not kept", base_name(file));
	else
		string_list_addf(&out->unknown, "the text of %s is kept of one run only",
				 base_name(file));
}

static void match_texts(struct line_match_list *out, struct match_side *a, struct match_side *b)
{
	for (size_t i = 0; i < a->file_count; i++) {
		struct matched_file *file = &a->files[i], *other;

		if (file->other == NO_FILE)
			continue;
		other = &b->files[file->other];
		file->by_number = other->by_number = hashes_equal(file->source, other->source);
		file->known = other->known =
			file->by_number || (file->source->text && other->source->text);
		if (!file->known)
			say_no_texts(out, other->name, file->source, other->source);
		if (!file->known || file->by_number)
			continue;
		text_map_of(&file->map,
			    &(struct diff_text){file->source->text, file->source->bytes},
			    &(struct diff_text){other->source->text, other->source->bytes},
			    has_suffix(other->name, ".py"));
		text_map_reverse(&other->map, &file->map,
				 text_line_count(other->source->text, other->source->bytes));
	}
	set_alone(out, a, b);
	set_alone(out, b, a);
}

/* ---- functions ---- */

static size_t name_number(struct name_index *index, struct string_list *names, const char *name)
{
	size_t at = name_index_find(index, name);

	if (at != NO_NAME)
		return at;
	string_list_add(names, name);
	at = names->count - 1;
	name_index_add(index, names->items[at], at);
	return at;
}

/* Numbers the names of the functions of both profiles. */
static void number_functions(struct match_side *const sides[2])
{
	struct name_index index = {0};
	struct string_list names = {0};
	struct text text = TEXT_INIT;

	for (size_t side = 0; side < 2; side++)
		for (size_t i = 0; i < sides[side]->given->profile->frame_count; i++) {
			const char *function = sides[side]->given->profile->frames[i].function;
			struct matched_frame *frame = &sides[side]->frames[i];

			mangled_portable(&text, function ? function : "");
			frame->full = name_number(&index, &names, text.data);
			mangled_plain_name(&text, function ? function : "");
			frame->plain = name_number(&index, &names, text.data);
		}
	text_release(&text);
	string_list_release(&names);
	name_index_release(&index);
}

/* ---- frames ---- */

static int order_of(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

/* What a frame is looked up by. */
struct frame_key {
	size_t file, plain;
	int64_t line, caller;
};

static int key_compare(const struct frame_key *a, const struct frame_key *b)
{
	int order = order_of((int64_t)a->file, (int64_t)b->file);

	if (!order)
		order = order_of(a->line, b->line);
	if (!order)
		order = order_of(a->caller, b->caller);
	return order ? order : order_of((int64_t)a->plain, (int64_t)b->plain);
}

static struct frame_key frame_key_of(const struct match_side *side, size_t frame)
{
	const struct profile_frame *of = &side->given->profile->frames[frame];

	return (struct frame_key){side->frames[frame].file, side->frames[frame].plain, of->line,
				  of->caller};
}

static int frame_order(const void *left, const void *right, void *context)
{
	const struct match_side *side = context;
	const size_t a = *(const size_t *)left, b = *(const size_t *)right;
	const struct frame_key key_a = frame_key_of(side, a), key_b = frame_key_of(side, b);
	const int order = key_compare(&key_a, &key_b);

	return order ? order : order_of((int64_t)a, (int64_t)b);
}

static void order_frames(struct match_side *side)
{
	const size_t count = side->given->profile->frame_count;

	side->order = xcalloc(count + 1, sizeof(*side->order));
	for (size_t i = 0; i < count; i++)
		side->order[i] = i;
	qsort_r(side->order, count, sizeof(*side->order), frame_order, side);
}

/* Sets *first and returns the number of frames with the key. */
static size_t frames_with(const struct match_side *side, const struct frame_key *key, size_t *first)
{
	const size_t all = side->given->profile->frame_count;
	size_t low = 0, high = all, count = 0;

	while (low < high) {
		const size_t middle = (low + high) / 2;
		const struct frame_key at = frame_key_of(side, side->order[middle]);

		if (key_compare(&at, key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	*first = low;
	for (size_t i = low; i < all; i++, count++) {
		const struct frame_key at = frame_key_of(side, side->order[i]);

		if (key_compare(&at, key) != 0)
			break;
	}
	return count;
}

static enum line_match_kind worse_kind(enum line_match_kind a, enum line_match_kind b)
{
	return a > b ? a : b;
}

/* Finds the line of a frame in the other text. `absent`: what a line is that has none. */
static void find_text_line(const struct match_side *side, size_t index, enum line_match_kind absent)
{
	const struct profile_frame *of = &side->given->profile->frames[index];
	struct matched_frame *frame = &side->frames[index];
	const struct matched_file *file = &side->files[frame->file];
	const uint64_t at = (uint64_t)of->line - 1;

	frame->kind = LINE_SAME;
	if (!file->known)
		frame->kind = LINE_UNKNOWN;
	else if (file->other == NO_FILE)
		frame->kind = absent;
	else if (file->by_number || of->line < 1)
		frame->line = of->line; /* line 0: somewhere in the file */
	else if (at >= file->map.count)
		frame->kind = LINE_UNKNOWN; /* a #line directive gave the number */
	else if (file->map.to[at] == NO_TEXT_LINE)
		frame->kind = absent;
	else {
		frame->line = (int64_t)file->map.to[at] + 1;
		frame->kind = file->map.edited[at] ? LINE_EDITED : LINE_SAME;
	}
	frame->has_line = frame->kind == LINE_SAME || frame->kind == LINE_EDITED;
	if (of->caller >= 0)
		frame->kind = worse_kind(frame->kind, side->frames[of->caller].kind);
}

/* The frame of b that is frame `index` of a; -1: none. Names of functions may differ by parameters
 * and template arguments if there is no other call in the line. */
static int64_t find_frame(const struct match_side *a, const struct match_side *b, size_t index)
{
	const struct matched_frame *frame = &a->frames[index];
	const int64_t caller = a->given->profile->frames[index].caller;
	const struct frame_key own = frame_key_of(a, index);
	struct frame_key key = {a->files[frame->file].other, frame->plain, frame->line,
				caller < 0 ? -1 : a->frames[caller].other};
	size_t first, own_first, count;

	if (!frame->has_line || (caller >= 0 && key.caller < 0))
		return -1;
	count = frames_with(b, &key, &first);
	if (count == 1 && frames_with(a, &own, &own_first) == 1)
		return (int64_t)b->order[first];
	for (size_t i = first; i < first + count; i++)
		if (b->frames[b->order[i]].full == frame->full && b->frames[b->order[i]].other < 0)
			return (int64_t)b->order[i];
	return -1;
}

static void match_frames(struct match_side *a, struct match_side *b)
{
	for (size_t i = 0; i < b->given->profile->frame_count; i++)
		find_text_line(b, i, LINE_NEW);
	for (size_t i = 0; i < a->given->profile->frame_count; i++) {
		struct matched_frame *frame = &a->frames[i];

		find_text_line(a, i, LINE_GONE);
		frame->other = find_frame(a, b, i);
		if (frame->other >= 0)
			b->frames[frame->other].other = (int64_t)i;
	}
}

/* ---- lines ---- */

static void match_add(struct line_match_list *out, size_t a, size_t b, enum line_match_kind kind)
{
	out->items = xgrow(out->items, &out->capacity, out->count + 1, sizeof(*out->items));
	out->items[out->count++] = (struct line_match){a, b, kind};
}

/* The line of a frame in a list that ascends by frame, with -1 at its end; NO_LINE: none. */
static size_t line_of_frame(const struct line_cost_list *lines, int64_t frame)
{
	size_t low = 0, high = lines->count;

	if (frame < 0)
		return lines->count && lines->items[lines->count - 1].frame < 0 ? lines->count - 1
										: NO_LINE;
	while (low < high) {
		const size_t middle = (low + high) / 2;
		const int64_t at = lines->items[middle].frame;

		if (at >= 0 && at < frame)
			low = middle + 1;
		else
			high = middle;
	}
	return low < lines->count && lines->items[low].frame == frame ? low : NO_LINE;
}

static void match_lines(struct line_match_list *out, const struct match_side *a,
			const struct match_side *b, bool unknown)
{
	const struct line_cost_list *of_a = a->given->lines, *of_b = b->given->lines;

	for (size_t i = 0; i < of_b->count; i++) {
		const int64_t frame = of_b->items[i].frame;
		const int64_t other = frame < 0 ? -1 : b->frames[frame].other;
		const size_t line = frame >= 0 && other < 0 ? NO_LINE : line_of_frame(of_a, other);

		match_add(out, line, i,
			  unknown     ? LINE_UNKNOWN
			  : frame < 0 ? LINE_SAME
				      : b->frames[frame].kind);
	}
	for (size_t i = 0; i < of_a->count; i++) {
		const int64_t frame = of_a->items[i].frame;
		const int64_t other = frame < 0 ? -1 : a->frames[frame].other;

		if (frame >= 0 && other < 0)
			match_add(out, i, NO_LINE, unknown ? LINE_UNKNOWN : a->frames[frame].kind);
		else if (line_of_frame(of_b, other) == NO_LINE)
			match_add(out, i, NO_LINE, unknown ? LINE_UNKNOWN : LINE_SAME);
	}
}

static void match_side_release(struct match_side *side)
{
	for (size_t i = 0; i < side->file_count; i++)
		text_map_release(&side->files[i].map);
	free(side->files);
	free(side->frames);
	free(side->order);
}

void line_match_profiles(struct line_match_list *out, const struct line_side *a,
			 const struct line_side *b)
{
	struct match_side sides[] = {{.given = a}, {.given = b}};
	/* machine code without lines beside code with lines says nothing about lines */
	const bool unknown = !a->profile->frame_count != !b->profile->frame_count;

	*out = (struct line_match_list){0};
	for (size_t i = 0; i < 2; i++)
		find_side_files(&sides[i]);
	match_file_names(&sides[0], &sides[1]);
	match_texts(out, &sides[0], &sides[1]);
	number_functions((struct match_side *const[]){&sides[0], &sides[1]});
	for (size_t i = 0; i < 2; i++)
		order_frames(&sides[i]);
	match_frames(&sides[0], &sides[1]);
	if (unknown)
		string_list_add(&out->unknown, "the machine code of one run has no lines");
	match_lines(out, &sides[0], &sides[1], unknown);
	for (size_t i = 0; i < 2; i++)
		match_side_release(&sides[i]);
}

void line_match_list_release(struct line_match_list *list)
{
	free(list->items);
	string_list_release(&list->unknown);
	*list = (struct line_match_list){0};
}

/* ---- names ---- */

static const char *shown_file(const struct profile *profile, const char *file)
{
	for (size_t i = 0; i < profile->frame_count; i++) {
		const char *other = profile->frames[i].file;

		if (strcmp(base_name(other), base_name(file)) == 0 && strcmp(other, file) != 0)
			return file;
	}
	return base_name(file);
}

void line_place_add(struct text *out, const struct profile *profile, int64_t frame)
{
	if (frame < 0)
		text_add(out, "instructions without a line");
	for (bool called = false; frame >= 0; called = true) {
		const struct profile_frame *of = &profile->frames[frame];

		text_addf(out, "%s%s:%lld", called ? " called at " : "",
			  shown_file(profile, of->file), (long long)of->line);
		frame = of->caller;
	}
}
