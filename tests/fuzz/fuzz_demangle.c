/*
 * Fuzz target: any bytes as a mangled name. The readable name has a bounded length and no control
 * characters that the name did not have; a name selects itself.
 */
#include "base/mangled.h"

#include <stdlib.h>
#include <string.h>

#define READABLE_MOST (8 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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
	text_clear(&shorter);
	readable_shorten(&shorter, readable.data, size % 64 + 1);
	if (shorter.length > readable.length + 3)
		abort();
	text_release(&shorter);
	if (!strpbrk(name, "*?") && !mangled_matches(name, name))
		abort();
	text_release(&readable);
	free(name);
	return 0;
}
