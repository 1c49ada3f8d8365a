/*
 * shared_locks: the order that locks and flags in shared memory give, for the race check of shared
 * memory (races_shared.h). Internal to machine/.
 *
 * As in the memory model of PTX: a thread executes a fence and then writes a location by an atomic,
 * or by a relaxed, volatile or release store. Another thread reads the location by an atomic, or by
 * a relaxed, volatile or acquire load, and then executes a fence. What the one did before its fence
 * is then ordered before what the other does after its own. A release has the first fence in it, an
 * acquire the second. An atomic passes on what was released before, a store does not.
 *
 * The clocks of block_clocks.h stand for what warps did. A fence, an atomic or an access counts for
 * the whole warp that executes it, and lanes of one warp can wait for each other, too.
 */
#ifndef EMULATOR_MACHINE_RACES_SHARED_LOCKS_H
#define EMULATOR_MACHINE_RACES_SHARED_LOCKS_H

#include "emulator/machine/races/block_clocks.h"

/* What a block knows of its locks. NULL: it has executed no fence that can matter. */
struct shared_locks;
void shared_locks_free(struct shared_locks *locks); /* NULL is allowed */
/* Call when a block begins. */
void shared_locks_begin(struct block *block);

/* Whether locks and flags may order accesses to shared memory. Without fences they order nothing,
 * and none of the other calls is needed. */
enum shared_locking { LOCKING_NONE, LOCKING_WITHOUT_FENCES, LOCKING_WITH_FENCES };
enum shared_locking program_shared_locking(const struct ptx_program *program);

/* Call when a warp of a checked block executes a fence. */
void shared_locks_fence(struct warp *warp, bool releases, bool acquires);
/* Call when lanes read or write, or both, `offset` in the shared memory of `block` by an atomic or
 * by a load or store that is strong or volatile. */
void shared_locks_access(struct warp *warp, struct block *block, uint32_t mask,
			 const uint32_t offset[LANES], bool reads, bool writes);

/* Whether a lock orders what lanes of the warp did at that clock of it before what it does now. */
bool shared_locks_order_lanes(const struct warp *warp, uint32_t clock);

#endif
