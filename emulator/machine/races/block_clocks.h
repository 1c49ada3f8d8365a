/*
 * block_clocks: which accesses of one warp happen before those of another warp
 * because an mbarrier, a barrier of some warps or a lock in shared memory lies between them, and,
 * in a cluster, because any barrier does. The race checks of shared (races_shared.h) and global
 * memory (global_order.h) ask it. Internal to emulator/.
 *
 * Each warp has a clock, which counts its releases. An access carries the clock
 * of its warp. A release hands the clocks that a warp knows to an mbarrier; an
 * acquire hands those of the mbarrier's completed phase to a warp. An access is
 * ordered before a warp that knows a later clock of the accessing warp.
 *
 * The blocks of a cluster access each other's shared memory, so the clocks of
 * their warps count for all of them. A barrier of a block, and one of the
 * cluster, tells each of its warps what any of them knows.
 *
 * The lanes of a warp share a clock. A lane that arrives therefore releases the
 * accesses of its whole warp, and a lane that waits acquires for its whole warp:
 * the check does not see a missing __syncwarp() beside an mbarrier.
 */
#ifndef EMULATOR_MACHINE_RACES_BLOCK_CLOCKS_H
#define EMULATOR_MACHINE_RACES_BLOCK_CLOCKS_H

#include "emulator/machine/clusters/cluster.h"

#define BLOCK_WARPS_MOST 32
#define CLUSTER_WARPS_MOST (CLUSTER_BLOCKS_MOST * BLOCK_WARPS_MOST)

/* By number of the warp in the cluster: its accesses with a lower clock are known. */
struct warp_clocks {
	uint32_t known[CLUSTER_WARPS_MOST];
};

/* The clocks of a block; all zeroes when the block begins. */
struct block_clocks {
	struct warp_clocks warps[BLOCK_WARPS_MOST]; /* a warp's own entry is its clock */
	/* What a warp knew, or did itself, when it executed a fence of the async proxy. */
	struct warp_clocks fenced;
};

/* The number of a warp in its cluster. In a launch without clusters: in its block. */
static inline unsigned cluster_warp(const struct warp *warp)
{
	return warp->block->rank * BLOCK_WARPS_MOST + warp->index;
}

/* The clock of an access that the warp makes now. 0 in a block without clocks. */
static inline uint32_t block_clock(const struct warp *warp)
{
	const struct block_clocks *clocks = warp->block->clocks;

	return clocks ? clocks->warps[warp->index].known[cluster_warp(warp)] : 0;
}

/* Whether an access with that clock by warp number `other` is ordered before the warp. */
static inline bool block_clock_known(const struct warp *warp, unsigned other, uint32_t clock)
{
	const struct block_clocks *clocks = warp->block->clocks;

	return clocks && clocks->warps[warp->index].known[other] > clock;
}

/* Whether a fence of the async proxy by a thread of `block` follows the access with that clock by
 * warp number `other`, in the order that mbarriers give. */
static inline bool block_clock_fenced(const struct block *block, unsigned other, uint32_t clock)
{
	return block->clocks && block->clocks->fenced.known[other] > clock;
}

/* Call when a block begins and when something first needs the clocks: all of them are 0. */
void clocks_begin(struct block *block);

/* Raises the clocks of `to` to those of `from`, which count warps of the cluster of the block. */
void clocks_learn(const struct block *block, struct warp_clocks *to,
		  const struct warp_clocks *from);

/* The block must have clocks. */
void clocks_release(struct warp *warp, struct warp_clocks *into);
void clocks_acquire(struct warp *warp, const struct warp_clocks *from);
/* Releases the accesses of the warp, but nothing that it knows of other warps: an asynchronous copy
 * arrives that one of its threads started. */
void clocks_release_own(struct warp *warp, struct warp_clocks *into);
/* The warp executes a fence of the async proxy. */
void clocks_fence(struct warp *warp);

/* A barrier opens: for all warps of a block that is in a cluster, or of all blocks of it. They
 * count as synchronisations of the warps, too. */
void clocks_join(struct block *const *blocks, unsigned count);
/* Adds what the warps of a block know. */
void clocks_of_block(const struct block *block, struct warp_clocks *into);

/*
 * ---- locks and flags in shared memory ----
 *
 * As in the memory model of PTX: a thread executes a fence and then writes a location by an atomic,
 * or by a relaxed, volatile or release store. Another thread reads the location by an atomic, or by
 * a relaxed, volatile or acquire load, and then executes a fence. What the one did before its fence
 * is then ordered before what the other does after its own. A release has the first fence in it, an
 * acquire the second. An atomic passes on what was released before, a store does not.
 *
 * The clocks stand for what warps did. A fence, an atomic or an access counts for
 * the whole warp that executes it, and lanes of one warp can wait for each other, too.
 */

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
