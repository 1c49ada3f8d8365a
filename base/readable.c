/* Shortens readable names of functions. */
#include <stdlib.h>
#include <string.h>

#include "base/mangled.h"

#define ELLIPSIS "\xe2\x80\xa6"
#define DEEPEST \
	8 /* template arguments in template arguments that are shown at most, if shortened */

static size_t character_count(const char *text)
{
	size_t count = 0;

	for (; *text; text++)
		count += ((unsigned char)*text & 0xc0) != 0x80;
	return count;
}

static bool ends_at(const char *text, size_t length, const char *suffix)
{
	const size_t size = strlen(suffix);

	return length >= size && !memcmp(text + length - size, suffix, size);
}

/* The length without "(float*, int) const [clone .part.0]". */
static size_t without_parameters(const char *name)
{
	const char *clone = strstr(name, " [clone ");
	size_t length = clone ? (size_t)(clone - name) : strlen(name), at;
	int depth = 0;

	at = ends_at(name, length, " const") ? length - strlen(" const") : length;
	if (!at || name[at - 1] != ')')
		return length;
	while (at--) {
		depth += name[at] == ')' ? 1 : name[at] == '(' ? -1 : 0;
		if (!depth)
			return at ? at : length;
	}
	return length;
}

/* Whether the '<' or '>' is part of an operator's name, as in "operator<<" and "operator->". */
static bool is_operator(const char *name, size_t at)
{
	while (at && strchr("<>=-", name[at - 1]))
		at--;
	return ends_at(name, at, "operator");
}

/* Adds the name with "…" for template arguments that are deeper than `shown`. */
static void add_to_depth(struct text *out, const char *name, size_t length, int shown)
{
	int depth = 0;

	for (size_t i = 0; i < length; i++) {
		const bool bracket = (name[i] == '<' || name[i] == '>') && !is_operator(name, i);

		if (bracket && name[i] == '>' && depth)
			depth--;
		if (depth <= shown)
			text_add_char(out, name[i]);
		if (bracket && name[i] == '<' && ++depth == shown + 1 && name[i + 1] != '>')
			text_add(out, ELLIPSIS);
	}
}

/* Where the last component begins that is not in brackets of any kind. */
static size_t last_component_begin(const char *name)
{
	size_t begin = 0;
	int depth = 0;

	for (size_t i = 0; name[i]; i++) {
		if (strchr("<({", name[i]) && !is_operator(name, i))
			depth++;
		else if (strchr(">)}", name[i]) && !is_operator(name, i))
			depth--;
		else if (!depth && name[i] == ':' && name[i + 1] == ':')
			begin = i + 2;
	}
	return begin;
}

static void cut(struct text *name, size_t most)
{
	size_t length = 0;

	for (size_t count = 0; name->data[length] && count + 1 < most; count++)
		do
			length++;
		while (((unsigned char)name->data[length] & 0xc0) == 0x80);
	name->length = length;
	name->data[length] = '\0';
	text_add(name, ELLIPSIS);
}

void readable_shorten(struct text *out, const char *readable, size_t most)
{
	static const char result[] = "void ";
	const char *name =
		readable + (strncmp(readable, result, strlen(result)) == 0 ? strlen(result) : 0);
	const size_t length = without_parameters(name);
	struct text shorter = TEXT_INIT;
	int shown = DEEPEST;

	text_add_bytes(&shorter, name, length);
	while (character_count(shorter.data) > most && shown--) {
		text_clear(&shorter);
		add_to_depth(&shorter, name, length, shown);
	}
	if (character_count(shorter.data) > most) {
		char *last = xstrdup(shorter.data + last_component_begin(shorter.data));

		text_clear(&shorter);
		text_add(&shorter, last);
		free(last);
	}
	if (character_count(shorter.data) > most)
		cut(&shorter, most);
	text_add(out, shorter.data);
	text_release(&shorter);
}
