/*
 * control: the handlers that are the same for every vector unit: branches,
 * calls, ends, barriers, asynchronous copies, printing. Internal to emulator/.
 */
#ifndef EMULATOR_MACHINE_CONTROL_H
#define EMULATOR_MACHINE_CONTROL_H

#include "emulator/machine/machine.h"

/* NULL: not an operation of control. */
instruction_handler *control_handler(const struct instruction *instruction);

/* The parts of it. */
instruction_handler run_barrier;   /* OP_BARRIER, OP_BARRIER_REDUCE, OP_BARRIER_ARRIVE */
instruction_handler run_print;     /* OP_PRINT */
instruction_handler run_assertion; /* OP_ASSERT_FAIL */

/* Lanes of a warp have ended: barriers of the block may now be complete. */
void barriers_after_end(struct block *block);
/* Each warp of the block waits or has ended: findings for what none of them can leave. */
void barriers_deadlock(struct block *block);

#endif
