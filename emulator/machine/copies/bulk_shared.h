/*
 * bulk_shared: the sides of a bulk copy that are shared memory. Internal to emulator/.
 */
#ifndef EMULATOR_MACHINE_COPIES_BULK_SHARED_H
#define EMULATOR_MACHINE_COPIES_BULK_SHARED_H

#include "emulator/machine/barriers/mbarrier.h"
#include "emulator/machine/clusters/cluster.h"
#include "emulator/machine/copies/bulk_issue.h"
#include "emulator/machine/copies/bulk_pending.h"

/* A destination in shared memory: of the own block, or of another one of the cluster. */
struct bulk_target {
	struct block *block;
	struct bulk_range range;
	uint32_t signal; /* address of the mbarrier, in the window shared::cluster */
	struct mbarrier_place mbarrier;
	uint32_t phase; /* of the mbarrier, which the bytes complete */
};

/* Several with .multicast::cluster, at the same offset of each block. */
struct bulk_targets {
	struct bulk_target items[CLUSTER_BLOCKS_MOST];
	unsigned count;
};

/*
 * Finds where the copy writes `bytes` bytes; their offset must be a multiple of `align`.
 * STEP_STOPPED, with a finding: they are not inside of shared memory, or no mbarrier is where the
 * copy is to signal it.
 */
enum step bulk_find_targets(struct bulk_targets *out, const struct bulk_issue *issue,
			    uint32_t bytes, unsigned align);
/* Writes the bytes to each target, and signals its mbarrier. `chunks`: which chunks of 16 bytes are
 * written, and counted; NULL: all. */
enum step bulk_write_targets(const struct bulk_issue *issue, const struct bulk_targets *targets,
			     const unsigned char *values, const bool *chunks);

/* Finds the source of `bytes` bytes in the own block. STEP_STOPPED as above. */
enum step bulk_find_source(struct bulk_pending *out, const struct bulk_issue *issue, uint32_t bytes,
			   unsigned align);
/* The values there, or their undefined bits. */
unsigned char *bulk_source_bytes(const struct bulk_issue *issue, const struct bulk_pending *source);
/* The copy from that source is issued: checks its reads. `target`: where its mbarrier is; NULL: it
 * belongs to the group of its thread. `chunks`: which chunks of 16 bytes are read; NULL: all. */
void bulk_source_pending(const struct bulk_issue *issue, const struct bulk_pending *source,
			 const struct bulk_target *target, const bool *chunks);

#endif
