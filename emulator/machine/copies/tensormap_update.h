/*
 * tensormap_update: tensormap.replace and tensormap.cp_fenceproxy, by which threads change tensor
 * maps, and the fences after that. Internal to emulator/.
 *
 * A tensor copy reads its map by a proxy of its own. A map in global memory that a launch changes
 * needs a release after the change (tensormap.cp_fenceproxy has one) and then, by the threads that
 * copy with the map, fence.proxy.tensormap::generic.acquire on its address. The check takes one
 * acquire by any thread of a block for all of them. It does not see maps that plain stores or other
 * copies change.
 */
#ifndef EMULATOR_MACHINE_COPIES_TENSORMAP_UPDATE_H
#define EMULATOR_MACHINE_COPIES_TENSORMAP_UPDATE_H

#include "emulator/machine/machine.h"

struct tensormap_updates;

instruction_handler run_map_replace; /* OP_MAP_REPLACE */
instruction_handler run_map_copy;    /* OP_MAP_COPY */
instruction_handler run_map_fence;   /* OP_MAP_FENCE */

/* Call before a lane of a checked block copies with the map at an address in global memory. Reports
 * a finding, which does not end the launch, if a fence is missing. */
void tensormap_updates_check(struct warp *warp, const struct instruction *at, int lane,
			     uint64_t address);
/* Call when the launch ends. */
void tensormap_updates_free(struct tensormap_updates *changes); /* NULL is allowed */

#endif
