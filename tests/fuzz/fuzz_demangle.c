/*
 * Fuzz target: any bytes as a mangled name. The readable name has a bounded length and no control
 * characters that the name did not have; shortened, it has no more characters than asked for; a
 * name selects itself.
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct text readable = TEXT_INIT, shorter = TEXT_INIT;
	char *name = malloc(size + 1);

	if (!name)
		abort();
	memcpy(name, data, size);
	name[size] = '\0';
	mangled_readable(&readable, name);
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
