/*
 * grid: launches whose blocks take turns, since they can wait for each other. All blocks of a
 * cooperative launch exist at once. In a launch with clusters these run one after another, and the
 * blocks of a cluster exist at once. Internal to machine/.
 */
#ifndef EMULATOR_MACHINE_GRID_H
#define EMULATOR_MACHINE_GRID_H

#include "emulator/machine/emulation.h"
#include "emulator/machine/machine.h"

/*
 * Runs all blocks of a launch that was checked, and is cooperative or has clusters. A cooperative
 * one gets a workspace, which the special registers %envreg1 and %envreg2 point to. A finding
 * reports blocks that wait for each other forever. PL_EUSAGE: the device cannot hold all blocks,
 * or only some are to run. PL_ENOMEM. PL_EINTERRUPTED.
 */
int grid_run(struct emulation *emulation, struct launch *launch, struct error *err);
/* Whether the nth of `count` blocks is to be checked for races. */
bool block_is_checked(const struct emulated_launch *what, int64_t nth, int64_t count);

#endif
