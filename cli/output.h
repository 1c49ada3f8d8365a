/*
 * Where a report goes. A file is written under another name beside it and
 * takes its own in output_commit(): a failure, a full disk or a kill leave
 * what was there before.
 */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include <stdio.h>

#include "base/base.h"

struct output {
	FILE *stream;
	char *path;      /* NULL: standard output, which stays open */
	char *temporary; /* NULL: written in place, as a device or a pipe is */
};
/* path NULL or "-": standard output. PL_EIO; then *out is empty. */
int output_open(struct output *out, const char *path, struct error *err);
/* The file is whole: it takes its name. Either way *out is empty afterwards. */
int output_commit(struct output *out, struct error *err);
/* Away with what was written; nothing to do after output_commit(). */
void output_discard(struct output *out);

#endif
