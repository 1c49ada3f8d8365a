/*
 * async_copies: asynchronous copies from global to shared memory (cp.async). A
 * copy reads its bytes when it starts. It writes them to shared memory when the
 * thread waits for the copy's group, or when the phase of the mbarrier completes
 * that the thread gave it to, and not earlier: a thread that does not wait sees
 * the old contents. A copy that no thread waits for never arrives.
 * Internal to emulator/.
 */
#ifndef EMULATOR_MACHINE_COPIES_ASYNC_COPIES_H
#define EMULATOR_MACHINE_COPIES_ASYNC_COPIES_H

#include "emulator/machine/machine.h"

/* Copy instructions of a warp that may be pending at a time; more are a finding. One warp that
 * fills all the shared memory that a block can have, word by word, needs 1,816. */
#define COPIES_MOST 4096

struct warp_copies;
/* Call when a block starts: forgets all pending copies. */
void copies_begin(struct warp *warp);
void copies_free(struct warp_copies *copies); /* NULL is allowed */

/* The pending copies of a lane belong to the present phase of the mbarrier at an offset of shared
 * memory: they arrive when it completes, if the lane has not waited for them before. Call before
 * the lane releases the phase (block_clocks.h). */
void copies_signal(struct warp *warp, int lane, uint32_t mbarrier);
/* The phase of the mbarrier is complete: the copies that signal it arrive. */
void copies_complete(struct block *block, uint32_t mbarrier);

instruction_handler run_copy;        /* OP_COPY */
instruction_handler run_copy_commit; /* OP_COPY_COMMIT */
instruction_handler run_copy_wait;   /* OP_COPY_WAIT */

#endif
