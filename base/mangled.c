/* Names of C++ functions and variables as a person writes them (Itanium C++ ABI). */
#include <ctype.h>
#include <string.h>

#include "base/mangled.h"

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
	const char *c = name;
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
