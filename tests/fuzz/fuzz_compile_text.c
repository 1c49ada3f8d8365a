/*
 * Fuzz target: any text as the name of an entry, which is pasted into a source, as the rule of a
 * make file, which a compiler wrote, and as PTX whose bounds are checked. An accepted name has no
 * character that ends a statement, a string, a comment or a line.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "compile/compile_parts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct string_list files = {0};
	struct error err = {0};
	char *text = malloc(size + 1);
	int rc;

	if (!text)
		abort();
	memcpy(text, data, size);
	text[size] = '\0';
	rc = entry_wanted_check(text, &err);
	if (rc && (rc != PL_EUSAGE || err.code != rc || !err.text[0]))
		abort();
	if (!rc &&
	    (!*text || strpbrk(text, ";{}#\"\\\n\r`") || strstr(text, "//") || strstr(text, "/*")))
		abort();
	make_rule_read(&files, text);
	for (size_t i = 0; i < files.count; i++)
		if (!*files.items[i])
			abort();
	err = (struct error){0};
	rc = ptx_bounds_check(text, &err);
	if (rc && (rc != PL_EPARSE || err.code != rc || !err.text[0]))
		abort();
	string_list_release(&files);
	free(text);
	return 0;
}
