/* Looks for ".entry NAME" and what follows it. A text may have hundreds of megabytes. */
#include <ctype.h>
#include <string.h>

#include "record/ptx_entry.h"

#define ENTRY ".entry"
#define VERSION ".version"

static bool name_byte(char byte)
{
	return isalnum((unsigned char)byte) || byte == '_' || byte == '$' || byte == '%' ||
	       byte == '.';
}

/* Skips blanks and comments. Returns `end` if nothing else is left. */
static const char *skip_blanks(const char *at, const char *end)
{
	while (at < end) {
		const char *stop = NULL;

		if (isspace((unsigned char)*at)) {
			at++;
			continue;
		}
		if (end - at < 2 || at[0] != '/')
			break;
		if (at[1] == '/')
			stop = memchr(at, '\n', (size_t)(end - at));
		else if (at[1] == '*')
			stop = memmem(at + 2, (size_t)(end - at) - 2, "*/", 2);
		else
			break;
		if (!stop)
			return end;
		at = stop + (*stop == '\n' ? 1 : 2);
	}
	return at;
}

/* Whether what follows the name is a body. A declaration ends with ';' instead. */
static bool body_follows(const char *at, const char *end)
{
	while (at < end && *at != '{' && *at != ';') {
		const char *next = skip_blanks(at, end);

		at = next > at ? next : at + 1;
	}
	return at < end && *at == '{';
}

static bool in_line_comment(const char *text, const char *at)
{
	const char *line = memrchr(text, '\n', (size_t)(at - text));

	line = line ? line + 1 : text;
	return memmem(line, (size_t)(at - line), "//", 2) != NULL;
}

bool ptx_defines_entry(const char *text, size_t bytes, const char *entry)
{
	const char *end = text + bytes;
	size_t length = strlen(entry);

	for (const char *at = text; length; at += strlen(ENTRY)) {
		const char *name;

		at = memmem(at, (size_t)(end - at), ENTRY, strlen(ENTRY));
		if (!at)
			break;
		name = skip_blanks(at + strlen(ENTRY), end);
		if ((size_t)(end - name) <= length || memcmp(name, entry, length) != 0 ||
		    name_byte(name[length]))
			continue;
		if (!in_line_comment(text, at) && body_follows(name + length, end))
			return true;
	}
	return false;
}

bool ptx_is(const char *bytes, size_t size)
{
	const char *end = bytes + size;
	const char *at = skip_blanks(bytes, end);

	return (size_t)(end - at) >= strlen(VERSION) && !memcmp(at, VERSION, strlen(VERSION));
}
