/* How messages show an expression. */
#include <stdlib.h>
#include <string.h>

#include "kernels/expression_text.h"

/* A text of up to this length is shown whole. */
#define WHOLE_BYTES 300
/* Bytes shown before and after the error in a longer text. */
#define BEFORE_BYTES 100
#define AFTER_BYTES 100
#define POINTED_BYTES 20
#define CHARACTER_WORDS "\", character "

static bool is_inside_character(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

/* Adds [begin, end) of the text in quotes, without parts of UTF-8 characters. */
static void add_quoted_part(struct text *out, const char *text, size_t length, size_t begin,
			    size_t end)
{
	while (begin && begin < length && is_inside_character(text[begin]))
		begin--;
	while (end < length && is_inside_character(text[end]))
		end++;
	text_add(out, begin ? "\"…" : "\"");
	text_add_bytes(out, text + begin, end - begin);
	if (end < length)
		text_add(out, "…");
}

void expression_add_place(struct text *out, const char *text, size_t character)
{
	size_t length = strlen(text), at = character ? character - 1 : 0;
	bool whole = length <= WHOLE_BYTES;
	size_t begin = whole || at < BEFORE_BYTES ? 0 : at - BEFORE_BYTES;
	size_t end = whole || at + AFTER_BYTES > length ? length : at + AFTER_BYTES;

	add_quoted_part(out, text, length, begin, end);
	text_addf(out, CHARACTER_WORDS "%zu", character);
	if (!whole && at < length) {
		while (at && is_inside_character(text[at]))
			at--;
		text_add(out, ", at \"");
		end = at + POINTED_BYTES < length ? at + POINTED_BYTES : length;
		while (end < length && is_inside_character(text[end]))
			end++;
		text_add_bytes(out, text + at, end - at);
		text_add_char(out, '"');
	}
}

int expression_refuse(struct error *err, const char *kind, const char *text, const char *at,
		      const char *cause)
{
	struct text place = TEXT_INIT;

	if (err) {
		expression_add_place(&place, text, (size_t)(at - text) + 1);
		error_set(err, PL_EPARSE, "%s %s: %s", kind, place.data, cause);
		text_release(&place);
	}
	return PL_EPARSE;
}

size_t expression_refused_character(const struct error *err)
{
	const char *found = NULL;

	/* The text may have these words, too, but the cause does not. */
	for (const char *c = err->text; (c = strstr(c, CHARACTER_WORDS)); c++)
		found = c;
	return found ? strtoul(found + strlen(CHARACTER_WORDS), NULL, 10) : 0;
}
