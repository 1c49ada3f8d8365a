/* Names of C++ functions and variables as a person writes them (Itanium C++ ABI). */
#include <ctype.h>
#include <string.h>

#include "base/demangle.h"
#include "base/mangled.h"

/* With -rdc=true, nvcc writes "__nv_static_23__15cf2119_5_st_cu__Z1fv_" before a static function:
 * the number of the characters between it and the last '_'. */
const char *mangled_start(const char *name)
{
	static const char prefix[] = "__nv_static_";
	const char *c = name;
	size_t length = 0;

	if (strncmp(c, prefix, sizeof(prefix) - 1) != 0)
		return name;
	for (c += sizeof(prefix) - 1; isdigit((unsigned char)*c) && length <= MANGLED_MOST; c++)
		length = length * 10 + (size_t)(*c - '0');
	if (*c != '_' || strnlen(c, length + 2) < length + 2 || c[length + 1] != '_')
		return name;
	return c + length + 2;
}

/* Adds the "4name" at *c to a name, after "::" if the name is not empty, and moves behind it. */
static bool source_name_add(struct text *out, const char **c)
{
	size_t length = 0;

	while (isdigit((unsigned char)**c)) {
		length = length * 10 + (size_t)(*(*c)++ - '0');
		if (length > 4096)
			return false;
	}
	if (!length || strnlen(*c, length) < length)
		return false;
	/* an unnamed namespace, and the one into which nvcc puts what is static, have no name to
	 * write */
	if (strncmp(*c, "_GLOBAL__N", 10) != 0 && strncmp(*c, "_INTERNAL_", 10) != 0) {
		if (out->length)
			text_add(out, "::");
		text_add_bytes(out, *c, length);
	}
	*c += length;
	return true;
}

/* A kernel is no member of a class, so template arguments are always last. */
void mangled_plain_name(struct text *out, const char *name)
{
	const char *c = mangled_start(name);
	bool read;

	text_clear(out);
	if (strncmp(c, "_Z", 2) != 0) {
		text_add(out, name);
		return;
	}
	c += 2;
	if (*c == 'N') {
		c++;
		do
			read = source_name_add(out, &c);
		while (read && isdigit((unsigned char)*c));
	} else {
		c += *c == 'L'; /* static */
		read = source_name_add(out, &c);
	}
	if (!read || !out->length) {
		text_clear(out);
		text_add(out, name);
	}
}

/* The length of the name at `c`, and *digits, the length of that number; 0: there is none. */
static size_t source_name_length(const char *c, size_t *digits)
{
	size_t length = 0;

	for (*digits = 0; isdigit((unsigned char)c[*digits]); ++*digits)
		if (length <= MANGLED_MOST)
			length = length * 10 + (size_t)(c[*digits] - '0');
	return strnlen(c + *digits, length) < length ? 0 : length;
}

void mangled_portable(struct text *out, const char *name)
{
	static const char *const marks[][2] = {{"_GLOBAL__N", "12_GLOBAL__N_1"},
					       {"_INTERNAL_", "10_INTERNAL_"}};
	const char *c = mangled_start(name);

	text_clear(out);
	while (*c) {
		size_t digits, length = source_name_length(c, &digits), mark = 0;

		while (mark < ARRAY_SIZE(marks) &&
		       (!length || strncmp(c + digits, marks[mark][0], 10) != 0))
			mark++;
		if (mark < ARRAY_SIZE(marks)) {
			text_add(out, marks[mark][1]);
			c += digits + length;
		} else {
			text_add_bytes(out, c, digits ? digits : 1);
			c += digits ? digits : 1;
		}
	}
}
