/*
 * Fuzz target: untrusted names in a gnuplot script. Whatever they hold, they end up in one string
 * in single quotes, on one line, in valid UTF-8.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "reports/table/escape.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
	if (!holds)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *name = xstrndup((const char *)data, size);
	struct text quoted = TEXT_INIT, clean = TEXT_INIT;

	escape_gnuplot(&quoted, name);
	check(quoted.length >= 2);
	check(quoted.data[0] == '\'' && quoted.data[quoted.length - 1] == '\'');
	for (size_t i = 1; i + 1 < quoted.length; i++) {
		check((unsigned char)quoted.data[i] >= ' ' && quoted.data[i] != 0x7f);
		/* a quote inside is two */
		if (quoted.data[i] == '\'') {
			check(i + 2 < quoted.length && quoted.data[i + 1] == '\'');
			i++;
		}
	}
	escape_utf8(&clean, quoted.data);
	check(strcmp(clean.data, quoted.data) == 0);
	text_release(&quoted);
	text_release(&clean);
	free(name);
	return 0;
}
