/*
 * record_prepare: what a recording needs before the program runs: the name of its captures, its
 * description and the request to the recorder. Internal to record/.
 */
#ifndef HARNESS_RECORD_RECORD_PREPARE_H
#define HARNESS_RECORD_RECORD_PREPARE_H

#include "harness/record/record.h"
#include "harness/record/record_folder.h"

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
/* Writes the request into the folder of the attachment. `chosen`: NULL, or the launches to record
 * instead of those of the request. PL_EIO */
int record_write_request(const struct attachment *attachment, const struct record_request *request,
			 const struct recording *recording, bool announce,
			 const struct chosen_launch *chosen, size_t chosen_count,
			 struct error *err);

#endif
