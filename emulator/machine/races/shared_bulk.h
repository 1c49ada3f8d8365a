/*
 * shared_bulk: checks what bulk copies do to shared memory, as races_shared.h does for threads.
 * Internal to emulator/.
 */
#ifndef EMULATOR_MACHINE_RACES_SHARED_BULK_H
#define EMULATOR_MACHINE_RACES_SHARED_BULK_H

#include "emulator/machine/copies/bulk_pending.h"

/* The bytes inside of shared memory that the copy of a lane accesses: of a checked block, which is
 * that of the lane or another one of the cluster. */
struct shadow_bulk {
	struct warp *warp;
	struct block *block;
	const struct instruction *at;
	unsigned lane;
	struct bulk_range range;
};

/*
 * Call before the copy reads its source, or writes its destination. `values`: the bytes that it
 * will write; NULL: it changes those that are there (a reduction). A fence of the async proxy must
 * lie between the store of a thread and the read. Return the place of the instruction, for struct
 * bulk_pending.
 */
uint32_t shadow_bulk_read(const struct shadow_bulk *access);
uint32_t shadow_bulk_write(const struct shadow_bulk *access, const unsigned char *values);

#endif
