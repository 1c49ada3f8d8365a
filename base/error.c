/*
 * Errors as values: one code, one line of text.
 */
#include "base/base.h"

#include <stdio.h>
#include <string.h>

static const struct {
	int code;
	int exit_code;
	const char *name;
	const char *cause;
} error_table[] = {{PL_OK, 0, "PL_OK", "no error"},
#define X(name, exit_code, cause) {name, exit_code, #name, cause},
		   BASE_ERROR_LIST(X)
#undef X
};

const char *error_code_name(int code)
{
	for (size_t i = 0; i < ARRAY_SIZE(error_table); i++) {
		if (error_table[i].code == code)
			return error_table[i].name;
	}
	return "PL_UNKNOWN";
}

int error_exit_code(int code)
{
	for (size_t i = 0; i < ARRAY_SIZE(error_table); i++) {
		if (error_table[i].code == code)
			return error_table[i].exit_code;
	}
	return 3; /* an unknown code is a bug in perflab */
}

static const char *error_cause(int code)
{
	for (size_t i = 0; i < ARRAY_SIZE(error_table); i++) {
		if (error_table[i].code == code)
			return error_table[i].cause;
	}
	return "unknown error";
}

/*
 * An error is one line on a terminal and one string in JSON. Its text may
 * contain untrusted input, so control characters become '?'.
 */
static void error_make_one_line(char *text)
{
	for (char *c = text; *c; c++) {
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
	}
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
		snprintf(line, sizeof(line), "%s", error_cause(code));
	used = strlen(line);
	if (tail)
		length = snprintf(line + used, sizeof(line) - used, ": %s", tail) + (int)used;
	error_make_one_line(line);
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
	error_write(err, code, format, args, err->text[0] ? err->text : error_cause(code));
	va_end(args);
	return code;
}
