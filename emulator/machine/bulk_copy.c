#include "emulator/machine/bulk_copy.h"

#include "emulator/machine/access.h"
#include "emulator/machine/block_clocks.h"
#include "emulator/machine/mbarrier.h"
#include "emulator/machine/shadow_bulk.h"

#include <stdlib.h>
#include <string.h>

/* ---- operands ---- */

static uint64_t value_in_row(const struct bulk_issue *issue, uint32_t row, bool narrow)
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

static uint64_t bulk_address_in(const struct bulk_issue *issue, const struct bulk_address *of)
{
	uint64_t address = value_in_row(issue, of->row, of->narrow) + (uint64_t)of->offset;

	return of->space == PTX_SPACE_SHARED ? (uint32_t)address : address;
}

/* ---- the side in shared memory ---- */

static enum step check_shared(const struct bulk_issue *issue, const struct bulk_range *range,
			      const char *what)
{
	return access_check_range(issue->warp, issue->at,
				  &(struct access_range){.space = PTX_SPACE_SHARED,
							 .lane = (int)issue->lane,
							 .address = range->offset,
							 .bytes = range->bytes,
							 .align = BULK_ALIGN_BYTES,
							 .what = what});
}

/* Checks the source in shared memory. */
static enum step begin_read(const struct bulk_issue *issue, struct bulk_pending *pending)
{
	if (check_shared(issue, &pending->reads, "bulk copy from") != STEP_NEXT)
		return STEP_STOPPED;
	if (issue->warp->block->shadow)
		pending->place = shadow_bulk_read(
			&(struct shadow_bulk){issue->warp, issue->at, issue->lane, pending->reads});
	return STEP_NEXT;
}

/* Writes the destination in shared memory, and signals the mbarrier. */
static enum step write_shared(const struct bulk_issue *issue, struct bulk_pending *pending,
			      const unsigned char *values)
{
	struct block *block = issue->warp->block;
	const struct bulk_range *range = &pending->writes;

	if (block->shadow)
		pending->place = shadow_bulk_write(
			&(struct shadow_bulk){issue->warp, issue->at, issue->lane, *range},
			issue->combine ? NULL : values);
	bulk_store(issue, block->shared + range->offset, values, range->bytes, false);
	bulk_pending_add(block, pending);
	return mbarrier_bytes_arrive(issue->warp, issue->at, (int)issue->lane, pending->mbarrier,
				     range->bytes);
}

/* ---- the three directions ---- */

/* Checks what is written to shared memory, and that an mbarrier counts it. */
static enum step begin_write(const struct bulk_issue *issue, struct bulk_pending *pending,
			     uint32_t bytes)
{
	pending->writes =
		(struct bulk_range){(uint32_t)bulk_address_in(issue, &issue->copy->to), bytes};
	pending->mbarrier = (uint32_t)bulk_address_in(issue, &issue->copy->mbarrier);
	if (check_shared(issue, &pending->writes,
			 issue->combine ? "bulk reduction of" : "bulk copy to") != STEP_NEXT)
		return STEP_STOPPED;
	return mbarrier_find_phase(issue->warp, issue->at, (int)issue->lane, pending->mbarrier,
				   &pending->number);
}

static enum step load_from_global(const struct bulk_issue *issue, struct bulk_pending *pending,
				  uint32_t bytes)
{
	unsigned char *values;
	enum step step;

	if (begin_write(issue, pending, bytes) != STEP_NEXT)
		return STEP_STOPPED;
	values = xmalloc(bytes + 1);
	step = bulk_global_read(issue, bulk_address_in(issue, &issue->copy->from), values, bytes,
				BULK_ALIGN_BYTES);
	if (step == STEP_NEXT)
		step = write_shared(issue, pending, values);
	free(values);
	return step;
}

static enum step copy_within_shared(const struct bulk_issue *issue, struct bulk_pending *pending,
				    uint32_t bytes)
{
	unsigned char *values;
	enum step step;

	pending->reads =
		(struct bulk_range){(uint32_t)bulk_address_in(issue, &issue->copy->from), bytes};
	if (begin_write(issue, pending, bytes) != STEP_NEXT ||
	    begin_read(issue, pending) != STEP_NEXT)
		return STEP_STOPPED;
	values = xmalloc(bytes + 1);
	memcpy(values, issue->warp->block->shared + pending->reads.offset, bytes);
	step = write_shared(issue, pending, values);
	free(values);
	return step;
}

/* Stores the bytes of each 16 that the mask names, in runs. */
static enum step store_masked(const struct bulk_issue *issue, uint64_t address,
			      const unsigned char *from, uint32_t bytes)
{
	const uint64_t mask = value_in_row(issue, issue->copy->byte_mask, true);
	enum step step = bulk_global_write(issue, address, from, 0, BULK_ALIGN_BYTES);

	for (uint32_t at = 0; at < bytes && step == STEP_NEXT;) {
		uint32_t end = at;

		while (end < bytes && mask >> end % BULK_ALIGN_BYTES & 1)
			end++;
		if (end > at)
			step = bulk_global_write(issue, address + at, from + at, end - at, 1);
		at = end + 1;
	}
	return step;
}

static enum step store_to_global(const struct bulk_issue *issue, struct bulk_pending *pending,
				 uint32_t bytes)
{
	const uint64_t address = bulk_address_in(issue, &issue->copy->to);
	const unsigned char *from;
	enum step step;

	pending->reads =
		(struct bulk_range){(uint32_t)bulk_address_in(issue, &issue->copy->from), bytes};
	pending->mbarrier = BULK_OF_GROUP;
	if (begin_read(issue, pending) != STEP_NEXT)
		return STEP_STOPPED;
	from = issue->warp->block->shared + pending->reads.offset;
	step = issue->copy->byte_mask
		       ? store_masked(issue, address, from, bytes)
		       : bulk_global_write(issue, address, from, bytes, BULK_ALIGN_BYTES);
	if (step == STEP_NEXT)
		bulk_pending_add(issue->warp->block, pending);
	return step;
}

/* ---- the instruction ---- */

static enum step issue_copy(const struct bulk_issue *issue)
{
	const struct program_bulk_copy *copy = issue->copy;
	const uint32_t bytes = (uint32_t)value_in_row(issue, copy->bytes, true);
	struct bulk_pending pending = {
		.clock = block_clock(issue->warp),
		.thread = (uint16_t)(issue->warp->index * LANES + issue->lane),
	};

	if (bytes % BULK_ALIGN_BYTES)
		return warp_finding(issue->warp, issue->at, (int)issue->lane, FINDING_MISALIGNED,
				    "a bulk copy of %u bytes; the size must be a multiple of %d",
				    bytes, BULK_ALIGN_BYTES);
	if (copy->to.space != PTX_SPACE_SHARED)
		return store_to_global(issue, &pending, bytes);
	if (copy->from.space != PTX_SPACE_SHARED)
		return load_from_global(issue, &pending, bytes);
	return copy_within_shared(issue, &pending, bytes);
}

enum step run_bulk_reduction(struct warp *warp, const struct instruction *at, bulk_combine *combine)
{
	struct bulk_issue issue = {
		.warp = warp,
		.at = at,
		.copy = &warp->frame->function->bulk_copies[at->target],
		.combine = combine,
	};

	for (uint32_t rest = warp->active; rest; rest &= rest - 1) {
		issue.lane = (unsigned)__builtin_ctz(rest);
		count_at(warp, at)->requests++;
		if (issue_copy(&issue) != STEP_NEXT)
			return STEP_STOPPED;
	}
	return STEP_NEXT;
}

enum step run_bulk_copy(struct warp *warp, const struct instruction *at)
{
	return run_bulk_reduction(warp, at, NULL);
}
