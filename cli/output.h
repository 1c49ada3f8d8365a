/*
 * Where a report is written: standard output or a file. A file is written under a temporary name in
 * the same folder and renamed by output_commit(). After a failure, a full disk or a kill, the old
 * file is still there.
 */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include <stdio.h>

#include "cli/command.h"
#include "reports/reports.h"

struct output {
	FILE *stream;
	char *path;      /* NULL: standard output, which stays open */
	char *temporary; /* NULL: written in place, as for a device or a pipe */
};
/* path NULL or "-": standard output. PL_EIO; then *out is empty. */
int output_open(struct output *out, const char *path, struct error *err);
/* Closes the file and gives it its name. *out is empty afterwards, even after an error. */
int output_commit(struct output *out, struct error *err);
/* Deletes what was written. Does nothing after output_commit(). */
void output_discard(struct output *out);

/* table_write() to stdout, with its width and colours. */
int table_to_stdout(const struct invocation *call, const struct table *table,
		    enum report_format format, struct error *err);

#endif
