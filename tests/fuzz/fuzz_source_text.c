/*
 * Fuzz target: any bytes as a source file, and any bytes as its name in a database. All lines of
 * the file are returned, no others, each without its line end. The input up to the first newline is
 * the name.
 */
#include "reports/run/source_text.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_line(const char *line)
{
	size_t length = strlen(line);

	if (strchr(line, '\n') || strchr(line, '\t'))
		abort();
	if (length && strchr(" \r", line[length - 1]))
		abort();
}

static void read_lines(const char *folder, const char *name)
{
	const struct report_sources where = {.folder = folder};
	struct source_text source = {.where = &where};
	size_t lines = 0;

	for (int64_t number = 1; source_text_line(&source, name, number); number++) {
		check_line(source_text_line(&source, name, number));
		lines++;
	}
	if (lines != source.count || source_text_line(&source, name, 0) ||
	    source_text_line(&source, name, INT64_MIN) ||
	    source_text_line(&source, name, INT64_MAX))
		abort();
	source_text_release(&source);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char folder[] = "/tmp/perflab-fuzz-source-XXXXXX";
	char path[sizeof(folder) + 16];
	const uint8_t *end = size ? memchr(data, '\n', size) : NULL;
	size_t name_length = end ? (size_t)(end - data) : size;
	size_t begin = end ? name_length + 1 : size;
	char *name = xstrndup((const char *)data, name_length);
	int file;

	if (!mkdtemp(folder))
		abort();
	snprintf(path, sizeof(path), "%s/a.cu", folder);
	file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	if (file < 0 || write(file, data + begin, size - begin) != (ssize_t)(size - begin))
		abort();
	close(file);
	read_lines(folder, name);
	read_lines(folder, "/built/elsewhere/a.cu");
	unlink(path);
	rmdir(folder);
	free(name);
	return 0;
}
