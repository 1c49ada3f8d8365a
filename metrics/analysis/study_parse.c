/* Parses the file of a study. The keys after "part:" belong to that part. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "metrics/analysis/entries.h"
#include "metrics/analysis/study.h"
#include "metrics/analysis/study_expression.h"

struct study_reader {
	struct study *study;
	struct entry_place place;
};

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
	rc = entry_fail(&reader->place, "%s", cause.data);
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
		return entry_fail(&reader->place,
				  "\"%s\" belongs to a part: write \"part: TITLE\" first",
				  key->name);
	if (!key->of_part && part)
		return entry_fail(&reader->place, "\"%s\" belongs before the first part",
				  key->name);
	at = text_of(key->of_part ? (void *)part : (void *)reader->study, key);
	if (*at)
		return entry_fail(&reader->place, "\"%s\" appears twice", key->name);
	*at = xstrdup(value);
	return 0;
}

static int add_study_case(const struct study_reader *reader, const char *name, const char *selector,
			  bool best)
{
	struct study *study = reader->study;
	size_t length = strlen(name);

	if (study->part_count)
		return entry_fail(&reader->place, "cases belong before the first part");
	if (!length || length > 40 || !islower((unsigned char)name[0]) ||
	    strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") != length)
		return entry_fail(&reader->place,
				  "a case needs a name: \"case NAME: KERNEL/VARIANT/CONFIG\", with "
				  "lower-case letters, digits and underscores");
	for (size_t i = 0; i < study->case_count; i++)
		if (strcmp(study->cases[i].name, name) == 0)
			return entry_fail(&reader->place, "there is already a case \"%s\"", name);
	if (study->case_count == STUDY_MAX_CASES)
		return entry_fail(&reader->place, "more cases than a study may have");
	study->cases[study->case_count++] =
		(struct study_case){xstrdup(name), xstrdup(selector), best, reader->place.line};
	return 0;
}

static int set_expression(const struct study_reader *reader, const char *value, bool emulated)
{
	struct study_part *part = last_part(reader->study);
	struct postfix *at;
	struct error cause = {0};

	if (!part)
		return entry_fail(&reader->place,
				  "an expression belongs to a part: write \"part: TITLE\" first");
	at = emulated ? &part->emulated : &part->measured;
	if (at->count)
		return entry_fail(&reader->place, "the part already has this expression");
	if (study_expression_parse(at, value, reader->study, emulated, &cause))
		return entry_fail(&reader->place, "%s", cause.text);
	return 0;
}

static int set_limits(const struct study_reader *reader, const char *value)
{
	struct study_part *part = last_part(reader->study);
	struct error cause = {0};

	if (!part || part->expect.text)
		return entry_fail(&reader->place,
				  part ? "\"expect\" appears twice"
				       : "\"expect\" belongs to a part: write \"part: TITLE\" "
					 "first");
	return study_limits_parse(&part->expect, value, &cause)
		       ? entry_fail(&reader->place, "%s", cause.text)
		       : 0;
}

static int set_decides(const struct study_reader *reader, const char *value)
{
	struct study_part *part = last_part(reader->study);

	if (!part)
		return entry_fail(&reader->place,
				  "\"decides\" belongs to a part: write \"part: TITLE\" first");
	if (strcmp(value, "no") != 0)
		return entry_fail(&reader->place,
				  "\"decides\" must be \"no\": without the key a part decides");
	part->aside = true;
	return 0;
}

static int set_key(void *context, const char *key, const char *value)
{
	const struct study_reader *reader = context;
	struct study *study = reader->study;

	if (strncmp(key, "case ", 5) == 0 || strncmp(key, "best ", 5) == 0)
		return add_study_case(reader, key + 5, value, *key == 'b');
	if (strcmp(key, "case") == 0 || strcmp(key, "best") == 0)
		return add_study_case(reader, "", value, false);
	if (strcmp(key, "part") == 0) {
		if (study->part_count == STUDY_MAX_PARTS)
			return entry_fail(&reader->place, "more parts than a study may have");
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

/* ---- the whole study ---- */

static int check_study(struct study_reader *reader)
{
	struct study *study = reader->study;
	size_t deciding = 0;
	int rc = 0;

	for (size_t i = 0; i < ARRAY_SIZE(text_keys) && !rc; i++)
		if (text_keys[i].needed && !*text_of(study, &text_keys[i]))
			rc = entry_fail(&reader->place, "the study ends without \"%s\"",
					text_keys[i].name);
	for (size_t i = 0; i < study->part_count; i++)
		deciding += !study->parts[i].aside;
	if (!rc && !deciding)
		rc = entry_fail(&reader->place, "the study ends without a part%s",
				study->part_count ? " that decides" : "");
	for (size_t i = 0; i < study->part_count && !rc; i++) {
		const struct study_part *part = &study->parts[i];

		if (!part->measured.count && !part->emulated.count)
			rc = entry_fail(&reader->place,
					"part \"%.80s\" has no expression: \"measured\", "
					"\"emulated\" or both",
					part->title);
		else if (!part->expect.text)
			rc = entry_fail(&reader->place,
					"part \"%.80s\" does not say what to \"expect\"",
					part->title);
	}
	for (size_t i = 0; i < study->case_count && !rc; i++) {
		if (study_needs_case(study, i, false) || study_needs_case(study, i, true))
			continue;
		reader->place.line = study->cases[i].line;
		rc = entry_fail(&reader->place, "case \"%s\" is not used", study->cases[i].name);
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
	struct study_reader reader = {study, {path, 1, err}};
	int rc;

	study->name = study_name_of(path);
	rc = entries_read(&reader.place, text, length, set_key, &reader);
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

		postfix_release(&part->measured);
		postfix_release(&part->emulated);
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

static const struct postfix *expression_of(const struct study_part *part, bool emulated)
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
		const struct postfix *of = expression_of(&study->parts[i], emulated);

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
