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
#ifndef EMULATOR_MACHINE_COPIES_ASYNC_COPY_COST_H
#define EMULATOR_MACHINE_COPIES_ASYNC_COPY_COST_H

#include "emulator/machine/machine.h"

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
