/*
 * cluster_shared: accesses to shared memory of other blocks of a cluster (distributed shared
 * memory), and the instructions on their addresses (cluster.h). Internal to emulator/.
 */
#ifndef EMULATOR_MACHINE_CLUSTERS_CLUSTER_SHARED_H
#define EMULATOR_MACHINE_CLUSTERS_CLUSTER_SHARED_H

#include "emulator/machine/clusters/cluster.h"

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
