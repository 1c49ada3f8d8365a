/*
 * memory: what handlers need of the emulated device's memory beyond the door
 * in emulator.h: finding the allocation that an address lies in, and keeping
 * account of the 32-byte sectors that a launch touched. Internal to
 * emulator/.
 *
 * Invariants: allocations are ascending by address, each a multiple of
 * ALLOCATION_ALIGN_BYTES, so that a sector of an offset is one of the address;
 * nobody owns the DEVICE_GUARD_BYTES before and after each. An allocation
 * takes the lowest gap that it fits, so that addresses depend on the calls
 * alone. Allocations do not move while a launch runs.
 */
#ifndef EMULATOR_MACHINE_DEVICE_MEMORY_H
#define EMULATOR_MACHINE_DEVICE_MEMORY_H

#include "emulator/emulator.h"

#define ALLOCATION_ALIGN_BYTES 512
#define SECTOR_BYTES 32
/* More than any device has, and sectors still have 32-bit numbers. */
#define ALLOCATION_MOST_BYTES (INT64_C(1) << 36)
#define RECENT_ALLOCATIONS 64

struct allocation {
	uint64_t address;
	uint64_t bytes;
	unsigned char *data; /* never NULL */
	char *name;
	/* A bit for each sector: loaded before it was written; written. */
	uint64_t *read, *written;
};

struct device_memory {
	struct allocation *items;
	size_t count, capacity;
	int64_t limit_bytes, used_bytes;
	/* The allocation that an instruction touched last; a guess. Never NULL. */
	struct allocation *recent[RECENT_ALLOCATIONS];
};

/* The last allocation that begins at `address` or before; NULL: none. */
struct allocation *device_memory_below(const struct device_memory *memory, uint64_t address);

/*
 * The allocation that holds the byte at `address`; NULL: none. An instruction
 * mostly touches what it touched before: `hint` is its number.
 */
static inline struct allocation *device_memory_find(struct device_memory *memory, size_t hint,
						    uint64_t address)
{
	struct allocation **recent = &memory->recent[hint % RECENT_ALLOCATIONS];
	struct allocation *found = *recent;

	if (address - found->address < found->bytes)
		return found;
	found = device_memory_below(memory, address);
	if (!found || address - found->address >= found->bytes)
		return NULL;
	return *recent = found;
}

/* Of the 64 sectors from 64 * word on, a bit for each of first … last. */
static inline uint64_t sector_bits(uint64_t word, uint64_t first, uint64_t last)
{
	uint64_t low = first > word * 64 ? first - word * 64 : 0;
	uint64_t high = last < word * 64 + 63 ? last - word * 64 : 63;

	return (~UINT64_C(0) << low) & (~UINT64_C(0) >> (63 - high));
}

/* Accounts for loads of the sectors first … last of an allocation. */
static inline void touch_read(struct allocation *in, uint64_t first, uint64_t last)
{
	for (uint64_t word = first / 64; word <= last / 64; word++)
		in->read[word] |= sector_bits(word, first, last) & ~in->written[word];
}

static inline void touch_written(struct allocation *in, uint64_t first, uint64_t last)
{
	for (uint64_t word = first / 64; word <= last / 64; word++)
		in->written[word] |= sector_bits(word, first, last);
}

/*
 * "4 bytes past the end of 'out' (4096 bytes)", of `bytes` bytes at `address`
 * that no allocation holds: how far they reach beyond the nearest one, or how
 * far before it they begin.
 */
void device_memory_describe(struct text *out, const struct device_memory *memory, uint64_t address,
			    unsigned bytes);

#endif
