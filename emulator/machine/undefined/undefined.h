/*
 * undefined: follows undefined values bit by bit, by the rules of docs/undefined-values.md.
 * Internal to emulator/.
 *
 * The first run of a case only looks for suspects, which is cheap: a register that may be read
 * before it is written, a load of bytes that nobody has written, a shuffle from an absent lane. If
 * there are any, all launches run again from the same data, and this module looks at each
 * instruction before it is executed. It notes which bits of registers and of memory are undefined,
 * and where each of them was read first. Only uses are findings.
 */
#ifndef EMULATOR_MACHINE_UNDEFINED_UNDEFINED_H
#define EMULATOR_MACHINE_UNDEFINED_UNDEFINED_H

#include "emulator/machine/machine.h"
#include "emulator/machine/memory/device_memory.h"

struct bulk_issue; /* bulk.h */
struct follower;
/* `whole`: all blocks are executed, so that it is known which bytes of global memory are written.
 */
struct follower *follower_create(bool whole);
void follower_free(struct follower *follower); /* NULL is allowed */

/* ---- instructions: only if launch->follower is set ---- */

/* Call before the lanes `lanes` of the active ones execute an instruction, and their guard allows
 * it. */
void undefined_follow(struct warp *warp, const struct instruction *at, uint32_t lanes);
/* Call before the result of a shuffle is written: as source_lanes() of exchange.c. */
void undefined_shuffle(struct warp *warp, const struct instruction *at, const uint32_t *from,
		       uint32_t absent);
/* printf uses at most 8 bytes at a generic address. */
void undefined_use(struct warp *warp, const struct instruction *at, int lane, uint64_t address,
		   unsigned bytes);
/* A bulk copy moves the undefined bits of bytes of global memory to a staging area, finds those of
 * shared memory of its block, or moves staged ones on. */
void undefined_bulk_read(const struct bulk_issue *issue, struct allocation *in, uint64_t offset,
			 unsigned char *to, uint32_t bytes);
unsigned char *undefined_bulk_source(const struct bulk_issue *issue, uint32_t offset,
				     uint32_t bytes);
/* To an allocation, or to shared memory of a block. */
void undefined_bulk_write(const struct bulk_issue *issue, struct allocation *in,
			  struct block *block, uint64_t offset, const unsigned char *from,
			  uint32_t bytes);
/* A lane accesses a surface at that byte of its allocation. `texel_bytes`: of a store that converts
 * its values; 0: it does not. */
void undefined_surface_load(struct warp *warp, const struct instruction *at, int lane,
			    struct allocation *in, uint64_t offset);
void undefined_surface_store(struct warp *warp, const struct instruction *at, int lane,
			     struct allocation *in, uint64_t offset, unsigned texel_bytes);
/* Reports undefined bits of bytes that the check of the case reads and that a thread has stored. */
void undefined_use_buffer(const struct follower *follower, const struct allocation *in,
			  bool is_result, struct finding_list *findings);

#endif
