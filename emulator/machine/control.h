/*
 * control: the handlers that do not depend on the vector unit: branches, calls,
 * exits, barriers, asynchronous copies, printf. Internal to emulator/.
 */
#ifndef EMULATOR_MACHINE_CONTROL_H
#define EMULATOR_MACHINE_CONTROL_H

#include "emulator/machine/machine.h"

/* The handler of a control instruction. NULL: it is not one. */
instruction_handler *control_handler(const struct instruction *instruction);

/* ---- heap.c, print.c ---- */

instruction_handler run_heap_malloc, run_heap_free; /* OP_MALLOC, OP_FREE */
instruction_handler run_print, run_assertion;       /* OP_PRINT, OP_ASSERT_FAIL */
/* Passes what printf of a launch wrote to launch->print, and frees it. NULL: nothing. */
void print_fifo_flush(struct print_fifo *fifo, const struct emulated_launch *launch);

/* ---- barrier.c ---- */

instruction_handler run_barrier; /* OP_BARRIER, OP_BARRIER_REDUCE, OP_BARRIER_ARRIVE */
instruction_handler run_cluster_arrive, run_cluster_wait; /* OP_CLUSTER_ARRIVE, … */

/* Call after lanes have ended: opens the barriers of the block and its cluster that are now
 * complete. */
void barriers_after_end(struct block *block);
/* Call when every warp of the block waits or has ended: reports why none can continue. */
void barriers_deadlock(struct block *block);

/* Whether a warp of the block waits at the barrier of its cluster. */
bool cluster_barrier_holds(const struct block *block);

#endif
