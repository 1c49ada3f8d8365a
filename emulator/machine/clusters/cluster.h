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

/* ---- accesses to shared memory of other blocks: cluster_shared.c ---- */

instruction_handler run_cluster_address; /* OP_CLUSTER_ADDRESS */

/* Whether an instruction may access shared memory of other blocks: it is a load, a store or an
 * atomic, for the window shared::cluster or for generic addresses. */
bool cluster_may_leave(const struct instruction *at);

/* Reports a finding, which does not end the launch, if a block that a lane accesses has ended or
 * may not have begun. */
void cluster_check_presence(struct warp *warp, const struct instruction *at, int lane,
			    const struct block *block);

/* The lanes of an access whose addresses belong to one block. */
struct cluster_part {
	struct block *block;
	uint32_t mask;
	uint32_t offset[LANES]; /* in the shared memory of that block; valid in the lanes of the
				   mask */
};
/*
 * Takes the lanes of the next part from *left, which is not 0. The addresses, of the window
 * shared::cluster, are those that access_check() found valid. Checks the presence of the block.
 */
void cluster_next_part(struct warp *warp, const struct instruction *at, uint32_t *left,
		       const uint32_t address[LANES], struct cluster_part *part);

/* Corrects the requests of an access to shared memory, which was counted as one to the own block,
 * if lanes of the mask access other blocks. */
void cluster_count_request(struct warp *warp, const struct instruction *at, uint32_t mask,
			   const uint32_t address[LANES]);

#endif
