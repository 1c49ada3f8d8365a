/*
 * copies: asynchronous copies from global to shared memory (cp.async). The
 * bytes are read when the copy begins, and are in shared memory when the
 * thread has waited for the group that the copy is of: not before, so that who
 * does not wait sees what was there. Copies that nobody waits for never
 * arrive. Internal to emulator/.
 */
#ifndef EMULATOR_MACHINE_ASYNC_COPIES_H
#define EMULATOR_MACHINE_ASYNC_COPIES_H

#include "emulator/machine/machine.h"

/* Instructions of a warp that may be on the way at once; more are a finding. */
#define COPIES_MOST 1024

struct warp_copies;
/* A block begins: none is on the way. */
void copies_begin(struct warp *warp);
void copies_free(struct warp_copies *copies); /* NULL is fine */

instruction_handler run_copy;        /* OP_COPY */
instruction_handler run_copy_commit; /* OP_COPY_COMMIT */
instruction_handler run_copy_wait;   /* OP_COPY_WAIT */

#endif
