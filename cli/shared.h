/*
 * What several verbs need beside the command table: reports to stdout, facts
 * of the host, other programs.
 */
#ifndef CLI_SHARED_H
#define CLI_SHARED_H

#include "cli/command.h"
#include "metrics/analysis/ceilings.h"
#include "reports/reports.h"

/* Values of --backend, beside any other NAME of a perflab-worker-NAME. */
#define BACKEND_AUTO "auto" /* cuda if it opens a device, else ptx */
#define BACKEND_CUDA "cuda"
#define BACKEND_PTX "ptx"
/* PL_EUSAGE for "auto": of a verb that asks one backend, which is to be named. */
int backend_must_be_named(const char *backend, struct error *err);

struct db;
/* What a report of a run needs beside the run: samples and roofs from the database it is in (which
 * stays open), and for stdout its width and colour. */
struct report_sources {
	struct report_options options;
	struct ceiling_list ceilings;
};
int report_sources_load(struct report_sources *out, const struct invocation *call, struct db *db,
			const struct run *run, struct error *err);
void report_sources_release(struct report_sources *sources);

/* As db_run_load(), told as host_tell_abandoned(), with the rounds of its trials and what
 * regress_differ() wants of its settings. */
int run_load_measured(struct db *db, int64_t id, bool with_trials, struct run *out,
		      struct error *err);
/*
 * Judges the cases of a run that has ended, each against its baseline
 * (db_baselines_load()), and stores that; what was stored before is replaced.
 * Baselines whose surroundings differ leave a case inconclusive.
 */
int judge_run(struct db *db, int64_t run_id, struct error *err);

/* As table_write(): to stdout, as wide and as colourful as it is. */
int table_to_stdout(const struct invocation *call, const struct table *table,
		    enum report_format format, struct error *err);

/* Host name, kernel, processor, build, and the revision of the working directory if it is another
 * than that of the build, as environment of a run. */
void host_facts(struct key_value_list *environment);
/* Of the tree that perflab, and with it every kernel, was built from: a commit in full, "-dirty"
 * behind it if tracked files were changed; NULL: not built from a git tree. */
const char *host_build_revision(void);
/* "HOST PID START": names this process for good, so that another can see whether it lives. */
char *host_process_mark(void);
/* Whether a process of that mark runs on this host. */
bool host_process_lives(const char *mark);
/* A run that is "running" by the database, and whose process on this host was killed, is shown as
 * "interrupted". */
void host_tell_abandoned(struct run *run);

/* From now on the first Ctrl-C, SIGTERM or SIGHUP only makes *result non-zero, so that what is
 * under way can end in good order; one that comes more than half a second later ends the program at
 * once. (timeout(1) sends two for one.) */
const volatile int *interruption_catch(void);

/* A word as a shell takes it back, quoted where needed. */
void shell_word(struct text *out, const char *word);

/* Runs a program with its own stdout in *out (at most `limit` bytes), stderr thrown away. PL_EIO
 * when it cannot be started or does not end with status 0. */
int process_capture(struct text *out, size_t limit, char *const *argv, struct error *err);
/*
 * Runs a program with `input` on its stdin; what it writes to its stdout is *out (malloc'd,
 * NUL-terminated beyond *length). PL_ENOENT when there is no such program; PL_EIO with the first
 * line that it said when it fails or gives nothing; PL_EPARSE when it gives more than `limit`.
 */
int process_filter(char **out, size_t *length, size_t limit, const struct text *input,
		   char *const *argv, struct error *err);
/* Runs a program on this one's stdin, stdout and stderr; *exit_code as a shell would report it. */
int process_run(int *exit_code, char *const *argv, struct error *err);

#endif
