/* Reads a golden file and finds its lines. */
#include "support_golden.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/packed.h"

bool golden_read(struct golden *golden, const char *path)
{
	struct error err = {0};
	size_t length;
	char *next;

	*golden = (struct golden){0};
	if (packed_read(&golden->text, &length, path, &err)) {
		print_message("%s\n", err.text);
		return false;
	}
	for (char *line = strtok_r(golden->text, "\n", &next); line;
	     line = strtok_r(NULL, "\n", &next)) {
		if (*line == '#')
			continue;
		golden->lines = xgrow(golden->lines, &golden->line_capacity, golden->line_count + 1,
				      sizeof(*golden->lines));
		golden->lines[golden->line_count++] = line;
	}
	return true;
}

void golden_release(struct golden *golden)
{
	free(golden->lines);
	free(golden->text);
	*golden = (struct golden){0};
}

const char *golden_line(const struct golden *golden, const char *name)
{
	const size_t length = strlen(name);

	for (size_t i = 0; i < golden->line_count; i++)
		if (strncmp(golden->lines[i], name, length) == 0 &&
		    golden->lines[i][length] == '\t')
			return golden->lines[i] + length + 1;
	return NULL;
}
