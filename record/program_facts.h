/* program_facts: what perflab wants to know of the process, beside its launches. Internal to
 * record/.
 */
#ifndef RECORD_PROGRAM_FACTS_H
#define RECORD_PROGRAM_FACTS_H

#include "record/driver.h"
#include "record/events.h"
#include "record/kernels.h"
#include "record/timeline.h"

/* The words of the command line, separated by spaces; the caller's. Other than ASCII becomes '?'.
 */
char *program_command_line(void);
/* An event with something that the user should know. */
void program_send_note(const struct events *events, const char *why);
/* An event for each kernel that was launched, and a note if some have no name. */
void program_send_kernels(const struct events *events, struct seen_kernels *seen);
/* An event for each GPU that the program can use. */
void program_send_devices(const struct events *events, const struct record_driver *driver);
/* The last event. wall_ns: since the recorder began. */
void program_send_exit(const struct events *events, const struct timeline *timeline,
		       int64_t launches, int64_t wall_ns);

#endif
