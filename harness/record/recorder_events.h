/*
 * recorder_events: what one event of the recorder changes in the log, and what
 * it tells the user at once. An event that is not valid changes no sum and adds no row. Internal to
 * record/.
 */
#ifndef HARNESS_RECORD_RECORDER_EVENTS_H
#define HARNESS_RECORD_RECORDER_EVENTS_H

#include <jansson.h>

#include "harness/record/recording_log.h"

/* Takes one event of the process. Events that this perflab does not know are those of a newer
 * recorder, and left out. PL_EPARSE: a member of the event is missing or not valid. */
int recorder_event_take(struct recording_log *log, struct log_process *process, const json_t *json,
			struct error *err);

/* A copy of a text of a foreign process that is safe for a terminal, malloc'd. */
char *recorder_text_copy(const char *text);

#endif
