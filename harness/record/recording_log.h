/*
 * recording_log: what the recorder tells about the processes of a program, one
 * JSON object a line. docs/recorder-events.md lists the events. The lines come
 * from a foreign process: one that cannot be read is counted, and texts are made
 * safe for a terminal. Internal to record/.
 */
#ifndef HARNESS_RECORD_RECORDING_LOG_H
#define HARNESS_RECORD_RECORDING_LOG_H

#include <jansson.h>

#include "metrics/recording.h"

#define RECORDING_LINE_MOST ((size_t)1 << 20)
#define RECORDING_ROWS_MOST 65536 /* of kernels, captures, devices and processes, each */

/* How far a process came. */
struct log_process {
	int64_t pid;
	bool attached, refused, ended;
	size_t offset;    /* bytes of its file that were read */
	bool skips;       /* until the end of a line that is too long */
	struct text line; /* the beginning of a line that is not complete */
};

/* Which launch of a kernel took longest in a process. */
struct log_slowest {
	int64_t pid, launch, ns;
	char *name;
};

struct log_device {
	int64_t pid, ordinal;
	char *name, *uuid;
};

struct recording_log {
	struct recording recording;
	struct log_process *processes;
	size_t process_count, process_capacity;
	struct log_slowest *slowest;
	size_t slowest_count, slowest_capacity;
	struct log_device *devices;
	size_t device_count, device_capacity;
	int64_t *ordinals; /* the device of each kernel of the recording */
	size_t ordinal_capacity;
	int64_t total_ns, launches; /* of all kernels, as the database sums them */
	size_t failures;            /* launches that could not be recorded */
	struct string_list notes;   /* shown, each once */
	size_t unread;              /* lines that could not be read */
	char *first_unread;
	/* Called for what a user wants to know at once. */
	void (*notice)(void *context, const char *line);
	void *context;
};

void recording_log_init(struct recording_log *log, bool lists,
			void (*notice)(void *context, const char *line), void *context);
void recording_log_release(struct recording_log *log);
/* Gives a line for the user to the observer; it is cut if it is too long. */
void recording_log_say(const struct recording_log *log, const char *format, ...) PRINTF_LIKE(2, 3);
/* Finds the process with this pid. */
struct log_process *recording_log_find(const struct recording_log *log, int64_t pid);
/* As recording_log_find(), but a process that is new is added. NULL: there are too many. */
struct log_process *recording_log_process(struct recording_log *log, int64_t pid);
/* Takes the next bytes of the file of a process. */
void recording_log_take(struct recording_log *log, struct log_process *process, const char *bytes,
			size_t length);
/* Call when nothing more will come: counts lines without an end, and gives kernels their devices.
 */
void recording_log_finish(struct recording_log *log);

/* ---- events: recorder_events.c ---- */

/* Takes one event of the process: what it changes in the log, and what it tells the user at once.
 * Events that this perflab does not know are those of a newer recorder, and left out. PL_EPARSE: a
 * member of the event is missing or not valid; it changes no sum and adds no row. */
int recorder_event_take(struct recording_log *log, struct log_process *process, const json_t *json,
			struct error *err);

/* A copy of a text of a foreign process that is safe for a terminal, malloc'd. */
char *recorder_text_copy(const char *text);

#endif
