/*
 * bulk_shared: the side of a bulk copy that is shared memory. Internal to emulator/.
 */
#ifndef EMULATOR_MACHINE_BULK_SHARED_H
#define EMULATOR_MACHINE_BULK_SHARED_H

#include "emulator/machine/bulk_issue.h"
#include "emulator/machine/bulk_pending.h"

/* A copy of the lane, before anything is known of it. */
struct bulk_pending bulk_pending_of(const struct bulk_issue *issue);

/*
 * Each checks and notes the `bytes` bytes that the copy reads or writes, whose offset must be a
 * multiple of `align`. STEP_STOPPED, with a finding: they are not inside of shared memory, or no
 * mbarrier is where the copy is to signal it.
 */
enum step bulk_begin_read(const struct bulk_issue *issue, struct bulk_pending *pending,
			  uint32_t bytes, unsigned align);
enum step bulk_begin_write(const struct bulk_issue *issue, struct bulk_pending *pending,
			   uint32_t bytes, unsigned align);
/* After bulk_begin_write(): writes the bytes, and signals the mbarrier. */
enum step bulk_finish_write(const struct bulk_issue *issue, struct bulk_pending *pending,
			    const unsigned char *values);
/* After bulk_begin_read() of a copy to global memory: it belongs to the group of its thread. */
void bulk_finish_read(const struct bulk_issue *issue, struct bulk_pending *pending);

#endif
