/* record_ends: judges what the processes of a recording left. Internal to record/. */
#ifndef HARNESS_RECORD_RECORD_ENDS_H
#define HARNESS_RECORD_RECORD_ENDS_H

#include "harness/record/record.h"
#include "harness/record/recording_log.h"

/* Says what is lost: processes without an end, dropped launches, lines that cannot be read. Returns
 * whether a process still runs, so that `folder` must be kept. */
bool record_say_losses(const struct recording_log *log, const char *folder);

/* Sets *missing if there is less than was asked for. `request` may be NULL: then it is not known
 * what was asked for. */
void record_find_missing(struct error *missing, const struct recording_log *log,
			 const struct record_request *request);

struct chosen_launch;

/* The slowest launch of each kernel that matches a pattern, the slowest kernel first. The caller
 * frees *out; the names are those of the log. */
size_t record_choose_slowest(struct chosen_launch **out, const struct recording_log *log,
			     const struct record_request *request);

#endif
