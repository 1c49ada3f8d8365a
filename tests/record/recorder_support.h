/* Runs a scene of program.c with or without the recorder, and reads what it leaves. */
#ifndef TESTS_RECORD_RECORDER_SUPPORT_H
#define TESTS_RECORD_RECORDER_SUPPORT_H

#include <jansson.h>

#include "capture/capture.h"

struct recording {
	char *folder;       /* of the request, the events and the captures out….capture */
	struct text output; /* stdout and stderr of the program */
	int status;         /* as wait() reports it */
	json_t *events;     /* in the order in which they were sent; all processes */
};

/* Whether the recorder is loaded before the program, and so listens by hooks: $RECORD_BY_HOOKS is
 * set. Else it listens to CUPTI. */
bool record_by_hooks(void);

/* A request to record launch 1 of the kernels that match. json_object_set_new() changes it. */
json_t *record_request(const char *pattern);
json_t *list_request(void);

/* Runs the scene. Takes the reference to `request`; NULL: without the recorder. `variable`:
 * NAME=VALUE for the program; may be NULL. */
void record_scene(struct recording *out, const char *scene, json_t *request, const char *variable);
/* Runs the scene without the recorder, and fails unless output and status are the same. */
void expect_undisturbed(const struct recording *recording, const char *scene);
/* Other libraries that are loaded before the program: NULL, or the path of one before or after the
 * recorder. */
struct preloads {
	const char *before, *after;
};
void record_scene_among(struct recording *out, const char *scene, json_t *request,
			const char *variable, const struct preloads *others);
void expect_undisturbed_among(const struct recording *recording, const char *scene,
			      const struct preloads *others);
/* Removes the folder. */
void recording_release(struct recording *recording);

/* The event with this name, `index` from 0; NULL: there are not so many. Borrowed. */
const json_t *event_at(const struct recording *recording, const char *name, size_t index);
size_t event_count(const struct recording *recording, const char *name);
/* Fails unless the first event with this name has a reason with these words. */
void expect_why(const struct recording *recording, const char *event, const char *part);
/* Members of events; they fail if there is no such member of this type. */
const char *event_text(const json_t *event, const char *member);
int64_t event_integer(const json_t *event, const char *member);

/* The files of the folder that end so. */
size_t file_count(const struct recording *recording, const char *suffix);
/* Opens out.capture (1), out-2.capture (2), … */
struct capture *capture_number(const struct recording *recording, int number);
/* The contents of a memory; the caller frees it. */
float *capture_floats(const struct capture *capture, size_t memory, enum capture_state state);
/* The memory that the pointer at this offset of the parameters leads to; fails if there is none. */
size_t parameter_memory(const struct capture_info *info, uint64_t offset);
/* Fail unless this element of a memory has the value; unless the capture names something with these
 * words as lost; unless it names nothing. */
void expect_float(const struct capture *capture, size_t memory, enum capture_state state,
		  size_t index, float expected);
void expect_lost(const struct capture_info *info, const char *part);
void expect_nothing_lost(const struct capture_info *info);

#endif
