/*
 * written_bytes: which bytes of an allocation anybody has written, one bit each. An allocation
 * without bits counts as written. Internal to machine/.
 */
#ifndef EMULATOR_MACHINE_MEMORY_WRITTEN_BYTES_H
#define EMULATOR_MACHINE_MEMORY_WRITTEN_BYTES_H

#include "emulator/machine/memory/device_memory.h"
#include "emulator/machine/races/races_global.h"

#include <string.h>

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
