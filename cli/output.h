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

/*
 * Settles --format and --output together, for every verb that has a row "format" of report formats:
 * without --format, the ending of the file decides. Says so if the ending names another format than
 * --format, or none. PL_EUSAGE: the verb does not write the format of the ending, or the format is
 * not for the terminal that it would go to.
 */
int output_settle(struct invocation *call, struct error *err);
/* Opens an output as output_open() does, for a verb that knows the file only later. */
int output_settle_for(struct invocation *call, const char *path, struct error *err);

struct output {
	FILE *stream;
	char *path;      /* NULL: standard output, which stays open */
	char *temporary; /* NULL: written in place, as for a device or a pipe */
};
/* Whether an output goes to standard output: NULL, "-", /dev/stdout, or another name of it. */
bool output_is_stdout(const char *path);
/* Names of open files, such as /dev/fd/3, and pipes are written in place. PL_EIO, or PL_EUSAGE if
 * the file would replace a database; then *out is empty. */
int output_open(struct output *out, const char *path, struct error *err);
/*
 * Ends the output. `rc` is the result of writing it: if it is 0, closes the file and gives it its
 * name, else deletes what was written and adds the file to the message. *out is empty afterwards.
 * Returns rc, PL_EIO, or PL_EUSAGE if the file has become a database.
 */
int output_end(struct output *out, int rc, struct error *err);
/* Colours and width of the terminal, if the output goes there. */
struct report_options output_look(const struct invocation *call, const struct output *out);
/* Deletes what was written. */
void output_discard(struct output *out);

/* A row of a table under construction. It owns its cells; NULL: not known. */
struct cells {
	char *items[20];
	size_t count;
};
/* Takes a malloc'd text. */
void cell_take(struct cells *cells, char *text);
void cell_text(struct cells *cells, const char *text);
void cell_format(struct cells *cells, const char *format, ...) PRINTF_LIKE(2, 3);
/* -1 is not known. */
void cell_number(struct cells *cells, int64_t value);
/* Adds the row to the table. *cells is empty afterwards. */
void cells_end(struct cells *cells, struct table *table);

/* table_write() to stdout, with its width and colours. */
int table_to_stdout(const struct invocation *call, const struct table *table,
		    enum report_format format, struct error *err);

#endif
