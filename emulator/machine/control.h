/*
 * control: the handlers that do not depend on the vector unit: branches, calls,
 * exits, barriers, asynchronous copies, printf. Internal to emulator/.
 */
#ifndef EMULATOR_MACHINE_CONTROL_H
#define EMULATOR_MACHINE_CONTROL_H

#include "emulator/machine/machine.h"

/* The handler of a control instruction. NULL: it is not one. */
instruction_handler *control_handler(const struct instruction *instruction);

/* Handlers in files of their own: barrier.c, print.c and heap.c. */
instruction_handler run_barrier;     /* OP_BARRIER, OP_BARRIER_REDUCE, OP_BARRIER_ARRIVE */
instruction_handler run_print;       /* OP_PRINT */
instruction_handler run_assertion;   /* OP_ASSERT_FAIL */
instruction_handler run_heap_malloc; /* heap.c: OP_MALLOC */
instruction_handler run_heap_free;   /* OP_FREE */

/* Call after lanes have ended: opens the barriers that are now complete. */
void barriers_after_end(struct block *block);
/* Call when every warp of the block waits or has ended: reports why none can continue. */
void barriers_deadlock(struct block *block);

#endif
