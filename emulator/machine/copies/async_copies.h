/*
 * async_copies: asynchronous copies from global to shared memory (cp.async). A
 * copy reads its bytes when it starts. It writes them to shared memory when the
 * thread waits for the copy's group, or when the phase of the mbarrier completes
 * that the thread gave it to, and not earlier: a thread that does not wait sees
 * the old contents. A copy that no thread waits for never arrives.
 * Internal to emulator/.
 */
#ifndef EMULATOR_MACHINE_COPIES_ASYNC_COPIES_H
#define EMULATOR_MACHINE_COPIES_ASYNC_COPIES_H

#include "emulator/machine/machine.h"

/* Copy instructions of a warp that may be pending at a time; more are a finding. One warp that
 * fills all the shared memory that a block can have, word by word, needs 1,816. */
#define COPIES_MOST 4096

struct warp_copies;
/* Call when a block starts: forgets all pending copies. */
void copies_begin(struct warp *warp);
void copies_free(struct warp_copies *copies); /* NULL is allowed */

/* The pending copies of a lane belong to the present phase of the mbarrier at an offset of shared
 * memory: they arrive when it completes, if the lane has not waited for them before. Call before
 * the lane releases the phase (block_clocks.h). */
void copies_signal(struct warp *warp, int lane, uint32_t mbarrier);
/* The phase of the mbarrier is complete: the copies that signal it arrive. */
void copies_complete(struct block *block, uint32_t mbarrier);

instruction_handler run_copy, run_copy_commit, run_copy_wait;

/*
 * async_copy_cost: sectors and wavefronts of an asynchronous copy, as an H200
 * counts them in the cases of patterns/async_* and matmul/async_copy that
 * tests/golden/ptx records. Internal to emulator/.
 *
 * A copy through the L1 cache requests each sector once. The data goes from the
 * cache to shared memory word by word: in one wavefront each bank of the cache
 * and each bank of shared memory takes part once, even if two lanes have the
 * same word. Lanes are served in the same groups as by other accesses.
 *
 * A copy that bypasses the L1 moves whole sectors. It requests a sector once for
 * each sector of shared memory that it is copied to, and twice if its 16-byte
 * halves are swapped for one lane and not for another. One wavefront moves
 * different sectors from one 128-byte line to one 128-byte line. They must use
 * the same halves of the destination, all swap their halves or none, and all
 * move between even and odd places of the line or none.
 *
 * Lanes that read nothing store zeroes. A copy that bypasses the L1 then also
 * needs the wavefronts of a store by all lanes. The H200 counts so for
 * matmul/async_copy. tests/golden/ptx/explained.json and LEFT_OUT of
 * scripts/compare-ptx list the machine code that it counts differently.
 */

/* The lanes of one copy. */
struct copy_lanes {
	uint32_t mask, reading; /* the active lanes; those of them that read any bytes */
	unsigned bytes;         /* per lane: 4, 8 or 16; 16 if the copy bypasses the L1 */
	bool past_l1;
	const uint64_t *from; /* addresses */
	const uint32_t *to;   /* offsets in shared memory */
};
struct copy_cost {
	unsigned sectors, wavefronts;
};
struct copy_cost copy_cost(const struct copy_lanes *lanes);

#endif
