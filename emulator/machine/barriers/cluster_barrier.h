/*
 * cluster_barrier: the barrier of a cluster (barrier.cluster). It counts threads: a phase completes
 * when all threads of the cluster that have not ended have arrived. A thread that has arrived must
 * wait before it arrives again. Internal to machine/.
 */
#ifndef EMULATOR_MACHINE_BARRIERS_CLUSTER_BARRIER_H
#define EMULATOR_MACHINE_BARRIERS_CLUSTER_BARRIER_H

#include "emulator/machine/machine.h"

instruction_handler run_cluster_arrive; /* OP_CLUSTER_ARRIVE */
instruction_handler run_cluster_wait;   /* OP_CLUSTER_WAIT */

void cluster_barrier_begin(struct warp *warp); /* when a block begins */
/* Call after lanes of the block have ended: opens the barrier if it is now complete. */
void cluster_barrier_after_end(struct block *block);
/* Whether a warp of the block waits at the barrier. */
bool cluster_barrier_holds(const struct block *block);
/* Reports that the barrier, at which a warp of the block waits, never opens. Returns false if no
 * warp does. */
bool cluster_barrier_deadlock(struct block *block);

#endif
