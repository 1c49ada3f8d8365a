/*
 * memories: what a launch can reach: the allocations that its parameters point
 * into, those that these point into, and the variables of its module. A variable
 * that has the value of the image before and after the launch is left out,
 * because a replay loads the image. Internal to record/.
 */
#ifndef RECORD_MEMORIES_H
#define RECORD_MEMORIES_H

#include "record/variables.h"

/* Finds all memory from the parameters of `info` on, and hashes its contents. The device must be
 * idle. PL_EUSAGE: what the parameters point to exceeds the limit. PL_EDEVICE. PL_ENOMEM. */
int memories_find(struct memories *memories, struct error *err);
/* Writes the contents of all memory. The device must be idle. */
int memories_write_before(struct memories *memories, struct capture_writer *writer,
			  struct error *err);
/* Writes what is different now, and the variables that the launch changed. The device must be
 * idle. */
int memories_write_changes(struct memories *memories, struct capture_writer *writer,
			   struct error *err);

#endif
