/*
 * device_memory: the part of the emulated device's memory that handlers need
 * besides emulator.h: finding the allocation of an address, and recording the
 * 32-byte sectors that a launch touches. Internal to emulator/.
 *
 * Invariants: allocations ascend by address. Each address is a multiple of
 * ALLOCATION_ALIGN_BYTES, so sectors of offsets are sectors of addresses. The
 * DEVICE_FAR_BYTES before and after an allocation belong to no allocation; with
 * about a thousand allocations of the host, DEVICE_GUARD_BYTES. A
 * new allocation takes the lowest gap that is large enough, so addresses depend
 * on the sequence of calls only. Allocations do not move while a launch runs.
 */
#ifndef EMULATOR_MACHINE_MEMORY_DEVICE_MEMORY_H
#define EMULATOR_MACHINE_MEMORY_DEVICE_MEMORY_H

#include "emulator/emulator.h"
#include "emulator/machine/races/races_global.h"
#include "emulator/machine/undefined/undefined_bits.h"

#include <string.h>

#define ALLOCATION_ALIGN_BYTES 512
#define SECTOR_BYTES 32
/* More than any device has; sector numbers still fit 32 bits. */
#define ALLOCATION_MOST_BYTES (INT64_C(1) << 36)
#define RECENT_ALLOCATIONS 64
/* Blocks of the device heap begin here, above all allocations of the host. */
#define HEAP_ADDRESS UINT64_C(0x810000000000)

struct allocation {
	uint64_t address;
	uint64_t bytes;
	unsigned char *data; /* never NULL */
	char *name;
	/* One bit per sector: loaded before it was written; written. */
	uint64_t *read, *written;
	uint64_t *bytes_written;           /* NULL: all of them; see below */
	struct undefined_memory undefined; /* while values are followed; undefined.h */
	struct shadow_rows *shadow;        /* NULL: none yet; global_cells.h */
};

struct device_memory {
	struct allocation *items;
	size_t count, capacity;
	int64_t limit_bytes, used_bytes;
	/* By instruction number: the allocation it accessed last, as a hint. Never NULL. */
	struct allocation *recent[RECENT_ALLOCATIONS];
	struct texture_list *textures; /* NULL: none; texture_object.c */
	/* For the race check: the bytes of all rows, and the last numbers that launches used. */
	int64_t rows_bytes;
	uint32_t shadow_segment, shadow_time;
	struct cell_pool *shadow_pool; /* NULL: none yet */
};

/* Counts all bytes of all allocations as written. */
void device_memory_all_written(struct device_memory *memory);
/* Forgets the accesses to an allocation. */
void device_memory_drop_rows(struct device_memory *memory, struct allocation *of);

/* Allocates at an address that is a multiple of ALLOCATION_ALIGN_BYTES and beyond all allocations.
 * PL_ENOMEM as device_memory_allocate(). */
int device_memory_allocate_at(struct device_memory *memory, uint64_t address, int64_t bytes,
			      const char *name, struct error *err);

/* Counts memory that has no address in device memory towards the limit. *taken is 0 or `bytes`;
 * whoever took them subtracts them from used_bytes. PL_ENOMEM. */
int device_memory_take(struct device_memory *memory, int64_t *taken, int64_t bytes,
		       const char *name, struct error *err);

/* The last allocation that begins at or before `address`. NULL: none. */
struct allocation *device_memory_below(const struct device_memory *memory, uint64_t address);

/*
 * The allocation that holds the byte at `address`. NULL: none. `hint` is the
 * number of the instruction, which usually accesses the same allocation again.
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

/* The bits of the sectors first … last in the word of the 64 sectors from 64 * word on. */
static inline uint64_t sector_bits(uint64_t word, uint64_t first, uint64_t last)
{
	uint64_t low = first > word * 64 ? first - word * 64 : 0;
	uint64_t high = last < word * 64 + 63 ? last - word * 64 : 63;

	return (~UINT64_C(0) << low) & (~UINT64_C(0) >> (63 - high));
}

/* Records that the launch loads or stores sectors, given by bits of one word. */
static inline void touch_word(struct allocation *in, uint64_t word, uint64_t bits, bool store)
{
	if (store)
		in->written[word] |= bits;
	else
		in->read[word] |= bits & ~in->written[word];
}

/* Records that the launch loads or stores the sectors first … last of an allocation. */
static inline void touch_range(struct allocation *in, uint64_t first, uint64_t last, bool store)
{
	if (first / 64 == last / 64) {
		touch_word(in, first / 64, ~UINT64_C(0) >> (63 - (last - first)) << first % 64,
			   store);
		return;
	}
	for (uint64_t word = first / 64; word <= last / 64; word++)
		touch_word(in, word, sector_bits(word, first, last), store);
}

static inline void touch_read(struct allocation *in, uint64_t first, uint64_t last)
{
	touch_range(in, first, last, false);
}

static inline void touch_written(struct allocation *in, uint64_t first, uint64_t last)
{
	touch_range(in, first, last, true);
}

/*
 * Appends "4 bytes past the end of 'out' (4096 bytes)" for an access of `bytes`
 * bytes at `address` outside of every allocation: how far it reaches past the
 * nearest one, or how far before it the access begins.
 */
void device_memory_describe(struct text *out, const struct device_memory *memory, uint64_t address,
			    unsigned bytes);

/*
 * ---- the memory that device code gets from malloc(): heap.c ----
 *
 * It belongs to the emulation, so that a launch may free what an earlier one allocated. Each block
 * is an allocation of device memory with guard bytes around it, and no address is used twice. So an
 * access outside of a block or after free() is always found; that it is after free() is said of the
 * last 65,536 freed blocks at least. An address is a multiple of 512, while a GPU's is a multiple
 * of 16: sector counts of accesses to the heap can differ.
 */

/* The limit of CUDA unless cudaDeviceSetLimit() changes it. */
#define HEAP_BYTES (INT64_C(8) << 20)

struct device_heap;
struct device_heap *device_heap_create(struct device_memory *memory);
void device_heap_free(struct device_heap *heap); /* NULL is allowed */
/* Releases all blocks and forgets them. */
void device_heap_reset(struct device_heap *heap);
/* Appends a finding for each malloc() that has blocks left, with their number. */
void device_heap_leaks(const struct device_heap *heap, struct finding_list *findings);
/* Appends "which is in 24 bytes that free() released" if the heap had the address.
 * NULL: no heap. */
bool device_heap_describe(struct text *out, const struct device_heap *heap, uint64_t address);

/* ---- which bytes of an allocation anybody has written, one bit each ----
 *
 * An allocation without bits counts as written. */

/* The bits of bytes first … first + count - 1 that lie in a word of 64. `count` > 0. */
static inline uint64_t written_mask(uint64_t word, uint64_t first, uint64_t count)
{
	uint64_t last = first + count - 1, begin = word * 64, mask = UINT64_MAX;

	if (first > begin)
		mask <<= first - begin;
	if (last < begin + 63)
		mask &= UINT64_MAX >> (begin + 63 - last);
	return mask;
}

static inline void written_add(struct allocation *in, uint64_t first, uint64_t count)
{
	for (uint64_t word = first / 64; in->bytes_written && word <= (first + count - 1) / 64;
	     word++)
		in->bytes_written[word] |= written_mask(word, first, count);
}

/* Counts bytes as unwritten. */
static inline void written_remove(struct allocation *in, uint64_t first, uint64_t count)
{
	const size_t words = (size_t)(in->bytes / 64 + 1);

	if (!in->bytes_written) {
		in->bytes_written = xcalloc(words, sizeof(*in->bytes_written));
		memset(in->bytes_written, 0xff, words * sizeof(*in->bytes_written));
	}
	for (uint64_t word = first / 64; word <= (first + count - 1) / 64; word++)
		in->bytes_written[word] &= ~written_mask(word, first, count);
}

static inline bool written_all(const struct allocation *in, uint64_t first, uint64_t count)
{
	uint64_t missing = 0;

	for (uint64_t word = first / 64; in->bytes_written && word <= (first + count - 1) / 64;
	     word++)
		missing |= ~in->bytes_written[word] & written_mask(word, first, count);
	return !missing;
}

#endif
