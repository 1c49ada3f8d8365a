/*
 * data_file: the memory that perflab shares with its workers: one file without
 * a name, which disappears with the last process that has it open. Ranges are
 * never reused, because a worker that was killed may have read one half. The
 * memory of a dropped range is free at once. Internal to harness/session.
 */
#ifndef HARNESS_SESSION_DATA_FILE_H
#define HARNESS_SESSION_DATA_FILE_H

#include "base/base.h"

/* The descriptor that workers inherit. -1: the system has no such file, so nothing is shared. */
int data_file_fd(void);
/* Gives a process that was forked a file of its own: two that use one would write into each other's
 * ranges. */
void data_file_renew(void);
/* Sets *offset to the start of a new range, a multiple of the page size. false: the file cannot
 * grow. */
bool data_file_take(int64_t *offset, int64_t bytes);
/* The memory that a range of so many bytes takes. */
int64_t data_file_range_bytes(int64_t bytes);
void data_file_drop(int64_t offset, int64_t bytes);
/* How many bytes a sweep may share: a quarter of the memory that is available, unless
 * PERFLAB_SHARED_MEMORY says otherwise. PL_EUSAGE: that is not a size. */
int data_file_limit(int64_t *out, struct error *err);

#endif
