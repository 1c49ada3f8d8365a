/*
 * bulk_global: the side of a bulk copy that is global memory. Internal to emulator/.
 *
 * The accesses of a copy pass the check of global memory as accesses of its thread, and count as
 * touched sectors. They are no requests of a warp.
 */
#ifndef EMULATOR_MACHINE_COPIES_BULK_GLOBAL_H
#define EMULATOR_MACHINE_COPIES_BULK_GLOBAL_H

#include "emulator/machine/copies/bulk_issue.h"
#include "emulator/machine/memory/device_memory.h"

/* Each copies bytes that lie together in one allocation. STEP_STOPPED, with a finding: they lie
 * outside, or the address is not a multiple of `align`. */
enum step bulk_global_read(const struct bulk_issue *issue, uint64_t address, unsigned char *to,
			   uint32_t bytes, unsigned align);
enum step bulk_global_write(const struct bulk_issue *issue, uint64_t address,
			    const unsigned char *from, uint32_t bytes, unsigned align);

/* Stores the elements of `from` at `to`, or combines them with those that are there. */
void bulk_store(const struct bulk_issue *issue, unsigned char *to, const unsigned char *from,
		uint32_t bytes, bool global);

#endif
