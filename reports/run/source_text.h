/* Finds source files by the names that a compiler recorded, and returns their lines. */
#ifndef REPORTS_RUN_SOURCE_TEXT_H
#define REPORTS_RUN_SOURCE_TEXT_H

#include "reports/reports.h"

/* Holds the lines of one source file at a time. */
struct source_text {
	const struct report_sources *where;
	char *file;         /* the last file asked for; NULL: none yet */
	char *bytes;        /* NULL: the file was not found */
	bool measured;      /* it is as it was measured */
	const char *reason; /* why there is no text although the file was measured; NULL: none */
	int64_t written_ns; /* when the file was last modified, wall clock */
	char **lines;       /* in bytes; each ends with NUL */
	size_t count;
};
/*
 * Returns line `line` (from 1) of a file, without blanks at its end and with tabs as blanks, or
 * NULL if there is none. The name is untrusted input, so this reads only files that where->measured
 * says are as they were, and files in or below the working directory and where->folder.
 */
const char *source_text_line(struct source_text *source, const char *file, int64_t line);
void source_text_release(struct source_text *source);

#endif
