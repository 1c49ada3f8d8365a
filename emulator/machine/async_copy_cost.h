/*
 * copy_cost: sectors and passes of an asynchronous copy, as an H200 counts them
 * in the cases of patterns/async_* and matmul/async_copy that tests/golden/ptx
 * has. Internal to emulator/.
 *
 * Through the first-level cache, a sector is asked for once a request, and what
 * the cache gives goes to shared memory word by word: in a pass a bank of
 * either takes part once, also if two lanes have one word. Lanes are served in
 * the groups of other accesses.
 *
 * Past it, sectors go to shared memory as they come: a sector is asked for once
 * for each sector of shared memory that it goes to, and twice if its halves
 * change places for one lane and not for the other. A pass takes those from one
 * line of 128 bytes to one line, whose sectors differ, that have the same
 * halves, and change halves alike, and even and odd places alike.
 *
 * Lanes that read nothing store zeroes: past the cache in the passes of a
 * store of all lanes, beside those of what is read. The H200 counts so for
 * matmul/async_copy; which machine code it counts otherwise is in
 * tests/golden/ptx/explained.json and LEFT_OUT of scripts/compare-ptx.
 */
#ifndef EMULATOR_MACHINE_ASYNC_COPY_COST_H
#define EMULATOR_MACHINE_ASYNC_COPY_COST_H

#include "emulator/machine/machine.h"

/* The lanes of one copy. */
struct copy_lanes {
	uint32_t mask, reading; /* that take part; of those, that read some bytes */
	unsigned bytes;         /* of a lane: 4, 8 or 16; 16 past the cache */
	bool past_l1;
	const uint64_t *from; /* addresses */
	const uint32_t *to;   /* offsets in shared memory */
};
struct copy_cost {
	unsigned sectors, wavefronts;
};
struct copy_cost copy_cost(const struct copy_lanes *lanes);

#endif
