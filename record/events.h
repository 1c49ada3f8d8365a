/*
 * events: what the recorder tells `perflab record`: one JSON object a line in
 * FOLDER/PID.events. A line is written at once, so a program that dies leaves
 * whole lines. Internal to record/.
 */
#ifndef RECORD_EVENTS_H
#define RECORD_EVENTS_H

#include <jansson.h>

#include "base/base.h"

/* announce: also tell on stderr what a person would want to know. */
void events_init(const char *folder, bool announce);
/* Text as JSON. Names of kernels, and messages that were cut, need not be UTF-8: then '?' replaces
 * each byte that is not ASCII. */
json_t *event_json(const char *text);
/* Writes the event {"event": name, …members}; takes the reference to `members`, an object. An event
 * that cannot be written is lost: the program must not suffer. */
void events_send(const char *name, json_t *members);

#endif
