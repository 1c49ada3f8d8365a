/*
 * access: the rules of memory instructions: how many sectors and wavefronts a
 * warp's access costs, and whether its addresses are valid. The functions in
 * access.c are too rare to be compiled for every vector unit; lanes/ has the
 * fast paths for lanes at consecutive addresses. Internal to emulator/.
 */
#ifndef EMULATOR_MACHINE_MEMORY_ACCESS_H
#define EMULATOR_MACHINE_MEMORY_ACCESS_H

#include "emulator/machine/machine.h"
#include "emulator/machine/memory/device_memory.h"

#define BANKS 32
#define BANK_BYTES 4
#define WAVEFRONT_BYTES (BANKS * BANK_BYTES)

/*
 * The number of neighbouring lanes that shared memory serves together: as many
 * as need 128 bytes. With 8 bytes per lane a warp is served in two halves, with
 * 16 bytes in four quarters. Each group has its own wavefronts; those of the
 * warp are their sum.
 */
static inline unsigned access_group(unsigned lane_bytes)
{
	return lane_bytes <= BANK_BYTES ? LANES : WAVEFRONT_BYTES / lane_bytes;
}

/* The mask of a group of that many lanes, shifted to lane 0. */
static inline uint32_t access_group_mask(unsigned group)
{
	return group == LANES ? ALL_LANES : (UINT32_C(1) << group) - 1;
}

/* The number of groups with a lane in the mask. */
static inline unsigned access_groups(uint32_t mask, unsigned lane_bytes)
{
	unsigned group = access_group(lane_bytes), count = 0;

	for (unsigned first = 0; first < LANES; first += group)
		count += (mask >> first & access_group_mask(group)) != 0;
	return count;
}

/*
 * The number of different 32-byte sectors that a request to global memory
 * needs. An aligned access of a lane lies in one sector; sector[] has its
 * number for each lane of the mask.
 */
unsigned access_sectors(const uint32_t sector[LANES], uint32_t mask);

/*
 * The number of different offsets among the lanes of the mask. Accesses are
 * aligned, so two lanes share all of their bytes or none.
 */
unsigned access_places(const uint64_t offset[LANES], uint32_t mask);

/*
 * The wavefronts that an access to shared memory needs. In one wavefront a bank
 * serves one 4-byte word to all lanes that access it. So each group of lanes
 * needs as many wavefronts as the busiest bank has different words. offset[] is
 * in bytes.
 *
 * Loads of two neighbouring groups are served as one group if the lanes form
 * pairs: each lane x has the address of lane x^1, or one of the two is
 * inactive; or the same with x^2. An H200 counts so in all recorded cases but
 * one kind: it needs one wavefront less for 16-byte loads of the lanes 0 to 19
 * in which x and x^4 have the same address (tests/golden/ptx/explained.json).
 */
unsigned access_load_wavefronts(const uint32_t offset[LANES], uint32_t mask, unsigned lane_bytes);
unsigned access_store_wavefronts(const uint32_t offset[LANES], uint32_t mask, unsigned lane_bytes);

/* The wavefronts that the same bytes need without conflicts, at 128 bytes per wavefront; at most
 * `wavefronts`. */
static inline unsigned access_ideal_wavefronts(uint32_t mask, unsigned lane_bytes,
					       unsigned wavefronts)
{
	unsigned bytes = (unsigned)__builtin_popcount(mask) * lane_bytes;
	unsigned ideal = (bytes + WAVEFRONT_BYTES - 1) / WAVEFRONT_BYTES;

	return ideal < wavefronts ? ideal : wavefronts;
}

/* The largest number of lanes of the mask with the same address. */
unsigned access_longest_queue(const uint64_t address[LANES], uint32_t mask);

/* The bytes that one lane accesses, all vector elements together. */
static inline unsigned access_bytes(const struct instruction *at)
{
	return (unsigned)at->width * at->vector;
}

/*
 * Checks the addresses of the lanes in the mask: addresses of global memory, or
 * offsets into shared or a thread's local memory. STEP_STOPPED, with a finding
 * for the lowest lane at fault: an address is misaligned or outside of its
 * space. STEP_NEXT: all addresses are valid.
 */
enum step access_check(struct warp *warp, const struct instruction *at, enum ptx_space space,
		       uint32_t mask, const uint64_t address[LANES]);
/* As access_check(), if each lane accesses only its first bytes[lane] bytes, at least one. */
enum step access_check_amounts(struct warp *warp, const struct instruction *at,
			       enum ptx_space space, uint32_t mask, const uint64_t address[LANES],
			       const unsigned bytes[LANES]);

/* Checks that shared accesses stay within at->shared_variable, which must not be 0. Call it with
 * offsets that access_check() allows. Checked blocks need it. */
enum step access_check_variable(struct warp *warp, const struct instruction *at, uint32_t mask,
				const uint32_t offset[LANES]);

/* What one lane accesses. */
struct access_range {
	enum ptx_space space;
	int lane;
	uint64_t address; /* or offset, as above */
	unsigned bytes, align;
	const char *what; /* "bulk copy from", for messages; NULL: what the instruction says */
};
/* As access_check(), for one lane. */
enum step access_check_range(struct warp *warp, const struct instruction *at,
			     const struct access_range *range);

#define DISCARD_BYTES 128
/* OP_DISCARD. The bytes of the line get other values, and count as unwritten from then on. */
instruction_handler run_discard;

#endif
