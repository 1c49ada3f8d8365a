/*
 * Fuzz target: any bytes as a cubin with source lines. The reader must end with an error and no
 * table, or with a table whose chains of callers end and whose frames all differ from their
 * callers.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "compile/line_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect_chain(const struct line_table *table, int64_t at, size_t size)
{
	for (int depth = 0; at >= 0; depth++) {
		const struct source_frame *frame = line_table_frame(table, at);

		if (depth == LINE_DEPTH_LIMIT || (size_t)at >= line_table_count(table) ||
		    frame->caller >= at || frame->line < 0 || strlen(frame->file) > 9 * size + 4096)
			abort();
		at = frame->caller;
	}
}

/* Asks for the code of each name that may be in the file. */
static void expect_lines(const struct line_table *table, const char *text, size_t size)
{
	for (size_t i = 0; i + 6 < size; i++) {
		if (memcmp(text + i, ".text.", 6) != 0)
			continue;
		for (uint64_t offset = 0; offset < 256; offset += 8)
			expect_chain(table, line_table_find(table, text + i + 6, offset), size);
		expect_chain(table, line_table_find(table, text + i + 6, UINT64_MAX), size);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct line_table *table;
	struct error err = {0};
	int rc = line_table_read(&table, data, size, &err);
	char *text;

	if (rc && (rc != PL_EPARSE || err.code != rc || !err.text[0] || table))
		abort();
	if (rc)
		return 0;
	text = malloc(size + 1);
	if (!text)
		abort();
	memcpy(text, data, size);
	text[size] = '\0';
	for (size_t i = 0; i < line_table_count(table); i++)
		expect_chain(table, (int64_t)i, size);
	expect_lines(table, text, size);
	free(text);
	line_table_free(table);
	return 0;
}
