/*
 * Fuzz target: any bytes as a mangled name. The readable name has a bounded length and no control
 * characters that the name did not have; shortened, it has no more characters than asked for; a
 * name selects itself. A parameter has at most one of the kinds of types.
 */
#include "base/mangled.h"

#include <stdlib.h>
#include <string.h>

#define READABLE_MOST (8 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t characters(const char *text)
{
	size_t count = 0;

	for (; *text; text++)
		count += ((unsigned char)*text & 0xc0) != 0x80;
	return count;
}

static void read_parameters(const char *name)
{
	struct mangled_parameter parameters[4];
	const int count = mangled_parameters(parameters, ARRAY_SIZE(parameters), name);

	for (int i = 0; i < count && i < (int)ARRAY_SIZE(parameters); i++)
		if (!!parameters[i].builtin + !!parameters[i].pointee + parameters[i].is_class > 1)
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct text readable = TEXT_INIT, shorter = TEXT_INIT;
	char *name = malloc(size + 1);

	if (!name)
		abort();
	memcpy(name, data, size);
	name[size] = '\0';
	mangled_readable(&readable, name);
	read_parameters(name);
	if (readable.length != strlen(readable.data) || readable.length > READABLE_MOST + size)
		abort();
	readable_shorten(&shorter, readable.data, size % 64 + 1);
	if (characters(shorter.data) > size % 64 + 1)
		abort();
	text_release(&shorter);
	if (!strpbrk(name, "*?") && !mangled_matches(name, name))
		abort();
	text_release(&readable);
	free(name);
	return 0;
}
