/*
 * Parses the file of a study. Lines are "key: value". A line that begins with a
 * blank continues the one before, and a line that begins with "#" is a comment.
 * The keys after "part:" belong to that part.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "metrics/analysis/study.h"
#include "metrics/analysis/study_expression.h"

struct study_reader {
	struct study *study;
	const char *path;
	int line; /* line of the key, from 1 */
	struct error *err;
};

static int fail(const struct study_reader *reader, const char *format, ...) PRINTF_LIKE(2, 3);

/* Sets "PATH:LINE: cause". Returns PL_EPARSE. */
static int fail(const struct study_reader *reader, const char *format, ...)
{
	char cause[512];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(cause, sizeof(cause), format, arguments);
	va_end(arguments);
	return error_set(reader->err, PL_EPARSE, "%s:%d: %s", reader->path, reader->line, cause);
}

/* ---- keys ---- */

/* A key with a plain text: the field that it sets, and whether the key is required. */
static const struct text_key {
	const char *name;
	bool of_part, needed;
	size_t offset;
} text_keys[] = {
	{"title", false, true, offsetof(struct study, title)},
	{"claim", false, true, offsetof(struct study, claim)},
	{"source", false, true, offsetof(struct study, source)},
	{"made on", false, true, offsetof(struct study, made_on)},
	{"look at", false, true, offsetof(struct study, look_at)},
	{"on emulator", false, false, offsetof(struct study, on_emulator)},
	{"claimed", true, false, offsetof(struct study_part, claimed)},
	{"unit", true, false, offsetof(struct study_part, unit)},
};

/* The text of a key in the study or the part that has it. */
static char **text_of(void *owner, const struct text_key *key)
{
	return (char **)((char *)owner + key->offset);
}

static const char *const other_keys[] = {"case",     "best",   "part",   "measured",
					 "emulated", "expect", "decides"};

static int unknown_key(const struct study_reader *reader, const char *key)
{
	const char *names[ARRAY_SIZE(text_keys) + ARRAY_SIZE(other_keys)];
	struct text cause = TEXT_INIT, near = TEXT_INIT;
	size_t count = 0;
	int rc;

	for (size_t i = 0; i < ARRAY_SIZE(text_keys); i++)
		names[count++] = text_keys[i].name;
	for (size_t i = 0; i < ARRAY_SIZE(other_keys); i++)
		names[count++] = other_keys[i];
	text_addf(&cause, "no key is called \"%.60s\"", key);
	if (nearest_names(&near, key, names, count))
		text_addf(&cause, "; did you mean %s?", near.data);
	rc = fail(reader, "%s", cause.data);
	text_release(&cause);
	text_release(&near);
	return rc;
}

static struct study_part *last_part(struct study *study)
{
	return study->part_count ? &study->parts[study->part_count - 1] : NULL;
}

static int set_text(const struct study_reader *reader, const struct text_key *key,
		    const char *value)
{
	struct study_part *part = last_part(reader->study);
	char **at;

	if (key->of_part && !part)
		return fail(reader, "\"%s\" belongs to a part: write \"part: TITLE\" first",
			    key->name);
	if (!key->of_part && part)
		return fail(reader, "\"%s\" belongs before the first part", key->name);
	at = text_of(key->of_part ? (void *)part : (void *)reader->study, key);
	if (*at)
		return fail(reader, "\"%s\" appears twice", key->name);
	*at = xstrdup(value);
	return 0;
}

static int add_study_case(const struct study_reader *reader, const char *name, const char *selector,
			  bool best)
{
	struct study *study = reader->study;
	size_t length = strlen(name);

	if (study->part_count)
		return fail(reader, "cases belong before the first part");
	if (!length || length > 40 || !islower((unsigned char)name[0]) ||
	    strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") != length)
		return fail(reader,
			    "a case needs a name: \"case NAME: KERNEL/VARIANT/CONFIG\", with "
			    "lower-case letters, digits and underscores");
	for (size_t i = 0; i < study->case_count; i++)
		if (strcmp(study->cases[i].name, name) == 0)
			return fail(reader, "there is already a case \"%s\"", name);
	if (study->case_count == STUDY_MAX_CASES)
		return fail(reader, "more cases than a study may have");
	study->cases[study->case_count++] =
		(struct study_case){xstrdup(name), xstrdup(selector), best, reader->line};
	return 0;
}

static int set_expression(const struct study_reader *reader, const char *value, bool emulated)
{
	struct study_part *part = last_part(reader->study);
	struct study_expression *at;
	struct error cause = {0};

	if (!part)
		return fail(reader, "an expression belongs to a part: write \"part: TITLE\" first");
	at = emulated ? &part->emulated : &part->measured;
	if (at->count)
		return fail(reader, "the part already has this expression");
	if (study_expression_parse(at, value, reader->study, emulated, &cause))
		return fail(reader, "%s", cause.text);
	return 0;
}

static int set_limits(const struct study_reader *reader, const char *value)
{
	struct study_part *part = last_part(reader->study);
	struct error cause = {0};

	if (!part || part->expect.text)
		return fail(reader, part ? "\"expect\" appears twice"
					 : "\"expect\" belongs to a part: write \"part: TITLE\" "
					   "first");
	return study_limits_parse(&part->expect, value, &cause) ? fail(reader, "%s", cause.text)
								: 0;
}

static int set_decides(const struct study_reader *reader, const char *value)
{
	struct study_part *part = last_part(reader->study);

	if (!part)
		return fail(reader, "\"decides\" belongs to a part: write \"part: TITLE\" first");
	if (strcmp(value, "no") != 0)
		return fail(reader, "\"decides\" must be \"no\": without the key a part decides");
	part->aside = true;
	return 0;
}

static int set_key(const struct study_reader *reader, const char *key, const char *value)
{
	struct study *study = reader->study;

	if (!*value)
		return fail(reader, "there is no value after \"%s:\"", key);
	if (strncmp(key, "case ", 5) == 0 || strncmp(key, "best ", 5) == 0)
		return add_study_case(reader, key + 5, value, *key == 'b');
	if (strcmp(key, "case") == 0 || strcmp(key, "best") == 0)
		return add_study_case(reader, "", value, false);
	if (strcmp(key, "part") == 0) {
		if (study->part_count == STUDY_MAX_PARTS)
			return fail(reader, "more parts than a study may have");
		study->parts[study->part_count++] = (struct study_part){.title = xstrdup(value)};
		return 0;
	}
	if (strcmp(key, "measured") == 0 || strcmp(key, "emulated") == 0)
		return set_expression(reader, value, *key == 'e');
	if (strcmp(key, "expect") == 0)
		return set_limits(reader, value);
	if (strcmp(key, "decides") == 0)
		return set_decides(reader, value);
	for (size_t i = 0; i < ARRAY_SIZE(text_keys); i++)
		if (strcmp(text_keys[i].name, key) == 0)
			return set_text(reader, &text_keys[i], value);
	return unknown_key(reader, key);
}

/* ---- lines ---- */

/* Reads "key: value"; continuation lines are already joined. */
static int read_entry(const struct study_reader *reader, char *entry)
{
	char *colon = strchr(entry, ':');
	char *value, *end;

	if (!colon)
		return fail(reader, "expected \"key: value\", or a blank at the beginning to "
				    "continue the line before");
	*colon = '\0';
	value = colon + 1;
	while (*value == ' ' || *value == '\t')
		value++;
	for (end = colon; end > entry && (end[-1] == ' ' || end[-1] == '\t'); end--)
		end[-1] = '\0';
	return set_key(reader, entry, value);
}

/* Reads the next line without trailing blanks. Returns false at the end. */
static bool next_line(const char **at, const char *end, struct text *line)
{
	const char *stop;

	if (*at == end)
		return false;
	stop = memchr(*at, '\n', (size_t)(end - *at));
	text_clear(line);
	text_add_bytes(line, *at, (size_t)((stop ? stop : end) - *at));
	while (line->length && strchr(" \t\r", line->data[line->length - 1]))
		line->data[--line->length] = '\0';
	*at = stop ? stop + 1 : end;
	return true;
}

static int read_lines(struct study_reader *reader, const char *text, size_t length)
{
	const char *at = text, *end = text + length;
	struct text line = TEXT_INIT, entry = TEXT_INIT;
	int number = 0, rc = 0;

	while (!rc && next_line(&at, end, &line)) {
		const char *first = line.data + strspn(line.data, " \t");

		number++;
		if (!*first || *first == '#')
			continue;
		if (first > line.data && entry.length) {
			text_addf(&entry, " %s", first);
			continue;
		}
		if (entry.length)
			rc = read_entry(reader, entry.data);
		reader->line = rc ? reader->line : number;
		if (!rc && first > line.data)
			rc = fail(reader, "a line that begins with a blank continues the one "
					  "before, and there is none");
		text_clear(&entry);
		text_add(&entry, line.data);
	}
	if (!rc && entry.length)
		rc = read_entry(reader, entry.data);
	text_release(&line);
	text_release(&entry);
	return rc;
}

/* ---- the whole study ---- */

static int check_study(struct study_reader *reader)
{
	struct study *study = reader->study;
	size_t deciding = 0;
	int rc = 0;

	for (size_t i = 0; i < ARRAY_SIZE(text_keys) && !rc; i++)
		if (text_keys[i].needed && !*text_of(study, &text_keys[i]))
			rc = fail(reader, "the study ends without \"%s\"", text_keys[i].name);
	for (size_t i = 0; i < study->part_count; i++)
		deciding += !study->parts[i].aside;
	if (!rc && !deciding)
		rc = fail(reader, "the study ends without a part%s",
			  study->part_count ? " that decides" : "");
	for (size_t i = 0; i < study->part_count && !rc; i++) {
		const struct study_part *part = &study->parts[i];

		if (!part->measured.count && !part->emulated.count)
			rc = fail(reader,
				  "part \"%.80s\" has no expression: \"measured\", "
				  "\"emulated\" or both",
				  part->title);
		else if (!part->expect.text)
			rc = fail(reader, "part \"%.80s\" does not say what to \"expect\"",
				  part->title);
	}
	for (size_t i = 0; i < study->case_count && !rc; i++) {
		if (study_needs_case(study, i, false) || study_needs_case(study, i, true))
			continue;
		reader->line = study->cases[i].line;
		rc = fail(reader, "case \"%s\" is not used", study->cases[i].name);
	}
	return rc;
}

/* "studies/two_ifs.study" → "two_ifs". */
static char *study_name_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	size_t length = strlen(name), suffix = strlen(STUDY_SUFFIX);

	if (length > suffix && strcmp(name + length - suffix, STUDY_SUFFIX) == 0)
		length -= suffix;
	return xstrndup(name, length);
}

int study_parse(struct study *out, const char *path, const char *text, size_t length,
		struct error *err)
{
	struct study *study = xcalloc(1, sizeof(*study));
	struct study_reader reader = {.study = study, .path = path, .line = 1, .err = err};
	int rc = 0;

	study->name = study_name_of(path);
	if (length > STUDY_MAX_BYTES || memchr(text, '\0', length))
		rc = fail(&reader, "not a study: the file is too long or not a text");
	if (!rc)
		rc = read_lines(&reader, text, length);
	if (!rc)
		rc = check_study(&reader);
	if (rc)
		study_release(study);
	else
		*out = *study;
	free(study);
	return rc;
}

void study_release(struct study *study)
{
	for (size_t i = 0; i < study->case_count; i++) {
		free(study->cases[i].name);
		free(study->cases[i].selector);
	}
	for (size_t i = 0; i < study->part_count; i++) {
		struct study_part *part = &study->parts[i];

		study_expression_release(&part->measured);
		study_expression_release(&part->emulated);
		free(part->expect.text);
		free(part->title);
		for (size_t k = 0; k < ARRAY_SIZE(text_keys); k++)
			if (text_keys[k].of_part)
				free(*text_of(part, &text_keys[k]));
	}
	free(study->name);
	for (size_t i = 0; i < ARRAY_SIZE(text_keys); i++)
		if (!text_keys[i].of_part)
			free(*text_of(study, &text_keys[i]));
	*study = (struct study){0};
}

/* ---- what a study needs ---- */

static const struct study_expression *expression_of(const struct study_part *part, bool emulated)
{
	return emulated ? &part->emulated : &part->measured;
}

bool study_answerable(const struct study *study, bool emulated)
{
	for (size_t i = 0; i < study->part_count; i++)
		if (expression_of(&study->parts[i], emulated)->count)
			return true;
	return false;
}

bool study_decidable(const struct study *study, bool emulated)
{
	for (size_t i = 0; i < study->part_count; i++)
		if (!study->parts[i].aside && !expression_of(&study->parts[i], emulated)->count)
			return false;
	return true;
}

bool study_needs_case(const struct study *study, size_t index, bool emulated)
{
	for (size_t i = 0; i < study->part_count; i++)
		if (study_expression_uses(expression_of(&study->parts[i], emulated), index))
			return true;
	return false;
}

void study_metrics(struct string_list *out, const struct study *study, bool emulated)
{
	for (size_t i = 0; i < study->part_count; i++) {
		const struct study_expression *of = expression_of(&study->parts[i], emulated);

		for (size_t j = 0; j < of->count; j++)
			if (of->steps[j].metric && !string_list_has(out, of->steps[j].metric))
				string_list_add(out, of->steps[j].metric);
	}
}

/* Whether on_emulator sets the same axis as `piece` ("block=64"). */
static bool is_axis_set(const char *settings, const char *piece)
{
	struct string_list pieces = {0};
	size_t name = strcspn(piece, "=") + 1;
	bool set = false;

	string_list_split(&pieces, settings, ',');
	for (size_t i = 0; i < pieces.count; i++)
		set |= strncmp(pieces.items[i], piece, name) == 0;
	string_list_release(&pieces);
	return set;
}

char *study_selector(const struct study *study, size_t index, bool emulated)
{
	const char *selector = study->cases[index].selector;
	const char *slash = strchr(selector, '/');
	const char *config = slash ? strchr(slash + 1, '/') : NULL;
	struct string_list pieces = {0};
	struct text out = TEXT_INIT;
	bool dropped = false;

	if (!emulated || !study->on_emulator || !config)
		return xstrdup(selector);
	text_add_bytes(&out, selector, (size_t)(config - selector + 1));
	string_list_split(&pieces, config + 1, ',');
	for (size_t i = 0; i < pieces.count; i++) {
		/* a piece without "=" is a further value of the axis before */
		if (strchr(pieces.items[i], '='))
			dropped = is_axis_set(study->on_emulator, pieces.items[i]);
		if (!dropped)
			text_addf(&out, "%s,", pieces.items[i]);
	}
	text_add(&out, study->on_emulator);
	string_list_release(&pieces);
	return text_detach(&out);
}
