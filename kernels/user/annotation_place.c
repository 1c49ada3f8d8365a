/* Errors and messages that name where an annotation is. */
#include <stdio.h>

#include "kernels/user/annotations.h"

int annotation_error(struct error *err, struct annotation_place place, const char *format, ...)
{
	struct error cause = {0};
	va_list arguments;
	char text[sizeof(cause.text)];

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	if (!place.line)
		return error_set(err, PL_EUSAGE, "%s: %s", place.file, text);
	return error_set(err, PL_EPARSE, "%s:%zu: %s", place.file, place.line, text);
}

const char *annotation_place_text(struct annotation_pool *pool, struct annotation_place place)
{
	return place.line ? pool_format(pool, "%s:%zu", place.file, place.line) : place.file;
}
