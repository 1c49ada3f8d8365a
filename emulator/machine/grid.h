/*
 * grid: cooperative launches. All blocks exist at once and take turns, so that each can wait for
 * the others. Internal to machine/.
 */
#ifndef EMULATOR_MACHINE_GRID_H
#define EMULATOR_MACHINE_GRID_H

#include "emulator/machine/emulation.h"
#include "emulator/machine/machine.h"

/*
 * Runs all blocks of a launch that was checked. It gives them a workspace, which the special
 * registers %envreg1 and %envreg2 point to. A finding reports blocks that wait for each other
 * forever. PL_EUSAGE: the device cannot hold all blocks, or only some are to run. PL_ENOMEM.
 * PL_EINTERRUPTED.
 */
int grid_run(struct emulation *emulation, struct launch *launch, struct error *err);

#endif
