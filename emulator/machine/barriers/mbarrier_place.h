/*
 * mbarrier_place: where an mbarrier lies: in shared memory of the own block, or of another block of
 * the cluster. Internal to machine/.
 */
#ifndef EMULATOR_MACHINE_BARRIERS_MBARRIER_PLACE_H
#define EMULATOR_MACHINE_BARRIERS_MBARRIER_PLACE_H

#include "emulator/machine/machine.h"

struct mbarrier_place {
	struct block *block;
	uint32_t offset; /* in its shared memory; aligned and inside of it */
};

/* The place of the object that a lane of an OP_MBARRIER names. STEP_STOPPED, with a finding: there
 * can be none, or the operation cannot be on another block. */
enum step mbarrier_place_of_lane(struct warp *warp, const struct instruction *at, int lane,
				 struct mbarrier_place *out);
/* The place of an address of the window shared::cluster, for an instruction that may signal
 * mbarriers of other blocks. */
enum step mbarrier_place_of_address(struct warp *warp, const struct instruction *at, int lane,
				    uint64_t address, struct mbarrier_place *out);

/* The offset as the program counts it, for messages. */
unsigned long long mbarrier_own_offset(const struct warp *warp, uint64_t offset);

#endif
