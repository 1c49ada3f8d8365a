/*
 * block: one block of a launch at a time, in memory that all blocks of the
 * launch use one after the other. Internal to harness/ptx/.
 */
#ifndef HARNESS_PTX_MACHINE_BLOCK_H
#define HARNESS_PTX_MACHINE_BLOCK_H

#include "harness/ptx/machine/machine.h"

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
