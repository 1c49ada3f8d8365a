/*
 * global_order: which accesses to global memory happened before others, for the race check
 * (races_global.h). Internal to machine/.
 *
 * The accesses of a warp fall into segments: a new one begins after each barrier of the block, each
 * synchronisation of the warp and each fence. An earlier segment is ordered before the present
 * access in these cases:
 *
 * - Same block: a barrier of the block lies between; or both are of one warp and a synchronisation
 *   of the warp lies between; or the earlier warp executed a fence since. How the later warp
 * learned of the fence is not checked.
 * - Other blocks: the segment was released, and the later warp knows of it. A warp releases with a
 *   strong write (an atomic, or a store that is relaxed or volatile) to global memory: its segments
 *   before its last fence for the device, those of its block that a barrier orders before that
 *   fence, and those after which their own warps executed such a fence and then a barrier. A
 *   release store is a fence and a relaxed store. A warp that reads this location with a strong
 *   access acquires: it knows everything that any block had released when the location was last
 *   released. Barriers pass what a warp knows to its block.
 *
 * - Blocks of one cluster: a barrier of the cluster lies between; or the earlier block arrived at
 *   an mbarrier whose phase the later one waited for. What a warp hears so counts for its whole
 *   block, and all warps of the earlier block are taken to have arrived.
 *
 * Times count the releases. They stand for vector clocks: a warp knows a time, and with it the
 * releases of all locations up to then. So two blocks that use different locations can count as
 * ordered. An order that exists is always seen.
 */
#ifndef EMULATOR_MACHINE_RACES_GLOBAL_ORDER_H
#define EMULATOR_MACHINE_RACES_GLOBAL_ORDER_H

#include "emulator/machine/clusters/cluster.h"

/* What a warp accesses between two synchronisations. */
struct segment {
	int64_t block;              /* linear number */
	uint32_t epoch, clock;      /* of the block; of the warp (block_clocks.h) */
	uint32_t released;          /* time; 0: not released */
	uint16_t warp, rank;        /* rank: of the block in its cluster */
	uint32_t cluster;           /* number plus 1; 0: the launch has no clusters */
	bool fenced, device_fenced; /* the warp executed a fence after it; one for the device */
};

struct warp_order {
	uint32_t segment;                /* number of the open one; 0: none */
	uint32_t epoch, sync;            /* of the block and the warp when it began */
	uint32_t known;                  /* time up to which it knows all releases */
	bool fenced;                     /* it executed a fence for the device */
	uint32_t fence_epoch;            /* of the block at the last one */
	uint32_t release, release_known; /* time of its last release, and what it knew then */
};

/* The order of a block's accesses; a member of struct block. */
struct block_order {
	struct warp_order *warps;
	uint32_t known; /* of all warps at the last barrier */
	bool fenced;    /* a warp executed a fence for the device */
	uint32_t *held; /* segments that were not released */
	size_t held_count, held_capacity;
	/* By rank in the cluster: segments with lower numbers of that block are ordered before. */
	uint32_t heard[CLUSTER_BLOCKS_MOST];
};

/* What an mbarrier passes from a block of a cluster to another. */
struct handed_order {
	uint32_t heard[CLUSTER_BLOCKS_MOST], known; /* as in struct block_order */
};

/* A location that was released. */
struct sync_location {
	uint64_t address; /* 0: none */
	uint32_t time;
};

struct order {
	struct segment *segments; /* the first has the number `first` */
	uint32_t first, next;
	size_t capacity, most;
	uint32_t time;                   /* of the last release in any launch on this memory */
	uint32_t first_time;             /* `time` when the launch began */
	struct sync_location *locations; /* hash table, by address */
	size_t location_count, location_slots;
};

/* Numbers of segments and times go on where those of earlier launches ended. `most` segments. */
void order_init(struct order *order, uint32_t first, uint32_t time, size_t most);
void order_release(struct order *order);
int64_t order_bytes(const struct order *order);

struct block_order *block_order_create(unsigned warps);
void block_order_free(struct block_order *of); /* NULL is allowed */
/* Call when a block begins, and when one of its barriers opens. */
void block_order_begin(struct block *block);
void block_order_barrier(struct block *block);

uint32_t order_open_segment(struct order *order, struct warp *warp);
/* What the warp does from now on is another segment. */
void order_close_segment(struct warp *warp);
/* The number of the segment that the warp is in; 0: there are too many. */
ALWAYS_INLINE uint32_t order_segment(struct order *order, struct warp *warp)
{
	const struct warp_order *of = &warp->block->order->warps[warp->index];

	if (of->segment && of->epoch == warp->block->epoch && of->sync == warp->sync_epoch)
		return of->segment;
	return order_open_segment(order, warp);
}

static inline const struct segment *order_find(const struct order *order, uint32_t segment)
{
	return &order->segments[segment - order->first];
}

/* Whether two segments are of one warp. */
static inline bool order_same_warp(const struct order *order, uint32_t a, uint32_t b)
{
	const struct segment *first = order_find(order, a), *second = order_find(order, b);

	return first->block == second->block && first->warp == second->warp;
}
/* Which of the reads `a` and `b` of a cell to forget for one of `me`, 0 or 1: one of its block if
 * the other is of another, else the older. */
static inline unsigned order_read_to_forget(const struct order *order, uint32_t a, uint32_t b,
					    uint32_t me)
{
	const int64_t block = order_find(order, me)->block;
	const bool mine = order_find(order, a)->block == block;
	const bool second_mine = order_find(order, b)->block == block;

	return mine != second_mine ? second_mine : b < a;
}

/* Whether an earlier access of that segment is ordered before what the warp does now. False for the
 * warp's own segment, whose lanes have no order. */
bool order_is_before(const struct order *order, uint32_t segment, const struct warp *warp);

/* Call when the barrier of the cluster of a block opens, before the epochs of its blocks change. */
void order_cluster_barrier(const struct order *order, struct block *block);
/* Order what the blocks of a cluster that a warp knows of did so far before what others do that
 * hear of it. Only for blocks of clusters. */
void order_hand(const struct order *order, struct warp *warp, struct handed_order *into);
void order_hear(struct warp *warp, const struct handed_order *from);

/* A fence for the block or for the device. */
void order_fence(struct order *order, struct warp *warp, bool device);
/* A strong write, and a strong read. */
void order_strong_write(struct order *order, struct warp *warp, uint64_t address);
void order_strong_read(struct order *order, struct warp *warp, uint64_t address);

#endif
