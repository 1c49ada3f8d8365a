/*
 * block: runs one block. A launch runs its blocks one after another in the same
 * memory, or, if it is cooperative, in turns (grid.h). Internal to emulator/.
 */
#ifndef EMULATOR_MACHINE_BLOCK_H
#define EMULATOR_MACHINE_BLOCK_H

#include "emulator/machine/machine.h"

/* Allocates warps and shared memory for the blocks of a launch. PL_ENOMEM; release it even then. */
int block_prepare(struct block *block, struct launch *launch, struct error *err);
/*
 * Makes the block with that linear number ready to run. Shared memory and the
 * entry's local memory start as zeroes. PL_ENOMEM.
 */
int block_begin(struct block *block, int64_t number, struct error *err);
enum block_state {
	BLOCK_CONTINUES,
	BLOCK_WAITS, /* every warp waits, and another block of the cluster may let one continue */
	BLOCK_ENDED,
	BLOCK_STOPPED,     /* a finding ended the launch */
	BLOCK_INTERRUPTED, /* *stop was set */
};
/* Gives a turn to each warp that can run. */
enum block_state block_take_turns(struct block *block);
/*
 * Runs the block with that linear number to its end or to a finding that ends
 * the launch. Shared memory and the entry's local memory start as zeroes.
 * PL_ENOMEM. PL_EINTERRUPTED: *stop was set.
 */
int block_run(struct block *block, int64_t number, struct error *err);
void block_release(struct block *block);

#endif
