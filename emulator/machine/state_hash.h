/*
 * state_hash: values of what threads and memory hold, to find out whether anything has changed.
 * Threads in a state that they were in before do the same again, for ever. Internal to machine/.
 */
#ifndef EMULATOR_MACHINE_STATE_HASH_H
#define EMULATOR_MACHINE_STATE_HASH_H

#include "emulator/machine/machine.h"

/* Adds the shared memory of a block, and the places and registers of its threads. */
uint64_t state_hash_block(uint64_t hash, const struct block *block);
/* Adds the local memory of its threads. */
uint64_t state_hash_local(uint64_t hash, const struct block *block);
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
