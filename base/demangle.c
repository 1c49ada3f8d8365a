/* Names of C++ functions in full: with template arguments and parameters. */
#include "base/mangled.h"

#include <stdlib.h>
#include <string.h>

#include "base/demangle_expressions.h"
#include "base/demangle_names.h"
#include "base/demangle_print.h"
#include "base/demangle_types.h"

/* No reader makes more parts than this of one character. */
#define PARTS_PER_CHARACTER 4

static const struct demangle_readers readers = {
	.name = demangle_name,
	.unqualified = demangle_unqualified,
	.encoding = demangle_encoding,
	.type = demangle_type,
	.arguments = demangle_arguments,
	.expression = demangle_expression,
	.literal = demangle_literal,
};

/* Compilers add ".part.0" and the like to copies of a function. */
static bool is_suffix(const char *rest)
{
	return !*rest || *rest == '.';
}

static bool demangle(struct text *out, const char *name)
{
	const size_t length = strlen(name);
	struct demangler d = {.at = name + 2, .readers = &readers};
	const struct part *part;
	bool read;

	if (length > MANGLED_MOST)
		return false;
	d.part_capacity = length * PARTS_PER_CHARACTER;
	d.parts = malloc(d.part_capacity * sizeof(*d.parts));
	if (!d.parts)
		return false;
	part = demangle_encoding(&d);
	read = part && is_suffix(d.at) && demangle_print(out, part);
	if (read && *d.at)
		text_addf(out, " [clone %s]", d.at);
	free(d.parts);
	free(d.substitutions);
	return read;
}

void mangled_readable(struct text *out, const char *name)
{
	text_clear(out);
	if (strncmp(name, "_Z", 2) == 0 && demangle(out, name))
		return;
	text_clear(out);
	text_add(out, name);
}

/* After a mismatch, the last '*' takes one character more. */
static bool whole_name_matches(const char *pattern, const char *name)
{
	const char *star = NULL, *after = NULL;

	while (*name) {
		if (*pattern == '*') {
			star = pattern++;
			after = name;
		} else if (*pattern == '?' || *pattern == *name) {
			pattern++;
			name++;
		} else if (star) {
			pattern = star + 1;
			name = ++after;
		} else {
			return false;
		}
	}
	return !pattern[strspn(pattern, "*")];
}

static bool pattern_selects(const char *pattern, const char *name)
{
	return strpbrk(pattern, "*?") ? whole_name_matches(pattern, name)
				      : strstr(name, pattern) != NULL;
}

bool mangled_matches(const char *pattern, const char *name)
{
	struct text readable = TEXT_INIT;
	bool matches = pattern_selects(pattern, name);

	if (!matches) {
		mangled_readable(&readable, name);
		matches = pattern_selects(pattern, readable.data);
	}
	text_release(&readable);
	return matches;
}
