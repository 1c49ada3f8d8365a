/*
 * ptx: the door of the PTX backend, for the command line and the worker. It
 * runs PTX without a GPU: language/ reads the text, program/ decodes it,
 * machine/ executes it 32 lanes at a time and counts.
 */
#ifndef HARNESS_PTX_PTX_H
#define HARNESS_PTX_PTX_H

#include "base/base.h"

/* What perflab-worker-ptx does: serves the worker protocol on a socket; an exit code. */
int ptx_worker(int socket_fd);

/* One entry of a PTX file, as `perflab check` shows it. */
struct ptx_entry_check {
	const char *name;
	bool runnable;
	const char *missing; /* every opcode, register and directive that is not there; "" */
};
/*
 * Reads a PTX file and says of each entry whether it can run. PL_ENOENT,
 * PL_EIO, PL_EPARSE with the line: the file is not read as PTX at all.
 */
int ptx_check_file(const char *path,
		   void (*visit)(void *context, const struct ptx_entry_check *check), void *context,
		   struct error *err);

#endif
