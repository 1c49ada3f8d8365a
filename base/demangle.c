/* Names of C++ functions in full: with template arguments and parameters. */
#include "base/mangled.h"

#include <stdlib.h>
#include <string.h>

#include "base/demangle.h"
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

const struct part *demangle_read(struct demangler *d, const char *name)
{
	const size_t length = strlen(name);
	const struct part *part;

	*d = (struct demangler){.at = mangled_start(name), .readers = &readers};
	if (!demangle_take(d, "_Z") || length > MANGLED_MOST)
		return NULL;
	d->part_capacity = length * PARTS_PER_CHARACTER;
	d->parts = malloc(d->part_capacity * sizeof(*d->parts));
	part = d->parts ? demangle_encoding(d) : NULL;
	return part && is_suffix(d->at) ? part : NULL;
}

void demangle_release(struct demangler *d)
{
	free(d->parts);
	free(d->substitutions);
}

void mangled_readable(struct text *out, const char *name)
{
	struct demangler d;
	const struct part *part = demangle_read(&d, name);

	text_clear(out);
	if (!part || !demangle_print(out, part)) {
		text_clear(out);
		text_add(out, name);
	} else if (*d.at) {
		text_addf(out, " [clone %s]", d.at);
	}
	demangle_release(&d);
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
