/*
 * Fuzz target: any text as the address of a repository. The function says whether it added text.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "harness/origin/origin.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct text out = TEXT_INIT;
	char *url = malloc(size + 1);
	bool added;

	if (!url)
		abort();
	memcpy(url, data, size);
	url[size] = '\0';
	added = source_origin_add_remote(&out, url);
	if (added != (out.length > 0))
		abort();
	text_release(&out);
	free(url);
	return 0;
}
