/*
 * record_folder: the folder in which perflab and the recorder meet: request.json
 * is for the recorder, PID.events come from it, and recording.json keeps what
 * perflab needs when it reads the folder later. Internal to record/.
 */
#ifndef HARNESS_RECORD_RECORD_FOLDER_H
#define HARNESS_RECORD_RECORD_FOLDER_H

#include "harness/record/record.h"
#include "harness/record/recording_log.h"

/* A kernel and the launch to record, instead of patterns. */
struct chosen_launch {
	const char *name; /* mangled */
	int64_t launch;
};

/* What to write into request.json. */
struct folder_request {
	const struct record_request *request;
	const char *prefix;                 /* absolute path of the captures without suffix */
	const char *cupti;                  /* NULL: none is known */
	bool announce;                      /* the recorder prints what perflab would */
	const struct chosen_launch *chosen; /* NULL: those of the request */
	size_t chosen_count;
};
/* PL_EIO */
int record_folder_write(const char *folder, const struct folder_request *request,
			const struct recording *recording, struct error *err);
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

#endif
