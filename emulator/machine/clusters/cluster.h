/*
 * cluster: the blocks of a cluster, and the addresses of their shared memory. Internal to
 * emulator/.
 *
 * The blocks of a cluster exist at once and take turns. A launch without clusters has none of these
 * structures: its blocks have block->cluster NULL, and each counts as a cluster of its own.
 *
 * An address of the window shared::cluster has 32 bits. Bits 0 to 23 are an offset in shared
 * memory. Bits 24 to 31 are 0 for the block that uses the address, or CLUSTER_TAG plus the rank of
 * the block that it belongs to. So addresses of shared::cta are addresses of shared::cluster, too,
 * and mapa makes the others, which no overrun of an array is likely to hit. A generic address is
 * SHARED_WINDOW more.
 */
#ifndef EMULATOR_MACHINE_CLUSTERS_CLUSTER_H
#define EMULATOR_MACHINE_CLUSTERS_CLUSTER_H

#include "emulator/machine/machine.h"

/* More than 8 blocks need CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED. */
#define CLUSTER_BLOCKS_MOST 16

struct cluster {
	struct block *blocks[CLUSTER_BLOCKS_MOST]; /* by rank */
	unsigned count;
	uint32_t number; /* in the grid */
};

#define CLUSTER_RANK_SHIFT 24
#define CLUSTER_OFFSET_MASK ((UINT32_C(1) << CLUSTER_RANK_SHIFT) - 1)
#define CLUSTER_TAG 0x80
/* In the place of a rank: of no block. */
#define CLUSTER_NO_RANK 0x70

static inline unsigned cluster_count(const struct block *block)
{
	return block->cluster ? block->cluster->count : 1;
}

/* The block of that rank in the cluster of `block`. NULL: there is none. */
static inline struct block *cluster_block(struct block *block, unsigned rank)
{
	if (!block->cluster)
		return rank == 0 ? block : NULL;
	return rank < block->cluster->count ? block->cluster->blocks[rank] : NULL;
}

/* The address, in the window shared::cluster, of a byte of the block with that rank. */
static inline uint32_t cluster_address(uint32_t rank, uint32_t offset)
{
	rank = rank < CLUSTER_NO_RANK ? rank : CLUSTER_NO_RANK;
	return (CLUSTER_TAG + rank) << CLUSTER_RANK_SHIFT | (offset & CLUSTER_OFFSET_MASK);
}

/* The rank of the block that an address belongs to, for a thread of `block`; a number from
 * cluster_count() on: none. */
static inline uint32_t cluster_rank(const struct block *block, uint32_t address)
{
	uint32_t tag = address >> CLUSTER_RANK_SHIFT;

	if (tag >= CLUSTER_TAG)
		return tag - CLUSTER_TAG;
	return tag ? CLUSTER_NO_RANK : block->rank;
}

/*
 * The block whose shared memory an address of the window shared::cluster belongs to, for a thread
 * of `block`. *offset: where in the shared memory of that block, at most CLUSTER_OFFSET_MASK, which
 * may lie past its end. NULL: no block of the cluster.
 */
static inline struct block *cluster_find_block(struct block *block, uint32_t address,
					       uint32_t *offset)
{
	*offset = address & CLUSTER_OFFSET_MASK;
	return cluster_block(block, cluster_rank(block, address));
}

/* Whether all threads of the block have ended. */
static inline bool cluster_block_ended(const struct block *block)
{
	return block->ended_count == block->warp_count;
}

/* ---- launches ---- */

/* Sets launch->cluster and launch->explicit_cluster. PL_EUSAGE: no device would accept the size, or
 * the entry was compiled for another. */
int cluster_check_shape(struct launch *launch, struct error *err);
/* The number of the cluster that the block with that linear number belongs to, and its rank. */
int64_t cluster_of_block(const struct launch *launch, int64_t number, unsigned *rank);
/* Sets numbers[rank] to the linear number of each block of a cluster. */
void cluster_block_numbers(const struct launch *launch, int64_t cluster,
			   int64_t numbers[CLUSTER_BLOCKS_MOST]);
/* Returns true if the nth of `count` blocks is to be checked for races. */
bool block_is_checked(const struct emulated_launch *what, int64_t nth, int64_t count);
/* Whether the blocks of a cluster are checked for races: all or none. */
bool cluster_is_checked(const struct launch *launch, int64_t cluster);

#endif
