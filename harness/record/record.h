/*
 * record: runs a program under the recorder, which lists the kernels that it
 * launches or takes captures of some of them. docs/recorder-events.md describes
 * what perflab and the recorder exchange.
 *
 * The program has this process's stdin, stdout and stderr. What a user wants to
 * know while it runs goes to the observer.
 */
#ifndef HARNESS_RECORD_RECORD_H
#define HARNESS_RECORD_RECORD_H

#include "metrics/recording.h"

/* The variables that attach the recorder to a program. */
#define RECORD_INJECTION "CUDA_INJECTION64_PATH"
#define RECORD_FOLDER_VARIABLE "PERFLAB_RECORD"
#define RECORD_PRELOAD "LD_PRELOAD"

#define RECORD_MOST_CAPTURES 16
#define RECORD_LIMIT_BYTES (INT64_C(4) << 30)

/* Borrowed. */
struct record_request {
	bool lists;                         /* the times of all kernels; else captures */
	const struct string_list *patterns; /* of kernels; see mangled_matches() */
	int64_t launch;                     /* of each kernel, from 1: the one to record */
	int64_t every;                      /* more than 0: every so many launches instead */
	bool slowest;        /* the slowest launch of each kernel instead; runs the command twice */
	int64_t most;        /* captures of one process */
	int64_t limit_bytes; /* of the memory in one capture */
	const char *output;  /* path of the captures; NULL: named after the first pattern */
	const char *label;   /* NULL: none */
	bool no_preload;     /* the recorder listens to CUPTI instead of by hooks */
	bool overhead;       /* run the command once more, without the recorder */
	const struct string_list *command;
};

struct record_observer {
	void *context;
	void (*notice)(void *context, const char *line);
};

struct record_result {
	struct recording recording;
	int exit_code; /* of the program */
	int signal;    /* that ended it; 0: none */
	/* Why there is less than was asked for although the program did well; code 0: nothing is
	 * missing. PL_EUNSUPPORTED: no process could be recorded. PL_ENOENT: no launch matched.
	 * PL_EIO: launches matched, and none could be recorded. */
	struct error missing;
};
void record_result_release(struct record_result *result);

/*
 * Runs the command. PL_EUNSUPPORTED: there is no recorder, or a profiler is
 * attached to this process. PL_ENOENT, PL_EIO: the program does not exist or
 * cannot be started, and result->exit_code is 127 or 126; or nothing can be
 * written in the folder of the captures. *out is to be released in any case.
 */
int record_command(struct record_result *out, const struct record_request *request,
		   const struct record_observer *observer, struct error *err);

/*
 * For programs that another one starts: makes the folder NAME.recording and
 * adds the lines that a shell evaluates to attach the recorder. PL_EEXIST: the
 * folder exists. Otherwise as record_command().
 */
int record_environment(struct text *lines, const struct record_request *request, struct error *err);
/* Reads what these programs left in such a folder. PL_ENOENT: there is no such folder, or it is
 * none of perflab. PL_EPARSE: its request.json is damaged. */
int record_read_folder(struct record_result *out, const char *folder,
		       const struct record_observer *observer, struct error *err);

/* ---- the libraries: record_prepare.c ---- */

#define RECORDER_NAME "libperflab-record.so"
/* Gives the absolute path of the recorder: $PERFLAB_RECORDER, or the library of this installation.
 * PL_EUNSUPPORTED: there is none. */
int recorder_find(struct text *path, struct error *err);
/*
 * Gives the path of CUPTI: $PERFLAB_CUPTI, or that of a CUDA toolkit. False: it is
 * in none, so that only the loader of a program may know one.
 */
bool cupti_find(struct text *path);
/* PL_EUNSUPPORTED: $PERFLAB_CUPTI names no file. */
int cupti_check(struct error *err);

#endif
