/*
 * block: one block of a launch at a time, in memory that all blocks of the
 * launch use one after the other. Internal to emulator/.
 */
#ifndef EMULATOR_MACHINE_BLOCK_H
#define EMULATOR_MACHINE_BLOCK_H

#include "emulator/machine/machine.h"

/* Warps and shared memory for the blocks of a launch. PL_ENOMEM. */
int block_prepare(struct block *block, struct launch *launch, struct error *err);
/*
 * Runs the block of that linear number to its end or to a finding that ends
 * the launch. Shared and local memory begin as zeroes. PL_ENOMEM;
 * PL_EINTERRUPTED: *stop was set.
 */
int block_run(struct block *block, int64_t number, struct error *err);
void block_release(struct block *block);

#endif
