/*
 * bulk_pending: the bulk copies that no thread has waited for yet, for the race check of shared
 * memory. Internal to emulator/.
 *
 * The emulator moves the bytes when a thread issues a copy. The hardware moves them at any time
 * until the copy completes. So from the issue on, shared memory that a copy reads may not be
 * written, and shared memory that it writes may not be accessed. A copy to global memory completes
 * when its thread waits for the bulk group. Every other one completes with the phase of an
 * mbarrier; a successful test of a later phase is the wait.
 *
 * Each block keeps the accesses to its own shared memory, also of copies that threads of other
 * blocks of the cluster issued. In a block that is not checked, nothing is recorded.
 */
#ifndef EMULATOR_MACHINE_COPIES_BULK_PENDING_H
#define EMULATOR_MACHINE_COPIES_BULK_PENDING_H

#include "emulator/machine/machine.h"

/* Bytes of shared memory. */
struct bulk_range {
	uint32_t offset, bytes;
};

/* The access of a copy to shared memory of a block. */
struct bulk_pending {
	struct bulk_range range;
	bool writes;     /* else it reads */
	uint32_t place;  /* the instruction, as races_shared.h numbers places */
	uint32_t clock;  /* of the warp at the issue (block_clocks.h) */
	uint16_t thread; /* in the cluster */
	/* The block and the offset of the mbarrier that completes it; NULL: the thread's group. */
	const struct block *signalled;
	uint32_t mbarrier;
	uint32_t number; /* of the phase, or of the thread's group */
};

/* More pending copies than these are forgotten, the oldest first, as if they were complete. */
#define BULK_PENDING_MOST 1024

struct bulk_state;
void bulk_begin(struct block *block); /* when a block starts: forgets all copies */
void bulk_free(struct block *block);

/* Records an access; sets `number` of one that belongs to a group. */
void bulk_pending_add(struct block *block, const struct bulk_pending *access);
/* A successful test of the mbarrier at an offset of that block: phases before number `phase` are
 * complete. */
void bulk_phases_waited(struct block *block, uint32_t mbarrier, uint32_t phase);
/* The object at that offset begins a new life, or ends: its copies are forgotten. */
void bulk_mbarrier_changed(struct block *block, uint32_t mbarrier);

/* Whether a pending copy reads one of these bytes: then sets the first one, and the thread and the
 * place of the copy. */
bool bulk_reads(const struct block *block, const struct bulk_range *range, uint32_t *first,
		uint16_t *thread, uint32_t *place);

instruction_handler run_bulk_commit, run_bulk_wait;

#endif
