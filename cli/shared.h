/*
 * What several verbs share beside the command table: reports and tables on
 * stdout, the interrupt, and other programs.
 */
#ifndef CLI_SHARED_H
#define CLI_SHARED_H

#include "cli/command.h"
#include "metrics/analysis/ceilings.h"
#include "reports/reports.h"

struct db;
/* What a report of a run needs beside the run: samples and ceilings from its database, which must
 * stay open, and the width and colours of stdout. */
struct report_sources {
	struct report_options options;
	struct ceiling_list ceilings;
};
int report_sources_load(struct report_sources *out, const struct invocation *call, struct db *db,
			const struct run *run, struct error *err);
void report_sources_release(struct report_sources *sources);

/* table_write() to stdout, with its width and colours. */
int table_to_stdout(const struct invocation *call, const struct table *table,
		    enum report_format format, struct error *err);

/* From now on the first Ctrl-C, SIGTERM or SIGHUP only makes *result non-zero, so that the work in
 * progress can end cleanly. A signal more than half a second later ends the program immediately.
 * (timeout(1) sends two signals.) */
const volatile int *interruption_catch(void);

/* Adds a word as a shell reads it, quoted where needed. */
void shell_word(struct text *out, const char *word);

/*
 * Runs a program with `input` on its stdin and takes its stdout in *out (malloc'd, NUL-terminated
 * beyond *length). PL_ENOENT there is no such program; PL_EIO it fails or prints nothing, with the
 * first line of its stderr; PL_EPARSE it prints more than `limit`.
 */
int process_filter(char **out, size_t *length, size_t limit, const struct text *input,
		   char *const *argv, struct error *err);
/* Runs a program on this one's stdin, stdout and stderr; *exit_code as a shell would report it. */
int process_run(int *exit_code, char *const *argv, struct error *err);

#endif
