/*
 * block: runs the blocks of a launch one after another, in memory that they
 * reuse. Internal to emulator/.
 */
#ifndef EMULATOR_MACHINE_BLOCK_H
#define EMULATOR_MACHINE_BLOCK_H

#include "emulator/machine/machine.h"

/* Allocates warps and shared memory for the blocks of a launch. PL_ENOMEM; release it even then. */
int block_prepare(struct block *block, struct launch *launch, struct error *err);
/*
 * Runs the block with that linear number to its end or to a finding that ends
 * the launch. Shared memory and the entry's local memory start as zeroes.
 * PL_ENOMEM. PL_EINTERRUPTED: *stop was set.
 */
int block_run(struct block *block, int64_t number, struct error *err);
void block_release(struct block *block);

#endif
