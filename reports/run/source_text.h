/* Finds source files by the names that a compiler recorded, and returns their lines. */
#ifndef REPORTS_RUN_SOURCE_TEXT_H
#define REPORTS_RUN_SOURCE_TEXT_H

#include "base/base.h"

/* Holds the lines of one source file at a time. */
struct source_text {
	const char *folder; /* searched after the working directory; NULL: none */
	char *file;         /* the last file asked for; NULL: none yet */
	char *bytes;        /* NULL: the file was not found */
	int64_t written_ns; /* when the file was last modified, wall clock */
	size_t *starts;     /* offset of each line in bytes; each line ends with NUL */
	size_t count;
};
/*
 * Returns line `line` (from 1) of a file, without blanks at its end and with tabs as blanks, or
 * NULL if there is none. Reads only files in or below the working directory and `folder`: the name
 * is untrusted input.
 */
const char *source_text_line(struct source_text *source, const char *file, int64_t line);
void source_text_release(struct source_text *source);

#endif
