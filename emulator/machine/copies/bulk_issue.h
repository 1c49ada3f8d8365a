/*
 * bulk_issue: what the files of bulk copies share about the copy of one lane. Internal to
 * emulator/.
 */
#ifndef EMULATOR_MACHINE_COPIES_BULK_ISSUE_H
#define EMULATOR_MACHINE_COPIES_BULK_ISSUE_H

#include "emulator/machine/machine.h"

#include <string.h>

/* Addresses and sizes are multiples of this. */
#define BULK_ALIGN_BYTES 16

/* Returns what an element of the destination becomes. */
typedef uint64_t bulk_combine(uint64_t old, uint64_t with, enum atomic_kind kind,
			      enum value_type type, bool global);

/* A copy of one lane. */
struct bulk_issue {
	struct warp *warp;
	const struct instruction *at;
	unsigned lane;
	const struct program_bulk_copy *copy;
	bulk_combine *combine; /* NULL: the copy stores */
	/* Not NULL: the copy moves undefined bits instead of values, counts nothing and signals
	 * nothing. Where the first of these bits was read. See undefined.h. */
	undefined_origin *origin;
};

static inline uint64_t bulk_value(const struct bulk_issue *issue, uint32_t row, bool narrow)
{
	const unsigned char *at = row_of(issue->warp, row);
	uint32_t low;
	uint64_t wide;

	if (narrow) {
		memcpy(&low, at + issue->lane * sizeof(low), sizeof(low));
		return low;
	}
	memcpy(&wide, at + issue->lane * sizeof(wide), sizeof(wide));
	return wide;
}

/* An address, or an offset in shared memory. */
static inline uint64_t bulk_address_in(const struct bulk_issue *issue,
				       const struct bulk_address *of)
{
	uint64_t address = bulk_value(issue, of->row, of->narrow) + (uint64_t)of->offset;

	return of->space == PTX_SPACE_SHARED ? (uint32_t)address : address;
}

#endif
