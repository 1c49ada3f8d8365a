/*
 * Errors as values: one code, one line of text.
 */
#include "base/base.h"

#include <stdio.h>
#include <string.h>

struct error_row {
	int exit_code;
	const char *name, *cause;
};

static const struct error_row *error_row(int code)
{
	static const struct error_row rows[] = {{0, "PL_OK", "no error"},
#define X(name, exit_code, cause) {exit_code, #name, cause},
						BASE_ERROR_LIST(X)
#undef X
	};
	/* an unknown code is a bug in perflab */
	static const struct error_row unknown = {3, "PL_UNKNOWN", "unknown error"};

	return code >= 0 && (size_t)code < ARRAY_SIZE(rows) ? &rows[code] : &unknown;
}

const char *error_code_name(int code)
{
	return error_row(code)->name;
}

int error_exit_code(int code)
{
	return error_row(code)->exit_code;
}

/* Removes an incomplete UTF-8 character at the end of a text that was cut. */
static void error_trim_cut_character(char *text)
{
	size_t length = strlen(text);
	size_t start = length;
	size_t wanted;
	unsigned char lead;

	while (start > 0 && length - start < 3 && ((unsigned char)text[start - 1] & 0xc0) == 0x80)
		start--;
	if (start == 0)
		return;
	lead = (unsigned char)text[start - 1];
	wanted = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
	if (length - (start - 1) < wanted)
		text[start - 1] = '\0';
}

/* Formats into a local buffer first because the arguments may point into err->text. */
static void error_write(struct error *err, int code, const char *format, va_list args,
			const char *tail)
{
	char line[sizeof(err->text)];
	size_t used;
	int length = vsnprintf(line, sizeof(line), format, args);

	if (length < 0)
		snprintf(line, sizeof(line), "%s", error_row(code)->cause);
	used = strlen(line);
	if (tail)
		length = snprintf(line + used, sizeof(line) - used, ": %s", tail) + (int)used;
	/* an error is one line on a terminal and one string in JSON, and may hold untrusted input
	 */
	for (char *c = line; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
	if (length >= (int)sizeof(line))
		error_trim_cut_character(line);
	err->code = code;
	memcpy(err->text, line, strlen(line) + 1);
}

int error_set(struct error *err, int code, const char *format, ...)
{
	va_list args;

	if (!err)
		return code;
	va_start(args, format);
	error_write(err, code, format, args, NULL);
	va_end(args);
	return code;
}

int error_context(struct error *err, int code, const char *format, ...)
{
	va_list args;

	if (!err || code == PL_OK)
		return code;
	va_start(args, format);
	error_write(err, code, format, args, err->text[0] ? err->text : error_row(code)->cause);
	va_end(args);
	return code;
}
