/*
 * access: what a memory instruction of a warp costs, and what is wrong with
 * it: the rules, and the paths that are too rare to be compiled for every
 * vector unit. lanes/ has the short ways for lanes that lie side by side.
 * Internal to emulator/.
 */
#ifndef EMULATOR_MACHINE_ACCESS_H
#define EMULATOR_MACHINE_ACCESS_H

#include "emulator/machine/device_memory.h"
#include "emulator/machine/machine.h"

#define BANKS 32
#define BANK_BYTES 4
#define WAVEFRONT_BYTES (BANKS * BANK_BYTES)

/*
 * How many neighbouring lanes shared memory serves together: as many as 128
 * bytes are enough for. So a warp whose lanes take 8 bytes each is two halves,
 * with 16 bytes it is four quarters; each part has its wavefronts for itself,
 * and the warp has their sum.
 */
static inline unsigned access_group(unsigned lane_bytes)
{
	return lane_bytes <= BANK_BYTES ? LANES : WAVEFRONT_BYTES / lane_bytes;
}

/* The lanes of a group, from its first lane on. */
static inline uint32_t access_group_mask(unsigned group)
{
	return group == LANES ? ALL_LANES : (UINT32_C(1) << group) - 1;
}

/* Groups that have a lane in the mask. */
static inline unsigned access_groups(uint32_t mask, unsigned lane_bytes)
{
	unsigned group = access_group(lane_bytes), count = 0;

	for (unsigned first = 0; first < LANES; first += group)
		count += (mask >> first & access_group_mask(group)) != 0;
	return count;
}

/*
 * Sectors of global memory that a request asks the first-level cache for:
 * every 32-byte sector once. An aligned access of a lane lies in one sector;
 * sector[] has its number for each lane of the mask.
 */
unsigned access_sectors(const uint32_t sector[LANES], uint32_t mask);

/*
 * Different places among the lanes of the mask. Accesses are aligned, so two
 * lanes have all of their bytes in common or none.
 */
unsigned access_places(const uint64_t offset[LANES], uint32_t mask);

/*
 * Passes that shared memory needs: a bank gives one 4-byte word a pass to all
 * lanes that want that word. So within each group of lanes it is the number of
 * different words in the bank that has most of them; offset[] is in bytes.
 *
 * Loads of two neighbouring groups are served as one group when lanes go in
 * pairs: when each lane x and lane x^1 have one address, or one of them takes
 * no part; or each x and x^2. That is what an H200 shows in all but one kind of
 * recorded case: it needs one pass less for 16 bytes each of the lanes 0 to 19
 * where x and x^4 have one address (tests/golden/ptx/explained.json).
 */
unsigned access_load_wavefronts(const uint32_t offset[LANES], uint32_t mask, unsigned lane_bytes);
unsigned access_store_wavefronts(const uint32_t offset[LANES], uint32_t mask, unsigned lane_bytes);

/* Passes that the same bytes would need without a conflict: 128 bytes a pass, at most all. */
static inline unsigned access_ideal_wavefronts(uint32_t mask, unsigned lane_bytes,
					       unsigned wavefronts)
{
	unsigned bytes = (unsigned)__builtin_popcount(mask) * lane_bytes;
	unsigned ideal = (bytes + WAVEFRONT_BYTES - 1) / WAVEFRONT_BYTES;

	return ideal < wavefronts ? ideal : wavefronts;
}

/* Lanes of the mask that want one address, the most. */
unsigned access_longest_queue(const uint64_t address[LANES], uint32_t mask);

/* Bytes of all elements of a lane. */
static inline unsigned access_bytes(const struct instruction *at)
{
	return (unsigned)at->width * at->vector;
}

/*
 * Looks for the lowest lane of the mask whose address is misaligned or
 * outside of its space: global (addresses), shared or local (offsets; of a
 * thread's own memory). STEP_STOPPED with a finding, or STEP_NEXT: none is.
 */
enum step access_check(struct warp *warp, const struct instruction *at, enum ptx_space space,
		       uint32_t mask, const uint64_t address[LANES]);
/* The same where each lane touches only so many of its first bytes, one at least. */
enum step access_check_amounts(struct warp *warp, const struct instruction *at,
			       enum ptx_space space, uint32_t mask, const uint64_t address[LANES],
			       const unsigned bytes[LANES]);

#endif
