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

/* ---- whether anything has changed: state_hash.c ----
 *
 * Threads in a state that they were in before do the same again, for ever. */

/* Adds the shared memory of a block, and the places and registers of its threads. */
uint64_t state_hash_block(uint64_t hash, const struct block *block);
/* Adds all allocations, and the last time that a clock gave. */
uint64_t state_hash_memory(uint64_t hash, const struct launch *launch);

/* The executions of stores and copies so far. `atomics`: with those that may change nothing. */
uint64_t executed_stores(const struct launch *launch, bool atomics);

/* How long a block has run alone, and what it was like before. All zeroes: it has just begun. */
struct stall_watch {
	uint64_t rounds, saved_at;
	uint64_t first_warp, threads; /* at round saved_at */
	bool has_all;
	uint64_t all;        /* with memory, when the threads were first the same again */
	bool memory_differs; /* when they were the same once more */
};

/* Call after each round of turns of a block that runs alone. Returns true if it is in the state of
 * an earlier round, so that it never ends. False also if that cannot be told. */
bool stall_watch_round(struct stall_watch *watch, const struct block *block);

#endif
