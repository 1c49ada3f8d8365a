/* Splits texts into entries. */
#include "metrics/analysis/entries.h"

#include <stdio.h>
#include <string.h>

int entry_fail(const struct entry_place *place, const char *format, ...)
{
	char cause[512];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(cause, sizeof(cause), format, arguments);
	va_end(arguments);
	return error_set(place->err, PL_EPARSE, "%s:%d: %s", place->path, place->line, cause);
}

/* Splits "key: value". NULL, with an error: it is something else. */
static const char *split_entry(const struct entry_place *place, char *entry)
{
	char *colon = strchr(entry, ':');
	char *value, *end;

	if (!colon) {
		entry_fail(place, "expected \"key: value\", or a blank at the beginning to "
				  "continue the line before");
		return NULL;
	}
	*colon = '\0';
	value = colon + 1;
	while (*value == ' ' || *value == '\t')
		value++;
	for (end = colon; end > entry && (end[-1] == ' ' || end[-1] == '\t'); end--)
		end[-1] = '\0';
	if (!*value) {
		entry_fail(place, "there is no value after \"%.60s:\"", entry);
		return NULL;
	}
	return value;
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

int entries_read(struct entry_place *place, const char *text, size_t length,
		 int (*take)(void *context, const char *key, const char *value), void *context)
{
	const char *at = text, *end = text + length;
	struct text line = TEXT_INIT, entry = TEXT_INIT;
	int number = 0, rc = 0;
	bool more;

	place->line = 1;
	if (length > ENTRIES_MAX_BYTES || memchr(text, '\0', length))
		return entry_fail(place, "the file is too long or not a text");
	do {
		const char *first, *value;

		more = next_line(&at, end, &line);
		first = line.data + strspn(line.data, " \t");
		number++;
		if (more && (!*first || *first == '#'))
			continue;
		if (more && first > line.data && entry.length) {
			text_addf(&entry, " %s", first);
			continue;
		}
		if (entry.length) {
			value = split_entry(place, entry.data);
			rc = value ? take(context, entry.data, value) : PL_EPARSE;
		}
		if (rc || !more)
			break;
		place->line = number;
		if (first > line.data)
			rc = entry_fail(place, "a line that begins with a blank continues the one "
					       "before, and there is none");
		text_clear(&entry);
		text_add(&entry, line.data);
	} while (!rc);
	text_release(&line);
	text_release(&entry);
	return rc;
}
