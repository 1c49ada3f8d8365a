/*
 * record_steps: the steps of a recording, in the order of their use. Internal to record/.
 */
#ifndef HARNESS_RECORD_RECORD_STEPS_H
#define HARNESS_RECORD_RECORD_STEPS_H

#include "harness/record/record.h"
#include "harness/record/recording_log.h"

/* A kernel and the launch to record, instead of patterns. */
struct chosen_launch {
	const char *name; /* mangled */
	int64_t launch;
};

/* ---- before the program runs: record_prepare.c ---- */

/* Borrowed from the caller, except the path of the recorder. */
struct attachment {
	const char *folder, *prefix;
	struct text recorder;
};

/* PL_EUNSUPPORTED: a profiler or the recorder is attached to this process, and so to the program.
 */
int record_refuse_other_tool(struct error *err);
/* The absolute path of the captures without their suffix, malloc'd. The folder must exist.
 * PL_EUSAGE: this is no name for a capture. PL_EIO: nothing can be written in the folder. */
int record_captures_prefix(char **out, const struct record_request *request, struct error *err);
/* The value of RECORD_PRELOAD that loads the recorder before the program, so that it listens by
 * hooks, malloc'd. NULL: the request needs none, or the path has a character that separates paths
 * there. */
char *record_preload(const struct record_request *request, const char *recorder);
/* Sets what is known of the recording before it begins, such as its time and its command. */
int record_describe(struct recording *recording, const struct record_request *request,
		    struct error *err);

/*
 * ---- the folder in which perflab and the recorder meet: record_folder.c ----
 *
 * request.json is for the recorder, PID.events come from it, and recording.json keeps what perflab
 * needs when it reads the folder later.
 */

/* Writes the request into the folder of the attachment. `announce`: the recorder prints what
 * perflab would. `chosen`: NULL, or the launches to record instead of those of the request.
 * PL_EIO */
int record_write_request(const struct attachment *attachment, const struct record_request *request,
			 const struct recording *recording, bool announce,
			 const struct chosen_launch *chosen, size_t chosen_count,
			 struct error *err);
/* Reads recording.json into *recording, and from request.json the mode and the prefix of the
 * captures (the caller frees it). PL_ENOENT, PL_EPARSE. */
int record_folder_read(struct recording *recording, char **prefix, const char *folder,
		       struct error *err);

/* Reads what processes wrote since the last call. */
void record_folder_poll(struct recording_log *log, const char *folder);

/* Whether the process lives on this machine. */
bool record_process_lives(int64_t pid);
/* Removes parts of captures whose process is gone, and says so. */
void record_remove_parts(const struct recording_log *log, const char *prefix);

/* ---- what the processes left: record_ends.c ---- */

/* Says what is lost: processes without an end, dropped launches, lines that cannot be read. Returns
 * whether a process still runs, so that `folder` must be kept. */
bool record_say_losses(const struct recording_log *log, const char *folder);

/* Sets *missing if there is less than was asked for. `request` may be NULL: then it is not known
 * what was asked for. */
void record_find_missing(struct error *missing, const struct recording_log *log,
			 const struct record_request *request);

/* The slowest launch of each kernel that matches a pattern, the slowest kernel first. The caller
 * frees *out; the names are those of the log. */
size_t record_choose_slowest(struct chosen_launch **out, const struct recording_log *log,
			     const struct record_request *request);

#endif
