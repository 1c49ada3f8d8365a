/*
 * cluster_run: launches with clusters. The clusters run one after another, and the blocks of a
 * cluster take turns. Internal to machine/.
 */
#ifndef EMULATOR_MACHINE_CLUSTERS_CLUSTER_RUN_H
#define EMULATOR_MACHINE_CLUSTERS_CLUSTER_RUN_H

#include "emulator/machine/clusters/cluster.h"
#include "emulator/machine/emulation.h"

/* Runs all blocks of a launch that was checked and is not cooperative. PL_EUSAGE: only some blocks
 * are to run. PL_ENOMEM. PL_EINTERRUPTED. */
int clusters_run(struct emulation *emulation, struct launch *launch, struct error *err);

/*
 * Call after the blocks of a cluster had their turns. Returns true, with a finding, if none of them
 * can ever continue: all warps wait at barriers, or all that run wait for mbarriers and nothing
 * changes. `spins`: all warps that ran waited in loops.
 */
bool cluster_is_stuck(struct cluster *cluster, bool spins);

#endif
