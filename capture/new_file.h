/*
 * new_file: a file that has another name until it is complete. It works inside
 * programs of others: it raises no signal and changes nothing of the process.
 * Private to capture/.
 */
#ifndef CAPTURE_NEW_FILE_H
#define CAPTURE_NEW_FILE_H

#include "base/base.h"

struct new_file {
	char *path;
	char *temporary; /* PATH.part-PID-N */
	int fd;
	uint64_t bytes; /* written so far */
};

/* These return 0 or PL_EIO. After an error only new_file_discard() may follow. */
int new_file_create(struct new_file *out, const char *path, struct error *err);
int new_file_write(struct new_file *file, const void *data, size_t bytes, struct error *err);
/* Waits until all is on disk and renames the file. Releases it, also after an error, after which
 * nothing is left. PL_EUSAGE: a file of this name exists, which stays. */
int new_file_commit(struct new_file *file, struct error *err);
/* Removes the file and releases it. */
void new_file_discard(struct new_file *file);

#endif
