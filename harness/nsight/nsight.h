/*
 * nsight: runs cases under Nsight Compute or Nsight Systems: those of a stored
 * run, with its seed, device and cache mode, or cases of files of the user. The
 * tool runs
 * `perflab sweep` with a temporary database; nothing is added to the database
 * of the run.
 *
 * The files of a user's kernels are given to it as they were given to the run.
 *
 * PL_EUSAGE: no such run, the run has no such case, its backend is emulated, or
 * it measured files from another folder. PL_EUNSUPPORTED: these have changed.
 * PL_EPARSE: the settings of the run are missing. Also the errors of db/db.h.
 */
#ifndef HARNESS_NSIGHT_NSIGHT_H
#define HARNESS_NSIGHT_NSIGHT_H

#include "harness/sweep/sweep.h"

/* The words that name the tools. */
#define NSIGHT_COMPUTE "ncu"
#define NSIGHT_SYSTEMS "nsys"

/* Borrowed. */
struct nsight_request {
	const char *tool;                /* NSIGHT_COMPUTE or NSIGHT_SYSTEMS */
	const char *file;                /* the report to write; the tool adds its ending */
	const char *db_path;             /* the database of the run */
	const char *run;                 /* a reference; see db_run_resolve() */
	const struct string_list *cases; /* as a report names them */
	const struct string_list *extra; /* further arguments of the tool */
	/* Profiles the cases of this request, which names files, and needs no run: db_path, run and
	 * cases are not used. NULL: profiles `cases` of `run`. */
	const struct sweep_request *sweep;
};

/* Adds the words of the command line to *argv, with the plain name of a tool that is not installed,
 * and runs nothing. */
int nsight_command(struct string_list *argv, const struct nsight_request *request,
		   struct error *err);

struct nsight_result {
	int exit_code; /* of the tool, as a shell would report it */
	char *report;  /* the path of the report, malloc'd; NULL: the tool failed without one */
	const char *viewer; /* the program that opens the report */
};
/*
 * Runs the tool on this process's stdin, stdout and stderr. Deletes an older
 * report of the same path first. PL_EUNSUPPORTED: the tool is not installed.
 * PL_EIO: the tool cannot be started or succeeded without a report; $TMPDIR
 * cannot be written.
 */
int nsight_run(struct nsight_result *out, const struct nsight_request *request, struct error *err);
void nsight_result_release(struct nsight_result *result);

#endif
