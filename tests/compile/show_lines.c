/*
 * Prints the lines of the instructions of a cubin that stdin names as "FUNCTION OFFSET": for each
 * the file, the line and the inlined function of it and of its callers, with tabs between.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "compile/line_table.h"

static void chain_print(const struct line_table *table, int64_t at)
{
	const char *separator = "";

	while (at >= 0) {
		const struct source_frame *frame = line_table_frame(table, at);

		printf("%s%s\t%" PRId64 "\t%s", separator, frame->file, frame->line,
		       frame->function ? frame->function : "-");
		separator = "\t";
		at = frame->caller;
	}
	printf("\n");
}

int main(int argc, char **argv)
{
	struct line_table *table;
	struct error err = {0};
	char *bytes = NULL, *line = NULL;
	size_t length, capacity = 0;
	int rc;

	if (argc != 2)
		return 2;
	rc = read_file(&bytes, &length, argv[1], (size_t)1 << 30, &err);
	if (!rc)
		rc = line_table_read(&table, bytes, length, &err);
	if (rc) {
		fprintf(stderr, "%s: %s\n", argv[1], err.text);
		free(bytes);
		return error_exit_code(rc);
	}
	while (getline(&line, &capacity, stdin) > 0) {
		char *offset = strchr(line, ' ');

		if (!offset)
			break;
		*offset++ = '\0';
		chain_print(table, line_table_find(table, line, strtoull(offset, NULL, 10)));
	}
	line_table_free(table);
	free(bytes);
	free(line);
	return 0;
}
